package build

import (
	"math"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
)

// assignment writes =, += and the like, and returns the place assigned to.
func (b *builder) assignment(e *tree.Assign) place {
	p := b.lvalue(e.L)
	if e.Op == 0 {
		if to, v, ok := b.copied(e, p); ok {
			b.store(to, v)
		} else {
			b.store(p, b.value(e.R))
		}
		return p
	}
	if e.L.Type().Kind == tree.Pointer {
		b.store(p, b.single(b.advanced(e, p)))
		return p
	}
	r := b.value(e.R)
	b.store(p, b.combined(e, b.load(p), r))
	return p
}

// advanced returns what += or -= makes of the pointer in a place.
func (b *builder) advanced(e *tree.Assign, p place) ir.Value {
	current := b.load(p)[0]
	n := b.convert(b.value(e.R)[0], e.R.Type().Scalar, tree.Long)
	if e.Op == tree.Sub {
		n = b.op(ir.OpNeg, ir.I64, n)
	}
	return b.opImm(ir.OpMove, ir.S64, int64(e.L.Type().Elem.Size), current, n)
}

// combined returns what an assignment with an operator makes of the current value and the right side.
func (em *emitter) combined(e *tree.Assign, current, r value) value {
	t, right := e.L.Type(), e.R.Type()
	if t.Kind == tree.Matrix || right.Kind == tree.Matrix {
		return em.matrixArithmetic(e.Op, t, right, current, r, e.Position())
	}
	leaves := em.leavesOf(t, e.Position())
	wide := em.newValue(len(leaves))
	for i, l := range leaves {
		wide[i] = em.convert(current[i], l.kind, e.Calc.Scalar)
	}
	v := em.operator(e.Op, e.Calc, right, wide, r, e.Position())
	for i, l := range leaves {
		v[i] = em.convert(v[i], e.Calc.Scalar, l.kind)
	}
	return v
}

// step writes ++ and --. It returns the place and the value from before.
func (b *builder) step(e *tree.IncDec) (place, value) {
	p := b.lvalue(e.X)
	current := b.load(p)
	b.store(p, b.stepped(e, current))
	return p, current
}

// stepped returns what ++ or -- makes of the current value.
func (em *emitter) stepped(e *tree.IncDec, current value) value {
	t := e.X.Type()
	op, by := tree.Add, uint64(1)
	if e.Dec {
		op, by = tree.Sub, math.MaxUint64
	}
	leaves := em.leavesOf(t, e.Position())
	v := em.newValue(len(leaves))
	for i, l := range leaves {
		if l.isHandle() {
			v[i] = em.opImm(ir.OpMove, ir.S64, int64(t.Elem.Size), current[i], em.long(by))
			continue
		}
		v[i] = em.arithmetic(op, l.kind, current[i], em.constant(l.kind, tree.Value{Bits: 1, Float: 1}))
	}
	return v
}
