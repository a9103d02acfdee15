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
			b.mem.store(to, v)
		} else {
			b.mem.store(p, b.value(e.R))
		}
		return p
	}
	if e.L.Type().Kind == tree.Pointer {
		b.mem.store(p, b.out.single(b.advanced(e, p)))
		return p
	}
	r := b.value(e.R)
	b.mem.store(p, b.num.combined(e, b.mem.load(p), r))
	return p
}

// advanced returns what += or -= makes of the pointer in a place.
func (b *builder) advanced(e *tree.Assign, p place) ir.Value {
	current := b.mem.load(p)[0]
	n := b.num.convert(b.value(e.R)[0], e.R.Type().Scalar, tree.Long)
	if e.Op == tree.Sub {
		n = b.out.op(ir.OpNeg, ir.I64, n)
	}
	return b.out.opImm(ir.OpMove, ir.S64, int64(e.L.Type().Elem.Size), current, n)
}

// combined returns what an assignment with an operator makes of the current value and the right side.
func (num *numbers) combined(e *tree.Assign, current, r value) value {
	t, right := e.L.Type(), e.R.Type()
	if t.Kind == tree.Matrix || right.Kind == tree.Matrix {
		return num.matrixArithmetic(e.Op, t, right, current, r, e.Position())
	}
	leaves := num.out.leavesOf(t, e.Position())
	wide := num.out.newValue(len(leaves))
	for i, l := range leaves {
		wide[i] = num.convert(current[i], l.kind, e.Calc.Scalar)
	}
	v := num.operator(e.Op, e.Calc, right, wide, r, e.Position())
	for i, l := range leaves {
		v[i] = num.convert(v[i], e.Calc.Scalar, l.kind)
	}
	return v
}

// step writes ++ and --. It returns the place and the value from before.
func (b *builder) step(e *tree.IncDec) (place, value) {
	p := b.lvalue(e.X)
	current := b.mem.load(p)
	b.mem.store(p, b.num.stepped(e, current))
	return p, current
}

// stepped returns what ++ or -- makes of the current value.
func (num *numbers) stepped(e *tree.IncDec, current value) value {
	t := e.X.Type()
	op, by := tree.Add, uint64(1)
	if e.Dec {
		op, by = tree.Sub, math.MaxUint64
	}
	leaves := num.out.leavesOf(t, e.Position())
	v := num.out.newValue(len(leaves))
	for i, l := range leaves {
		if l.isHandle() {
			v[i] = num.out.opImm(ir.OpMove, ir.S64, int64(t.Elem.Size), current[i], num.out.long(by))
			continue
		}
		v[i] = num.arithmetic(op, l.kind, current[i], num.out.constant(l.kind, tree.Value{Bits: 1, Float: 1}))
	}
	return v
}
