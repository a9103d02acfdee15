package cpu

import (
	"math"

	"github.com/metalgen/metalgen/internal/msl/tree"
)

// assignment lowers =, += and the like, and returns the place assigned to.
func (b *builder) assignment(e *tree.Assign) place {
	p := b.lvalue(e.L)
	t := e.L.Type()
	if e.Op == 0 {
		if to, v, ok := b.copied(e, p); ok {
			b.store(to, v)
		} else {
			b.store(p, b.value(e.R))
		}
		return p
	}
	if t.Kind == tree.Pointer {
		current := b.load(p, e.Position())[0]
		n := b.convertLeaf(b.value(e.R)[0], e.R.Type().Scalar, tree.Long)
		if e.Op == tree.Sub {
			n = b.op(longClass, negInt[int64], n)
		}
		b.store(p, value{b.opImm(longClass, addPointerLong, int64(t.Elem.Size), current, n)})
		return p
	}
	if t.Kind == tree.Matrix || e.R.Type().Kind == tree.Matrix {
		r := b.value(e.R)
		b.store(p, matrixArithmetic(b.assembler, e.Op, t, e.R.Type(), b.load(p, e.Position()), r, e.Position()))
		return p
	}
	if x, y, ok := product(e.R); ok && (e.Op == tree.Add || e.Op == tree.Sub) &&
		t.Scalar == tree.Float && e.Calc.Scalar == tree.Float && t.Kind == e.R.Type().Kind {
		factors := b.operands(x, y)
		b.store(p, fusedEach(b.assembler, sumRun(e.Op), factors[0], factors[1], b.load(p, e.Position())))
		return p
	}
	r := b.value(e.R)
	b.store(p, b.combined(e, b.load(p, e.Position()), r))
	return p
}

// combined returns what an assignment of numbers with an operator makes of the current value and the right side.
func (b *builder) combined(e *tree.Assign, current, r value) value {
	leaves := b.leaves(e.L.Type(), e.Position())
	wide := make(value, len(leaves))
	for i, l := range leaves {
		wide[i] = b.convertLeaf(current[i], l.kind, e.Calc.Scalar)
	}
	v := operator(b.assembler, e.Op, e.Calc, e.R.Type(), wide, r, e.Position())
	for i, l := range leaves {
		v[i] = b.convertLeaf(v[i], e.Calc.Scalar, l.kind)
	}
	return v
}

// step lowers ++ and --. It returns the place and, for the postfix forms, the value
// from before.
func (b *builder) step(e *tree.IncDec) (place, value) {
	p := b.lvalue(e.X)
	t := e.X.Type()
	current := b.load(p, e.Position())
	leaves := b.leaves(t, e.Position())
	var old value
	if e.Postfix {
		for i, l := range leaves {
			r := b.newTemp(l.class())
			b.copyTo(l.class(), r, current[i])
			old = append(old, r)
		}
	}
	b.store(p, b.stepped(e, current))
	return p, old
}

// stepped returns what ++ or -- makes of the current value.
func (b *builder) stepped(e *tree.IncDec, current value) value {
	t := e.X.Type()
	leaves := b.leaves(t, e.Position())
	v := make(value, len(leaves))
	for i, l := range leaves {
		if l.isHandle() {
			by := uint64(1)
			if e.Dec {
				by = math.MaxUint64
			}
			v[i] = b.opImm(longClass, addPointerLong, int64(t.Elem.Size), current[i], b.long(by))
			continue
		}
		op := tree.Add
		if e.Dec {
			op = tree.Sub
		}
		k, one := l.kind, tree.Value{Bits: 1, Float: 1}
		v[i] = b.arithmetic(op, k, current[i], b.constantValue(k, one))
	}
	return v
}
