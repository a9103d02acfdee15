package ptx

import (
	"fmt"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/facts"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/text"
)

// full returns a register with a pointer that has the number of its object.
func (e *emitter) full(v ir.Value) string {
	o := e.Origins[v]
	if o == facts.Unknown {
		return e.reg(v)
	}
	number := fmt.Sprint(int64(o) << facts.OffsetBits)
	if e.isActivated(o) {
		number = e.routines.numberOf(o)
	}
	return e.Make(text.Long, "add.s64", e.reg(v), number)
}

// as returns a register with a pointer held as those of an origin are: that of a value to which it is assigned.
func (e *emitter) as(v ir.Value, origin int) string {
	if origin == facts.Unknown {
		return e.full(v)
	}
	return e.reg(v)
}
