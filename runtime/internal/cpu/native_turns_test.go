package cpu

import (
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// TestSimdgroupsTakeTurnsInLoops as if they went through them one after the other: where some leave a loop before
// others, between barriers, in partial threadgroups, where an atomic tells which comes first, and where several go
// wrong: then the fault of the first counts, even if another one's is found earlier.
func TestSimdgroupsTakeTurnsInLoops(t *testing.T) {
	t.Parallel()
	const size = 1 << 20 // floats: what no cache of a core holds
	bodies := []string{
		"for (uint i = p; i < n; i += 1 << 15) sum += x[i] * float(i);",
		"for (uint k = 0; k < 40; k++) sum += x[k * (n / 40) + l];",
		"for (uint k = 0; k < group * 11; k++) sum += x[k * 4096 + l] + x[k * 4096 + l + 1];",
		`threadgroup float s[100]; for (uint i = l; i < n; i += 1 << 15) sum += x[i];
			s[l] = sum; threadgroup_barrier(mem_flags::mem_threadgroup); sum = s[99 - l];
			for (uint i = l; i < n; i += 1 << 16) { if (x[i] > 0.5f) break; sum += x[i]; }
			threadgroup_barrier(mem_flags::mem_threadgroup); s[l] = sum;
			threadgroup_barrier(mem_flags::mem_threadgroup); sum += s[l / 2];`,
		"for (uint i = p; i < 2 * n; i += 1 << 17) sum += x[i + (group > 0 ? 7u << 17 : 0u)];",
		`for (uint i = p; i < n; i += 1 << 17) sum += x[i + (group > 1 ? 7u << 17 : 0u)];`,
		`for (uint k = 0; k < 40 - group * 9; k++) sum += x[k * 4096 + l];
			device atomic_uint* numbers = (device atomic_uint*)out + 300;
			sum += atomic_fetch_add_explicit(numbers + p / 100, 1, memory_order_relaxed);`,
	}
	x := make([]float32, size)
	for i := range x {
		x[i] = float32(i*7919%1000) / 1000
	}
	grid := driver.Grid{Threadgroups: [3]int{3, 1, 1}, Threads: [3]int{100, 1, 1}}
	for _, body := range bodies {
		source := `kernel void test(device const float* x, device float* out, constant uint& n,
			uint p [[thread_position_in_grid]], uint l [[thread_position_in_threadgroup]],
			uint group [[simdgroup_index_in_threadgroup]]) {
			float sum = 0;
			` + body + " out[p] = sum; }"
		err := nativeDiffers(t, func(dev *Device) ([]uint64, error) {
			out := make([]float32, 303)
			err := executeOn(t.Context(), t, dev, source, grid, x, out, uint32(size))
			if err != nil { // how far others have come is chance
				clear(out)
			}
			return bitsOfAll(out), err
		})
		if err != nil {
			t.Errorf("%s\n%v", body, err)
		}
	}
}
