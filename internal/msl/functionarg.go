package msl

import (
	"slices"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// A template's argument may be a function. Of several overloads the parameter's
// own type says which is meant, and whether any is (C++14 14.3.2, 13.4).

// functionType is the parameters of a function that a template's parameter is a
// pointer to, with the namespace in which they are looked up; ok is false where
// metalgen does not know them.
func (in env) functionType(param *parser.Param) (params []*parser.Param, seen []string, ok bool) {
	if d := param.Declarator; d != nil && d.Params != nil {
		return d.Params.Params, in.namespace, true
	}
	if len(param.Type.Path) == 0 || param.Type.Args != nil {
		return nil, nil, false
	}
	s := in.lookup(param.Type.Path)
	if s == nil || s.aliased == nil || s.aliased.params == nil {
		return nil, nil, false
	}
	return s.aliased.params.Params, s.namespace, true
}

// fits reports whether a function that an argument names has the type that the
// parameter wants.
func (in env) fits(param *parser.Param, target *nameArg, draft []string) bool {
	params, namespace, ok := in.from(draft).functionType(param)
	if !ok {
		return true
	}
	want := &tree.Func{}
	var args []tree.Expr
	c := in.from(namespace).probe()
	for _, param := range params {
		v := c.parameter(param)
		if v == nil {
			return true // whoever declares the type says what is wrong
		}
		want.Params = append(want.Params, v)
		args = append(args, &tree.VarRef{Node: tree.At(v.Pos, v.Type), Var: v})
	}
	c = in.from(target.namespace).probe()
	list, _ := c.functionsFor(c.callees(target.name.Path), target.name.Args, args)
	return len(list) == 0 || slices.ContainsFunc(list, func(f *function) bool {
		return in.signatureOf(f) && sameParams(f.fn, want)
	})
}
