package irtest

import (
	"errors"
	"testing"

	"github.com/metalgen/metalgen/internal/ir"
)

func TestRandomKernelsVerifyAndReachEveryConstruct(t *testing.T) {
	reached := map[ir.Op]int{}
	ended, trapped := 0, 0
	for seed := range uint64(2000) {
		k := Random(seed)
		if err := ir.Verify(k); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, k)
		}
		for in := range k.All() {
			reached[in.Op]++
		}
		err := Execute(k, NewThread(k, seed))
		var trap *Trap
		switch {
		case err == nil:
			ended++
		case errors.As(err, &trap):
			trapped++
		case !errors.Is(err, ErrSteps):
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	for _, op := range []ir.Op{ir.OpBlock, ir.OpIf, ir.OpLoop, ir.OpSwitch, ir.OpLeave, ir.OpAgain, ir.OpFall, ir.OpGet,
		ir.OpSet, ir.OpLoad, ir.OpStore, ir.OpDiv, ir.OpSelect} {
		if reached[op] == 0 {
			t.Errorf("no kernel has %s", op)
		}
	}
	if ended < 1000 || trapped < 20 {
		t.Errorf("%d kernels ended, %d with a trap", ended, trapped)
	}
}
