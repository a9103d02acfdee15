package types

import "github.com/metalgen/metalgen/internal/msl/tree"

// PlaceOf is the address space of an lvalue, and whether it may not be written
// to; ok is false for what is no lvalue.
func PlaceOf(x tree.Expr) (space string, readonly, ok bool) {
	switch x := x.(type) {
	case *tree.VarRef:
		return x.Var.Space, x.Var.Const, true
	case *tree.Deref:
		return pointedTo(x.X.Type())
	case *tree.Index:
		if t := x.X.Type(); t.Kind == tree.Pointer {
			return pointedTo(t)
		}
		return PlaceOf(x.X)
	case *tree.FieldOf:
		space, readonly, ok = PlaceOf(x.X)
		return space, readonly || x.Field.Const, ok
	case *tree.Swizzle:
		return PlaceOf(x.X)
	case *tree.Elements:
		return PlaceOf(x.X)
	case *tree.Assign:
		return PlaceOf(x.L)
	case *tree.IncDec:
		if !x.Postfix {
			return PlaceOf(x.X)
		}
	}
	return "", false, false
}

func pointedTo(t *tree.Type) (space string, readonly, ok bool) { return t.Space, t.Const, true }

// RootOf is the variable that an lvalue is, or is a part of, or nil.
func RootOf(x tree.Expr) *tree.Var {
	switch x := x.(type) {
	case *tree.VarRef:
		return x.Var
	case *tree.Index:
		if x.X.Type().Kind != tree.Pointer {
			return RootOf(x.X)
		}
	case *tree.FieldOf:
		return RootOf(x.X)
	case *tree.Swizzle:
		return RootOf(x.X)
	case *tree.Elements:
		return RootOf(x.X)
	case *tree.Assign:
		return RootOf(x.L)
	case *tree.IncDec:
		return RootOf(x.X)
	}
	return nil
}

// NoAddress says what an lvalue is that has no address of its own; "" for others.
func NoAddress(x tree.Expr) string {
	switch x := x.(type) {
	case *tree.Swizzle:
		return "an element of a vector"
	case *tree.Index:
		if IsVector(x.X.Type()) {
			return "an element of a vector"
		}
	case *tree.FieldOf:
		if x.Field.Bits > 0 {
			return "a bit-field"
		}
	}
	return ""
}

// ConstReason says what makes an lvalue constant.
func ConstReason(x tree.Expr) string {
	if f, ok := x.(*tree.FieldOf); ok && f.Field.Const {
		return f.Field.Name + " is const"
	}
	if v := RootOf(x); v != nil {
		return v.Name + " is const"
	}
	return "what the pointer points to is const"
}

// Repeats reports whether a swizzle within x names an element twice.
func Repeats(x tree.Expr) bool {
	s, ok := x.(*tree.Swizzle)
	if !ok {
		return false
	}
	seen := [tree.MaxVector]bool{}
	for _, e := range s.Elems {
		if seen[e] {
			return true
		}
		seen[e] = true
	}
	return Repeats(s.X)
}
