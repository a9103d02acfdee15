package msl

import (
	"fmt"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// lambda is a function within a body, with what it sees there. As functions are
// never called but where their variables live, it needs no copy of them: a lambda
// is its own type, without fields, and its body names the variables themselves
// (expr_capture.go).
type lambda struct {
	syntax    *parser.Lambda
	locals    *scope // without what is declared behind it
	this      *tree.Var
	method    *class // that this is of
	namespace []string
	from      int
	instance  bool                 // it stands in one of a template
	outer     *lambda              // in whose body it stands, or nil
	calls     map[string]*function // by the types of the arguments
	copies    []*tree.Var          // that it captures by value
	created   int                  // by the clock of changes
	around    *[]*lambda           // the lambdas of the function in whose body it stands
	open      bool                 // it stands in a template that is checked by itself
	changes   bool                 // it may change values of its own, of which a copy would have others
}

// checkLambda checks a lambda, of which the body is checked where it is called.
func checkLambda(c *checker, e *parser.Lambda) tree.Expr {
	own, ok := ownCaptures(c, e)
	if !ok {
		return nil
	}
	bodies := &c.r.bodies
	bodies.clock++
	l := &lambda{syntax: e, locals: c.seal(), this: c.in.this, method: c.method, namespace: c.in.namespace,
		from: c.from, instance: c.instance, calls: map[string]*function{},
		created: bodies.clock, around: c.lambdas, open: c.in.open}
	var made tree.Expr
	if len(own) > 0 {
		l.locals = &scope{outer: l.locals, names: map[string]*symbol{}}
		inner := *c
		inner.in.locals = l.locals
		for _, k := range own {
			inner.declareVar(k.v)
			made = k.after(made)
			l.changes = l.changes || mutable(e) && k.set != nil
		}
	}
	if c.function != nil {
		l.outer = c.function.lambda
	}
	if c.lambdas != nil {
		*c.lambdas = append(*c.lambdas, l)
	}
	st := c.facts.newClass(&tree.Struct{Name: fmt.Sprintf("<lambda at %s>", posText(e.Pos)), Pos: e.Pos, Size: 1, Align: 1,
		Empty: true})
	st.lambda = l
	c.r.templates.locals++
	st.serial = c.r.templates.locals
	st.typ = &tree.Type{Kind: tree.StructType, Name: st.Name, Size: 1, Align: 1, Struct: st.Struct}
	object := &tree.Construct{Node: tree.At(e.Pos, st.typ)}
	if made != nil {
		return &tree.Comma{Node: tree.At(e.Pos, st.typ), X: made, Y: object}
	}
	return object
}

// callLambda checks the call of a lambda: its body is checked for each set of
// argument types, which generic ones (auto) differ in.
func callLambda(c *checker, e *parser.CallExpr, l *lambda, args []tree.Expr) tree.Expr {
	key := types.TypeList(args)
	f := l.calls[key]
	if f == nil {
		f = lambdaFunction(c, l, args)
		l.calls[key] = f
	}
	x, done := c.userCall(e.Pos, "the lambda", nil, args).of([]*function{f})
	if !done {
		return c.fail(e.Pos, "the lambda at %s does not take %s", posText(l.syntax.Pos), types.TypeList(args))
	}
	return x
}

// lambdaFunction is the function that a lambda is for arguments.
func lambdaFunction(c *checker, l *lambda, args []tree.Expr) *function {
	f := &function{namespace: l.namespace, name: "lambda", signature: broken, lambda: l}
	in := c.r.newChecker(&f.unit, l.namespace)
	in.in.locals, in.in.this, in.method, in.from, in.instance, in.in.open = l.locals, l.this, l.method, l.from,
		l.instance, l.open
	fn := &tree.Func{Name: "lambda", Pos: l.syntax.Pos, Captures: true}
	for i, param := range l.syntax.Params {
		if param.Pack && isAuto(param.Type) {
			f.packs = append(f.packs, paramPack{paramName(param), param.Pos, i, max(len(args)-i, 0)})
			for _, x := range args[min(i, len(args)):] {
				fn.Params, f.defaults = append(fn.Params, autoParameter(in, param, x)), append(f.defaults, nil)
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
		var def *defaultArg
		if param.Default != nil {
			def = &defaultArg{tokens: param.Default}
		}
		f.defaults = append(f.defaults, def)
	}
	if r := l.syntax.Result; r != nil && !f.setResult(fn, in.declaredType(r)) {
		return f
	}
	f.fn, f.signature, f.auto = fn, resolved, f.auto || l.syntax.Result == nil
	return f
}

func isAuto(t *parser.Type) bool { return len(t.Path) == 1 && t.Path[0] == "auto" && t.Args == nil }

// autoParameter is a parameter whose type is that of its argument.
func autoParameter(c *checker, param *parser.Param, x tree.Expr) *tree.Var {
	v := &tree.Var{Pos: param.Pos, Name: paramName(param), Space: "thread", Param: true, Const: isConst(param.Type),
		Type: types.Decayed(x)}
	if len(param.Pointers) > 0 {
		space, readonly, ok := types.PlaceOf(c.facts.named(x))
		if !ok {
			v.Const = true // of a value, which auto&& and const auto& keep
			return v
		}
		v.Ref, v.Type, v.Space, v.Const = true, x.Type(), space, v.Const || readonly
	}
	return v
}

// checkLambda checks the body of a lambda.
func (b *body) checkLambda(f *function) {
	l := f.lambda
	b.c.in.locals, b.c.in.this, b.c.method, b.c.from, b.c.lambdas = l.locals, l.this, l.method, l.from, l.around
	b.c.instance, b.c.in.open = l.instance, l.open
	leave := b.c.enter()
	defer leave()
	declareParams(b.c, f.fn, f.packs)
	f.fn.Body = &tree.Block{Pos: l.syntax.Body.Pos, List: b.statements(l.syntax.Body.List)}
	b.settleResult(f, l.syntax.Body.End)
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
