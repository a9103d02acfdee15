package msl

import (
	"slices"

	"github.com/metalgen/metalgen/internal/msl/fold"
	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// expressions checks the expressions that types and constants are made of.
type expressions struct{}

// Constant evaluates what takes a check of types: calls of constexpr
// functions, members of objects.
func (expressions) Constant(in resolve.Env, e parser.Expr) (tree.Value, error) {
	c := probe(in)
	x := knownSize(c, c.expr(e))
	if x == nil {
		return tree.Value{}, c.failure(e.Position())
	}
	if x.Type().Kind == tree.StructType {
		x = c.plain(x)
	}
	return fold.Constant(c.facts, x)
}

// probe is a checker for an expression whose errors are somebody else's.
func probe(in resolve.Env) *checker {
	listFunctions(in.R)
	c := newChecker(in.R, &resolve.Unit{}, in.Namespace)
	c.in.Locals, c.fn, c.from, c.in.Open = in.Locals, &tree.Func{}, len(in.R.Source.Tokens), in.Open
	return c
}

// failure is the first error that a probe has found.
func (c *checker) failure(pos parser.Pos) error {
	list := errorsOf(c.r, c.unit)
	for _, e := range list {
		switch {
		case e.Warning:
		case e.Unsupported:
			return resolve.Unsupported{At: e}
		default:
			return e
		}
	}
	if c.unit.BrokenType {
		return resolve.ErrReported
	}
	if c.in.Open {
		return resolve.ErrDependent
	}
	return resolve.Errorf(pos, "this is no constant expression")
}

// Object evaluates an object whose parts are constants.
func (expressions) Object(in resolve.Env, e parser.Expr, t *tree.Type, pos parser.Pos) (*tree.Construct, error) {
	c := probe(in)
	object := fold.Object(c.facts, c.initial(t, e))
	if object == nil {
		return nil, c.failure(pos)
	}
	return object, nil
}

// Decltype is the type of an expression that is not evaluated.
func (expressions) Decltype(in resolve.Env, t *parser.Type) (*tree.Type, error) {
	c := probe(in)
	c.in.This, c.unevaluated = in.This, true
	e, err := parseInit(c, &t.Decltype.Expr.Tokens)
	if err != nil {
		return nil, err
	}
	x := c.expr(e)
	if x == nil {
		return nil, c.failure(t.At.Pos)
	}
	return in.At(nil).MemberType(x.Type(), t.Decltype.Member, t.At.Pos)
}

// Fits reports whether a function that an argument names has the type that the
// parameter wants.
func (expressions) Fits(f resolve.FunctionParam, target *resolve.NameArg) bool {
	written, namespace := f.FunctionType()
	if written == nil {
		return true
	}
	want := &resolve.Function{Fn: &tree.Func{}}
	var args []tree.Expr
	c := probe(f.In.From(namespace))
	known := want.SetResult(want.Fn, c.declared(written.Type, written.Pointers, nil))
	for _, param := range written.Params.Params {
		v := c.parameter(param)
		if v == nil {
			return true // the declaration of the type says what is wrong
		}
		want.Fn.Params = append(want.Fn.Params, v)
		args = append(args, &tree.VarRef{Node: tree.At(v.Pos, v.Type), Var: v})
	}
	c = probe(f.In.From(target.Namespace))
	list, _ := functionsFor(c, callees(c, target.Name.Path), target.Name.Args, args)
	return len(list) == 0 || slices.ContainsFunc(list, func(o *resolve.Function) bool {
		return signatureOf(f.In.R, o) && sameParams(o.Fn, want.Fn) &&
			(!known || o.Auto || o.RefResult == want.RefResult && types.Same(o.Fn.Result, want.Fn.Result))
	})
}
