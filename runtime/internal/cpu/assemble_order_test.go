package cpu

import (
	"slices"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// TestOrderOfSimdgroups: they run from the first to the last, but where they may hand one another
// what is in memory.
func TestOrderOfSimdgroups(t *testing.T) {
	t.Parallel()
	const (
		sync   = "threadgroup_barrier(mem_flags::mem_threadgroup);"
		device = "threadgroup_barrier(mem_flags::mem_device);"
		note   = "note(number, count, 0, i);"
		second = "note(number, count, 1, i);"
		share  = note + "g[i] = 1;" + sync + second + "x[i] = g[0];"
	)
	nested := func(n int, body string) string {
		const loop = "for (uint k = 0; k <= i / 96; k++) {"
		return loop + body + strings.Repeat(loop, n) + "x[i] += 1;" + strings.Repeat("}", n+1)
	}
	forward, backward := []int32{0, 1, 2}, []int32{2, 1, 0}
	for name, test := range map[string]struct {
		body   string
		orders [][]int32 // of what note is called for
	}{
		"nothing shared":     {note, [][]int32{forward}},
		"in place":           {note + "x[i] += 1;", [][]int32{forward}},
		"threadgroup memory": {note + "g[i] = 1; x[i] = g[0];", [][]int32{backward}},
		"written, then read": {note + "g[i] = 1;" + sync + second + "x[i] = g[0];", [][]int32{forward, forward}},
		"overwritten":        {share + "g[i] = 2;", [][]int32{forward, backward}},
		"by a function":      {share + "put(&g[i]);", [][]int32{forward, backward}},
		"by recursion":       {share + "again(&g[i], 3);", [][]int32{forward, backward}},
		"in a branch":        {share + "if (i == 50) g[i] = 2;", [][]int32{forward, backward}},
		"in the next round": {
			"for (uint k = 0; k < 2; k++) {" + note + "g[i] = k;" + sync + second + "x[i] = g[0]; }" + sync,
			[][]int32{{0, 1, 2, 2, 1, 0}, {2, 1, 0, 2, 1, 0}},
		},
		"a barrier before the next round": {
			"for (uint k = 0; k < 2; k++) {" + share + sync + "}", [][]int32{{0, 1, 2, 0, 1, 2}, {0, 1, 2, 0, 1, 2}},
		},
		"a barrier that is passed by": {
			"for (uint k = 0; k < 2; k++) {" + share + "if (k < 3) continue;" + sync + "}" + sync,
			[][]int32{{0, 1, 2, 2, 1, 0}, {2, 1, 0, 2, 1, 0}},
		},
		"loops around loops": {
			note + nested(4, "g[i] = 1;") + sync + second + "x[i] = g[0];", [][]int32{forward, forward},
		},
		"more of them than are followed": {
			note + nested(20, "g[i] = 1;") + sync + second + "x[i] = g[0];", [][]int32{backward, backward},
		},
		"threads that have returned": {"if (i == 7) return;" + share + sync + "g[i] = 1;", [][]int32{forward, forward}},
		"an atomic": {
			note + "atomic_fetch_add_explicit(&total, 1, memory_order_relaxed);", [][]int32{backward},
		},
		"of another simd-group": {note + "x[i] = 1;" + sync + second + "x[i] = x[95 - i];", [][]int32{forward, forward}},
		"in device memory":      {"x[i] = 1;" + device + note + "x[i] = x[95 - i];", [][]int32{backward}},
		"a matrix":              {share + "simdgroup_load(m, g, 8);", [][]int32{forward, forward}},
		"a matrix overwritten":  {share + "simdgroup_store(m, g, 8);", [][]int32{forward, backward}},
	} {
		orders, count := make([]int32, 12), make([]int32, 2)
		// which race, so not under the sanitizer
		err := executeWith(t.Context(), t, driver.Options{}, `#include <metal_stdlib>
using namespace metal;
void note(device int* number, device atomic_uint* count, uint phase, uint i) {
	if (i % 32 == 0) number[6 * phase + atomic_fetch_add_explicit(&count[phase], 1u, memory_order_relaxed)] = i / 32;
}
void put(threadgroup float* at) { *at = 2; }
void again(threadgroup float* at, int n) { if (n > 0) again(at, n - 1); else *at = 2; }
kernel void test(device float* x, device int* number, device atomic_uint* count,
	uint i [[thread_position_in_threadgroup]]) {
	threadgroup float g[96];
	threadgroup atomic_int total;
	simdgroup_float8x8 m(1);
	`+test.body+`
}`, threads(96), make([]float32, 96), orders, count)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for phase, want := range test.orders {
			if got := orders[6*phase:][:count[phase]]; !slices.Equal(got, want) {
				t.Errorf("%s: in phase %d simd-groups run in order %v, want %v", name, phase, got, want)
			}
		}
	}
}
