package cpu

import (
	"testing"
)

// TestRegistersBeginAtCacheLines, whatever a kernel has of them: vector instructions rely on it.
func TestRegistersBeginAtCacheLines(t *testing.T) {
	t.Parallel()
	regs := registers{}
	masks := map[int32]bool{}
	for range 3 {
		for c, n := range map[class]int{wordClass: 1, longClass: 5, unsetClass: 3} {
			if r := regs.extend(c, n); r%lineSize != 0 {
				t.Errorf("a register of class %d begins at byte %d", c, r)
			}
			for range 5 {
				masks[regs.extend(maskClass, 1)] = true
			}
		}
	}
	if want := 3*(5*int32(size64)+size32+(3*sizeUnset+lineSize-1)&^(lineSize-1)) + 6*lineSize; regs.size != want {
		t.Errorf("registers and %d masks take %d bytes, want %d", len(masks), regs.size, want)
	}
}
