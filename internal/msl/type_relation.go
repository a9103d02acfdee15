package msl

import "github.com/metalgen/metalgen/internal/msl/tree"

// same reports whether two types are one type, whatever names it goes by.
func same(a, b *tree.Type) bool {
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
			return a.Scalar == b.Scalar && a.Atomic == b.Atomic && special(a) == special(b)
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

// The types of the library that are stored as integers but are none.
var (
	nullType = &tree.Type{Kind: tree.Scalar, Name: "nullptr_t", Size: 8, Align: 8, Scalar: tree.ULong}
	simdVote = &tree.Type{Kind: tree.Scalar, Name: "simd_vote", Size: 8, Align: 8, Scalar: tree.ULong}
	quadVote = &tree.Type{Kind: tree.Scalar, Name: "quad_vote", Size: 4, Align: 4, Scalar: tree.UInt}
)

var specialTypes = map[string]*tree.Type{"nullptr_t": nullType, "simd_vote": simdVote, "quad_vote": quadVote}

// special is the name of a scalar type that takes no part in arithmetic, or "".
func special(t *tree.Type) string {
	if specialTypes[t.Name] != nil {
		return t.Name
	}
	return ""
}

func isVote(t *tree.Type) bool {
	return t.Kind == tree.Scalar && special(t) != "" && t.Name != nullType.Name
}

// arithmetic reports whether t is a scalar that one can compute with.
func arithmetic(t *tree.Type) bool { return t.Kind == tree.Scalar && !t.Atomic && special(t) == "" }

// numeric reports whether t is a scalar that one can compute with, or a vector of them.
func numeric(t *tree.Type) bool { return arithmetic(t) || t.Kind == tree.Vector }

// integral reports whether t is a scalar integer or bool.
func integral(t *tree.Type) bool { return arithmetic(t) && !t.Scalar.Floating() }

// unscoped reports whether t is an enum whose values are integers by themselves.
func unscoped(t *tree.Type) bool { return t.Kind == tree.EnumType && !t.Enum.Scoped }

// isPlainArray reports whether t is an array of the language, which becomes a pointer where
// its value is used. A metal::array is an object.
func isPlainArray(t *tree.Type) bool { return t.Kind == tree.Array && t.Name == "" }

func isVector(t *tree.Type) bool { return t.Kind == tree.Vector || t.Kind == tree.PackedVector }

// width is the number of elements of a vector, and 1 for a scalar.
func width(t *tree.Type) int {
	if isVector(t) {
		return t.Len
	}
	return 1
}
