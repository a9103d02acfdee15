package msl

import (
	"fmt"

	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// checkLambda checks a lambda, whose body is checked where it is called.
func checkLambda(c *checker, e *parser.Lambda) tree.Expr {
	own, ok := ownCaptures(c, e)
	if !ok {
		return nil
	}
	bodies := &c.r.Bodies
	bodies.Clock++
	l := &resolve.Lambda{Syntax: e, Locals: c.seal(), This: c.in.This, Method: c.method, Namespace: c.in.Namespace,
		From: c.from, Instance: c.instance, Calls: map[string]*resolve.Function{},
		Created: bodies.Clock, Around: c.lambdas, Open: c.in.Open}
	var made tree.Expr
	if len(own) > 0 {
		l.Locals = &resolve.Scope{Outer: l.Locals, Names: map[string]*resolve.Symbol{}}
		inner := *c
		inner.in.Locals = l.Locals
		for _, k := range own {
			inner.declareVar(k.v)
			made = k.after(made)
			l.Changes = l.Changes || mutable(e) && k.set != nil
		}
	}
	if c.function != nil {
		l.Outer = c.function.Lambda
	}
	if c.lambdas != nil {
		*c.lambdas = append(*c.lambdas, l)
	}
	st := c.facts.NewClass(&tree.Struct{Name: fmt.Sprintf("<lambda at %s>", resolve.PosText(e.Pos)), Pos: e.Pos,
		Size: 1, Align: 1, Empty: true})
	st.Lambda = l
	c.r.Templates.Locals++
	st.Serial = c.r.Templates.Locals
	st.Type = &tree.Type{Kind: tree.StructType, Name: st.Name, Size: 1, Align: 1, Struct: st.Struct}
	object := &tree.Construct{Node: tree.At(e.Pos, st.Type)}
	if made != nil {
		return &tree.Comma{Node: tree.At(e.Pos, st.Type), X: made, Y: object}
	}
	return object
}

// callLambda checks the call of a lambda: its body is checked for each set of
// argument types, which generic ones (auto) differ in.
func callLambda(c *checker, e *parser.CallExpr, l *resolve.Lambda, args []tree.Expr) tree.Expr {
	key := types.TypeList(args)
	f := l.Calls[key]
	if f == nil {
		f = lambdaFunction(c, l, args)
		l.Calls[key] = f
	}
	x, done := c.userCall(e.Pos, "the lambda", nil, args).of([]*resolve.Function{f})
	if !done {
		return c.fail(e.Pos, "the lambda at %s does not take %s", resolve.PosText(l.Syntax.Pos), types.TypeList(args))
	}
	return x
}

// lambdaFunction is the function that a lambda is for arguments.
func lambdaFunction(c *checker, l *resolve.Lambda, args []tree.Expr) *resolve.Function {
	f := &resolve.Function{Namespace: l.Namespace, Name: "lambda", Signature: resolve.Broken, Lambda: l}
	in := newChecker(c.r, &f.Unit, l.Namespace)
	in.in.Locals, in.in.This, in.method, in.from, in.instance, in.in.Open = l.Locals, l.This, l.Method, l.From,
		l.Instance, l.Open
	fn := &tree.Func{Name: "lambda", Pos: l.Syntax.Pos, Captures: true}
	for i, param := range l.Syntax.Params {
		if param.Pack && isAuto(param.Type) {
			f.Packs = append(f.Packs, resolve.ParamPack{Name: paramName(param), Pos: param.Pos, First: i,
				Len: max(len(args)-i, 0)})
			for _, x := range args[min(i, len(args)):] {
				fn.Params, f.Defaults = append(fn.Params, autoParameter(in, param, x)), append(f.Defaults, nil)
			}
			continue
		}
		var v *tree.Var
		if isAuto(param.Type) && i < len(args) {
			v = autoParameter(in, param, args[i])
		} else {
			v = in.parameter(param)
		}
		if v == nil {
			return f
		}
		fn.Params = append(fn.Params, v)
		var def *resolve.DefaultArg
		if param.Default != nil {
			def = &resolve.DefaultArg{Tokens: param.Default}
		}
		f.Defaults = append(f.Defaults, def)
	}
	if r := l.Syntax.Result; r != nil && !f.SetResult(fn, in.declaredType(r)) {
		return f
	}
	f.Fn, f.Signature, f.Auto = fn, resolve.Resolved, f.Auto || l.Syntax.Result == nil
	return f
}

func isAuto(t *parser.Type) bool { return len(t.Path) == 1 && t.Path[0] == "auto" && t.Args == nil }

// autoParameter is a parameter whose type is that of its argument.
func autoParameter(c *checker, param *parser.Param, x tree.Expr) *tree.Var {
	v := &tree.Var{Pos: param.Pos, Name: paramName(param), Space: "thread", Param: true,
		Const: resolve.IsConst(param.Type), Type: types.Decayed(x)}
	if len(param.Pointers) > 0 {
		space, readonly, ok := types.PlaceOf(c.facts.Named(x))
		if !ok {
			v.Const = true // of a value, which auto&& and const auto& keep
			return v
		}
		v.Ref, v.Type, v.Space, v.Const = true, x.Type(), space, v.Const || readonly
	}
	return v
}

// checkLambda checks the body of a lambda.
func (b *body) checkLambda(f *resolve.Function) {
	l := f.Lambda
	b.c.in.Locals, b.c.in.This, b.c.method, b.c.from, b.c.lambdas = l.Locals, l.This, l.Method, l.From, l.Around
	b.c.instance, b.c.in.Open = l.Instance, l.Open
	leave := b.c.enter()
	defer leave()
	declareParams(b.c, f.Fn, f.Packs)
	f.Fn.Body = &tree.Block{Pos: l.Syntax.Body.Pos, List: b.statements(l.Syntax.Body.List)}
	b.settleResult(f, l.Syntax.Body.End)
}

func paramName(param *parser.Param) string {
	switch d := param.Declarator; {
	case d == nil:
		return ""
	case d.Inner != nil:
		return d.Inner.Name
	default:
		return d.Name
	}
}
