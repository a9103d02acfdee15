package msl

import (
	"slices"

	"github.com/metalgen/metalgen/internal/msl/fold"
	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// globalValue refers to a constant of the program: a number where its value is
// a constant expression, else a variable.
func globalValue(c *checker, s *resolve.Symbol, e *parser.Name) tree.Expr {
	if arg := globalArgOf(c.r, s); arg != nil {
		return globalArgument(c, arg, e)
	}
	g := c.r.Bodies.Constants[s]
	if g == nil {
		if !c.waits(s.Name, e.Pos) {
			return nil
		}
		g = &resolve.Global{State: resolve.Resolving}
		c.r.Bodies.Constants[s] = g
		checkGlobal(c.r, s, g)
		g.State = resolve.Resolved
		c.work.Resumes()
	}
	c.use(&g.Unit)
	switch {
	case g.State == resolve.Resolving:
		return c.fail(e.Pos, "the value of %s depends on itself", s.Name)
	case g.Var == nil:
		return nil
	}
	return c.variable(g.Var, e.Pos)
}

// checkGlobal checks the declaration of a constant.
func checkGlobal(r *resolve.Resolver, s *resolve.Symbol, g *resolve.Global) {
	c := newChecker(r, &g.Unit, s.Namespace)
	c.from = s.Decl.From
	v := &tree.Var{Name: s.Name, Pos: s.Pos, Space: "constant", Const: true, Static: true}
	if i := slices.IndexFunc(r.Constants, func(f *tree.FunctionConstant) bool { return f.Name == s.Name }); i >= 0 {
		v.Constant, v.Type = r.Constants[i], r.Constants[i].Type
		g.Var = v
		return
	}
	if s.VarType == nil {
		c.unsupported(s.Pos, "%s is a variable of a type without a name: that is not supported yet", s.Name)
		return
	}
	d := c.declared(s.VarType, s.Variable.Pointers, s.Variable.Declarator.Dims)
	switch {
	case d == nil:
		return
	case d.Ref:
		c.unsupported(s.Pos, "%s: references of a program are not supported", s.Name)
		return
	case !d.Constant:
		c.fail(s.Pos, "%s is a variable of the program: it must be in the constant address space", s.Name)
		return
	case s.Variable.Value == nil && s.Variable.Args == nil && (d.Auto || d.Type.Kind != tree.Sampler):
		c.fail(s.Pos, "%s has no initial value", s.Name)
		return
	}
	if d.Auto || types.ScalarLike(d.Type) {
		value, settled, err := c.in.ValueSoFar(s, &parser.Name{Path: []string{s.Name}, Pos: s.Pos})
		if !settled {
			value, err = c.in.SettleValue(s)
		}
		if err == nil {
			v.Type = d.Type
			c.facts.Of(v).Fold(value)
			if d.Auto {
				v.Type = tree.ScalarType(value.Kind)
			}
			v.Init = &tree.Const{Node: tree.At(s.Pos, v.Type), Value: value}
			g.Var = v
			return
		}
	}
	v.Init = globalInit(c, d, s)
	if v.Init == nil {
		return
	}
	v.Type = v.Init.Type()
	if k, ok := fold.Value(c.facts, v.Init); ok && types.ScalarLike(v.Type) {
		c.facts.Of(v).Fold(k)
	}
	g.Var = v
}

// globalInit checks the initial value of a constant.
func globalInit(c *checker, d *resolve.Declared, s *resolve.Symbol) tree.Expr {
	check := func(e parser.Expr) tree.Expr {
		if !d.Auto {
			return c.initial(d.Type, e)
		}
		x := c.value(c.expr(e))
		if x == nil || deduced(c, d, x, s.Pos) == nil {
			return nil
		}
		return x
	}
	switch {
	case s.Variable.Args != nil:
		return parenthesisedInit(c, &s.Variable.Args.Tokens, check)
	case s.Variable.Value == nil:
		return c.construction(d.Type, s.Pos).construct(nil, true)
	}
	return tokensInit(c, s.Variable.Value, check)
}

// parenthesisedInit is tokensInit for the values in parentheses after a name, which parse as
// the arguments of a call.
func parenthesisedInit(c *checker, args *parser.Tokens, check func(parser.Expr) tree.Expr) tree.Expr {
	pos := args.Pos
	tokens := append([]parser.Token{{Kind: parser.Ident, Text: "x", Pos: pos}, {Kind: parser.Punct, Text: "(", Pos: pos}},
		args.List...)
	e, err := c.r.Source.ParseExpr(append(tokens, parser.Token{Kind: parser.Punct, Text: ")", Pos: pos}),
		c.in.IsTypePath)
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
	e, err := c.r.Source.ParseExpr(tokens, c.in.IsTypePath)
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
