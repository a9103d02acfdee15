package msl

import (
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

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

// addressed notes that something may keep the address of x: what a reference
// refers to has its address, which of a parameter is up to the call.
func (f *facts) addressed(x tree.Expr) {
	for v := types.RootOf(x); v != nil && !v.Addressed; v = types.RootOf(f.vars[v].refersTo()) {
		v.Addressed = true
	}
}

// assignable reports whether x may be written to, and complains where not.
func (c *checker) assignable(x tree.Expr, pos parser.Pos) bool {
	space, readonly, ok := types.PlaceOf(x)
	switch {
	case !ok:
		c.fail(pos, "cannot assign to this: it is a value, not a variable")
	case space == "constant":
		c.fail(pos, "cannot assign to this: it is in the constant address space")
	case readonly:
		c.fail(pos, "cannot assign to this: %s", types.ConstReason(x))
	case types.Repeats(x):
		c.fail(pos, "cannot assign to a swizzle that names an element twice")
	default:
		c.changed(x)
		return true
	}
	return false
}
