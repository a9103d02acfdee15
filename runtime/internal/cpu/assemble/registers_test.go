package assemble

import (
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// TestRegistersBeginAtCacheLines, whatever a kernel has of them: vector instructions rely on it.
func TestRegistersBeginAtCacheLines(t *testing.T) {
	t.Parallel()
	regs := registers{}
	masks := map[int32]bool{}
	for range 3 {
		for c, n := range map[program.Class]int{program.WordClass: 1, program.LongClass: 5, program.UnsetClass: 3} {
			if r := regs.extend(c, n); r%program.LineSize != 0 {
				t.Errorf("a register of class %d begins at byte %d", c, r)
			}
			for range 5 {
				masks[regs.extend(program.MaskClass, 1)] = true
			}
		}
	}
	unsets := (3*program.UnsetBytes + program.LineSize - 1) &^ (program.LineSize - 1)
	if want := 3*(5*program.LongBytes+program.WordBytes+unsets) + 6*program.LineSize; regs.size != want {
		t.Errorf("registers and %d masks take %d bytes, want %d", len(masks), regs.size, want)
	}
}
