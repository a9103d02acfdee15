package types

import "github.com/metalgen/metalgen/internal/msl/tree"

// Rank orders the conversions of an argument (C++14 13.3.3.1.1). A scalar that
// becomes a vector comes last: MSL has it as a constructor.
type Rank uint8

// The ranks, the best first.
const (
	Exact Rank = iota
	Promotion
	enumPromotion // of an enum with a type of its own, to what that is promoted to
	Conversion
	PointerToBool
	Splat
	UserDefined
	Impossible
)

// RankScalar is the rank of the conversion from a number or an enum to a number.
func RankScalar(from, to *tree.Type) Rank {
	k := to.Scalar
	switch {
	case from.Kind == tree.EnumType && from.Enum.Fixed && k == from.Scalar:
		return Promotion
	case from.Kind == tree.EnumType && from.Enum.Fixed && k == tree.Promote(from.Scalar, from.Scalar):
		return enumPromotion
	case from.Kind == tree.EnumType && !from.Enum.Fixed && k == max(from.Scalar, tree.Int):
		return Promotion
	case from.Kind == tree.EnumType:
	case !from.Scalar.Floating() && from.Scalar < tree.Int && k == tree.Int:
		return Promotion
	case from.Scalar == tree.BFloat && k == tree.Half, from.Scalar.Floating() && k == tree.BFloat && from.Scalar != k:
		return Impossible // section 2.23: bfloat becomes a float only, and no other fraction a bfloat
	}
	return Conversion
}

// IsNull reports whether x is a constant that stands for no address.
func IsNull(x tree.Expr) bool {
	k, ok := x.(*tree.Const)
	return ok &&
		(x.Type().Name == NullType.Name || Integral(x.Type()) && x.Type().Scalar != tree.Bool && k.Value.Bits == 0)
}

// RankPointer is the rank of the conversion of x to a pointer.
func RankPointer(x tree.Expr, to *tree.Type) Rank {
	from := x.Type()
	if IsNull(x) {
		return Conversion
	}
	if from.Kind == tree.Array {
		space, readonly, ok := PlaceOf(x)
		if !ok {
			return Impossible
		}
		from = tree.PointerTo(from.Elem, space, readonly)
	}
	switch {
	case from.Kind != tree.Pointer || from.Space != to.Space || from.Const && !to.Const:
		return Impossible
	case Same(from.Elem, to.Elem):
		if from.Const != to.Const {
			return Promotion
		}
		return Exact
	case to.Elem.Kind == tree.Void, InheritsFrom(from.Elem, to.Elem):
		return Conversion
	}
	return Impossible
}

// InheritsFrom reports whether pointers to one struct are pointers to another.
func InheritsFrom(t, base *tree.Type) bool {
	return t.Kind == tree.StructType && base.Kind == tree.StructType && BasePath(t.Struct, base.Struct) != nil
}

// Castable reports whether a cast leads from one type to another where no
// implicit conversion does.
func Castable(from, to *tree.Type) bool {
	number := func(t *tree.Type) bool { return Arithmetic(t) || t.Kind == tree.EnumType || IsVote(t) }
	address := func(t *tree.Type) bool { return Integral(t) && t.Size == 8 }
	switch {
	case number(from) && number(to):
		return true
	case from.Kind == tree.Pointer && to.Kind == tree.Pointer:
		return from.Space == to.Space
	case from.Kind == tree.Pointer && address(to), address(from) && to.Kind == tree.Pointer:
		return true
	case IsVector(from) && IsVector(to):
		return from.Len == to.Len
	case from.Kind == tree.Matrix && to.Kind == tree.Matrix:
		return from.Len == to.Len && from.Elem.Len == to.Elem.Len
	case Arithmetic(from) && to.Kind == tree.Matrix:
		return true
	}
	return false
}

// Lower reports whether ranks are no worse for any argument and better for one.
func Lower(a, b []Rank) bool {
	some := false
	for i := range a {
		if a[i] > b[i] {
			return false
		}
		some = some || a[i] < b[i]
	}
	return some
}

// BasePath leads from a struct to a base of it.
func BasePath(st, base *tree.Struct) []*tree.Field {
	for _, f := range st.Fields {
		if !f.Base {
			continue
		}
		if f.Type.Struct == base {
			return []*tree.Field{f}
		}
		if rest := BasePath(f.Type.Struct, base); rest != nil {
			return append([]*tree.Field{f}, rest...)
		}
	}
	return nil
}
