package resolve

import "github.com/metalgen/metalgen/parser"

// A template's argument may be a function. Of several overloads the parameter's
// own type says which is meant, and whether any is (C++14 14.3.2, 13.4).

// FunctionParam is a parameter of a template that may be a pointer to a function.
type FunctionParam struct {
	In    Env
	param *parser.Param
}

func (in Env) functionParam(param *parser.Param) FunctionParam { return FunctionParam{in, param} }

// FunctionType is the type of functions that a template's parameter is a pointer to,
// with the namespace in which its names are looked up, or nil where metalgen does not
// know it.
func (f FunctionParam) FunctionType() (written *Alias, seen []string) {
	if d := f.param.Declarator; d != nil && d.Params != nil {
		return &Alias{Type: f.param.Type, Pointers: f.param.Pointers, Params: d.Params}, f.In.Namespace
	}
	if len(f.param.Type.Path) == 0 || f.param.Type.Args != nil {
		return nil, nil
	}
	s := f.In.Lookup(f.param.Type.Path)
	if s == nil || s.Aliased == nil || s.Aliased.Params == nil {
		return nil, nil
	}
	return s.Aliased, s.Namespace
}
