package types

import (
	"math"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// IsElements reports whether x is the elements of a simdgroup_matrix, which are in
// no memory.
func IsElements(x tree.Expr) bool {
	_, ok := x.(*tree.Elements)
	return ok
}

// ElementOf is an element of an array.
func ElementOf(x tree.Expr, i int, pos parser.Pos) tree.Expr {
	return &tree.Index{Node: tree.At(pos, x.Type().Elem), X: x, I: IntConst(i, pos)}
}

// Widens reports whether a conversion keeps all values of a type (C++14 8.5.4). No floating
// type holds those of an integer, whatever their sizes.
func Widens(from, to tree.ScalarKind) bool {
	switch {
	case to == from:
		return true
	case to.Floating() || from.Floating():
		return to == tree.Float && from.Floating()
	case to == tree.Bool || from.Signed() && !to.Signed():
		return false
	case from.Signed() == to.Signed() || from == tree.Bool:
		return to.Bytes() >= from.Bytes()
	}
	return to.Bytes() > from.Bytes()
}

// Narrows reports whether a type does not hold a constant.
func Narrows(v tree.Value, to tree.ScalarKind) bool {
	k, err := v.Convert(to)
	switch {
	case err != nil:
		return true
	case v.Kind.Floating():
		return !to.Floating() || math.IsInf(k.Float, 0) && !math.IsInf(v.Float, 0)
	case to.Floating():
		back, err := k.Convert(v.Kind)
		return err != nil || math.IsInf(k.Float, 0) || back.Bits != v.Bits
	}
	negative := func(v tree.Value) bool { return v.Kind.Signed() && int64(v.Bits) < 0 }
	return k.Bits != v.Bits || negative(k) != negative(v)
}

// PlainZero is zero for types whose parts have no initial values of their own.
func PlainZero(t *tree.Type, pos parser.Pos) tree.Expr {
	switch {
	case t.Kind == tree.Scalar && t.Name != NullType.Name && !t.Atomic, t.Kind == tree.EnumType:
		return &tree.Const{Node: tree.At(pos, t), Value: tree.Value{Kind: t.Scalar}}
	case t.Kind == tree.Pointer:
		return &tree.Convert{Node: tree.At(pos, t),
			X: &tree.Const{Node: tree.At(pos, tree.ScalarType(tree.ULong)), Value: tree.Value{Kind: tree.ULong}}}
	}
	return &tree.Construct{Node: tree.At(pos, t)}
}

// WideSwizzle picks elements of a vector of ext_vector_type by Clang's names for them: s and hexadecimal digits, or
// halves. The language's own vectors have letters only.
func WideSwizzle(t *tree.Type, name string) (elems []int) {
	if t.Len <= 4 {
		return nil
	}
	half := (t.Len + 1) / 2
	parts := map[string]func(i int) int{
		"lo":   func(i int) int { return i },
		"hi":   func(i int) int { return half + i },
		"even": func(i int) int { return 2 * i },
		"odd":  func(i int) int { return 2*i + 1 },
	}
	if part := parts[name]; part != nil {
		for i := range half {
			elems = append(elems, min(part(i), t.Len-1))
		}
		return elems
	}
	digits, ok := strings.CutPrefix(strings.ToLower(name), "s")
	if !ok || len(digits) > tree.MaxVector {
		return nil
	}
	for _, r := range digits {
		i := strings.IndexRune("0123456789abcdef", r)
		if i < 0 || i >= t.Len {
			return nil
		}
		elems = append(elems, i)
	}
	return elems
}

// CommonType is the type in which an operator computes, or nil: scalars follow
// the usual arithmetic conversions; a vector wants its like or a scalar, which
// takes the type of its elements. Elements are not promoted.
func CommonType(a, b *tree.Type) *tree.Type {
	number := func(t *tree.Type) bool { return Arithmetic(t) || Unscoped(t) }
	switch {
	case number(a) && number(b):
		return tree.ScalarType(tree.Promote(a.Scalar, b.Scalar))
	case IsVector(a) && IsVector(b):
		if a.Scalar == b.Scalar && a.Len == b.Len {
			return tree.VectorType(a.Scalar, a.Len)
		}
	case IsVector(a) && number(b):
		return tree.VectorType(a.Scalar, a.Len)
	case number(a) && IsVector(b):
		return tree.VectorType(b.Scalar, b.Len)
	}
	return nil
}

// StandIn is a value of x's type about which nothing is known, so that nothing is
// folded.
func StandIn(x tree.Expr) tree.Expr {
	return &tree.VarRef{Node: tree.At(x.Position(), x.Type()), Var: &tree.Var{Type: x.Type()}}
}

// SameShape reports whether values of two types have elements in the same
// positions: `s += v` with a scalar s and a vector v has no meaning.
func SameShape(a, b *tree.Type) bool {
	return a.Kind == tree.Matrix && Same(a, b) || a.Kind != tree.Matrix && b.Kind != tree.Matrix && Width(a) == Width(b)
}

// ValueType is the type of x as a value: of arrays and packed vectors that is
// another one.
func ValueType(x tree.Expr) *tree.Type {
	if t := x.Type(); t.Kind == tree.PackedVector {
		return tree.VectorType(t.Scalar, t.Len)
	}
	return Decayed(x)
}

// TypeList is the types of arguments as messages cite them.
func TypeList(args []tree.Expr) string {
	names := make([]string, len(args))
	for i, a := range args {
		names[i] = a.Type().Spelled()
	}
	return "(" + strings.Join(names, ", ") + ")"
}

// IntConst is an int.
func IntConst(n int, pos parser.Pos) tree.Expr {
	return &tree.Const{Node: tree.At(pos, tree.ScalarType(tree.Int)), Value: tree.IntValue(tree.Int, uint64(n))}
}

// Decayed is the type of a value: that of a pointer for an array.
func Decayed(x tree.Expr) *tree.Type {
	t := x.Type()
	if IsPlainArray(t) {
		if space, readonly, ok := PlaceOf(x); ok {
			return tree.PointerTo(t.Elem, space, readonly)
		}
	}
	return t
}

// IsStruct reports whether a type is a struct or an array of structs.
func IsStruct(t *tree.Type) bool {
	for t.Kind == tree.Array {
		t = t.Elem
	}
	return t.Kind == tree.StructType
}

// Bare is a type without the arrays around it.
func Bare(t *tree.Type) *tree.Type {
	for t.Kind == tree.Array {
		t = t.Elem
	}
	return t
}
