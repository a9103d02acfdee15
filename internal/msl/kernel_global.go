package msl

import (
	"slices"

	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// Since version 3.1 a variable of the program may have the attribute of a kernel's argument (section 5.9): what Metal
// itself passes, `uint3 tid [[thread_position_in_grid]]`, or a resource, `constant P& constant p [[buffer(0)]]`. It is
// an argument of each kernel that mentions it, directly or not.

// readGlobalArgs finds those of the program.
func readGlobalArgs(r *resolve.Resolver) {
	for _, d := range r.Source.Decls {
		if d.Variable == nil || d.Variable.Scope != nil || d.Template != nil {
			continue
		}
		for _, v := range d.Variable.Vars {
			isArg := func(a *parser.Attribute) bool { return kindNamed(a.Name) != nil }
			if !slices.ContainsFunc(r.Source.Attributes(d.Variable.Before, v.Declarator.After), isArg) {
				continue
			}
			r.Globals = append(r.Globals, &resolve.GlobalArg{
				Name: resolve.Qualify(d.Namespace, resolve.DeclaredName(v.Declarator)), Namespace: d.Namespace,
				Param: &parser.Param{Pos: v.Declarator.Pos, Before: d.Variable.Before, Type: d.Variable.Type,
					Pointers:   v.Pointers,
					Declarator: v.Declarator},
			})
		}
	}
}

// globalArgOf is what a symbol is as an argument, or nil.
func globalArgOf(r *resolve.Resolver, s *resolve.Symbol) *resolve.GlobalArg {
	for _, g := range r.Globals {
		if g.Name == s.Name && s.Variable != nil && !s.Local {
			return g
		}
	}
	return nil
}

// globalArgsOf lists the variables of the program that are arguments of a kernel.
func (p *Program) globalArgsOf(k *kernel) []*resolve.GlobalArg {
	var list []*resolve.GlobalArg
	for _, g := range p.resolver.Globals {
		if p.UsesName(k.Kernel, g.Name) {
			list = append(list, g)
		}
	}
	return list
}

// globalParams reads the arguments of a kernel that are variables of the program. One with the
// name of another argument of the kernel goes by another name.
func (r kernelReader) globalParams() {
	for _, g := range r.k.globals {
		in := kernelReader{r.in.From(g.Namespace), r.k}
		a := in.readParam(g.Param)
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

// globalVariable is the variable that bodies see.
func globalVariable(g *resolve.GlobalArg, param *tree.Param, f *resolve.Facts) *tree.Var {
	if g.Var == nil {
		g.Var = kernelVar(param)
		g.Var.Name = resolve.Unqualified(g.Name)
		g.Var.Const = g.Var.Const || kindOf(param.Kind).byValue || param.Pointer
		f.Of(g.Var).Global = true
	}
	return g.Var
}

// globalValue refers to such a variable. Where no kernel that was checked has it, it is what it would be.
func globalArgument(c *checker, g *resolve.GlobalArg, e *parser.Name) tree.Expr {
	if g.Var == nil {
		in := c.in.At(g.Namespace)
		a, err := kernelReader{in, &kernel{Kernel: &tree.Kernel{}}}.param(g.Param)
		if err != nil {
			c.report(err, e.Pos)
			return nil
		}
		globalVariable(g, a.Param, c.facts)
	}
	return c.variable(g.Var, e.Pos)
}
