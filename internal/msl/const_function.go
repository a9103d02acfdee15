package msl

import (
	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// functionConstants collects the constants with [[function_constant(n)]].
func functionConstants(r *resolve.Resolver) {
	taken := map[int]string{}
	for _, d := range r.Source.Decls {
		if d.Variable == nil {
			continue
		}
		for _, v := range d.Variable.Vars {
			for _, a := range r.Source.Attributes(d.Variable.Before, v.Declarator.After) {
				if a.Name == "function_constant" {
					readFunctionConstant(r, d, v, a, taken)
				}
			}
		}
	}
	defaulted := defaultedConstants(r.Source)
	for _, c := range r.Constants {
		c.Defaulted = defaulted[resolve.Unqualified(c.Name)]
	}
}

// defaultedConstants returns the unqualified names that a source asks about with
// is_function_constant_defined.
func defaultedConstants(source *parser.Tree) map[string]bool {
	names := map[string]bool{}
	t := source.Tokens
	for i := range t {
		if !t[i].Is("is_function_constant_defined") {
			continue
		}
		for i += 2; i < len(t) && (t[i].Kind == parser.Ident || t[i].Is("::")); i++ {
			if t[i].Kind == parser.Ident {
				names[t[i].Text] = true
			}
		}
	}
	return names
}

func readFunctionConstant(r *resolve.Resolver, d *parser.Decl, v *parser.Init, a *parser.Attribute,
	taken map[int]string) {
	name, pos := v.Declarator.Name, v.Declarator.Pos
	in := r.At(d.Namespace)
	t, err := in.FullType(d.Variable.Type, v.Pointers, v.Declarator.Dims)
	if err != nil {
		in.Report(err, pos)
		return
	}
	if t.Kind != tree.Scalar && t.Kind != tree.Vector {
		in.Errs.Add(pos, "function constant %s must be a scalar or a vector, not %s", name, t)
		return
	}
	if len(a.Args) != 1 {
		in.Errs.Add(pos, "function constant %s: [[function_constant]] needs an index", name)
		return
	}
	val, err := in.Constant(a.Args[0])
	if err != nil {
		in.Report(resolve.ErrorAt(err, pos), pos)
		return
	}
	n, ok := val.Int()
	if !ok || n < 0 || n > 65535 {
		in.Errs.Add(pos, "function constant %s: the index must be 0 to 65535, this is %s", name, val)
		return
	}
	if other, dup := taken[int(n)]; dup {
		in.Errs.Add(pos, "function constants %s and %s both have index %d", other, name, n)
		return
	}
	taken[int(n)] = name
	r.Constants = append(r.Constants, &tree.FunctionConstant{
		Name: resolve.Qualify(d.Namespace, name), Type: t, Index: int(n), Pos: pos,
	})
}
