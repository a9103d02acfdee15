package msl

import (
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// checkMember checks X.Name and X->Name.
func checkMember(c *checker, e *parser.MemberExpr) tree.Expr {
	var x tree.Expr
	if e.Arrow {
		x = checkPointee(c, e.X, e.Pos)
	} else {
		x = c.expr(e.X)
	}
	if x == nil {
		if ofOpenClass(c, e) && !openClassHas(c, e.Name) {
			return c.fail(e.Pos, "%s has no member %s", c.function.Around.Class.Name, e.Name)
		}
		return nil
	}
	t := x.Type()
	switch t.Kind {
	case tree.StructType:
		if path := findField(t.Struct, e.Name); path != nil {
			if !mayName(c, t.Struct, path, e.Pos) {
				return nil
			}
			return c.fieldOf(x, path, e.Pos)
		}
		if s := c.r.MemberIn(t.Struct, e.Name); s != nil && (s.Variable != nil || s.Member != nil) {
			return symbolExpr(c, s, &parser.Name{Path: []string{e.Name}, Pos: e.Pos})
		}
		if found, _ := c.r.Methods(c.facts.Class(t.Struct), e.Name); !found.Empty() {
			return c.fail(e.Pos, "%s is a method of %s: a call needs its arguments", e.Name, t.Spelled())
		}
		return c.fail(e.Pos, "%s has no field %s", t.Spelled(), e.Name)
	case tree.Vector, tree.PackedVector:
		return checkSwizzle(c, x, e)
	case tree.Matrix:
		if e.Name == "columns" { // an array of the columns: the matrix, for all that one can do with it
			return x
		}
	case tree.Pointer:
		return c.fail(e.Pos, "%s is a pointer: use -> for its fields", t.Spelled())
	}
	return c.fail(e.Pos, "%s has no member %s", t.Spelled(), e.Name)
}

// checkSwizzle picks elements by their letters, of either set (section 2.2.1).
func checkSwizzle(c *checker, x tree.Expr, e *parser.MemberExpr) tree.Expr {
	t := x.Type()
	for _, letters := range []string{"xyzw", "rgba"} {
		elems := make([]int, 0, 4)
		for _, r := range e.Name {
			if i := strings.IndexRune(letters[:min(t.Len, len(letters))], r); i >= 0 {
				elems = append(elems, i)
			}
		}
		if len(elems) == len(e.Name) && len(elems) <= 4 {
			return &tree.Swizzle{Node: tree.At(e.Pos, tree.VectorType(t.Scalar, len(elems))), X: x, Elems: elems}
		}
	}
	if elems := types.WideSwizzle(t, e.Name); elems != nil {
		return &tree.Swizzle{Node: tree.At(e.Pos, tree.VectorType(t.Scalar, len(elems))), X: x, Elems: elems}
	}
	return c.fail(e.Pos, "%s has no elements %s", t.Spelled(), e.Name)
}
