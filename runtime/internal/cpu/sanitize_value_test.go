package cpu

import (
	"errors"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// TestRacesNameElementsAndValues is about stores of two threads to one element: of an argument, or of a variable of
// the threadgroup.
func TestRacesNameElementsAndValues(t *testing.T) {
	t.Parallel()
	const types = `
struct Tile { float2 at; float sum[4]; packed_float3 low; };
struct Base { uint n; };
struct Scene : Base { Tile tiles[2]; half4x2 m; bool on; long id; struct { short x, y; }; union { int i; float f; }; };
struct Bits { uint a : 4; uint b : 12; char c; };
`
	for _, c := range []struct{ argument, variable, store, want string }{
		{"device uint* x", "", "x[33] = t", "x[33]: T, 1 and 0"},
		{"device int& x", "", "x = int(t) - 1", "x: T, 0 and -1"},
		{"device int& x", "", "(&x)[2] = t", "x[2]: T, 1 and 0"},
		{"device Scene& s", "", "s.n = 7 + t", "s.n: T, 8 and 7"},
		{"device Scene& s", "", "s.tiles[1].sum[2] = 0.5f * t", "s.tiles[1].sum[2]: T, 0.5 and 0"},
		{"device Scene* s", "", "s[2].tiles[1].at.y = t", "s[2].tiles[1].at.y: T, 1 and 0"},
		{"device Scene* s", "", "s[2].tiles[0].low[2] = t", "s[2].tiles[0].low.z: T, 1 and 0"},
		{"device Scene* s", "", "s->m[3] = half2(t)", "s[0].m[3].x: T, 1 and 0"},
		{"device Scene* s", "", "s[1].on = t == 1", "s[1].on: T, true and false"},
		{"device Scene* s", "", "s[1].id = -(1l << 40) * t", "s[1].id: T, -1099511627776 and 0"},
		{"device Scene* s", "", "s[1].y = -9", "s[1].y: T, -9 and -9"},
		{"device Scene* s", "", "s[1].f = 9", "s[1]: T, 9 and 9"},
		{"device Bits* s", "", "s[1].b = t", "s[1]: T"},
		{"device Bits* s", "", "s[1].c = 300", "s[1].c: T, 44 and 44"},
		{"device bfloat* s", "", "s[1] = bfloat(1.5f)", "s[1]: T, 1.5 and 1.5"},
		{"device array<float, 4>* s", "", "s[1][2] = -INFINITY", "s[1][2]: T, -Inf and -Inf"},
		{"device uint* x", "uint n", "n = t; x[t] = n", "n: T, 1 and 0"},
		{"device uint* x", "float tile[4][8]", "tile[2][3] = t; x[t] = tile[t][0]", "tile[2][3]: T, 1 and 0"},
		{"device uint* x", "Tile tiles[4]", "tiles[3].sum[2] = t; x[t] = tiles[t].low.x", "tiles[3].sum[2]: T, 1 and 0"},
		{"device uint* x", "", "uchar c = t + 1; ((device uchar*)x)[5] = c", "x[1]: T, 2 and 1"},
	} {
		text := types + "#line 1\nkernel void test(" + c.argument + ", uint t [[thread_position_in_grid]]) {\n"
		if c.variable != "" {
			text += "threadgroup " + c.variable + ";\n"
		}
		err := executeWith(t.Context(), t, driver.Options{Sanitize: driver.CheckRace}, text+c.store+";\n}", threads(2),
			make([]uint64, 64))
		want := "race on " + strings.Replace(c.want, "T",
			"thread (1, 0, 0) and thread (0, 0, 0) of one simd-group write it at once", 1) + "; threadgroup (0, 0, 0)"
		var found *driver.Findings
		if !errors.As(err, &found) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: found %v, want %q", c.store, err, want)
		}
	}
}

// TestRacesSayWhatHappened has two simd-groups; the second runs first.
func TestRacesSayWhatHappened(t *testing.T) {
	t.Parallel()
	const head = `
kernel void test(device float* x, device float* y, device atomic_uint* a, uint t [[thread_position_in_grid]]) {
	bool first = t == 0, second = t == 32;
`
	for _, c := range []struct{ body, want string }{
		{"if (first) x[3] = 2.5; if (second) y[0] = x[3];", "between; here 2.5 was written, then 2.5 read; threadgroup"},
		{"if (second) x[3] = 2.5; if (first) y[0] = x[3];", "between; here 0 was read, then 2.5 written; threadgroup"},
		{"if (second) x[3] = 2.5; if (first) x[3] = -1;", "between; here -1 was written, then 2.5; threadgroup"},
		{"if (second) x[3] = 2.5; if (first) *(device char*)(x + 3) = -1;",
			"between; here -1 was written, then 2.5; threadgroup"},
		{"device float4* v = (device float4*)x; if (first) *v = float4(1, 2, 3, 4); if (second) y[0] = v->w;",
			"here 4 was written, then 4 read"},
		{"if (first) atomic_fetch_add_explicit(a, 1, memory_order_relaxed); if (second) y[0] = *(device uint*)a;",
			"no threadgroup_barrier(mem_flags::mem_device) between; threadgroup"},
	} {
		err := executeWith(t.Context(), t, driver.Options{Sanitize: driver.CheckRace}, head+c.body+"\n}", threads(64),
			make([]float32, 8), make([]float32, 8), make([]uint32, 1))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: found %v, want %q", c.body, err, c.want)
		}
	}
}

// TestRacesNameAllArgumentsInTheMemory binds one buffer twice.
func TestRacesNameAllArgumentsInTheMemory(t *testing.T) {
	t.Parallel()
	dev := Open(driver.Options{Sanitize: driver.CheckRace})
	defer dev.Close()
	text := `#include <metal_stdlib>
using namespace metal;
kernel void test(device float* x, device const float* y, uint t [[thread_position_in_grid]]) { x[t] = y[t]; }`
	memory, err := dev.NewMemory(4*128, driver.StorageShared)
	if err != nil {
		t.Fatal(err)
	}
	d := &driver.Dispatch{
		Kernel: &driver.Kernel{Name: "test", Library: &driver.Library{File: "test.metal", Source: &text}},
		Grid:   threads(64),
		Buffers: []driver.Buffer{
			{Arg: &driver.Arg{Index: 0}, Memory: memory, Length: 4 * 64},
			{Arg: &driver.Arg{Index: 1}, Memory: memory, Offset: 4 * 32, Length: 4 * 64},
		},
	}
	const want = "race on x[32], which is y[0]: thread (32, 0, 0) writes it, and thread (0, 0, 0) reads it at "
	if _, err := run(t.Context(), t, dev, d); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("found %v, want %q", err, want)
	}
}
