package binding

import (
	"math"
	"strconv"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/parser/notation"
)

// Floats are compared and not computed with: how Metal rounds what it computes with them is its own business.

// Fraction is a number that a float is compared with. Only a [Requirement] of floats has one.
type Fraction float64

func (Fraction) expr() {}

// bindFloats binds the sides of a comparison where one of them is a float, or reports that none is.
func (k *kernelBuilder) bindFloats(c *notation.Comparison) (x, y Expr, ok bool, err error) {
	x, xIsFloat := k.float(c.X)
	y, yIsFloat := k.float(c.Y)
	if !xIsFloat && !yIsFloat {
		return nil, nil, false, nil
	}
	for _, side := range []Expr{x, y} {
		switch side := side.(type) {
		case nil:
			return nil, nil, true, &parser.Error{Pos: c.Pos,
				Msg: "a float is compared with a float argument, a float field or a number, without arithmetic"}
		case Fraction:
			if math.Abs(float64(side)) > math.MaxFloat32 {
				return nil, nil, true, &parser.Error{Pos: c.Pos, Msg: Text(side) + " is beyond a float"}
			}
		}
	}
	return x, y, true, nil
}

// float returns one side of a comparison of floats, nil where it cannot be one, and whether it is for certain: an
// integer may be either.
func (k *kernelBuilder) float(e parser.Expr) (side Expr, certain bool) {
	switch e := e.(type) {
	case *parser.Number:
		if v, _, _, err := parser.Integer(e.Text); err == nil {
			return Fraction(v), false
		}
		v, err := strconv.ParseFloat(strings.TrimRight(e.Text, "bfhFH"), 64)
		if err != nil && v == 0 {
			return nil, false
		}
		return Fraction(v), true // an infinity where it is too large
	case *parser.Unary:
		if v, certain := k.float(e.X); e.Op == "-" {
			if v, ok := v.(Fraction); ok {
				return -v, certain
			}
		}
		return nil, false
	case *parser.Name:
		name := strings.Join(e.Path, "::")
		if arg := k.args[name]; arg != nil && k.params[name] != nil {
			if !arg.Kind.rules().number || arg.Generic() {
				return nil, false
			}
			return k.floatLeaf(part{arg: arg, text: name}, arg.GoType)
		}
		if v, err := k.program.ConstantAt(name, k.source.Decl); err == nil {
			return Fraction(v), false
		}
	case *parser.MemberExpr, *parser.Index:
		p, err := k.path(e, formula{})
		if err != nil || p.typ.Kind != tree.Scalar {
			return nil, false
		}
		if t, err := k.b.types.of(p.typ); err == nil {
			return k.floatLeaf(p, t)
		}
	}
	return nil, false
}

// floatLeaf returns the leaf of a float. It is not among those of the kernel, which are integers.
func (k *kernelBuilder) floatLeaf(p part, t GoType) (Expr, bool) {
	if t != Float32 && t != Float16 && t != BFloat16 {
		return nil, false
	}
	if k.floats[p.text] == nil {
		if k.floats == nil {
			k.floats = make(map[string]*Leaf)
		}
		k.floats[p.text] = &Leaf{Text: p.text, Arg: p.arg, Selector: p.selector, Offset: p.offset, GoType: t}
	}
	return k.floats[p.text], true
}
