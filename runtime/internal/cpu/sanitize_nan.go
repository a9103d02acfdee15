package cpu

import (
	"fmt"
	"math/bits"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// checkNaN reports a NaN in register a that the operands, imm of b, c and target, do not
// have.
func checkNaN(f *frame, in *instruction) {
	result := at[float32](f, in.a)
	if result.linear && result.base == result.base {
		return
	}
	made := uint32(0)
	for l, v := range result.lanes() {
		if v != v {
			made |= 1 << l
		}
	}
	operands := []int32{in.b, in.c, in.target}[:in.imm]
	for m := made & f.mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		values, spread := "", false
		for i, r := range operands {
			v := at[float32](f, r).value(l)
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
func (w *watcher) madeNaN(f *frame, in *instruction, lane int, values string) {
	d, g := w.threadgroup.dispatch, w.threadgroup
	pos := d.program.positions[in.pos]
	w.found.add(findingKey{kind: driver.CheckNaN, first: pos}, g.number(), func() driver.Finding {
		thread := g.thread(f, lane)
		return driver.Finding{
			Kind: driver.CheckNaN, Kernel: d.program.name, Group: g.position,
			Msg:    fmt.Sprintf("thread %s makes a NaN of %s", tuple(thread), values),
			Places: []driver.Place{w.place(pos, thread, g.position)},
		}
	})
}
