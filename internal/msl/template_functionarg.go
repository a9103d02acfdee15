package msl

import (
	"slices"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// A template's argument may be a function. Of several overloads the parameter's
// own type says which is meant, and whether any is (C++14 14.3.2, 13.4).

// functionParam is a parameter of a template that may be a pointer to a function.
type functionParam struct {
	env
	param *parser.Param
}

func (in env) functionParam(param *parser.Param) functionParam { return functionParam{in, param} }

// functionType is the parameters of a function that a template's parameter is a
// pointer to, with the namespace in which they are looked up; ok is false where
// metalgen does not know them.
func (f functionParam) functionType() (params []*parser.Param, seen []string, ok bool) {
	if d := f.param.Declarator; d != nil && d.Params != nil {
		return d.Params.Params, f.namespace, true
	}
	if len(f.param.Type.Path) == 0 || f.param.Type.Args != nil {
		return nil, nil, false
	}
	s := f.lookup(f.param.Type.Path)
	if s == nil || s.aliased == nil || s.aliased.params == nil {
		return nil, nil, false
	}
	return s.aliased.params.Params, s.namespace, true
}

// fits reports whether a function that an argument names has the type that the
// parameter wants.
func (f functionParam) fits(target *nameArg) bool {
	params, namespace, ok := f.functionType()
	if !ok {
		return true
	}
	want := &tree.Func{}
	var args []tree.Expr
	c := f.from(namespace).probe()
	for _, param := range params {
		v := c.parameter(param)
		if v == nil {
			return true // whoever declares the type says what is wrong
		}
		want.Params = append(want.Params, v)
		args = append(args, &tree.VarRef{Node: tree.At(v.Pos, v.Type), Var: v})
	}
	c = f.from(target.namespace).probe()
	list, _ := c.functionsFor(c.callees(target.name.Path), target.name.Args, args)
	return len(list) == 0 || slices.ContainsFunc(list, func(o *function) bool {
		return f.signatureOf(o) && sameParams(o.fn, want)
	})
}
