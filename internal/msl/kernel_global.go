package msl

import (
	"slices"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// Since version 3.1 a variable of the program may have the attribute of a kernel's argument (section 5.9): what Metal
// itself passes, `uint3 tid [[thread_position_in_grid]]`, or a resource, `constant P& constant p [[buffer(0)]]`. It is
// an argument of each kernel that mentions it, directly or not.

// globalArg is such a variable.
type globalArg struct {
	name      string // qualified
	namespace []string
	param     *parser.Param // as it would be written as an argument
	v         *tree.Var     // the one variable of all kernels, once the first of them is checked
}

// globalArgs finds those of the program.
func (r *resolver) globalArgs() {
	for _, d := range r.source.Decls {
		if d.Variable == nil || d.Variable.Scope != nil || d.Template != nil {
			continue
		}
		for _, v := range d.Variable.Vars {
			isArg := func(a *parser.Attribute) bool { return kindNamed(a.Name) != nil }
			if !slices.ContainsFunc(r.source.Attributes(d.Variable.Before, v.Declarator.After), isArg) {
				continue
			}
			r.globals = append(r.globals, &globalArg{
				name: qualify(d.Namespace, declaredName(v.Declarator)), namespace: d.Namespace,
				param: &parser.Param{Pos: v.Declarator.Pos, Before: d.Variable.Before, Type: d.Variable.Type, Pointers: v.Pointers,
					Declarator: v.Declarator},
			})
		}
	}
}

// globalArg is what a symbol is as an argument, or nil.
func (r *resolver) globalArg(s *symbol) *globalArg {
	for _, g := range r.globals {
		if g.name == s.name && s.variable != nil && !s.local {
			return g
		}
	}
	return nil
}

// globalArgsOf lists the variables of the program that are arguments of a kernel.
func (p *Program) globalArgsOf(k *kernel) []*globalArg {
	var list []*globalArg
	for _, g := range p.resolver.globals {
		if p.UsesName(k.Kernel, g.name) {
			list = append(list, g)
		}
	}
	return list
}

// globalParams reads the arguments of a kernel that are variables of the program. One of which the kernel has an
// argument of the name goes by another name.
func (r kernelReader) globalParams() {
	for _, g := range r.k.globals {
		in := kernelReader{r.in.from(g.namespace), r.k}
		a := in.readParam(g.param)
		if a == nil {
			return
		}
		for slices.ContainsFunc(r.k.Params, func(own *tree.Param) bool { return own.Name == a.Name }) {
			a.Name += "_of_program"
		}
		a.Global = true
		r.k.Params = append(r.k.Params, a.Param)
	}
}

// variable is the variable that bodies see.
func (g *globalArg) variable(param *tree.Param, f *facts) *tree.Var {
	if g.v == nil {
		g.v = kernelVar(param)
		g.v.Name = unqualified(g.name)
		g.v.Const = g.v.Const || kindOf(param.Kind).byValue || param.Pointer
		f.of(g.v).global = true
	}
	return g.v
}

// globalValue refers to such a variable. Where no kernel that was checked has it, it is what it would be.
func globalArgument(c *checker, g *globalArg, e *parser.Name) tree.Expr {
	if g.v == nil {
		in := c.in.at(g.namespace)
		a, err := kernelReader{in, &kernel{Kernel: &tree.Kernel{}}}.param(g.param)
		if err != nil {
			c.report(err, e.Pos)
			return nil
		}
		g.variable(a.Param, c.facts)
	}
	return c.variable(g.v, e.Pos)
}
