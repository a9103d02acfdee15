package cpu

import (
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// TestConstantsAreReadAtIndexesThatAreBounded by how they are made, or seem to be: some are outside.
func TestConstantsAreReadAtIndexesThatAreBounded(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		"x[i] = eight[y[i] & 7];",
		"x[i] = eight[y[i] >> 29] + eight[(y[i] >> 3) & 7];",
		"x[i] = eight[((device const uchar*)y)[i] >> 5];",
		"x[i] = (eight + 3)[y[i] & 3] + bytes[((device const ushort*)y)[i] >> 12];",
		"uint k = y[i]; if (l % 3) k &= 7; x[i] = eight[k & 15 & (l % 3 ? 31 : 7)];",
		"uint k = y[i] & 7; for (uint j = 0; j < 4; j++) { x[i] += eight[k]; if (l % 5 > j) k = (k * 3) & 7; }",
		"x[i] = as_type<uint>(float(halves[y[i] & 3]));",
		"x[i] = eight[y[i] & 15];",                               // outside
		"x[i] = (eight + 1)[y[i] & 7];",                          // outside
		"x[i] = bytes[y[i] >> 27];",                              // outside
		"uint k = y[i] & 7; if (l == 9) k = 8; x[i] = eight[k];", // outside
	} {
		err := nativeDiffers(t, func(dev *Device) ([]uint64, error) {
			x, y := make([]uint32, 64), make([]uint32, 64)
			for i := range y {
				y[i] = uint32(i*i*3456789 + 0x9abcdef7*i)
			}
			err := executeOn(t.Context(), t, dev, `
				constant uint eight[8] = {9, 8, 7, 6, 5, 4, 3, 1u << 31};
				constant uchar bytes[16] = {1, 2, 3, 250, 251, 0, 0, 4, 9, 8, 7, 6, 5, 4, 3, 2};
				constant half halves[4] = {1.5h, -2.0h, 0.25h, 1000.0h};
				kernel void test(device uint* x, device const uint* y, uint i [[thread_position_in_grid]],
					uint l [[thread_index_in_threadgroup]]) { `+body+" }",
				driver.Grid{Threadgroups: [3]int{1, 1, 1}, Threads: [3]int{61, 1, 1}}, x, y)
			return bitsOfAll(x), err
		})
		if err != nil {
			t.Errorf("%s %v", body, err)
		}
	}
}
