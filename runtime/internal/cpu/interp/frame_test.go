package interp

import (
	"testing"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// TestFramesBeginAtCacheLines, whatever their size.
func TestFramesBeginAtCacheLines(t *testing.T) {
	t.Parallel()
	for size := int32(8); size < 4096; size += 8 {
		var f Frame
		f.prepare(&Threadgroup{Dispatch: &Dispatch{Code: Load(&program.Program{Size: size}, nil)}})
		end := uintptr(unsafe.Pointer(&f.backing[len(f.backing)-1])) + 8
		if begin := uintptr(f.Memory); begin%program.LineSize != 0 || begin+uintptr(size) > end {
			t.Fatalf("the registers of a frame of %d bytes begin at %#x, and its memory ends at %#x", size, begin, end)
		}
	}
}
