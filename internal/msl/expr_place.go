package msl

import (
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

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
