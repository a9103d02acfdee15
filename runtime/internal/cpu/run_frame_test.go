package cpu

import (
	"testing"
	"unsafe"
)

// TestFramesBeginAtCacheLines, whatever their size.
func TestFramesBeginAtCacheLines(t *testing.T) {
	t.Parallel()
	for size := int32(8); size < 4096; size += 8 {
		var f frame
		f.prepare(&threadgroup{dispatch: &dispatch{program: load(&program{size: size}, nil)}})
		end := uintptr(unsafe.Pointer(&f.backing[len(f.backing)-1])) + 8
		if begin := uintptr(f.memory); begin%lineSize != 0 || begin+uintptr(size) > end {
			t.Fatalf("the registers of a frame of %d bytes begin at %#x, and its memory ends at %#x", size, begin, end)
		}
	}
}
