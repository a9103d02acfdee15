package binding

import (
	"errors"
	"strings"

	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/parser/notation"
)

// annotateRequire takes metalgen:require n > 0 && dim % 4 == 0, a requirement for each comparison.
func (k *kernelBuilder) annotateRequire(a annotation) error {
	list, err := notation.ParseCondition(strings.TrimSpace(a.rest), a.at)
	if err != nil {
		return err
	}
	var all []*Requirement
	for i := range list {
		c := &list[i]
		r := &Requirement{Op: c.Op, Text: c.Text, Pos: a.pos}
		if r.X, r.Y, r.Floats, err = k.bindFloats(c); err != nil {
			return err
		}
		if !r.Floats {
			if r.X, err = k.side(c.X, c.Pos); err != nil {
				return err
			}
			if r.Y, err = k.side(c.Y, c.Pos); err != nil {
				return err
			}
		}
		if len(r.Terms()) == 0 {
			return &parser.Error{Pos: c.Pos, Msg: c.Text + " does not depend on the call"}
		}
		all = append(all, r)
	}
	k.kernel.Requires = append(k.kernel.Requires, all...)
	return nil
}

// side binds one side of a comparison that stands at pos.
func (k *kernelBuilder) side(e parser.Expr, pos parser.Pos) (Expr, error) {
	x, err := k.bind(e, formula{})
	if unknown := (*unknownName)(nil); err == nil || errors.As(err, &unknown) {
		return x, err
	}
	return nil, &parser.Error{Pos: pos, Msg: noFormula(err).Error()}
}
