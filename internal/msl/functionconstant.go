package msl

import (
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// functionConstants collects the constants with [[function_constant(n)]].
func (p *Program) functionConstants() {
	taken := map[int]string{}
	defaulted := p.defaulted()
	for _, d := range p.Tree.Decls {
		if d.Variable == nil {
			continue
		}
		for _, v := range d.Variable.Vars {
			for _, a := range p.Tree.Attributes(d.Variable.Before, v.Declarator.After) {
				if a.Name == "function_constant" {
					p.functionConstant(d, v, a, taken)
				}
			}
		}
	}
	for _, c := range p.Constants {
		c.Defaulted = defaulted[unqualified(c.Name)]
	}
}

// defaulted gives the unqualified names that the source asks about with
// is_function_constant_defined.
func (p *Program) defaulted() map[string]bool {
	names := map[string]bool{}
	t := p.Tree.Tokens
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

func (p *Program) functionConstant(d *parser.Decl, v *parser.Init, a *parser.Attribute, taken map[int]string) {
	name := v.Declarator.Name
	pos := v.Declarator.Pos
	t, err := p.fullType(d.Variable.Type, v.Pointers, v.Declarator.Dims, d.Namespace)
	if err != nil {
		p.report(err, pos)
		return
	}
	if t.Kind != tree.Scalar && t.Kind != tree.Vector {
		p.errs.Add(pos, "function constant %s must be a scalar or a vector, not %s", name, t)
		return
	}
	if len(a.Args) != 1 {
		p.errs.Add(pos, "function constant %s: [[function_constant]] needs an index", name)
		return
	}
	val, err := p.constant(a.Args[0], d.Namespace)
	if err != nil {
		p.report(at(err, pos), pos)
		return
	}
	n, ok := val.Int()
	if !ok || n < 0 || n > 65535 {
		p.errs.Add(pos, "function constant %s: the index must be 0 to 65535, this is %s", name, val)
		return
	}
	if other, dup := taken[int(n)]; dup {
		p.errs.Add(pos, "function constants %s and %s both have index %d", other, name, n)
		return
	}
	taken[int(n)] = name
	p.Constants = append(p.Constants, &tree.FunctionConstant{Name: qualify(d.Namespace, name), Type: t, Index: int(n), Pos: pos})
}
