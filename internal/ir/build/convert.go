package build

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
)

// convert converts a scalar (section 2.17).
func (em *emitter) convert(r ir.Value, from, to tree.ScalarKind) ir.Value {
	switch {
	case from == to:
		return r
	case from == tree.Bool:
		return em.op(ir.OpFromBool, heldAs(to), r)
	case to == tree.Bool:
		return em.op(ir.OpToBool, heldAs(from), r)
	case from.Floating() && to.Floating():
		return em.fit(to, r)
	case from.Floating():
		// truncates; what is out of range becomes the nearest value that the type has
		return em.opImm(ir.OpFromFloat, ir.TypeOf(to), int64(8*to.Bytes()), r)
	case to.Floating():
		if to == tree.BFloat && from.Bytes() >= 4 {
			// rounding to float first must not decide a tie
			r = em.op(ir.OpRoundOdd, ir.TypeOf(from), r)
		}
		return em.fit(to, em.op(ir.OpToFloat, ir.TypeOf(from), r))
	}
	switch long := heldAs(to) == ir.I64; {
	case heldAs(from) == heldAs(to):
	case long:
		return em.op(ir.OpWiden, ir.TypeOf(from), r)
	default:
		r = em.op(ir.OpNarrow, ir.I64, r)
	}
	if holds(to, from) {
		return r
	}
	return em.fit(to, r)
}

// holds reports whether an integer type has all values of another one that is
// held in as many bits.
func holds(to, from tree.ScalarKind) bool {
	switch {
	case to.Bytes() >= 4:
		return true
	case to.Signed() == from.Signed():
		return from.Bytes() <= to.Bytes()
	}
	return to.Signed() && from.Bytes() < to.Bytes()
}

// converted writes a conversion of the tree.
func (b *builder) converted(e *tree.Convert) value {
	from, to := e.X.Type(), e.Type()
	if to.Kind == tree.Void {
		b.effect(e.X)
		return nil
	}
	x := b.value(e.X)
	switch {
	case to.Kind == tree.Pointer && from.Kind == tree.Pointer:
		b.castsConst = b.castsConst || from.Const && !to.Const
		return x
	case from.Kind == tree.StructType, from.Kind == tree.SimdgroupMatrix:
		return x
	case to.Kind == tree.Pointer:
		return b.single(b.toPointer(x[0], from.Scalar))
	case from.Kind == tree.Pointer:
		if to.Scalar == tree.Bool && to.Kind == tree.Scalar {
			return b.single(b.op(ir.OpToBool, ir.Ptr, x[0]))
		}
		return b.single(b.convert(b.op(ir.OpPtrBits, ir.Ptr, x[0]), tree.ULong, to.Scalar))
	case to.Kind == tree.Matrix && from.Kind == tree.Scalar:
		return b.diagonal(to, b.convert(x[0], from.Scalar, to.Scalar))
	}
	v := b.newValue(countLeaves(to))
	for i := range v {
		if len(x) == 1 && i > 0 {
			v[i] = v[0]
			continue
		}
		v[i] = b.convert(x[i], from.Scalar, to.Scalar)
	}
	return v
}

// toPointer returns the pointer that an integer stands for: of 0 the null pointer.
func (em *emitter) toPointer(x ir.Value, from tree.ScalarKind) ir.Value {
	x = em.convert(x, from, tree.ULong)
	if bits, ok := em.Bits(x); ok && bits == 0 {
		return em.Known(ir.Ptr, 0)
	}
	return em.op(ir.OpBitsPtr, ir.Ptr, x)
}

// diagonal returns a matrix that has x on its diagonal, and 0 elsewhere.
func (em *emitter) diagonal(t *tree.Type, x ir.Value) value {
	v, zero := em.newValue(t.Len * t.Elem.Len)[:0], em.float(0)
	for c := range t.Len {
		for r := range t.Elem.Len {
			if r == c {
				v = append(v, x)
			} else {
				v = append(v, zero)
			}
		}
	}
	return v
}
