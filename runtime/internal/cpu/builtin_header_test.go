package cpu

import "testing"

// headerNames are the functions that only Metal's own headers call by other names.
func headerNames() []string {
	return []string{"threads_per_simdgroup", "thread_index_in_simdgroup", "simdgroup_index_in_threadgroup"}
}

func TestFunctionsOfMetalsHeaders(t *testing.T) {
	out := make([]uint32, 40)
	compute(t, `kernel void test(device uint* out, uint i [[thread_position_in_grid]]) {
	if (i % 3 == 0) {
		out[i] = __metal_get_thread_index_in_simdgroup(ushort()) * 100 + __metal_get_simdgroup_size(ushort()) +
			__metalgen_simdgroup(ushort()) * 10000;
	}
}`, threads(40), out)
	for i, v := range out {
		if want := uint32(i%32*100 + 32 + i/32*10000); i%3 == 0 && v != want {
			t.Errorf("thread %d: %d, want %d", i, v, want)
		}
	}
}
