package msl

import (
	"slices"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// A template's argument may be a function. Of several overloads the parameter's
// own type says which is meant, and whether any is (C++14 14.3.2, 13.4).

// functionParam is a parameter of a template that may be a pointer to a function.
type functionParam struct {
	in    env
	param *parser.Param
}

func (in env) functionParam(param *parser.Param) functionParam { return functionParam{in, param} }

// functionType is the type of functions that a template's parameter is a pointer to,
// with the namespace in which its names are looked up, or nil where metalgen does not
// know it.
func (f functionParam) functionType() (written *alias, seen []string) {
	if d := f.param.Declarator; d != nil && d.Params != nil {
		return &alias{typ: f.param.Type, pointers: f.param.Pointers, params: d.Params}, f.in.namespace
	}
	if len(f.param.Type.Path) == 0 || f.param.Type.Args != nil {
		return nil, nil
	}
	s := f.in.lookup(f.param.Type.Path)
	if s == nil || s.aliased == nil || s.aliased.params == nil {
		return nil, nil
	}
	return s.aliased, s.namespace
}

// fits reports whether a function that an argument names has the type that the
// parameter wants.
func (f functionParam) fits(target *nameArg) bool {
	written, namespace := f.functionType()
	if written == nil {
		return true
	}
	want := &function{fn: &tree.Func{}}
	var args []tree.Expr
	c := f.in.from(namespace).probe()
	known := want.setResult(want.fn, c.declared(written.typ, written.pointers, nil))
	for _, param := range written.params.Params {
		v := c.parameter(param)
		if v == nil {
			return true // whoever declares the type says what is wrong
		}
		want.fn.Params = append(want.fn.Params, v)
		args = append(args, &tree.VarRef{Node: tree.At(v.Pos, v.Type), Var: v})
	}
	c = f.in.from(target.namespace).probe()
	list, _ := functionsFor(c, callees(c, target.name.Path), target.name.Args, args)
	return len(list) == 0 || slices.ContainsFunc(list, func(o *function) bool {
		return f.in.r.signatureOf(o) && sameParams(o.fn, want.fn) &&
			(!known || o.auto || o.refResult == want.refResult && types.Same(o.fn.Result, want.fn.Result))
	})
}
