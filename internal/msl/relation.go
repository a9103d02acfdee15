package msl

import "strconv"

// same reports whether two types are one type, whatever names it goes by.
func same(a, b *Type) bool {
	for {
		if a == b {
			return true
		}
		if a.Kind != b.Kind {
			return false
		}
		switch a.Kind {
		case Void:
			return true
		case Scalar:
			return a.Scalar == b.Scalar && a.Atomic == b.Atomic && special(a) == special(b)
		case Vector, PackedVector:
			return a.Scalar == b.Scalar && a.Len == b.Len
		case SimdgroupMatrix:
			return a.Scalar == b.Scalar
		case StructType:
			return a.Struct == b.Struct
		case EnumType:
			return a.Enum == b.Enum
		case Matrix:
			return a.Scalar == b.Scalar && a.Len == b.Len && a.Elem.Len == b.Elem.Len
		case Array:
			if a.Len != b.Len {
				return false
			}
		case Pointer, Reference:
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
	nullType = &Type{Kind: Scalar, Name: "nullptr_t", Size: 8, Align: 8, Scalar: ULong}
	simdVote = &Type{Kind: Scalar, Name: "simd_vote", Size: 8, Align: 8, Scalar: ULong}
	quadVote = &Type{Kind: Scalar, Name: "quad_vote", Size: 4, Align: 4, Scalar: UInt}
)

var specialTypes = map[string]*Type{"nullptr_t": nullType, "simd_vote": simdVote, "quad_vote": quadVote}

// special is the name of a scalar type that takes no part in arithmetic, or "".
func special(t *Type) string {
	if specialTypes[t.Name] != nil {
		return t.Name
	}
	return ""
}

func isVote(t *Type) bool { return t.Kind == Scalar && special(t) != "" && t.Name != nullType.Name }

// arithmetic reports whether t is a scalar that one can compute with.
func arithmetic(t *Type) bool { return t.Kind == Scalar && !t.Atomic && special(t) == "" }

// integral reports whether t is a scalar integer or bool.
func integral(t *Type) bool { return arithmetic(t) && !t.Scalar.floating() }

// unscoped reports whether t is an enum whose values are integers by themselves.
func unscoped(t *Type) bool { return t.Kind == EnumType && !t.Enum.Scoped }

func isVector(t *Type) bool { return t.Kind == Vector || t.Kind == PackedVector }

func scalarType(k ScalarKind) *Type { return builtinTypes[scalars[k].name] }

// vectorType is the vector of n scalars, which for one is the scalar.
func vectorType(k ScalarKind, n int) *Type {
	if n <= 1 {
		return scalarType(k)
	}
	return builtinTypes[scalars[k].name+strconv.Itoa(n)]
}

// width is the number of elements of a vector, and 1 for a scalar.
func width(t *Type) int {
	if isVector(t) {
		return t.Len
	}
	return 1
}

func pointerTo(elem *Type, space string, constant bool) *Type {
	return &Type{Kind: Pointer, Size: 8, Align: 8, Elem: elem, Space: space, Const: constant || space == "constant"}
}

// spelled is a type as messages call it: with the const of what it points to.
func spelled(t *Type) string {
	switch {
	case t.Kind == Pointer && t.Elem.Kind == Pointer:
		s := spelled(t.Elem)
		if t.Const {
			s += " const"
		}
		return s + " " + t.Space + "*"
	case t.Kind == Pointer && t.Const && t.Space != "constant":
		return t.Space + " const " + spelled(t.Elem) + "*"
	case t.Kind == Pointer:
		return t.Space + " " + spelled(t.Elem) + "*"
	case t.Kind == EnumType && t.Name == "":
		return "an unnamed enum"
	}
	return t.String()
}
