package msl

import (
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// member checks X.Name and X->Name.
func (c *checker) member(e *parser.MemberExpr) tree.Expr {
	var x tree.Expr
	if e.Arrow {
		x = c.pointee(e.X, e.Pos)
	} else {
		x = c.expr(e.X)
	}
	if x == nil {
		return nil
	}
	t := x.Type()
	switch t.Kind {
	case tree.StructType:
		if path := findField(t.Struct, e.Name); path != nil {
			if !c.mayName(t.Struct, path, e.Pos) {
				return nil
			}
			return c.fieldOf(x, path, e.Pos)
		}
		if s := c.memberIn(t.Struct, e.Name); s != nil && (s.variable != nil || s.member != nil) {
			return c.symbolExpr(s, &parser.Name{Path: []string{e.Name}, Pos: e.Pos})
		}
		if found, _ := c.methods(c.facts.class(t.Struct), e.Name); !found.empty() {
			return c.fail(e.Pos, "%s is a method of %s: a call needs its arguments", e.Name, t.Spelled())
		}
		return c.fail(e.Pos, "%s has no field %s", t.Spelled(), e.Name)
	case tree.Vector, tree.PackedVector:
		return c.swizzle(x, e)
	case tree.Matrix:
		if e.Name == "columns" { // an array of the columns: the matrix, for all that one can do with it
			return x
		}
	case tree.Pointer:
		return c.fail(e.Pos, "%s is a pointer: use -> for its fields", t.Spelled())
	}
	return c.fail(e.Pos, "%s has no member %s", t.Spelled(), e.Name)
}

// swizzle picks elements by their letters, of either set (section 2.2.1).
func (c *checker) swizzle(x tree.Expr, e *parser.MemberExpr) tree.Expr {
	t := x.Type()
	for _, letters := range []string{"xyzw", "rgba"} {
		elems := make([]int, 0, 4)
		for _, r := range e.Name {
			if i := strings.IndexRune(letters[:t.Len], r); i >= 0 {
				elems = append(elems, i)
			}
		}
		if len(elems) == len(e.Name) && len(elems) <= 4 {
			return &tree.Swizzle{Node: tree.At(e.Pos, tree.VectorType(t.Scalar, len(elems))), X: x, Elems: elems}
		}
	}
	return c.fail(e.Pos, "%s has no elements %s", t.Spelled(), e.Name)
}
