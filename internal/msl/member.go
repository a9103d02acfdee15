package msl

import (
	"strings"

	"github.com/metalgen/metalgen/parser"
)

// member checks X.Name and X->Name.
func (c *checker) member(e *parser.MemberExpr) Expr {
	x := c.expr(e.X)
	if e.Arrow {
		x = c.deref(x, e.Pos)
	}
	if x == nil {
		return nil
	}
	t := x.Type()
	switch t.Kind {
	case StructType:
		for _, f := range t.Struct.Fields {
			if f.Name == e.Name {
				return &FieldOf{node{e.Pos, f.Type}, x, f}
			}
		}
		if c.method(t.Struct, e.Name) {
			return c.fail(e.Pos, "%s is a method of %s: methods are not supported yet", e.Name, spelled(t))
		}
		return c.fail(e.Pos, "%s has no field %s", spelled(t), e.Name)
	case Vector, PackedVector:
		return c.swizzle(x, e)
	case Pointer:
		return c.fail(e.Pos, "%s is a pointer: use -> for its fields", spelled(t))
	}
	return c.fail(e.Pos, "%s has no member %s", spelled(t), e.Name)
}

// method reports whether a struct has a member of a name that is no field.
func (c *checker) method(s *Struct, name string) bool {
	d := s.Decl
	if d == nil || d.From >= d.To {
		return false
	}
	tokens := c.p.Tree.Tokens[d.From:d.To]
	for i := range tokens {
		if tokens[i].Is(name) && i+1 < len(tokens) && tokens[i+1].Is("(") {
			return true
		}
	}
	return false
}

// swizzle picks elements by their letters, of either set (section 2.2.1).
func (c *checker) swizzle(x Expr, e *parser.MemberExpr) Expr {
	t := x.Type()
	for _, letters := range []string{"xyzw", "rgba"} {
		elems := make([]int, 0, 4)
		for _, r := range e.Name {
			if i := strings.IndexRune(letters[:t.Len], r); i >= 0 {
				elems = append(elems, i)
			}
		}
		if len(elems) == len(e.Name) && len(elems) <= 4 {
			return &Swizzle{node{e.Pos, vectorType(t.Scalar, len(elems))}, x, elems}
		}
	}
	return c.fail(e.Pos, "%s has no elements %s", spelled(t), e.Name)
}
