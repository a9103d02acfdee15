package types

import "github.com/metalgen/metalgen/internal/msl/tree"

// Same reports whether two types are one type, whatever names it goes by.
func Same(a, b *tree.Type) bool {
	for {
		if a == b {
			return true
		}
		if a.Kind != b.Kind {
			return false
		}
		switch a.Kind {
		case tree.Void:
			return true
		case tree.Scalar:
			return a.Scalar == b.Scalar && a.Atomic == b.Atomic && Special(a) == Special(b)
		case tree.Vector, tree.PackedVector:
			return a.Scalar == b.Scalar && a.Len == b.Len
		case tree.SimdgroupMatrix:
			return a.Scalar == b.Scalar
		case tree.StructType:
			return a.Struct == b.Struct
		case tree.EnumType:
			return a.Enum == b.Enum
		case tree.Matrix:
			return a.Scalar == b.Scalar && a.Len == b.Len && a.Elem.Len == b.Elem.Len
		case tree.Array:
			if a.Len != b.Len {
				return false
			}
		case tree.Pointer, tree.Reference:
			if a.Space != b.Space || a.Const != b.Const {
				return false
			}
		default:
			return a.Name == b.Name
		}
		a, b = a.Elem, b.Elem
	}
}

// The types of the library that are stored as integers but are not integers.
var (
	NullType = &tree.Type{Kind: tree.Scalar, Name: "nullptr_t", Size: 8, Align: 8, Scalar: tree.ULong}
	SimdVote = &tree.Type{Kind: tree.Scalar, Name: "simd_vote", Size: 8, Align: 8, Scalar: tree.ULong}
	QuadVote = &tree.Type{Kind: tree.Scalar, Name: "quad_vote", Size: 4, Align: 4, Scalar: tree.UInt}
)

// SpecialTypes has them by name.
var SpecialTypes = map[string]*tree.Type{"nullptr_t": NullType, "simd_vote": SimdVote, "quad_vote": QuadVote}

// Special is the name of a scalar type that takes no part in arithmetic, or "".
func Special(t *tree.Type) string {
	if SpecialTypes[t.Name] != nil {
		return t.Name
	}
	return ""
}

// IsVote reports whether a type is that of the votes of a simd-group or a quad.
func IsVote(t *tree.Type) bool {
	return t.Kind == tree.Scalar && Special(t) != "" && t.Name != NullType.Name
}

// Arithmetic reports whether t is a scalar that one can compute with.
func Arithmetic(t *tree.Type) bool { return t.Kind == tree.Scalar && !t.Atomic && Special(t) == "" }

// ScalarLike reports whether t is a scalar that one can compute with, or an enum.
func ScalarLike(t *tree.Type) bool { return Arithmetic(t) || t.Kind == tree.EnumType }

// Numeric reports whether t is a scalar that one can compute with, or a vector of them.
func Numeric(t *tree.Type) bool { return Arithmetic(t) || t.Kind == tree.Vector }

// Integral reports whether t is a scalar integer or bool.
func Integral(t *tree.Type) bool { return Arithmetic(t) && !t.Scalar.Floating() }

// Unscoped reports whether t is an enum whose values are integers by themselves.
func Unscoped(t *tree.Type) bool { return t.Kind == tree.EnumType && !t.Enum.Scoped }

// IsPlainArray reports whether t is an array of the language, which becomes a pointer where
// its value is used. A metal::array is an object.
func IsPlainArray(t *tree.Type) bool { return t.Kind == tree.Array && t.Name == "" }

// IsVector reports whether a type is a vector, packed or not.
func IsVector(t *tree.Type) bool { return t.Kind == tree.Vector || t.Kind == tree.PackedVector }

// Width is the number of elements of a vector, and 1 for a scalar.
func Width(t *tree.Type) int {
	if IsVector(t) {
		return t.Len
	}
	return 1
}
