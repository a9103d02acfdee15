package sanitize

import (
	"fmt"
	"math/bits"

	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// checkNaN reports a NaN in register a that the operands, imm of b, c and target, do not
// have.
func checkNaN(f *interp.Frame, in *program.Instruction) {
	result := interp.At[float32](f, in.A)
	if result.Linear && result.Base == result.Base {
		return
	}
	made := uint32(0)
	for l, v := range result.Lanes() {
		if v != v {
			made |= 1 << l
		}
	}
	operands := []int32{in.B, in.C, in.Target}[:in.Imm]
	for m := made & f.Mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		values, spread := "", false
		for i, r := range operands {
			v := interp.At[float32](f, r).Value(l)
			spread = spread || v != v
			switch {
			case i > 0 && i == len(operands)-1:
				values += " and "
			case i > 0:
				values += ", "
			}
			values += fmt.Sprint(v)
		}
		if !spread {
			watcherOf(f).madeNaN(f, in, l, values)
			return
		}
	}
}

// madeNaN reports the first NaN that an instruction makes in a threadgroup.
func (w *watcher) madeNaN(f *interp.Frame, in *program.Instruction, lane int, values string) {
	d, g := w.threadgroup.Dispatch, w.threadgroup
	pos := d.Code.Positions[in.Pos]
	w.found.add(findingKey{kind: driver.CheckNaN, first: pos}, g.Number(), func() driver.Finding {
		thread := g.Thread(f, lane)
		return driver.Finding{
			Kind: driver.CheckNaN, Kernel: d.Code.Name, Group: g.Position,
			Msg:    fmt.Sprintf("thread %s makes a NaN of %s", program.Tuple(thread), values),
			Places: []driver.Place{w.place(pos, thread, g.Position)},
		}
	})
}
