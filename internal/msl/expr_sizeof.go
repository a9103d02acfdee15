package msl

import (
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// checkSizeof checks sizeof and alignof.
func checkSizeof(c *checker, e *parser.Sizeof) tree.Expr {
	var t *tree.Type
	if e.Pack {
		n, err := c.in.PackSize(e)
		if err != nil {
			c.report(err, e.Pos)
			return nil
		}
		return sizeConst(n, e)
	}
	if e.Type != nil {
		t = c.typeName(e.Type)
	} else if name, ok := e.X.(*parser.Name); ok && c.in.IsTypePath(name.Path) &&
		c.in.Locals.Find(strings.Join(name.Path, "::")) == nil {
		t = typeOfName(c, name)
	} else if x := c.expr(e.X); x != nil {
		t = x.Type()
	}
	switch {
	case t == nil && c.in.Open:
		return &tree.Builtin{Node: tree.At(e.Pos, tree.ScalarType(tree.ULong)), Name: unknownSize}
	case t == nil:
		return nil
	}
	if whole := c.complete(t); whole == nil || whole.Size == 0 {
		return c.fail(e.Pos, "%s has no size", t)
	} else if e.Align {
		return sizeConst(whole.Align, e)
	} else {
		return sizeConst(whole.Size, e)
	}
}

// sizeConst is a number of type size_t.
func sizeConst(n int, e *parser.Sizeof) tree.Expr {
	return &tree.Const{Node: tree.At(e.Pos, tree.ScalarType(tree.ULong)), Value: tree.IntValue(tree.ULong, uint64(n))}
}

// unknownSize is the function that stands for the size of a type that depends on the parameters of a
// template, which is checked by itself. What is computed with it has a type, but no value.
const unknownSize = "sizeof"

// knownSize returns x, whose value is needed, or nil where that depends on an unknownSize.
func knownSize(c *checker, x tree.Expr) tree.Expr {
	if c.in.Open && ofUnknownSize(x) {
		return nil
	}
	return x
}

func ofUnknownSize(x tree.Expr) bool {
	switch x := x.(type) {
	case *tree.Builtin:
		return x.Name == unknownSize || slices.ContainsFunc(x.Args, ofUnknownSize)
	case *tree.Call:
		return slices.ContainsFunc(x.Args, ofUnknownSize)
	case *tree.Construct:
		return slices.ContainsFunc(x.Args, ofUnknownSize)
	case *tree.Convert:
		return ofUnknownSize(x.X)
	case *tree.Unary:
		return ofUnknownSize(x.X)
	case *tree.Binary:
		return ofUnknownSize(x.X) || ofUnknownSize(x.Y)
	case *tree.Cond:
		return ofUnknownSize(x.If) || ofUnknownSize(x.Then) || ofUnknownSize(x.Else)
	}
	return false
}
