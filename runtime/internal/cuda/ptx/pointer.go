package ptx

import (
	"fmt"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/facts"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/text"
)

// full returns a register with a pointer that has the number of its object.
func (m *places) full(v ir.Value) string {
	o := m.e.Origins[v]
	if o == facts.Unknown {
		return m.e.reg(v)
	}
	number := fmt.Sprint(int64(o) << facts.OffsetBits)
	if m.e.isActivated(o) {
		number = m.e.routines.numberOf(o)
	}
	return m.Make(text.Long, "add.s64", m.e.reg(v), number)
}

// as returns a register with a pointer held as those of an origin are: that of a value to which it is assigned.
func (m *places) as(v ir.Value, origin int) string {
	if origin == facts.Unknown {
		return m.full(v)
	}
	return m.e.reg(v)
}
