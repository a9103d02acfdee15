package msl

import (
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// placeOf is the address space of an lvalue, and whether it may not be written
// to; ok is false for what is no lvalue.
func placeOf(x tree.Expr) (space string, readonly, ok bool) {
	switch x := x.(type) {
	case *tree.VarRef:
		return x.Var.Space, x.Var.Const, true
	case *tree.Deref:
		return pointedTo(x.X.Type())
	case *tree.Index:
		if t := x.X.Type(); t.Kind == tree.Pointer {
			return pointedTo(t)
		}
		return placeOf(x.X)
	case *tree.FieldOf:
		space, readonly, ok = placeOf(x.X)
		return space, readonly || x.Field.Const, ok
	case *tree.Swizzle:
		return placeOf(x.X)
	case *tree.Elements:
		return placeOf(x.X)
	case *tree.Assign:
		return placeOf(x.L)
	case *tree.IncDec:
		if !x.Postfix {
			return placeOf(x.X)
		}
	}
	return "", false, false
}

// named is the variable where x stands for the value of a constant that is
// in memory too, else x.
func (f *facts) named(x tree.Expr) tree.Expr {
	if k, ok := x.(*tree.Const); ok {
		if v := f.sources[k]; v != nil {
			return &tree.VarRef{Node: k.Node, Var: v}
		}
	}
	return x
}

func pointedTo(t *tree.Type) (space string, readonly, ok bool) { return t.Space, t.Const, true }

// rootOf is the variable of which an lvalue is the whole or a part, or nil.
func rootOf(x tree.Expr) *tree.Var {
	switch x := x.(type) {
	case *tree.VarRef:
		return x.Var
	case *tree.Index:
		if x.X.Type().Kind != tree.Pointer {
			return rootOf(x.X)
		}
	case *tree.FieldOf:
		return rootOf(x.X)
	case *tree.Swizzle:
		return rootOf(x.X)
	case *tree.Elements:
		return rootOf(x.X)
	case *tree.Assign:
		return rootOf(x.L)
	case *tree.IncDec:
		return rootOf(x.X)
	}
	return nil
}

// addressed notes that something may keep the address of x: what a reference
// refers to has its address, which of a parameter is up to the call.
func (f *facts) addressed(x tree.Expr) {
	for v := rootOf(x); v != nil && !v.Addressed; v = rootOf(f.vars[v].refersTo()) {
		v.Addressed = true
	}
}

// noAddress says what an lvalue is that has no address of its own; "" for others.
func noAddress(x tree.Expr) string {
	switch x := x.(type) {
	case *tree.Swizzle:
		return "an element of a vector"
	case *tree.Index:
		if isVector(x.X.Type()) {
			return "an element of a vector"
		}
	case *tree.FieldOf:
		if x.Field.Bits > 0 {
			return "a bit-field"
		}
	}
	return ""
}

// assignable reports whether x may be written to, and complains where not.
func (c *checker) assignable(x tree.Expr, pos parser.Pos) bool {
	space, readonly, ok := placeOf(x)
	switch {
	case !ok:
		c.fail(pos, "cannot assign to this: it is a value, not a variable")
	case space == "constant":
		c.fail(pos, "cannot assign to this: it is in the constant address space")
	case readonly:
		c.fail(pos, "cannot assign to this: %s", constReason(x))
	case repeats(x):
		c.fail(pos, "cannot assign to a swizzle that names an element twice")
	default:
		c.changed(x)
		return true
	}
	return false
}

// constReason says what makes an lvalue constant.
func constReason(x tree.Expr) string {
	if f, ok := x.(*tree.FieldOf); ok && f.Field.Const {
		return f.Field.Name + " is const"
	}
	if v := rootOf(x); v != nil {
		return v.Name + " is const"
	}
	return "what the pointer points to is const"
}

// repeats reports whether a swizzle within x names an element twice.
func repeats(x tree.Expr) bool {
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
	return repeats(s.X)
}
