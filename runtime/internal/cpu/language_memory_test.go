package cpu

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// memoryCases are bodies that compute r from i through memory, with the same in
// Go.
var memoryCases = []struct {
	name, before, body string
	want               func(i int) int
}{
	{"arrays in thread memory", "", `int a[5] = {1, 2, 3}; a[4] = i; a[i % 5] += 10;
		for (int k = 0; k < 5; k++) r = r * 3 + a[k]; r += a[1] + a[(i + 1) % 5];`, func(i int) (r int) {
		a := []int{1, 2, 3, 0, i}
		a[i%5] += 10
		for _, v := range a {
			r = r*3 + v
		}
		return r + a[1] + a[(i+1)%5]
	}},
	{"arrays of two dimensions", "", `int a[3][4];
		for (int x = 0; x < 3; x++) for (int y = 0; y < 4; y++) a[x][y] = x * 10 + y + i; a[i % 3][i % 4] = -1; int s[4] = {};
		for (int k = 0; k < 4; k++) s[k] = a[k % 3][3 - k];
		r = s[0] + s[1] * 2 + s[2] * 3 + s[3] * 5 + a[2][i & 3];`, func(i int) int {
		var a [3][4]int
		for x := range a {
			for y := range a[x] {
				a[x][y] = x*10 + y + i
			}
		}
		a[i%3][i%4] = -1
		return a[0][3] + a[1][2]*2 + a[2][1]*3 + a[0][0]*5 + a[2][i&3]
	}},
	{"arrays of narrow types", "", `char a[7]; uchar b[3] = {1, 2, 3}; short c[3]; half h[3]; bool t[4] = {true};
		long l[3]; bfloat f[2]; for (int k = 0; k < 7; k++) a[k] = i * 40 + k; b[i % 3] -= 5; c[i % 3] = i * 3000;
		h[i % 3] = i + 0.5h; t[i % 4] = i & 1; l[i % 3] = long(i) << 40; f[i % 2] = i;
		r = a[3] + a[i % 7] + b[i % 3] * 2 + c[i % 3] + int(h[i % 3] * 2) + t[i % 4] * 4 + int(l[i % 3] >> 38) +
		int(f[i % 2]);`, func(i int) int {
		a := func(k int) int { return int(int8(i*40 + k)) }
		r := a(3) + a(i%7) + int(uint8(i%3+1-5))*2 + int(int16(i*3000)) + 2*i + 1 + i&1*4 + i*4
		return r + i
	}},
	{"pointers to thread arrays", `int sum(thread const int* p, int n) { int s = 0; while (n-- > 0) s += *p++; return s; }
void reverse(thread int* first, thread int* last) { while (first < last) { int t = *first; *first++ = *last;
	*last-- = t; } }`,
		`int a[6]; for (int k = 0; k < 6; k++) a[k] = k * k + i; reverse(a + i % 3, &a[5 - i % 2]);
			r = sum(a, 4) * 100 + sum(a + 2, i % 4) + int(&a[5] - (a + i % 6)); thread int* p = a; p += i % 5; p -= 1; p++;
			r += *p + p[1] + *(p + 1) - p[0]; r += p == a ? 1000 : p > a + 2 ? 2000 : 3000;`, func(i int) int {
			a := make([]int, 6)
			for k := range a {
				a[k] = k*k + i
			}
			slices.Reverse(a[i%3 : 6-i%2])
			sum := func(a []int) (s int) {
				for _, v := range a {
					s += v
				}
				return s
			}
			p := i % 5
			r := sum(a[:4])*100 + sum(a[2:2+i%4]) + 5 - i%6 + 2*a[p+1]
			switch {
			case p == 0:
				return r + 1000
			case p > 2:
				return r + 2000
			}
			return r + 3000
		}},
	{"structs", `enum Mode { off, on = 3 };
struct Inner { char c; float3 v; int list[3]; };
struct Outer { bool b; Inner inner; Mode mode; Inner many[2]; half h; };
Outer make(int i) { Outer o; o.b = i & 1; o.inner = Inner{char(i * 50), float3(i, 1, 2), {1, i, 3}};
	o.mode = i % 3 ? on : off; o.many[0] = o.inner; o.many[1] = Inner(); o.h = 2; return o; }
int total(thread const Inner& n) {
	return n.c + int(n.v.x + n.v.y * 2 + n.v.z * 3) + n.list[0] + n.list[1] * 2 + n.list[2]; }`,
		`Outer o = make(i); Outer p = o; p.many[i % 2].list[i % 3] = 100; p.inner.v.zy = o.inner.v.xz;
			r = total(o.inner) + 2 * total(p.inner) + 3 * total(p.many[0]) + 4 * total(p.many[1]) + p.b + p.mode * 1000 +
			int(p.h); thread Inner* q = &p.many[1]; q->list[0] -= 7; (*q).v = 1; r += total(*q);`, func(i int) int {
			type inner struct {
				c, x, y, z int
				list       [3]int
			}
			total := func(n inner) int { return n.c + n.x + n.y*2 + n.z*3 + n.list[0] + n.list[1]*2 + n.list[2] }
			o := inner{int(int8(i * 50)), i, 1, 2, [3]int{1, i, 3}}
			p := o
			many := [2]inner{o, {}}
			many[i%2].list[i%3] = 100
			p.z, p.y = o.x, o.z
			r := total(o) + 2*total(p) + 3*total(many[0]) + 4*total(many[1]) + i&1 + 2
			if i%3 != 0 {
				r += 3000
			}
			many[1].list[0] -= 7
			many[1].x, many[1].y, many[1].z = 1, 1, 1
			return r + total(many[1])
		}},
	{"constants of the program", `constant int primes[] = {2, 3, 5, 7, 11, 13};
constant float grid[2][3] = {{1, 2, 3}, {4, 5}};
struct Step { int by; float2 at; char name[2]; };
constant Step steps[] = {{1, {2, 3}, {4, 5}}, {-1, float2(6), {7}}};
constant half3 vector = half3(1, 2, 3);
constant uint one = 1, many = 0xffffffffu;
constant bool flags[3] = {true, false, true};`,
		`r = primes[i % 6] + primes[2] + int(grid[i % 2][i % 3]) * 100 + steps[i % 2].by * 1000 + int(steps[i & 1].at.y) +
			steps[i % 2].name[i % 2] * 7 + int(vector[i % 3]) + int(one + many) + flags[i % 3] * 5;
			constant int* p = primes + i % 3; r += p[1] + *p;`, func(i int) int {
			primes := []int{2, 3, 5, 7, 11, 13}
			grid := [][]int{{1, 2, 3}, {4, 5, 0}}
			by, y, name := []int{1, -1}, []int{3, 6}, []int{4, 0}
			return primes[i%6] + 5 + grid[i%2][i%3]*100 + by[i%2]*1000 + y[i%2] + name[i%2]*7 + i%3 + 1 + []int{5, 0, 5}[i%3] +
				primes[i%3+1] + primes[i%3]
		}},
	{"casts between the types of elements", "", `uint a[4] = {0x01020304u, 0x05060708u, 0x80ff00feu, uint(i)};
		thread uchar* b = (thread uchar*)a; thread char* c = reinterpret_cast<thread char*>(a + 2);
		thread ushort* s = (thread ushort*)(b + 4); b[i % 8] = 0xaa;
		r = b[0] + b[5] * 3 + c[i % 4] + s[i % 2] * 5 + int(*(thread uint*)(c + 4)) + int(a[i % 4] >> 3);`, func(i int) int {
		b := make([]byte, 16)
		for k, v := range []uint32{0x01020304, 0x05060708, 0x80ff00fe, uint32(i)} {
			binary.LittleEndian.PutUint32(b[4*k:], v)
		}
		b[i%8] = 0xaa
		word := func(k int) uint32 { return binary.LittleEndian.Uint32(b[4*k:]) }
		return int(int32(uint32(int(b[0])+int(b[5])*3+int(int8(b[8+i%4]))+int(binary.LittleEndian.Uint16(b[4+i%2*2:]))*5+i) +
			word(i%4)>>3))
	}},
	{"pointers that lanes choose", "", `int a[3] = {1, 2, 3}, b[3] = {10, 20, 30}; thread int* p = i & 1 ? a : b;
		p[i % 3] = -i; thread int* q = nullptr; if (i % 3 == 0) q = &p[1];
		r = p[0] + p[1] + p[2] + (q ? *q * 100 : 7) + a[0];`, func(i int) int {
		a, b := []int{1, 2, 3}, []int{10, 20, 30}
		p := b
		if i&1 != 0 {
			p = a
		}
		p[i%3] = -i
		r := p[0] + p[1] + p[2] + a[0]
		if i%3 == 0 {
			return r + p[1]*100
		}
		return r + 7
	}},
	{"vectors in memory", "", `float4 v[3] = {float4(i), float4(1, 2, 3, 4)}; v[2] = v[i % 2].wzyx; v[i % 3].y = 9;
		v[1].xz += v[2].yw; v[i % 3][i % 4] -= 1; thread float* f = (thread float*)v;
		r = int(dot(v[0], float4(1, 2, 3, 4)) + 3 * dot(v[1], float4(1, 2, 3, 4)) + 5 * dot(v[2], float4(1, 2, 3, 4)) +
		f[i % 12]);`, func(i int) int {
		v := [3][4]int{{i, i, i, i}, {1, 2, 3, 4}}
		w := v[i%2]
		v[2] = [4]int{w[3], w[2], w[1], w[0]}
		v[i%3][1] = 9
		v[1][0] += v[2][1]
		v[1][2] += v[2][3]
		v[i%3][i%4]--
		dot := func(v [4]int) int { return v[0] + 2*v[1] + 3*v[2] + 4*v[3] }
		return dot(v[0]) + 3*dot(v[1]) + 5*dot(v[2]) + v[i%12/4][i%4]
	}},
}

func TestMemoryOfThreadsAndConstants(t *testing.T) {
	t.Parallel()
	for _, c := range memoryCases {
		source := c.before + `
kernel void test(device int* output, uint at [[thread_position_in_grid]]) {
	int i = at; int r = 0;
` + c.body + "\n\toutput[at] = r;\n}"
		for _, n := range []int{1, 33, 100} {
			r := make([]int32, n)
			if err := execute(t, source, threads(n), r); err != nil {
				t.Errorf("%s: %v", c.name, err)
				break
			}
			for i, got := range r {
				if want := int32(c.want(i)); got != want {
					t.Errorf("%s: thread %d of %d gives %d, want %d", c.name, i, n, got, want)
					break
				}
			}
		}
	}
}

// TestStructsHaveTheLayoutOfMetal reads and writes fields of structs in buffers
// and constant references at their offsets in MSL.
func TestStructsHaveTheLayoutOfMetal(t *testing.T) {
	t.Parallel()
	type item struct {
		c     int8
		_     [15]byte
		v     [3]float32 // float3: 16 bytes
		_     [4]byte
		p     [3]float32 // packed_float3
		h     uint16
		b     bool
		_     [1]byte
		l     int64
		list  [2][2]int16
		pair  [2]uint16
		mode  int32
		small [4]uint8
		tail  [4]byte
	}
	items := make([]item, 40)
	for i := range items {
		f := float32(i)
		items[i] = item{c: int8(-i), v: [3]float32{f, 1, 2}, p: [3]float32{3, f, 5}, h: 0x4000, b: i%2 != 0,
			l: int64(i) << 33, list: [2][2]int16{{1, int16(-i)}, {3, 4}}, pair: [2]uint16{7, uint16(i)}, mode: 2,
			small: [4]uint8{1, 2, 3, uint8(i)}}
		for k := range items[i].tail {
			items[i].tail[k] = 0x5a
		}
	}
	const types = `enum Mode : int { none, some = 2 };
struct Item { char c; float3 v; packed_float3 p; half h; bool b; long l; short list[2][2]; ushort2 pair; Mode mode;
	uchar4 small; };
`
	r := make([]float32, 40*12)
	compute(t, types+`kernel void test(device const Item* a, constant Item& k, device float* r,
		uint i [[thread_position_in_grid]]) {
	Item t = a[i];
	device const Item& u = a[i];
	r += 12 * i;
	r[0] = t.c; r[1] = t.v.x + u.v.y * 100; r[2] = t.p.y + t.p[2] * 1000; r[3] = t.h; r[4] = u.b; r[5] = t.l >> 33;
	r[6] = t.list[i % 2][1]; r[7] = u.pair.y + t.pair.x; r[8] = t.mode == some; r[9] = t.small.w + u.small[i % 3];
	r[10] = k.p.x + k.list[i % 2][i / 2 % 2] + k.small.y + k.v.z + (k.b ? 100 : 0); r[11] = sizeof(Item);
}`, threads(40), items, items[3], r)
	for i := range items {
		f := float32(i)
		want := []float32{-f, f + 100, f + 5000, 2, float32(i % 2), f, -f, f + 7, 1, f + float32(i%3+1),
			3 + []float32{1, -3, 3, 4}[i%2*2+i/2%2] + 2 + 2 + 100, 80}
		if i%2 != 0 {
			want[6] = 4
		}
		if got := r[12*i : 12*i+12]; !slices.Equal(got, want) {
			t.Fatalf("item %d: %v, want %v", i, got, want)
		}
	}
	// a store of a part leaves the rest alone
	before := slices.Clone(items)
	compute(t, types+`kernel void test(device Item* a, uint i [[thread_position_in_grid]]) {
	if (i % 3 == 0) return;
	a[i].c = i; a[i].v = float3(9, 8, 7); a[i].p = float3(1, 2, i); a[i].p.x += 1; a[i].h *= 2; a[i].b = !a[i].b; a[i].l++;
	a[i].list[i % 2][0] = -7; a[i].pair.yx = a[i].pair; a[i].mode = none; a[i].small.zw = 200;
}`, threads(40), items)
	for i := range items {
		w := before[i]
		if i%3 != 0 {
			w.c, w.v, w.p, w.h, w.b, w.l = int8(i), [3]float32{9, 8, 7}, [3]float32{2, 2, float32(i)}, 0x4400, !w.b, w.l+1
			w.list[i%2][0], w.pair, w.mode, w.small[2], w.small[3] = -7, [2]uint16{w.pair[1], w.pair[0]}, 0, 200, 200
		}
		if items[i] != w {
			t.Fatalf("item %d: %+v, want %+v", i, items[i], w)
		}
	}
}

// TestLoadsAndStoresOfAllTypes moves every type with strides of all kinds, all
// lanes or some of them.
func TestLoadsAndStoresOfAllTypes(t *testing.T) {
	t.Parallel()
	const n = 256
	for _, kind := range allKinds {
		values := make([]number, n)
		list := interesting(kind)
		for i := range values {
			values[i] = list[i*7%len(list)]
			if values[i].f != values[i].f {
				values[i].f = 1
			}
		}
		for name, index := range map[string]struct {
			text string
			at   func(i int) int
		}{
			"one after the other": {"i + 3", func(i int) int { return i + 3 }},
			"every second":        {"2 * i", func(i int) int { return 2 * i }},
			"backwards":           {"200 - i", func(i int) int { return 200 - i }},
			"from below":          {"int(i) - 5 + 5", func(i int) int { return i }},
			"at random":           {"(i * 37 + 11) % 256", func(i int) int { return (i*37 + 11) % 256 }},
			"one for all":         {"77", func(int) int { return 77 }},
			"wrapping":            {"uint(i * 3 + 0xfffffff0u) + 16u", func(i int) int { return i * 3 }},
			"long":                {"200l - long(i)", func(i int) int { return 200 - i }},
		} {
			for some, condition := range map[string]func(i int) bool{
				"true": func(int) bool { return true }, "i > 5 && i < 50": func(i int) bool { return i > 5 && i < 50 },
				"i % 3 == 1": func(i int) bool { return i%3 == 1 },
			} {
				source := fmt.Sprintf(`kernel void test(device const %[1]s* a, device %[1]s* r, device %[1]s* s,
					uint i [[thread_position_in_grid]]) {
	if (%[2]s) { r[i] = a[%[3]s]; s[%[3]s] = a[i]; }
}`, kind, some, index.text)
				loaded, stored := empty(kind, 80), empty(kind, n)
				compute(t, source, threads(80), buffer(kind, values), loaded, stored)
				wantLoaded, wantStored := make([]number, 80), make([]number, n)
				for i := range wantLoaded {
					wantLoaded[i] = number{kind: kind}
				}
				for i := range wantStored {
					wantStored[i] = number{kind: kind}
				}
				for i := range 80 {
					if condition(i) {
						wantLoaded[i], wantStored[index.at(i)] = values[index.at(i)], values[i]
					}
				}
				check(t, kind, loaded, wantLoaded,
					func(i int) string { return fmt.Sprintf("%s loaded %s if %s by thread %d", kind, name, some, i) })
				check(t, kind, stored, wantStored,
					func(i int) string { return fmt.Sprintf("%s stored %s if %s: %d", kind, name, some, i) })
			}
		}
	}
}

// TestPointersIntoBuffersMove covers arithmetic, differences and casts of device
// pointers, and functions overloaded by the address space.
func TestPointersIntoBuffersMove(t *testing.T) {
	t.Parallel()
	a, r, w := make([]float32, 256), make([]float32, 4*64), make([]float32, 2*64)
	for i := range a {
		a[i] = float32(i)
	}
	compute(t, `float get(device const float* p) { return *p; }
float get(threadgroup const float* p) { return *p + 1000; }
float get(thread const float* p) { return *p + 2000; }
float get(constant float* p) { return *p + 3000; }
void bump(device float& x) { x += 0.5f; }
constant float k[2] = {1, 2};
kernel void test(device float* a, device float* r, device float* w, threadgroup float* s, constant float* c,
	uint i [[thread_position_in_grid]]) {
	device const float4* v = (device const float4*)a + i % 64;
	device const uchar* bytes = (device const uchar*)(a + i);
	s[i] = i;
	float own = i;
	r += 4 * i;
	r[0] = v->y + (*v).w + v[-int(i % 64)][2];
	r[1] = bytes[3] + 256 * bytes[2];
	r[2] = get(a + i) + get(s + i) + get(&own) + get(c + i % 2) + get(k + 1);
	device float* p = a + i; device float* q = a + 2 * i + 1;
	r[3] = (q - p) + (p < q) + (q != p) + (p - 1 < p);
	bump(r[3]);
	q = w + 2 * i + 1;
	*--q = *p++;
	q[1] = *p;
}`, threads(64), a, r, w, shared(256), []float32{7, 8})
	for i := range 64 {
		f := float32(i)
		bits := math.Float32bits(f)
		want := []float32{4*f + 1 + 4*f + 3 + 2, float32(bits>>24) + 256*float32(bits>>16&255),
			4*f - f + 1000 + 2000 + 3000 + 7 + float32(i%2) + 3002 - 3000 + 1000, f + 1 + 3 + 0.5}
		want[2] = f + (f + 1000) + (f + 2000) + (7 + float32(i%2) + 3000) + 3002
		if got := r[4*i : 4*i+4]; !slices.Equal(got, want) {
			t.Fatalf("thread %d: %v, want %v", i, got, want)
		}
		if got := w[2*i : 2*i+2]; got[0] != f || got[1] != f+1 {
			t.Fatalf("thread %d wrote %v, want %v and %v", i, got, f, f+1)
		}
	}
}

func TestFunctionConstantsChooseCode(t *testing.T) {
	t.Parallel()
	const source = `constant bool fast [[function_constant(0)]];
constant int count [[function_constant(1)]];
constant half scale [[function_constant(2)]];
constant uchar small [[function_constant(3)]];
constant long large [[function_constant(4)]];
constant int given = is_function_constant_defined(count) ? count : -5;
kernel void test(device long* r, uint i [[thread_position_in_grid]]) {
	long v = 0;
	if (fast) v = 1; else for (int k = 0; k < given; k++) v += i;
	r[i] = v * 1000 + given + int(scale * 2) + small + large;
}`
	for _, c := range []struct {
		constants constants
		want      func(i int64) int64
	}{
		{constants{0: true, 1: int32(7), 2: uint16(0x3e00), 3: uint8(200), 4: int64(-1 << 40)},
			func(i int64) int64 { return 1000 + 7 + 3 + 200 - 1<<40 }},
		{constants{0: false, 1: int32(3), 2: uint16(0x3c00), 3: uint8(1), 4: int64(0)},
			func(i int64) int64 { return 3*i*1000 + 3 + 2 + 1 }},
	} {
		r := make([]int64, 64)
		compute(t, source, threads(64), r, c.constants)
		for i, got := range r {
			if want := c.want(int64(i)); got != want {
				t.Fatalf("%v, thread %d: %d, want %d", c.constants, i, got, want)
			}
		}
	}
}

// TestAtomicCountersCountAllThreads has every thread of many threadgroups take a
// number of its own.
func TestAtomicCountersCountAllThreads(t *testing.T) {
	t.Parallel()
	const groups, n = 40, 70
	grid := threads(n)
	grid.Threadgroups[0] = groups
	counters, taken, sums := make([]uint32, 4), make([]uint32, groups*n), make([]int32, groups)
	compute(t, `kernel void test(device atomic_uint* counters, device uint* taken, device int* sums,
		uint i [[thread_position_in_grid]], uint in [[thread_position_in_threadgroup]],
		uint g [[threadgroup_position_in_grid]]) {
	threadgroup atomic_int sum;
	if (in == 0) atomic_store_explicit(&sum, 0, memory_order_relaxed);
	threadgroup_barrier(mem_flags::mem_threadgroup);
	taken[i] = atomic_fetch_add_explicit(counters, 1u, memory_order_relaxed);
	if (i % 3 == 0) atomic_fetch_add_explicit(&counters[1], i, memory_order_relaxed);
	atomic_fetch_max_explicit(counters + 2, i, memory_order_relaxed);
	atomic_fetch_or_explicit(counters + 3, 1u << (i % 32), memory_order_relaxed);
	for (uint k = 0; k < in % 4; k++) atomic_fetch_sub_explicit(&sum, 1, memory_order_relaxed);
	threadgroup_barrier(mem_flags::mem_threadgroup);
	if (in == 0) sums[g] = atomic_load_explicit(&sum, memory_order_relaxed);
}`, grid, counters, taken, sums)
	slices.Sort(taken)
	for i, v := range taken {
		if v != uint32(i) {
			t.Fatalf("number %d was taken in place of %d", v, i)
		}
	}
	third := uint32(0)
	for i := uint32(0); i < groups*n; i += 3 {
		third += i
	}
	if want := []uint32{groups * n, third, groups*n - 1, math.MaxUint32}; !slices.Equal(counters, want) {
		t.Errorf("counters are %v, want %v", counters, want)
	}
	sum := int32(0)
	for i := range int32(n) {
		sum -= i % 4
	}
	for g, got := range sums {
		if got != sum {
			t.Errorf("the sum of threadgroup %d is %d, want %d", g, got, sum)
		}
	}
}

// faultCases are statements that thread 37 of 64 alone executes; text is what
// the error must say.
var faultCases = []struct {
	name, body string
	text       []string
}{
	{"read beyond a buffer", "v = a[n];", []string{"a[64]", "out of bounds of 64 elements of int"}},
	{"read before a buffer", "v = a[-1];", []string{"a[-1]"}},
	{"read at a dynamic index before", "v = a[int(i) - 38];", []string{"a[-1]"}},
	{"write beyond a buffer", "a[i + 27] = 1;", []string{"a[64]"}},
	{"write far beyond", "a[0x80000000u + i] = 1;", []string{"a[2147483685]"}},
	{"index of 2^32 - 1", "a[0xffffffffu] = 1;", []string{"a[4294967295]"}},
	{"index of -2^31", "a[int(0x80000000u) + int(i)] = 1;", []string{"a[-2147483611]"}},
	{"a huge index", "v = a[0xfffffffffffffff0ul + i * 0x100000000000ul];", nil},
	{"an index that wraps around 64 bits", "v = a[0x4000000000000000ul + i - 37];", nil},
	{"a huge distance", "device int* p = a + (long(1) << 45) * long(i); v = *p;", nil},
	{"a huge distance and back", "device int* p = a + (long(1) << 60); p -= long(1) << 60; v = p[i * 0];",
		[]string{"null pointer"}},
	{"steps that wrap around", "ulong far = ulong(i - 36) * 0xef7bdef7bdef7bdful * 2; v = a[far];", nil},
	{"read beyond a constant buffer", "v = c[int(i) - 37 + 3];", []string{"c[3]", "3 elements of int"}},
	{"read beyond a constant reference", "constant int* p = &k; v = p[i - 36];", []string{"k[1]"}},
	{"read beyond threadgroup memory", "v = s[i + 27];", []string{"s[64]", "64 elements of int"}},
	{"write before threadgroup memory", "s[int(i) - 40] = 1;", []string{"s[-3]"}},
	{"write beyond a threadgroup array", "own[i] = 1;", []string{"own[37]", "20 elements of int"}},
	{"read beyond a thread array", "v = t[i];", []string{"t[37]", "5 elements of int"}},
	{"write before a thread array", "t[int(i) - 38] = 1;", []string{"t[-1]"}},
	{"write beyond a thread array", "t[j] = 1;", []string{"t[37]"}},
	{"read beyond a table", "v = table[i];", []string{"table[37]", "4 elements of int"}},
	{"read before a table", "v = table[int(i) - 38];", []string{"table[-1]"}},
	{"a misaligned read", "v = *(device int*)((device char*)a + i);", []string{"a[9]", "4 bytes at byte 37"}},
	{"a misaligned write", "*(device short*)((device char*)a + i) = 1;", []string{"2 bytes at byte 37"}},
	{"a misaligned read of 64 bits", "v = *(device long*)(a + i);", []string{"8 bytes at byte 148"}},
	{"a wide read over the end", "v = ((device int4*)a)[i - 21].w;", []string{"a["}},
	{"a null pointer", "device int* p = nullptr; v = *p;", []string{"null pointer"}},
	{"a null pointer with an index", "threadgroup int* p = nullptr; p[i] = 3;", []string{"null pointer"}},
	{"a missing argument", "v = m[i];", []string{"m was left out of the call"}},
	{"a write to a missing argument", "m[0] = v;", []string{"m was left out of the call"}},
	{"division by zero", "v = int(i) / (int(i) - 37);", []string{"division by zero"}},
	{"division by zero for all", "v = int(i) / (n - 64);", []string{"division by zero"}},
	{"remainder by zero", "v = ulong(i) % (i - 37ul);", []string{"division by zero"}},
	{"division by zero of a vector", "int3 d = int3(1, int(i) - 37, 2); v = (int3(5) / d).x;",
		[]string{"division by zero"}},
	{"an atomic beyond a buffer", `atomic_fetch_add_explicit((device atomic_int*)a + 64, 1,
		memory_order_relaxed);`, []string{"a[64]"}},
	{"an element that a vector does not have", "int4 w = 1; v = w[i];", []string{"w[37]", "4 elements"}},
	{"a write to an element that a vector does not have", "int4 w = 1; w[i] = 2; v = w.x;",
		[]string{"w[37]", "4 elements"}},
	{"a bool that a vector does not have", "bool4 w = true; v = w[i];", []string{"w[37]", "4 elements"}},
	{"a column that a matrix does not have", "float2x3 w = float2x3(1); w[n] = 2; v = w[0].x;",
		[]string{"w[64]", "2 elements of float3"}},
	{"an index below 0 of a vector", "half3 w = 1; w[int(i) - 38] += 1; v = w.x;",
		[]string{"w[-1]", "3 elements of half"}},
	{"an element that an array in registers does not have",
		"float e[4] = {1, 2, 3, 4}; for (uint k = 0; k < 5; k++) v += int(e[k]);", []string{"e[4]", "4 elements of float"}},
	{"a bool beyond a buffer", "bool b = ((device bool*)a)[i + 222]; v = b;", []string{"a[64]", "1 bytes at byte 259"}},
	{"a half beyond a buffer", "v = ((device half*)a)[i + 92];", []string{"a[64]", "2 bytes at byte 258"}},
	{"a field of a struct beyond", "v = ((device P*)a)[i].y;", []string{"a[75]"}},
	{"beyond the last of an array in a buffer", "v = ((device R*)a)->d[70];", []string{"a[71]", "64 elements of int"}},
	{"before the first of an array in a buffer", "v = ((device R*)a)->d[-2];", []string{"a[-1]"}},
	{"beyond an array of a constant", "v = table[4];", []string{"table[4]", "4 elements of int"}},
	{"beyond a variable", "v = t[5];", []string{"t[5]", "5 elements of int"}},
	{"a pointer made of a number", "v = *reinterpret_cast<device int*>(ulong(4096 + i));", []string{"made of a number"}},
	{"a pointer that is no number of a buffer", "*(device int*)(0xfff0000000000000ul) = 1;", []string{"made of a number"}},
	{"the end of a function", "v = half_done(i);", []string{"half_done ends without a return"}},
	{"the end of a function that returns nothing", "v = empty();", []string{"empty ends without a return"}},
}

// TestFaultsSayWhatAndWhere makes mistakes in one thread. The error has the position in
// the source, what the thread tried to reach and which thread it was.
func TestFaultsSayWhatAndWhere(t *testing.T) {
	t.Parallel()
	for _, c := range faultCases {
		source := `struct P { int x, y; }; struct R { int n; int d[1]; };
int half_done(uint i) { if (i < 3) return 1; while (i > 40) return 2;
#line 7
} int empty() { }
#line 2
constant int table[4] = {1, 2, 3, 4};
kernel void test(device int* a, constant int* c, constant int& k, device int* m, constant int& n, threadgroup int* s,
	uint i [[thread_position_in_grid]]) {
	threadgroup int own[20]; int t[5] = {1}; int v = 0; uint j = i; own[i % 20] = 0; t[i % 5] = 2;
	if (i == 37) {
		` + c.body + `
		t[v & 3] += v; m = a; a[i] = t[1] + own[0] + table[i & 3];
	}
}`
		err := execute(t, source, threads(64), make([]int32, 64), []int32{1, 2, 3}, int32(5), nil, int32(64), shared(256))
		var fault *driver.Fault
		if !errors.As(err, &fault) {
			t.Errorf("%s: %v, which is no fault", c.name, err)
			continue
		}
		if !strings.HasPrefix(fault.Pos, "test.metal:7:") || fault.Thread != [3]int{37, 0, 0} || fault.Group != [3]int{} ||
			fault.Kernel != "test" {
			t.Errorf("%s: %v, thread %v", c.name, err, fault.Thread)
		}
		for _, text := range append(c.text, "test: test.metal:7:", "in thread (37, 0, 0), threadgroup (0, 0, 0)") {
			if !strings.Contains(err.Error(), text) {
				t.Errorf("%s: %q does not say %q", c.name, err, text)
			}
		}
	}
}

// TestPointersNeverGetOutOfTheirObject: what all lanes reach for with indexes
// that count along with them may be in bounds for the first and the last lane
// alone.
func TestPointersNeverGetOutOfTheirObject(t *testing.T) {
	t.Parallel()
	for _, index := range []string{
		"ulong(i) * 0xef7bdef7bdef7bdful", "long(i) * -0x1084210842108421l", "ulong(i) * 0x0842108421084210ul",
		"i * 0xef7bdef7u", "int(i * 0x08421084u)",
		"ulong(i) << 59", "i << 27", "ulong(i) << 44", "(ulong(i) << 46) + 3", "-long(i)", "ulong(i) * 0x3fffffffffffffful",
		"ulong(i) * 0x4000000000000000ul + i",
		"long(i) * (long(1) << 43)", "ulong(i) * 0xdef7bdef7bdef7beul",
	} {
		for _, body := range []string{
			"r[i] = a[INDEX];", "r[INDEX] = a[i];", "int t[40]; t[INDEX] = 1; r[i] = t[0];", "r[i] = s[INDEX];", "s[INDEX] = 2;",
			"device int* p = r + (INDEX); p += i / 2; *p = 4;", "device const int* p = &a[INDEX]; p -= i; r[i] = *p;",
			"r[i] = ((device const char*)a)[INDEX];", "((device long*)r)[INDEX] = 1;",
		} {
			source := `kernel void test(device const int* a, device int* r, threadgroup int* s,
				uint i [[thread_position_in_grid]]) { ` + strings.ReplaceAll(body, "INDEX", index) + " }"
			err := execute(t, source, threads(32), make([]int32, 40), make([]int32, 40), shared(160))
			var fault *driver.Fault
			if !errors.As(err, &fault) {
				t.Errorf("%s with %s: %v", body, index, err)
			}
		}
	}
}

// TestUnsignedIndexesDoNotGoBackwards: 2u - i is a huge number from thread 3 on,
// also where there is memory before what the pointer points to.
func TestUnsignedIndexesDoNotGoBackwards(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		"r[i] = (a + 35)[2u - i];",
		"(r + 35)[2u - i] = 1;",
		"device int* p = r + 35; p += 2u - i; *p = 1;",
		"device int* p = &(r + 35)[2u - i]; *p = 1;",
	} {
		err := execute(t, `kernel void test(device const int* a, device int* r, uint i [[thread_position_in_grid]]) {
			`+body+" }", threads(32), make([]int32, 40), make([]int32, 40))
		var fault *driver.Fault
		if !errors.As(err, &fault) || fault.Thread[0] != 3 {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// TestPointersDoNotWalkToAnotherObject, however many steps they take.
func TestPointersDoNotWalkToAnotherObject(t *testing.T) {
	t.Parallel()
	for _, step := range []string{
		"p += long(1) << 29;", "p += 1 << 29;", "p += 1u << 29;",
		"p -= long(1) << 29;", "p = &p[1 << 29];", "p = p - (1 << 29);",
	} {
		for _, start := range []string{"(i * i) % 2", "i % 2", "0"} {
			r := make([]int32, 2048)
			err := execute(t, `struct Big { int x[1024]; };
kernel void test(device Big* a, device Big* r, uint i [[thread_position_in_grid]]) {
	device Big* p = a + `+start+`;
	for (int k = 0; k < 128; k++) `+step+`
	p->x[3] = 7;
}`, threads(32), make([]int32, 2048), r)
			var fault *driver.Fault
			if !errors.As(err, &fault) {
				t.Errorf("%s from %s: %v", step, start, err)
			}
		}
	}
}

// TestFaultsNameTheFirstThread of the first threadgroup that made one, also where its
// simd-groups run from the last to the first.
func TestFaultsNameTheFirstThread(t *testing.T) {
	t.Parallel()
	for _, backward := range []string{"", "g[0] = 1; if (g[0]) "} {
		err := execute(t, `kernel void test(device int* a, uint2 p [[thread_position_in_grid]],
	uint2 n [[threads_per_grid]]) {
	threadgroup int g[1];
	`+backward+`a[p.x + n.x * p.y] = 1;
}`, driver.Grid{Threadgroups: [3]int{2, 3, 1}, Threads: [3]int{20, 4, 1}}, make([]int32, 40*6+25))
		var fault *driver.Fault
		if !errors.As(err, &fault) {
			t.Fatal(err)
		}
		// row 7 is the last of the second row of threadgroups; all but the first simd-group reach into it
		if fault.Thread != [3]int{0, 7, 0} || fault.Group != [3]int{0, 1, 0} {
			t.Errorf("%v", err)
		}
		if !strings.Contains(err.Error(), "out of bounds of 265 elements of int") {
			t.Errorf("%v", err)
		}
	}
}

// TestFaultsNameTheFirstThreadgroup of those that make one, whichever core came to its own first.
func TestFaultsNameTheFirstThreadgroup(t *testing.T) {
	t.Parallel()
	for _, want := range []int{1, 2, 999, 1000, 1500, 1999} {
		err := execute(t, `kernel void test(device int* a, constant uint& first, uint i [[thread_position_in_grid]]) {
	a[i >= first && (i - first) % 100 == 0 ? i : 0] = 1;
}`, driver.Grid{Threadgroups: [3]int{2000, 1, 1}, Threads: [3]int{1, 1, 1}}, []int32{0}, uint32(want))
		var fault *driver.Fault
		if !errors.As(err, &fault) || fault.Group != [3]int{want, 0, 0} {
			t.Errorf("%v, want that of threadgroup %d", err, want)
		}
	}
}

// Simd-groups that fail before the same barrier are compared, and those that have ended or
// wait at the barrier count for nothing.
func TestFaultsNameTheFirstSimdgroup(t *testing.T) {
	t.Parallel()
	const wait = "threadgroup_barrier(mem_flags::mem_threadgroup);"
	tests := []struct {
		body string
		want int // the thread
	}{
		{"a[i >= 70 ? 1000 : 0] = 1;", 70},
		{"a[i >= 40 ? 1000 : 0] = 1;", 40},
		{"a[i >= 40 && i < 60 || i > 100 ? 1000 : 0] = 1;", 40},
		{"if (i < 32) return; a[i == 5 || i >= 70 ? 1000 : 0] = 1;", 70},
		{"a[i > 99 ? 1000 : 0] = 1; " + wait + " a[i == 3 ? 1000 : 0] = 2;", 100},
		{wait + " a[i == 7 || i > 99 ? 1000 : 0] = 1;", 7},
		{"if (i > 99) a[1000] = 1; if (i == 9 || i == 4) a[2000] = 1; if (i == 2) a[3000] = 1;", 4},
		{"if (i < 64) { " + wait + " } else " + wait, 0},
		{"if (i < 64) { a[i == 3 ? 1000 : 0] = 1; " + wait + " } else " + wait, 3},
	}
	for _, test := range tests {
		for _, backward := range []string{"", "threadgroup int g[128]; g[i] = i; if (uint(g[i]) != i) return; "} {
			for _, native := range []int64{-1, 0} {
				dev := Open(options())
				if dev.nativeAfter >= 0 {
					dev.nativeAfter = native
				}
				body := backward + test.body
				err := executeOn(t.Context(), t, dev,
					"kernel void test(device int* a, uint i [[thread_position_in_grid]]) {"+body+"}", threads(128), make([]int32, 4))
				var fault *driver.Fault
				if !errors.As(err, &fault) || fault.Thread != [3]int{test.want, 0, 0} {
					t.Errorf("%s: native after %d: %v, want that of thread %d", body, native, err, test.want)
				}
			}
		}
	}
}

// TestInactiveLanesMakeNoFaults: what would be a mistake is guarded.
func TestInactiveLanesMakeNoFaults(t *testing.T) {
	t.Parallel()
	a, r := make([]int32, 20), make([]int32, 64)
	for i := range a {
		a[i] = int32(i)
	}
	compute(t, `constant int table[3] = {5, 6, 7};
kernel void test(device const int* a, device int* r, device int* m, uint at [[thread_position_in_grid]]) {
	int i = at, v = 0, w[4] = {1, 2, 3, 4};
	if (i < 20) v = a[i];
	if (i < 3) v += table[i];
	if (i < 4) w[i] = 9;
	v += i < 4 ? w[i] : i < 7 ? table[i - 4] : 0;
	for (int k = i; k < 20; k += 7) v += a[k];
	if (i > 5) v += 100 / (i - 5);
	if (i >= 8 && i < 12) v += int4(1, 2, 3, 4)[i - 8];
	device const int* p = i == 3 ? a : nullptr;
	if (p) v += p[3];
	if (i > 100) v += m[0];
	switch (i) { case 5: v += a[i + 14]; break; default: if (i < 0) v += a[i]; }
	r[i] = v;
}`, threads(64), a, r, nil)
	for i := range int32(64) {
		v := int32(0)
		if i < 20 {
			v = i
		}
		if i < 3 {
			v += i + 5
		}
		switch {
		case i < 4:
			v += 9
		case i < 7:
			v += i - 4 + 5
		}
		for k := i; k < 20; k += 7 {
			v += k
		}
		if i > 5 {
			v += 100 / (i - 5)
		}
		if i >= 8 && i < 12 {
			v += i - 7
		}
		switch i {
		case 3:
			v += 3
		case 5:
			v += 19
		}
		if r[i] != v {
			t.Errorf("thread %d: %d, want %d", i, r[i], v)
		}
	}
}

// TestWritesBeyondABufferChangeNothing binds the middle of an allocation.
func TestWritesBeyondABufferChangeNothing(t *testing.T) {
	t.Parallel()
	dev := Open(driver.Options{})
	defer dev.Close()
	memory, err := dev.NewMemory(192, driver.StorageShared)
	if err != nil {
		t.Fatal(err)
	}
	for _, index := range []string{"16", "-1", "int(i) - 1", "i + 1", "2 * i", "(i * 7 + 3) % 17", "i < 31 ? 0 : 16"} {
		for kind, size := range map[string]int{
			"char": 1, "short": 2, "half": 2, "int": 4, "long": 8, "bool": 1, "float4": 16,
		} {
			clear(memory.Bytes())
			count := fmt.Sprint(16 * 4 / size)
			at := strings.ReplaceAll(strings.ReplaceAll(index, "16", count), "17", "17 * "+count)
			text := "#include <metal_stdlib>\nkernel void test(device " + kind +
				"* a, uint i [[thread_position_in_grid]]) { a[" + at + "] = " + kind + "(1); }"
			rec, err := dev.NewRecorder()
			if err != nil {
				t.Fatal(err)
			}
			threads := driver.Grid{Threadgroups: [3]int{4, 1, 1}, Threads: [3]int{32, 1, 1}}
			if err := rec.Record(&driver.Dispatch{
				Kernel:  &driver.Kernel{Name: "test", Library: &driver.Library{File: "test.metal", Source: &text}},
				Buffers: []driver.Buffer{{Arg: &driver.Arg{}, Memory: memory, Offset: 64, Length: 64}},
				Grid:    threads,
			}); err != nil {
				t.Fatal(err)
			}
			job, err := rec.Submit()
			if err != nil {
				t.Fatal(err)
			}
			_, err = job.Wait(t.Context())
			var fault *driver.Fault
			if !errors.As(err, &fault) {
				t.Errorf("%s a[%s]: %v", kind, at, err)
			}
			for i, b := range memory.Bytes() {
				if b != 0 && (i < 64 || i >= 128) {
					t.Errorf("%s a[%s]: byte %d was written", kind, at, i-64)
				}
			}
		}
	}
}

// TestEndlessLoopsEndWithTheirContext, wherever in a loop they are.
func TestEndlessLoopsEndWithTheirContext(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		"while (true) {}",
		"for (;;) { a[0]++; if (a[0] < 0) break; a[0] = 0; }",
		"do { if (i == 3) continue; } while (i == 3);",
		"for (uint k = 0; k >= 0; k++) { threadgroup_barrier(mem_flags::mem_threadgroup); }",
		"while (i == 40) { if (a[0] == 1) return; }",
	} {
		err := stoppedByContext(t, `kernel void test(device int* a, uint i [[thread_position_in_grid]]) {
			`+body+" a[1] = 7; }", make([]int32, 16))
		if err != nil {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// TestPointersAreNumbers: a pointer that was made a number leads where it did before.
func TestPointersAreNumbers(t *testing.T) {
	const n = 40
	in, out := make([]int32, n), make([]int32, n)
	for i := range in {
		in[i] = int32(3 * i)
	}
	compute(t, `
kernel void test(device int* a, device int* o, uint i [[thread_position_in_grid]]) {
	ulong at = (ulong)(a + i);
	device int* none = reinterpret_cast<device int*>(ulong(i) * 8);
	int t[2] = {5, 6};
	thread int* p = (thread int*)((ulong)&t[0] + 4 * (i & 1));
	o[i] = *reinterpret_cast<device int*>(at) + *p + (ulong(none) == i * 8 ? 100 : 0) + (none != nullptr ? 1000 : 0);
}`, threads(n), in, out)
	for i, got := range out {
		want := int32(3*i + 5 + i&1 + 100 + 1000)
		if i == 0 {
			want -= 1000
		}
		if got != want {
			t.Errorf("thread %d: %d, want %d", i, got, want)
		}
	}
}

// TestArraysInBuffersHaveNoBound: the last array of a struct in a buffer goes as far as the
// buffer, whatever its declaration says.
func TestArraysInBuffersHaveNoBound(t *testing.T) {
	const n = 40
	in, out := make([]int32, n+2), make([]int32, n)
	for i := range in {
		in[i] = int32(7 * i)
	}
	source := `
struct S { int n; int d[1]; };
kernel void test(constant S& s, device int* o, uint i [[thread_position_in_grid]]) {
	constant int* end = &s.d[41];
	o[i] = s.d[3] + s.d[i] + end[-1];
	if (i > 100) { o[i] = s.d[-5] + s.d[1000]; }
}`
	compute(t, source, threads(n), in, out)
	for i, got := range out {
		if want := int32(7 * (4 + i + 1 + 41)); got != want {
			t.Errorf("thread %d: %d, want %d", i, got, want)
		}
	}
}
