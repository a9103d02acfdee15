package cpu

import (
	"fmt"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/internal/msl/tree"
)

// sharedIndexes are the indexes of loads in a thread i: several lanes have the same ones.
var sharedIndexes = []struct {
	load  string // of y1, y2 or y3
	index func(i, n uint32) uint32
}{
	{"y1[i / n]", func(i, n uint32) uint32 { return i / n }},
	{"y2[8 * i / n + 1]", func(i, n uint32) uint32 { return 8*i/n + 1 }},
	{"*(y3 + ulong(n) + ulong(i / n))", func(i, n uint32) uint32 { return n + i/n }},
}

// TestNativeCodeLoadsWhatLanesShare as those do that multiply quantized weights by scales: with any number of lanes
// that share one, up to the last element of a buffer, and where some lanes are not active.
func TestNativeCodeLoadsWhatLanesShare(t *testing.T) {
	t.Parallel()
	dev := nativeDevice(t)
	defer dev.Close()
	for _, of := range []tree.ScalarKind{tree.UChar, tree.Short, tree.Half, tree.Int} {
		source := fmt.Sprintf(`kernel void test(device uint* x, device const %[1]s* y1, device const %[1]s* y2,
			device const %[1]s* y3, constant uint& n, constant uint& every, uint i [[thread_position_in_grid]]) {
			if (i %% every != 0) return;
			x[3 * i] = uint(%[2]s); x[3 * i + 1] = uint(%[3]s); x[3 * i + 2] = uint(%[4]s);
		}`, of, sharedIndexes[0].load, sharedIndexes[1].load, sharedIndexes[2].load)
		for _, n := range []uint32{1, 3, 8, 20, 64} {
			for _, every := range []uint32{1, 3} {
				checkShared(t, dev, source, of, n, every)
			}
		}
	}
}

// checkShared runs a kernel that does the loads of sharedIndexes, of buffers that end with the last element read.
func checkShared(t *testing.T, dev *Device, source string, of tree.ScalarKind, n, every uint32) {
	t.Helper()
	const count = 96
	x := make([]uint32, len(sharedIndexes)*count)
	args, want := []any{x}, make([]uint32, len(x))
	for k, load := range sharedIndexes {
		last := uint32(0)
		for i := uint32(0); i < count; i += every {
			at := load.index(i, n)
			last, want[len(sharedIndexes)*int(i)+k] = max(last, at), at%101+1
		}
		values := make([]float64, last+1)
		for i := range values {
			values[i] = float64(i%101 + 1)
		}
		args = append(args, typed(of, values).bytes)
	}
	if err := executeKept(t.Context(), t, dev, source, threads(count), append(args, n, every)...); err != nil {
		t.Fatalf("%s, n %d: %v", source, n, err)
	}
	for i, got := range x {
		if got != want[i] {
			t.Fatalf("%s, n %d, every %d: number %d is %d, want %d", source, n, every, i, got, want[i])
		}
	}
}

// TestNativeCodeStoresInOrder what lanes store to the same memory, and loads that where its index has moved on.
func TestNativeCodeStoresInOrder(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		"(x + 1)[int(i * 3)] = i; y[i] = x[int(i * 3 + 1)];", // the index moves on after the store
		"device ushort* h = (device ushort*)x; h[i] = i; (h + 1)[i] = i;",
		"device uchar* h = (device uchar*)x + y[i]; h[0] = i; h[1] = i + 1; h[2] = i + 2; h[3] = i + 3;",
	} {
		source := "kernel void test(device uint* x, device uint* y, uint i [[thread_position_in_grid]]) { " + body + " }"
		err := nativeDiffers(t, func(dev *Device) ([]uint64, error) {
			defer dev.Close()
			x, y := make([]uint32, 256), make([]uint32, 64)
			for i := range y {
				y[i] = uint32(i * 7 % 31)
			}
			err := executeKept(t.Context(), t, dev, source, threads(64), x, y)
			return bitsOfAll(x, y), err
		})
		if err != nil {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// TestNativeCodeChecksAllOfAWord that lanes store, after one of its bytes has been checked for a load long before.
func TestNativeCodeChecksAllOfAWord(t *testing.T) {
	t.Parallel()
	source := `kernel void test(device uint* x, device const uint* y, uint i [[thread_position_in_grid]]) {
		device uchar* p = (device uchar*)(x + y[i]);
		uint v = p[0];
		` + strings.Repeat("v = v * 5 + y[1]; v ^= v >> 3;", 20) + `
		*(device uchar4*)p = uchar4(v, v >> 8, v >> 16, v >> 24);
	}`
	err := nativeDiffers(t, func(dev *Device) ([]uint64, error) {
		x, y := make([]uint8, 64*4-1), make([]uint32, 64)
		for i := range y {
			y[i] = uint32(i * 7 % 64)
		}
		err := executeOn(t.Context(), t, dev, source, threads(64), x, y)
		if err == nil {
			t.Error("the last bytes are outside")
		}
		return nil, err
	})
	if err != nil {
		t.Error(err)
	}
}
