package msl

import (
	"slices"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// globalValue refers to a constant of the program: a number where its value is
// a constant expression, else a variable.
func globalValue(c *checker, s *symbol, e *parser.Name) tree.Expr {
	if arg := c.r.globalArg(s); arg != nil {
		return globalArgument(c, arg, e)
	}
	g := c.r.bodies.constants[s]
	if g == nil {
		if !c.waits(s.name, e.Pos) {
			return nil
		}
		g = &global{state: resolving}
		c.r.bodies.constants[s] = g
		c.r.checkGlobal(s, g)
		g.state = resolved
		c.work.resumes()
	}
	c.use(&g.unit)
	switch {
	case g.state == resolving:
		return c.fail(e.Pos, "the value of %s depends on itself", s.name)
	case g.v == nil:
		return nil
	}
	return c.variable(g.v, e.Pos)
}

// checkGlobal checks the declaration of a constant.
func (r *resolver) checkGlobal(s *symbol, g *global) {
	c := r.newChecker(&g.unit, s.namespace)
	c.from = s.decl.From
	v := &tree.Var{Name: s.name, Pos: s.pos, Space: "constant", Const: true, Static: true}
	if i := slices.IndexFunc(r.constants, func(f *tree.FunctionConstant) bool { return f.Name == s.name }); i >= 0 {
		v.Constant, v.Type = r.constants[i], r.constants[i].Type
		g.v = v
		return
	}
	if s.varType == nil {
		c.unsupported(s.pos, "%s is a variable of a type without a name: that is not supported yet", s.name)
		return
	}
	d := c.declared(s.varType, s.variable.Pointers, s.variable.Declarator.Dims)
	switch {
	case d == nil:
		return
	case d.ref:
		c.unsupported(s.pos, "%s: references of a program are not supported", s.name)
		return
	case !d.constant:
		c.fail(s.pos, "%s is a variable of the program: it must be in the constant address space", s.name)
		return
	case s.variable.Value == nil && s.variable.Args == nil && (d.auto || d.typ.Kind != tree.Sampler):
		c.fail(s.pos, "%s has no initial value", s.name)
		return
	}
	if d.auto || scalarLike(d.typ) {
		value, settled, err := c.in.valueSoFar(s, &parser.Name{Path: []string{s.name}, Pos: s.pos})
		if !settled {
			value, err = c.in.settleValue(s)
		}
		if err == nil {
			v.Type = d.typ
			c.facts.of(v).fold(value)
			if d.auto {
				v.Type = tree.ScalarType(value.Kind)
			}
			v.Init = &tree.Const{Node: tree.At(s.pos, v.Type), Value: value}
			g.v = v
			return
		}
	}
	v.Init = globalInit(c, d, s)
	if v.Init == nil {
		return
	}
	v.Type = v.Init.Type()
	if k, ok := c.facts.fold(v.Init); ok && scalarLike(v.Type) {
		c.facts.of(v).fold(k)
	}
	g.v = v
}

// globalInit checks the initial value of a constant.
func globalInit(c *checker, d *declared, s *symbol) tree.Expr {
	check := func(e parser.Expr) tree.Expr {
		if !d.auto {
			return c.initial(d.typ, e)
		}
		x := c.value(c.expr(e))
		if x == nil || deduced(c, d, x, s.pos) == nil {
			return nil
		}
		return x
	}
	switch {
	case s.variable.Args != nil:
		return parenthesisedInit(c, &s.variable.Args.Tokens, check)
	case s.variable.Value == nil:
		return c.construction(d.typ, s.pos).construct(nil, true)
	}
	return tokensInit(c, s.variable.Value, check)
}

// parenthesisedInit is tokensInit for the values in parentheses behind a name, which parse as
// the arguments of a call.
func parenthesisedInit(c *checker, args *parser.Tokens, check func(parser.Expr) tree.Expr) tree.Expr {
	pos := args.Pos
	tokens := append([]parser.Token{{Kind: parser.Ident, Text: "x", Pos: pos}, {Kind: parser.Punct, Text: "(", Pos: pos}},
		args.List...)
	e, err := c.r.source.ParseExpr(append(tokens, parser.Token{Kind: parser.Punct, Text: ")", Pos: pos}),
		c.in.isTypePath)
	if err != nil {
		c.report(err, args.Pos)
		return nil
	}
	call, ok := e.(*parser.CallExpr)
	if !ok {
		return c.unsupported(args.Pos, "this initial value is not supported")
	}
	return check(&parser.InitList{Elems: call.Args, Paren: true, Pos: args.Pos})
}

// tokensInit parses an initial value that the grammar leaves as tokens. Behind
// an = the parser takes braces too.
func tokensInit(c *checker, value *parser.Tokens, check func(parser.Expr) tree.Expr) tree.Expr {
	pos := value.Pos
	tokens := append([]parser.Token{{Kind: parser.Ident, Text: "x", Pos: pos}, {Kind: parser.Punct, Text: "=", Pos: pos}},
		value.List...)
	e, err := c.r.source.ParseExpr(tokens, c.in.isTypePath)
	if err != nil {
		c.report(err, pos)
		return nil
	}
	b, ok := e.(*parser.Binary)
	if !ok {
		return c.unsupported(pos, "this initial value is not supported")
	}
	return check(b.Y)
}
