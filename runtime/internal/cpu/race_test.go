package cpu

import (
	"reflect"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// TestRacesOfKernelsAreNotReportedAsThoseOfGo says something under the race detector only,
// which ends a test that it finds a race in.
func TestRacesOfKernelsAreNotReportedAsThoseOfGo(t *testing.T) {
	const source = `#include <metal_simdgroup_matrix>
	#include <metal_atomic>
	kernel void test(device T* x, device T* y, device bool* b, device atomic_uint* a, device atomic_bool* c,
			device float* m, uint g [[threadgroup_position_in_grid]], uint l [[thread_position_in_threadgroup]]) {
		x[0] = T(1);               // the same place
		x[1 + l] = x[0];           // places side by side
		x[33 + 2 * l] = x[1 + l];  // apart
		x[97 + l * 7 % 32] = T(1); // in another order
		if (l % 3 == 1) x[129 + l] = x[1 + l];
		y[l] = x[33 + 2 * l] + x[(97 + l * g) % 128] + x[g % 160]; // of what others write
		b[0] = b[1] || true;
		b[1 + l] = !b[l * g % 32];
		atomic_store_explicit(a, 1, memory_order_relaxed);
		*(device uint*)a = g;
		bool want = false;
		atomic_compare_exchange_weak_explicit(c, &want, true, memory_order_relaxed, memory_order_relaxed);
		*(device bool*)c = atomic_exchange_explicit(c, true, memory_order_relaxed);
		simdgroup_float8x8 e = simdgroup_float8x8(1);
		simdgroup_store(e, m, 8);
		simdgroup_load(e, m, 8);
	}`
	for typ, x := range map[string]any{
		"uchar": make([]uint8, 161), "short": make([]int16, 161), "uint": make([]uint32, 161),
		"ulong": make([]uint64, 161), "float": make([]float32, 161), "half": make([]uint16, 161),
	} {
		t.Run(typ, func(t *testing.T) {
			v := reflect.ValueOf(x)
			y := reflect.MakeSlice(v.Type(), 32, 32).Interface()
			m := make([]float32, 64)
			grid := driver.Grid{Threadgroups: [3]int{200, 1, 1}, Threads: [3]int{32, 1, 1}}
			compute(t, strings.ReplaceAll(source, "T", typ), grid, x, y, make([]bool, 33), []uint32{0}, []bool{false}, m)
			for i := range 32 {
				if v.Index(i).IsZero() || (m[i] == 1) != (i%9 == 0) {
					t.Errorf("x[%d] = %v, m[%d] = %v", i, v.Index(i), i, m[i])
				}
			}
		})
	}
}
