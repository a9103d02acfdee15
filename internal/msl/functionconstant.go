package msl

import "github.com/metalgen/metalgen/parser"

// FunctionConstant is a constant whose value comes with the pipeline
// (section 5.8).
type FunctionConstant struct {
	Name  string
	Type  *Type
	Index int
	Pos   parser.Pos
}

// functionConstants collects the constants with [[function_constant(n)]].
func (p *Program) functionConstants() {
	taken := map[int]string{}
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
}

func (p *Program) functionConstant(d *parser.Decl, v *parser.Init, a *parser.Attribute, taken map[int]string) {
	name := v.Declarator.Name
	pos := v.Declarator.Pos
	t, err := p.fullType(d.Variable.Type, v.Pointers, v.Declarator.Dims, d.Namespace)
	if err != nil {
		p.report(err, pos)
		return
	}
	if t.Kind != Scalar && t.Kind != Vector {
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
	p.Constants = append(p.Constants, &FunctionConstant{Name: qualify(d.Namespace, name), Type: t, Index: int(n), Pos: pos})
}
