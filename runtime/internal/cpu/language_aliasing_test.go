package cpu

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

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
		{"swizzles of swizzles in memory", "", `out[0] = v[0].wzyx.y; out[1] = v[0].zx[1]; out[2] = v[0].zw[i % 2];
			out[3] = v[1].wzyx.xy.y;`, []float32{3, 1, 4, 7}},
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
