package build

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
)

// convert converts a scalar (section 2.17).
func (num *numbers) convert(r ir.Value, from, to tree.ScalarKind) ir.Value {
	switch {
	case from == to:
		return r
	case from == tree.Bool:
		return num.out.op(ir.OpFromBool, heldAs(to), r)
	case to == tree.Bool:
		return num.out.op(ir.OpToBool, heldAs(from), r)
	case from.Floating() && to.Floating():
		return num.fit(to, r)
	case from.Floating():
		// truncates; what is out of range becomes the nearest value that the type has
		return num.out.opImm(ir.OpFromFloat, ir.TypeOf(to), int64(8*to.Bytes()), r)
	case to.Floating():
		if to == tree.BFloat && from.Bytes() >= 4 {
			// rounding to float first must not decide a tie
			r = num.out.op(ir.OpRoundOdd, ir.TypeOf(from), r)
		}
		return num.fit(to, num.out.op(ir.OpToFloat, ir.TypeOf(from), r))
	}
	switch long := heldAs(to) == ir.I64; {
	case heldAs(from) == heldAs(to):
	case long:
		return num.out.op(ir.OpWiden, ir.TypeOf(from), r)
	default:
		r = num.out.op(ir.OpNarrow, ir.I64, r)
	}
	if holds(to, from) {
		return r
	}
	return num.fit(to, r)
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
		return b.out.single(b.num.toPointer(x[0], from.Scalar))
	case from.Kind == tree.Pointer:
		if to.Scalar == tree.Bool && to.Kind == tree.Scalar {
			return b.out.single(b.out.op(ir.OpToBool, ir.Ptr, x[0]))
		}
		return b.out.single(b.num.convert(b.out.op(ir.OpPtrBits, ir.Ptr, x[0]), tree.ULong, to.Scalar))
	case to.Kind == tree.Matrix && from.Kind == tree.Scalar:
		return b.num.diagonal(to, b.num.convert(x[0], from.Scalar, to.Scalar))
	}
	v := b.out.newValue(countLeaves(to))
	for i := range v {
		if len(x) == 1 && i > 0 {
			v[i] = v[0]
			continue
		}
		v[i] = b.num.convert(x[i], from.Scalar, to.Scalar)
	}
	return v
}

// toPointer returns the pointer that an integer stands for: of 0 the null pointer.
func (num *numbers) toPointer(x ir.Value, from tree.ScalarKind) ir.Value {
	x = num.convert(x, from, tree.ULong)
	if bits, ok := num.out.Bits(x); ok && bits == 0 {
		return num.out.Known(ir.Ptr, 0)
	}
	return num.out.op(ir.OpBitsPtr, ir.Ptr, x)
}

// diagonal returns a matrix that has x on its diagonal, and 0 elsewhere.
func (num *numbers) diagonal(t *tree.Type, x ir.Value) value {
	v, zero := num.out.newValue(t.Len * t.Elem.Len)[:0], num.out.float(0)
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
