package msl

import (
	"slices"

	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// A pack is a parameter of a template that stands for any number of arguments, or the
// parameters of a function that are made of one (C++14 14.5.3). Its symbol has those
// that it stands for. An expansion is what it has before the dots, seen once from
// within each of the scopes in which the names of its packs are those of one element.

// packParam is the index of the parameter of a function that is a pack, or -1.
func packParam(f *parser.Function) int {
	return slices.IndexFunc(f.Params, func(param *parser.Param) bool { return param.Pack })
}

// packOfParams adds the parameters of a function that a pack stands for.
func packOfParams(c *checker, f *resolve.Function, fn *tree.Func, param *parser.Param) bool {
	e, err := resolve.PackExpansionOf(c.in, resolve.TypeTokens(param.Type, resolve.DimsOf(param)))
	if err == resolve.ErrDependent {
		fn.Params, f.Defaults = append(fn.Params, unknownParam(param)), append(f.Defaults, nil)
		return true
	}
	if err != nil {
		c.report(err, param.Pos)
		return false
	}
	f.Packs = append(f.Packs, resolve.ParamPack{Name: paramName(param), Pos: param.Pos, First: len(fn.Params),
		Len: e.Len})
	for i := range e.Len {
		inner := *c
		inner.in.Locals = e.Scope(i)
		v := inner.parameter(param)
		if v == nil {
			return false
		}
		fn.Params, f.Defaults = append(fn.Params, v), append(f.Defaults, nil)
	}
	return true
}

// declareParams enters the parameters of a function into its scope.
func declareParams(c *checker, fn *tree.Func, packs []resolve.ParamPack) {
	packed := map[*tree.Var]bool{}
	for _, p := range packs {
		var elements []*resolve.Symbol
		for _, v := range fn.Params[p.First : p.First+p.Len] {
			packed[v] = true
			elements = append(elements, c.varSymbol(v))
		}
		if p.Name != "" {
			s := resolve.PackSymbol(p.Name, p.Pos, elements)
			s.Local, s.Variable = true, &parser.Init{}
			c.declareLocal(p.Name, s)
		}
	}
	for _, v := range fn.Params {
		if !resolve.IsThisParam(v) && !packed[v] && !c.facts.IsGlobal(v) {
			c.declareParam(v)
		}
	}
}

// packElement is an expression seen from the scope of one element of packs.
type packElement struct {
	parser.Expr
	locals *resolve.Scope
}

// expanded is a list of expressions with those that expansions come to; ok is false
// where one has an error.
func (c *checker) expanded(list []parser.Expr) (all []parser.Expr, ok bool) {
	if !slices.ContainsFunc(list, func(e parser.Expr) bool { _, is := e.(*parser.Expansion); return is }) {
		return list, true
	}
	for _, x := range list {
		pattern, is := x.(*parser.Expansion)
		if !is {
			all = append(all, x)
			continue
		}
		e, err := resolve.PackExpansionOf(c.in, pattern.Tokens)
		if err != nil {
			c.report(err, pattern.Pos)
			return nil, false
		}
		for i := range e.Len {
			all = append(all, &packElement{pattern.X, e.Scope(i)})
		}
	}
	return all, true
}

// checkPackElement checks an expression of an expansion.
func checkPackElement(c *checker, e *packElement) tree.Expr {
	outer := c.in.Locals
	c.in.Locals = e.locals
	defer func() { c.in.Locals = outer }()
	return c.expr(e.Expr)
}

// checkFold checks a fold expression: its operators, written out (C++17 8.1.6).
func checkFold(c *checker, e *parser.Fold) tree.Expr {
	pattern, init, left := e.X, e.Y, e.X == nil
	if left {
		pattern, init = e.Y, nil
	}
	if init != nil {
		if _, err := resolve.PackExpansionOf(c.in, pattern.Tokens); err != nil && err != resolve.ErrDependent {
			pattern, init, left = e.Y, e.X, true // (1 + ... + xs)
		}
	}
	list, ok := c.expanded([]parser.Expr{pattern})
	if !ok {
		return nil
	}
	if init != nil && left {
		list = slices.Insert(list, 0, init.X)
	} else if init != nil {
		list = append(list, init.X)
	}
	if len(list) == 0 {
		if e.Op == "&&" || e.Op == "||" {
			return &tree.Const{Node: tree.At(e.Pos, tree.ScalarType(tree.Bool)), Value: tree.BoolValue(e.Op == "&&")}
		}
		return c.fail(e.Pos, "a fold over no elements has no value with %s", e.Op)
	}
	if !left {
		slices.Reverse(list)
	}
	x := list[0]
	for _, y := range list[1:] {
		if left {
			x = &parser.Binary{Op: e.Op, X: x, Y: y, Pos: e.Pos}
		} else {
			x = &parser.Binary{Op: e.Op, X: y, Y: x, Pos: e.Pos}
		}
	}
	return c.expr(x)
}
