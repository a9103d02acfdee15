package cpu

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// TestValuesDoNotChangeBehindTheirBack has programs in which what an expression was
// made of changes before it is used.
func TestValuesDoNotChangeBehindTheirBack(t *testing.T) {
	for _, c := range []struct {
		name, functions, body string
		want                  []float32
	}{
		{"a bool that its own if changes", "", `bool f = i & 1; if (f) { f = false; out[i] += 1; } else {
			out[i] += 10; }`, []float32{10, 1, 10, 1}},
		{"a bool that its own else if reads", "", `bool f = i & 1; if (f) { f = !f; out[i] += 1; } else if (!f) {
			out[i] += 10; }`, []float32{10, 1, 10, 1}},
		{"a bool that its own loop changes", "", "bool f = i & 1; while (f) { f = false; out[i] += 1; }",
			[]float32{0, 1, 0, 1}},
		{"a call among the arguments of the same function", `float f(float x, float y) { thread float* p = &x;
			return *p * 10 + y; }`,
			"out[i] = f(1, f(2, i));", []float32{30, 31, 32, 33}},
		{"the same with an array by value", `struct S { float a[2]; }; S s(float a, float b) { S r = {{a, b}}; return r; }
			float f(S x, S y) { return x.a[0] * 10 + y.a[1]; }`,
			"out[i] = f(s(1, 0), s(0, f(s(2, 0), s(0, i))));", []float32{30, 31, 32, 33}},
		{"swizzles of swizzles in memory", "", `if (i == 3) { out[0] = v[0].wzyx.y; out[1] = v[0].zx[1];
			out[2] = v[0].zw[i % 2]; out[3] = v[1].wzyx.xy.y; }`, []float32{3, 1, 4, 7}},
		{"stores to swizzles of swizzles in memory", "", `if (i == 0) { v[1].wzyx.y = 9; v[0].wz.xy = float2(7, 6);
			out[0] = v[1].z; out[1] = v[0].w; out[2] = v[0].z; out[3] = v[0].y; }`, []float32{9, 7, 6, 2}},
		{"a struct with an array made of itself", "struct S { float a[2]; float b; };", `S s = {{1, 2}, 3};
			s = S{{s.a[1], s.a[0]}, s.b}; out[0] = s.a[0]; out[1] = s.a[1]; out[2] = s.b;`, []float32{2, 1, 3, 0}},
		{"a column of a matrix made of itself", "", `float2x2 m(1, 2, 3, 4); m[i / 8] = m[0].yx; out[0] = m[0].x;
			out[1] = m[0].y;`, []float32{2, 1, 0, 0}},
		{"braces in their order", "float next(thread float& x) { x += 1; return x; }", `float s = 1; float2 a = {s, next(s)};
			float2 b = {s, s++}; out[0] = a.x; out[1] = a.y; out[2] = b.x; out[3] = s;`, []float32{1, 2, 2, 3}},
		{"arrays that begin anew in each turn", "", `for (int k = 0; k < 4; k++) { float a[2]; if (i == 0) out[k] = a[0];
			a[0] = k + 1; }`, []float32{0, 0, 0, 0}},
		{"a reference when its index goes on", "", "uint k = i; device float& r = out[k]; k += 100; r = k;",
			[]float32{100, 101, 102, 103}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, v := make([]float32, 4), []float32{1, 2, 3, 4, 5, 6, 7, 8}
			compute(t, c.functions+`
kernel void test(device float* out, device float4* v, uint i [[thread_position_in_grid]]) {
`+c.body+"\n}", threads(4), out, v)
			if fmt.Sprint(out) != fmt.Sprint(c.want) {
				t.Errorf("got %v, want %v", out, c.want)
			}
		})
	}
}

func TestConstantsThatTheKernelDoesNotReachMayBeMissing(t *testing.T) {
	const source = `constant bool has [[function_constant(0)]];
struct P { int a; int b; };
kernel void test(device int* out, constant P& p, uint i [[thread_position_in_grid]]) { out[i] = 3;
	if (has) out[i] = p.b; }`
	out := make([]int32, 4)
	for _, p := range []any{nil, int32(5)} { // left out, and shorter than the struct
		compute(t, source, threads(4), out, p, constants{0: false})
		if out[3] != 3 {
			t.Errorf("out is %v", out)
		}
	}
	compute(t, source, threads(4), out, [2]int32{5, 6}, constants{0: true})
	if out[3] != 6 {
		t.Errorf("out is %v", out)
	}
	if chosen(t) != nil {
		return // others take what a value lacks for zeros; generated code passes whole values
	}
	err := execute(t, source, threads(4), out, int32(5), constants{0: true})
	if !errors.Is(err, driver.ErrOutOfBounds) ||
		!strings.Contains(err.Error(), "p[0]: 4 bytes at byte 4 are out of bounds of 4 bytes") {
		t.Errorf("got %v", err)
	}
}

func TestPointersOfInactiveLanesAreNotFollowed(t *testing.T) {
	junk, a, b, out := make([]uint64, 4), []int32{1, 2, 3, 4}, []int32{10, 20, 30, 40}, make([]int32, 4)
	for i := range junk {
		junk[i] = 0xdeadbeefdeadbeef + uint64(i)
	}
	compute(t, `kernel void test(device const ulong* g, device const int* a, device const int* b, device int* out,
		uint t [[thread_position_in_grid]]) {
	{ ulong x = g[t]; ulong y = g[3 - t] * 3 + x; out[t] = x == y ? 1 : 2; }
	if (t > 0) { device const int* ps[2]; ps[0] = a; ps[1] = b; device const int* p = ps[t & 1]; out[t] = p[t]; }
}`, threads(4), junk, a, b, out)
	if want := "[2 20 3 40]"; fmt.Sprint(out) != want {
		t.Errorf("got %v, want %s", out, want)
	}
}

func TestForgedPointersAreFaults(t *testing.T) {
	err := execute(t, `kernel void test(device ulong* g, device float* out) {
		out[0] = **(device float* device*)g; }`, threads(1), []uint64{0xffff123412341234}, make([]float32, 1))
	var fault *driver.Fault
	if !errors.As(err, &fault) || !errors.Is(err, driver.ErrOutOfBounds) {
		t.Errorf("got %v", err)
	}
}

// TestPointersOfArgumentsCompareByWhatTheyPointTo has arguments that show parts of one
// memory, and of others.
func TestPointersOfArgumentsCompareByWhatTheyPointTo(t *testing.T) {
	dev := Open(driver.Options{})
	defer dev.Close()
	k := kernelOf(`struct Answers { bool equal, less, behind; int distance; };
kernel void test(device Answers* r, device int* a, device int* b, uint i [[thread_position_in_threadgroup]]) {
	device int* p = a + i % 2; // not the same in all threads
	device int* q = b + i % 2;
	r[i] = i < 2 ? Answers{a == b, a < b, a + 4 == b, int(b - a)} : Answers{p == q, p < q, p + 4 == q, int(q - p)};
}`)
	type answers struct {
		equal, less, behind bool
		distance            int32
	}
	results, memory, other := newInts(t, dev, 3*4), newInts(t, dev, 64), newInts(t, dev, 64)
	whole, err := dev.WrapMemory(memory.Bytes(), true)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name     string
		to       driver.Memory
		from, at int // the first elements
		length   int
		want     answers
	}{
		{"one buffer twice", memory, 8, 8, 16, answers{true, false, false, 0}},
		{"wrapped twice", whole, 8, 8, 16, answers{true, false, false, 0}},
		{"overlapping", memory, 8, 12, 16, answers{false, true, true, 4}},
		{"overlapping, the second one before", whole, 12, 8, 16, answers{false, false, false, -4}},
		{"one behind the other", memory, 8, 12, 4, answers{false, true, true, 4}},
		{"others", other, 8, 8, 16, answers{false, true, false, 0}},
	} {
		rec, err := dev.NewRecorder()
		if err != nil {
			t.Fatal(err)
		}
		buffer := func(index int, m driver.Memory, from, n int) driver.Buffer {
			return driver.Buffer{Arg: &driver.Arg{Index: index}, Memory: m, Offset: 4 * from, Length: 4 * n}
		}
		err = rec.Record(&driver.Dispatch{Kernel: k, Grid: threads(3), Buffers: []driver.Buffer{
			buffer(0, results, 0, len(results.Bytes())/4), buffer(1, memory, c.from, c.length), buffer(2, c.to, c.at, c.length),
		}})
		if err != nil {
			t.Fatal(err)
		}
		job, err := rec.Submit()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := job.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i, got := range unsafe.Slice((*answers)(unsafe.Pointer(&results.Bytes()[0])), 3) {
			if c.to == other {
				got.distance = 0 // of two memories there is none
			}
			if got != c.want {
				t.Errorf("%s: thread %d has %v, want %v", c.name, i, got, c.want)
			}
		}
	}
}

// TestForgedPointersFindNothingOfEarlierDispatches: a variable of a thread may be read
// before it is declared.
func TestForgedPointersFindNothingOfEarlierDispatches(t *testing.T) {
	dev := Open(driver.Options{})
	defer dev.Close()
	k := kernelOf(`union U { ulong v; thread uint* p; };
void keep(device uint* x, uint i) { uint secret[4] = {77, 77, 77, 77}; x[i % 2] = secret[x[i % 2] % 4]; }
kernel void test(device uint* x, uint i [[thread_position_in_grid]]) {
	U u;
	u.v = ulong(3) << 48;
	x[i] = *u.p;
	keep(x + 32, i);
}`)
	m := newInts(t, dev, 34)
	for range 2 {
		if done, err := submit(t, dev, k, m).Wait(t.Context()); !done || err != nil {
			t.Fatal(done, err)
		}
		x := unsafe.Slice((*uint32)(unsafe.Pointer(&m.Bytes()[0])), 34)
		if x[31] != 0 || x[33] != 77 {
			t.Errorf("the kernel found %d and kept %d", x[31], x[33])
		}
	}
}

func newInts(t *testing.T, dev *Device, n int) driver.Memory {
	t.Helper()
	m, err := dev.NewMemory(4*n, driver.StorageShared)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestNoKernelFindsOutAnAddress: comparing a pointer with forged ones, by halves, finds the
// number that it is made of.
func TestNoKernelFindsOutAnAddress(t *testing.T) {
	const source = `union U { ulong v; device uint* p; };
kernel void test(device uint* x, device uint* y, device ulong* r, constant uint& z, threadgroup uint* s,
		uint t [[thread_position_in_grid]]) {
	U u;
	ulong lo = ulong(t) << 48, hi = lo + 0x0000800000000000ul;
	while (hi - lo > 1) {
		ulong m = (lo + hi) / 2;
		u.v = m;
		if (t % 2 == 0 ? u.p <= x : u.p - x <= y - x) lo = m; else hi = m;
	}
	r[t] = lo;
	u.p = x;
	r[32 + t] = u.v;
	r[64 + t] = ulong(y - x) + ulong((device uint*)r - x);
}`
	var want []uint64
	for i := range 3 { // in memory of other sizes, which lies elsewhere
		r := make([]uint64, 96)
		compute(t, source, threads(32), make([]uint32, 1<<(5*i)), make([]uint32, 64<<(4*i)), r, uint32(1), shared(64))
		if i == 0 {
			want = r
		}
		if !slices.Equal(r, want) {
			t.Errorf("the kernel found %x, and before %x", r, want)
		}
	}
}

func TestThreadgroupsThatWaitKeepNoBuffersAlive(t *testing.T) {
	dev := Open(driver.Options{})
	defer dev.Close()
	k := kernelOf(`kernel void test(device float* x, uint i [[thread_position_in_grid]]) { x[i] = i; }`)
	const size = 256 << 20
	m, err := dev.NewMemory(size, driver.StorageShared)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := dev.NewRecorder()
	if err != nil {
		t.Fatal(err)
	}
	d := driver.Dispatch{Kernel: k, Buffers: []driver.Buffer{{Arg: &driver.Arg{}, Memory: m, Length: size}},
		Grid: threads(64)}
	if err := rec.Record(&d); err != nil {
		t.Fatal(err)
	}
	job, err := rec.Submit()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := job.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	rec.Reset()
	m.Free()
	d.Buffers = nil
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	if runtime.ReadMemStats(&stats); stats.HeapAlloc > size/2 {
		t.Errorf("%d MB are still in use", stats.HeapAlloc>>20)
	}
}

func TestAlignmentIsThatOfTheAddress(t *testing.T) {
	dev := Open(driver.Options{})
	defer dev.Close()
	m, err := dev.NewMemory(128, driver.StorageShared)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := dev.NewRecorder()
	if err != nil {
		t.Fatal(err)
	}
	k := kernelOf(`kernel void test(device uchar* x) { *(device uint*)x = 1; }`)
	buffer := driver.Buffer{Arg: &driver.Arg{}, Memory: m, Offset: 61, Length: 67}
	err = rec.Record(&driver.Dispatch{Kernel: k, Buffers: []driver.Buffer{buffer}, Grid: threads(1)})
	if err != nil {
		t.Fatal(err)
	}
	job, err := rec.Submit()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := job.Wait(t.Context()); err == nil || !strings.Contains(err.Error(), "not aligned") {
		t.Errorf("got %v", err)
	}
}

func TestCallsThatMultiplyAreRefused(t *testing.T) {
	source := "float f0(float x) { " + strings.Repeat("threadgroup_barrier(mem_flags::mem_none); ", 64) +
		"return x * x; }\n"
	for i := range 30 {
		source += fmt.Sprintf("float f%d(float x) { return f%d(x) + f%d(x + 1); }\n", i+1, i, i)
	}
	err := execute(t, source+"kernel void test(device float* out) { out[0] = f30(1); }", threads(1), make([]float32, 1))
	if err == nil || !strings.Contains(err.Error(), "instructions with its calls inlined") {
		t.Errorf("got %v", err)
	}
}

// TestPartsOfWhatACallWritesTo has calls, constructions and assignments whose arguments
// are parts of what they write to, or of one another.
func TestPartsOfWhatACallWritesTo(t *testing.T) {
	const classes = `
struct A {
	int h, l;
	A(int h, int l) : h(h), l(l) {}
	A() : h(0), l(0) {}
	bool above(const A r) const { return h > r.h; }
	A sub(const A r) const { return A(h - r.h, l - r.l); }
	A operator-(const A r) const { return A(h - r.h, l - r.l); }
	A turned() const { return A(l, h); }
	void turn() { *this = A(l, h); }
	void set(int a, int b) { h = b; l = a; }
	void take(A o, int n) { h = o.l + n; l = o.h - n; }
	thread A& operator+=(const A r) { l += r.h; h += r.l; return *this; }
	int number() const { return h * 1000 + l; }
};
struct B {
	A h, l;
	B(A h, A l) : h(h), l(l) {}
	B sub(const B r) const { return B(A(8, l.sub(r.l).above(l)), l.sub(r.l)); }
	B operator-(const B r) const { return B(h - r.h - A(0, (l - r.l).above(l)), l - r.l); }
	B swapped() const { return B(l, h); }
	void swap() { *this = B(l, h); }
	void mix(A a, A b) { h = b; l = A(a.l, a.h) - h; }
	int number() const { return h.number() * 1000003 + l.number(); }
};
constant B N = B(A(5, 0), A(0, 1));
struct Outer { constexpr static const constant B M = B(A(5, 0), A(0, 1)); };
`
	type a struct{ h, l int32 }
	type b struct{ h, l a }
	sub := func(x, y a) a { return a{x.h - y.h, x.l - y.l} }
	above := func(x, y a) int32 {
		if x.h > y.h {
			return 1
		}
		return 0
	}
	number := func(x a) int32 { return x.h*1000 + x.l }
	numberB := func(x b) int32 { return number(x.h)*1000003 + number(x.l) }
	cases := []classCase{
		{"a method of a constant", "int f(int x) { return N.sub(B(A(1, 0), A(x, 7))).number(); }", func(x int32) int32 {
			l := sub(a{0, 1}, a{x, 7})
			return numberB(b{a{8, above(l, a{0, 1})}, l})
		}},
		{"an operator of a static constant", "int f(int x) { return (Outer::M - B(A(1, 0), A(x, 7))).number(); }",
			func(x int32) int32 {
				l := sub(a{0, 1}, a{x, 7})
				return numberB(b{sub(sub(a{5, 0}, a{1, 0}), a{0, above(l, a{0, 1})}), l})
			}},
		{"a constant less itself", "int f(int x) { return (N - N).number() + (N - N.swapped()).number() + x; }",
			func(x int32) int32 {
				n := b{a{5, 0}, a{0, 1}}
				l := sub(n.l, n.h)
				return numberB(b{sub(sub(n.h, n.l), a{0, above(l, n.l)}), l}) + x
			}},
		{"a reference to a constant", `int f(int x) { constant B& r = N; B s = B(r.l, r.h); A p = r.l; p.h += x;
			return s.number() + p.number() * 3 + r.number() * 7; }`, func(x int32) int32 {
			return numberB(b{a{0, 1}, a{5, 0}}) + number(a{x, 1})*3 + numberB(b{a{5, 0}, a{0, 1}})*7
		}},
		{"a constant by value and changed", `
			int change(B v, A p) { v.h.l += 3; p.h = v.l.l; v.swap(); return v.number() + p.number(); }
			int f(int x) { return change(N, N.l) + change(N, N.h) + N.number() + x; }`, func(x int32) int32 {
			v := numberB(b{a{0, 1}, a{5, 3}})
			return v + number(a{1, 1}) + v + number(a{1, 0}) + numberB(b{a{5, 0}, a{0, 1}}) + x
		}},
		{"a swap by construction", `int f(int x) { A s = A(x, 2); s = A(s.l, s.h); s = A{s.l, s.h - 1};
			return s.number(); }`, func(x int32) int32 { return number(a{x, 1}) }},
		{"a parameter of a constant that a lambda reads", `int f(int x) { B s = B(A(x, 2), A(3, x));
			auto g = [&](A p, A q) { s.l = p; p.h += 1; s.h = q; return p.h + N.l.l; };
			int n = g(s.h, s.l) + g(N.h, N.l) * 3; return n + s.number(); }`, func(x int32) int32 {
			return x + 2 + 3*7 + numberB(b{a{0, 1}, a{5, 0}})
		}},
		{"an element of a constant vector", `struct V { int4 v; constexpr V(int a) : v(a, a + 1, a + 2, a + 3) {}
				int at(int i, int4 w) const { w = w * 10; return v[i] + w[i]; } int all(int i) const { return at(i, v); } };
			constant V W = V(5);
			int f(int x) { return W.all(x & 3) + W.at(x & 1, W.v.wzyx); }`, func(x int32) int32 {
			return 11*(5+(x&3)) + 5 + (x & 1) + 10*(8-(x&1))
		}},
		{"a swap of nested parts", `int f(int x) { B s = B(A(x, 2), A(3, 4 * x)); s = B(A(s.l.l, s.h.h), A(s.h.l, s.l.h));
			return s.number(); }`, func(x int32) int32 { return numberB(b{a{4 * x, x}, a{2, 3}}) }},
		{"*this of its own parts", `int f(int x) { B s = B(A(x, 2), A(3, 4 * x)); s.swap(); s.h.turn(); if (x > 4) s.swap();
			return s.number(); }`, func(x int32) int32 {
			s := b{a{4 * x, 3}, a{x, 2}}
			if x > 4 {
				s = b{s.l, s.h}
			}
			return numberB(s)
		}},
		{"fields as arguments of a method that writes them", `int f(int x) { A s = A(x, 2); s.set(s.h, s.l);
			s.set(s.l + 1, s.h); return s.number(); }`, func(x int32) int32 { return number(a{2, x + 1}) }},
		{"the object by value as its own argument", `int f(int x) { A s = A(x, 2); s.take(s, s.h); s.take(s.turned(), s.l);
			return s.number(); }`, func(x int32) int32 {
			s := a{2 + x, 0}
			return number(a{s.h + s.l, 0})
		}},
		{"parts of the object by value", `int f(int x) { B s = B(A(x, 2), A(3, 4 * x)); s.mix(s.l, s.h); s.mix(s.h, s.h);
			return s.number(); }`, func(x int32) int32 {
			s := b{a{x, 2}, sub(a{4 * x, 3}, a{x, 2})}
			return numberB(b{s.h, sub(a{s.h.l, s.h.h}, s.h)})
		}},
		{"compound assignment to itself", "int f(int x) { A s = A(x, 2); s += s; s += s.turned(); return s.number(); }",
			func(x int32) int32 {
				s := a{x + 2, 2 + x}
				return number(a{s.h + s.h, s.l + s.l})
			}},
		{"operators with the target on the right", `int f(int x) { A s = A(x, 2), t = A(1, x); s = t - s; s = s - s.turned();
			t = s - t; return s.number() * 7 + t.number(); }`, func(x int32) int32 {
			s, y := sub(a{1, x}, a{x, 2}), a{1, x}
			s = sub(s, a{s.l, s.h})
			y = sub(s, y)
			return number(s)*7 + number(y)
		}},
		{"references that alias the target", `void cross(thread A& to, thread const A& x, thread const A& y) {
				to = A(x.l - y.h, y.l + x.h); }
			int f(int x) { A s = A(x, 2), t = A(5, x); cross(s, s, t); cross(t, s, t); cross(s, s, s);
			return s.number() * 7 + t.number(); }`, func(x int32) int32 {
			s, y := a{2 - 5, x + x}, a{5, x}
			y = a{s.l - y.h, y.l + s.h}
			s = a{s.l - s.h, s.l + s.h}
			return number(s)*7 + number(y)
		}},
		{"references to parts of the target", `void put(thread int& a, thread int& b, int x, int y) { a = y; b = x + a; }
			int f(int x) { A s = A(x, 2); put(s.h, s.l, s.h, s.l); put(s.l, s.h, s.l + s.h, s.h); return s.number(); }`,
			func(x int32) int32 {
				s := a{2, x + 2}
				return number(a{s.l + s.h + s.h, s.h})
			}},
		{"initialisers of members that read others", `struct C { int a, b, c; A p;
				C(int x) : a(x), b(a + 1), c(b * a), p(c, a) {}
				C(C o, int n) : a(o.b), b(o.a), c(a - n), p(o.p.l, o.p.h) {} };
			int f(int x) { C s(x); s = C(s, s.c); s = C(s, s.a); return s.a + 10 * s.b + 100 * s.c + s.p.number(); }`,
			func(x int32) int32 {
				s := [3]int32{x, x + 1, (x + 1) * x}
				p := a{s[2], s[0]}
				for i := range 2 {
					n := s[2]
					if i == 1 {
						n = s[0]
					}
					s = [3]int32{s[1], s[0], s[1] - n}
					p = a{p.l, p.h}
				}
				return s[0] + 10*s[1] + 100*s[2] + number(p)
			}},
		{"references to components of vectors have copies", `struct G { uint a : 4; uint b : 28; };
			int f2(const thread int2& a, thread int2& b) { b = int2(50, 60); return a.x * 1000 + a[b.x & 1]; }
			int f1(const thread int& a, const thread int& c, thread int2& b) { b.x = b.y = 7; return a * 10 + c; }
			uint f0(const thread uint& a, thread G& g) { g.a = 5; return a; }
			int f(int x) { int2 v = int2(x, 4); int s = f2(v.yx, v); v = int2(x, 3); s += f1(v.x, v[1], v);
			G g = {uint(x) & 7, 9}; return s + int(f0(g.a, g)); }`, func(x int32) int32 {
			return 4004 + x*10 + 3 + x&7
		}},
		{"casts that change nothing make copies", `
			int f0(const thread int& a, thread int& b) { b = 7; return a; }
			int f1(const thread A& a, thread A& b) { b.h = 7; return a.h; }
			int f2(const thread int2& a, thread int2& b) { b.x = 7; return a.x; }
			int f(int x) { int s = 0, v = x; s += f0(int(v), v); v = x; s = s * 3 + f0((int)v, v);
			v = x; s = s * 3 + f0(static_cast<int>(v), v); v = x; s = s * 3 + f0(+v, v); v = x; s = s * 3 + f0(int{v}, v);
			A a = A(x, 1); s = s * 3 + f1(A(a), a); int2 w = x; s = s * 3 + f2(int2(w), w);
			v = x; const thread int& r = int(v); v = 9; return s * 3 + r; }`, func(x int32) int32 { return 3280 * x }},
		{"elements of arrays from one another", `struct Q { A e[3]; };
			int f(int x) { A e[3] = {A(x, 1), A(2, x), A(3, 4)}; int i = x & 1; e[i] = A(e[1].l, e[i].h); e[2] = e[i] - e[2];
			e[0] = e[i].turned(); Q q = {{e[2], e[0], e[1]}}; q = Q{{q.e[1], q.e[2], q.e[0]}};
			return q.e[0].number() + 3 * q.e[1].number() + 5 * q.e[2].number(); }`, func(x int32) int32 {
			e, i := [3]a{{x, 1}, {2, x}, {3, 4}}, x&1
			e[i] = a{e[1].l, e[i].h}
			e[2] = sub(e[i], e[2])
			e[0] = a{h: e[i].l, l: e[i].h}
			return number(e[0]) + 3*number(e[1]) + 5*number(e[2])
		}},
		{"nested constructions", `int f(int x) { B s = B(A(x, 2), A(3, x));
			s = B(s.swapped().h - s.h, B(s.l, s.h).swapped().l); s = B(B(s.l, s.h).h, A(s.h.l, s.h.h)).swapped();
			return s.number(); }`, func(x int32) int32 {
			s := b{sub(a{3, x}, a{x, 2}), a{3, x}}
			return numberB(b{a{s.h.l, s.h.h}, s.l})
		}},
		{"a method with two ends", `struct D { A p; A pick(A q, bool c) const { if (c) return A(p.l, q.h); return q - p; } };
			int f(int x) { D d; d.p = A(x, 2); d.p = d.pick(d.p, x > 3); d.p = d.pick(d.p.turned(), x & 1);
			return d.p.number(); }`, func(x int32) int32 {
			pick := func(p, q a, c bool) a {
				if c {
					return a{p.l, q.h}
				}
				return sub(q, p)
			}
			p := a{x, 2}
			p = pick(p, p, x > 3)
			return number(pick(p, a{p.l, p.h}, x&1 != 0))
		}},
	}
	for i := range cases {
		cases[i].source = classes + cases[i].source
	}
	runClassCases(t, cases)
}

// TestConstantMemoryStaysAsWritten has stores to constant memory through pointers that
// a union makes device pointers.
func TestConstantMemoryStaysAsWritten(t *testing.T) {
	const types = `
constant uint table[4] = {1, 2, 3, 4};
union U { constant uint* c; device uint* d; device uchar* b; device ulong* l; device bool* f; device float* m;
	device atomic_uint* a; };
`
	const params = "device uint* out, constant uint* list, constant uint& one, uint i [[thread_position_in_grid]]"
	for _, c := range []struct{ name, source, store string }{
		{"table", "table", "u.d[i & 3] = i;"},
		{"table", "table", "u.d[i] = i;"},
		{"table", "table", "u.d[0] = i;"},
		{"table", "table", "if (i == 1) u.d[2] = i;"},
		{"table", "table", "u.b[i & 15] = i;"},
		{"table", "table", "u.b[i] = i;"},
		{"table", "table", "u.l[i & 1] = i;"},
		{"table", "table", "u.f[i & 15] = i;"},
		{"table", "table", "u.d[i & 3]++;"},
		{"table", "table", "atomic_fetch_add_explicit(u.a, 1u, memory_order_relaxed);"},
		{"table", "table", "atomic_store_explicit(u.a + 1, i, memory_order_relaxed);"},
		{"list", "list", "u.d[i] = i;"},
		{"list", "list", "u.d[0] = i;"},
		{"list", "list", "simdgroup_store(simdgroup_float8x8(1), u.m);"},
		{"one", "&one", "*u.d = i;"},
	} {
		t.Run(c.source+"/"+c.store, func(t *testing.T) {
			list, out := make([]uint32, 64), make([]uint32, 32)
			source := types + "kernel void test(" + params + ") { out[i] = table[i & 3]; U u; u.c = " + c.source +
				"; if (one) { " + c.store + " } }"
			err := execute(t, source, threads(32), out, list, uint32(1))
			var fault *driver.Fault
			if !errors.As(err, &fault) || !errors.Is(err, driver.ErrOutOfBounds) ||
				fault.Msg != "a store to "+c.name+", which is constant memory" ||
				!strings.HasPrefix(fault.Pos, "test.metal:5:") {
				t.Errorf("got %v", err)
			}
			if slices.ContainsFunc(list, func(v uint32) bool { return v != 0 }) {
				t.Errorf("the list is %v", list)
			}
		})
	}
}

// TestTablesAreTheSameInTheNextRun runs a kernel that stores to its table, and then the
// same kernel without the store.
func TestTablesAreTheSameInTheNextRun(t *testing.T) {
	dev := Open(driver.Options{})
	defer dev.Close()
	k := kernelOf(`constant uint table[4] = {1, 2, 3, 4};
union U { constant uint* c; device uint* d; };
kernel void test(device uint* x, uint i [[thread_position_in_grid]]) {
	bool store = x[i] == 100;
	x[i] = table[i & 3];
	if (store) { U u; u.c = table; u.d[i & 3] = 0xbad0 + i; }
}`)
	m, err := dev.NewMemory(16, driver.StorageShared)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []byte{100, 0, 100, 0} {
		clear(m.Bytes())
		m.Bytes()[0] = x
		rec, err := dev.NewRecorder()
		if err != nil {
			t.Fatal(err)
		}
		buffer := driver.Buffer{Arg: &driver.Arg{}, Memory: m, Length: 16}
		err = rec.Record(&driver.Dispatch{Kernel: k, Buffers: []driver.Buffer{buffer}, Grid: threads(4)})
		if err != nil {
			t.Fatal(err)
		}
		job, err := rec.Submit()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := job.Wait(t.Context()); errors.Is(err, driver.ErrOutOfBounds) != (x == 100) {
			t.Errorf("got %v", err)
		}
		if got := fmt.Sprint(m.Bytes()); got != "[1 0 0 0 2 0 0 0 3 0 0 0 4 0 0 0]" {
			t.Errorf("the kernel read %s", got)
		}
	}
}

// TestEndsThatNoThreadReaches: a function may end without a return as long as no thread
// comes there.
func TestEndsThatNoThreadReaches(t *testing.T) {
	runClassCases(t, []classCase{
		{"switches and loops", `
int of(int x) { switch (x & 1) { case 0: return 10; case 1: return 20; } }
int search(int x) { for (int k = -9; k < 30; k++) { if (k == x) return 3 * k; } }
int nothing(int x) { if (x > 100) { return x; } }
int f(int x) {
	int r = of(x) + search(x);
	if (x > 200) r += nothing(x);
	return r;
}`, func(x int32) int32 {
			return 10 + 10*(x&1) + 3*x
		}},
	})
}

func TestCallsThatNeverReturnAreFaults(t *testing.T) {
	const source = `
uint endless() { while (true) {} }
float3 turning(int n) { for (;;) { n++; if (n > 3) continue; } }
kernel void test(device uint* x, constant uint& which, uint i [[thread_position_in_grid]]) {
	x[i] = 7;
	if (which == 1) { x[i] = endless(); }
	if (which == 2 && i == 1) { x[i] = turning(i).y; }
}`
	for which, want := range []string{
		"", "test: test.metal:6:27: endless never returns, in thread (0, 0, 0), threadgroup (0, 0, 0)",
		"test: test.metal:7:37: turning never returns, in thread (1, 0, 0), threadgroup (0, 0, 0)",
	} {
		out, got := make([]uint32, 4), ""
		if err := execute(t, source, threads(4), out, uint32(which)); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if fmt.Sprint(out) != "[7 7 7 7]" {
			t.Errorf("out is %v", out)
		}
	}
}
