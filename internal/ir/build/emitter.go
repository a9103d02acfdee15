package build

import (
	"math"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// emitter writes operations on the scalars of MSL.
type emitter struct {
	*ir.Writer
	work
	leaves leafCache
	device string
	code   int
}

// value is the scalars of a value, one for each leaf.
type value []ir.Value

// op writes an operation of one result.
func (em *emitter) op(op ir.Op, t ir.Type, args ...ir.Value) ir.Value {
	em.count()
	return em.Op(op, t, args...)
}

// opImm is op for one with an Imm.
func (em *emitter) opImm(op ir.Op, t ir.Type, imm int64, args ...ir.Value) ir.Value {
	em.count()
	return em.OpImm(op, t, imm, args...)
}

// write adds an instruction.
func (em *emitter) write(in ir.Instr, results ...ir.Type) *ir.Instr {
	em.count()
	return em.Emit(in, results...)
}

// writeAt is write for another position than the current one.
func (em *emitter) writeAt(pos parser.Pos, in ir.Instr, results ...ir.Type) *ir.Instr {
	outer := em.Pos()
	em.At(pos)
	p := em.write(in, results...)
	em.At(outer)
	return p
}

// count fails where the kernel has no room for another instruction.
func (em *emitter) count() {
	if em.code++; em.code > maxCode {
		fail(em.Pos(), "the kernel comes to more than %d instructions with its calls inlined", maxCode)
	}
}

// args returns a list of operands.
func (em *emitter) args(list ...ir.Value) []ir.Value {
	return append(em.List(len(list))[:0], list...)
}

// value returns a value of so many leaves, which the caller sets.
func (em *emitter) newValue(n int) value { return value(em.List(n)) }

func (em *emitter) word(v uint32) ir.Value   { return em.Known(ir.I32, uint64(v)) }
func (em *emitter) long(v uint64) ir.Value   { return em.Known(ir.I64, v) }
func (em *emitter) float(v float32) ir.Value { return em.Known(ir.F32, uint64(math.Float32bits(v))) }

// truth returns a bool that is known.
func (em *emitter) truth(v bool) ir.Value {
	if v {
		return em.Known(ir.Bool, 1)
	}
	return em.Known(ir.Bool, 0)
}

// constant returns a scalar that is known.
func (em *emitter) constant(k tree.ScalarKind, v tree.Value) ir.Value {
	switch t := heldAs(k); t {
	case ir.Bool:
		return em.truth(v.Bits != 0)
	case ir.F32:
		return em.float(float32(v.Float))
	case ir.I32:
		return em.Known(t, uint64(uint32(v.Bits)))
	}
	return em.long(v.Bits)
}

// number returns a small integer of a kind.
func (em *emitter) number(k tree.ScalarKind, n uint64) ir.Value { return em.Known(heldAs(k), n) }

// decided returns the value of a condition that is the same whenever the kernel runs.
func (em *emitter) decided(cond ir.Value) (is, ok bool) {
	bits, ok := em.Bits(cond)
	return bits != 0, ok
}

// zero returns a value of a type whose leaves are all 0.
func (em *emitter) zero(t *tree.Type, pos parser.Pos) value { return em.zeros(em.leavesOf(t, pos)) }

func (em *emitter) zeros(leaves []leaf) value {
	v := em.newValue(len(leaves))
	for i, l := range leaves {
		v[i] = em.Known(l.held(), 0)
	}
	return v
}

// choice returns cond ? x : y, of scalars that are there already.
func (em *emitter) choice(t ir.Type, cond, x, y ir.Value) ir.Value {
	return em.op(ir.OpSelect, t, cond, x, y)
}

// typesOf returns what the leaves of a value hold.
func typesOf(leaves []leaf) []ir.Type {
	list := make([]ir.Type, len(leaves))
	for i, l := range leaves {
		list[i] = l.held()
	}
	return list
}

// single returns a value of one leaf.
func (em *emitter) single(v ir.Value) value {
	list := em.newValue(1)
	list[0] = v
	return list
}
