package msl

import (
	"errors"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// kernelInstance adds the kernel that an explicit instantiation makes
// (C++14 14.7.2; MSL specification 5.1.3 and 5.1.13 for host_name).
func (p *Program) kernelInstance(d *parser.Decl) {
	x := d.Instantiation
	if x.Tag != "" {
		return // of a class: it is instantiated where it is used
	}
	list := p.functionTemplates(d.Namespace, x.Path)
	isKernel := x.Kernel
	for _, t := range list {
		isKernel = isKernel || t.decl.Function != nil
	}
	switch {
	case !isKernel:
		return
	case len(list) == 0:
		p.errs.Add(x.Pos, "unknown template %s", strings.Join(x.Path, "::"))
		return
	case x.HostName == "":
		const why = "without [[host_name]] Metal exports it under a name that only its compiler knows"
		p.LeftOut = append(p.LeftOut, tree.LeftOut{Name: strings.Join(x.Path, "::"), Pos: x.Pos, Reason: why})
		p.errs.Warn(x.Pos, "this instance of kernel %s is left out: "+why, strings.Join(x.Path, "::"))
		return
	}
	t, args, own, err := p.chooseTemplate(d, list)
	if err != nil {
		var u unsupported
		if errors.As(err, &u) {
			p.LeftOut = append(p.LeftOut, tree.LeftOut{Name: x.HostName, Pos: x.Pos, Reason: u.at.Msg})
			p.errs.Warn(x.Pos, "kernel %s is left out: %s", x.HostName, u.at.Msg)
			return
		}
		p.report(err, x.Pos)
		return
	}
	f, err := t.function(p)
	if err != nil {
		p.report(err, x.Pos)
		return
	}
	k := &tree.Kernel{
		Name: x.HostName, HostName: true, Decl: t.decl, Pos: d.Pos,
		Template: p.kernelTemplate(t, f), Args: plainArgs(args),
	}
	p.addKernel(&kernel{Kernel: k, syntax: f, namespace: own, instantiation: d})
}

// kernelTemplate is the one description of a template.
func (p *Program) kernelTemplate(t *template, f *parser.Function) *tree.KernelTemplate {
	k := p.templates.kernels[t]
	if k == nil {
		k = &tree.KernelTemplate{Name: t.name, Decl: t.decl, Pos: f.Pos}
		p.templates.kernels[t] = k
	}
	return k
}

// function is the head of a function template.
func (t *template) function(p *Program) (*parser.Function, error) {
	d, err := t.declaration(p)
	if err != nil {
		return nil, err
	}
	return d.Function, nil
}

// functionTemplates finds the function templates of a name, definitions only.
func (p *Program) functionTemplates(namespace, path []string) []*template {
	var list []*template
	for _, t := range p.templatesNamed(namespace, path) {
		if t.head.Kind == parser.FunctionTemplate && t.decl.Open >= 0 && t.head.Args == nil && len(t.head.Params) > 0 {
			list = append(list, t)
		}
	}
	return list
}

// chooseTemplate finds which of several overloaded templates an instantiation is
// of, and its arguments: the one that takes them, with a signature that is the
// one written.
func (p *Program) chooseTemplate(d *parser.Decl, list []*template) (*template, []templateArg, []string, error) {
	x := d.Instantiation
	var signature *parser.Function
	if x.Signature {
		var err error
		if signature, err = p.functionSyntax(d); err != nil {
			return nil, nil, nil, err
		}
	}
	var found *template
	var foundArgs []templateArg
	var foundOwn []string
	var first error
	for _, t := range list {
		args, own, err := p.instantiationArgs(t, x, signature, d.Namespace)
		if err == nil && signature != nil {
			err = p.sameSignature(t, own, signature, d.Namespace)
		}
		switch {
		case err == errNotDeduced:
			err = posError(x.Pos, "%s needs more template arguments than these", t.name)
			fallthrough
		case err != nil:
			if first == nil {
				first = err
			}
		case found != nil:
			return nil, nil, nil, posError(x.Pos, "this may be an instance of the templates at %s and %s", placeText(found.decl.Pos), placeText(t.decl.Pos))
		default:
			found, foundArgs, foundOwn = t, args, own
		}
	}
	if found == nil {
		return nil, nil, nil, first
	}
	if s := p.explicitOf(found, foundArgs, foundOwn); s != nil {
		return s, foundArgs, foundOwn, nil
	}
	return found, foundArgs, foundOwn, nil
}

// explicitOf finds the explicit specialisation of a function template for
// arguments, or nil: one that writes them, or whose signature is that of the
// instance (C++14 14.7.3).
func (p *Program) explicitOf(t *template, args []templateArg, own []string) *template {
	for _, s := range p.explicits(t) {
		if s.decl.Open < 0 {
			continue
		}
		if s.head.Args != nil && len(s.head.Args.Args) == len(t.head.Params) {
			if given, drafted, err := p.arguments(t, s.head.Args, s.namespace, nil); err == nil {
				if p.facts.keyOf(given) == p.facts.keyOf(args) {
					return s
				}
				p.forgetDraft(drafted, t.head.Params)
			}
			continue
		}
		if f, err := s.function(p); err == nil && p.sameSignature(t, own, f, s.namespace) == nil {
			return s
		}
	}
	return nil
}

// explicits lists the explicit specialisations of a function template's name.
func (p *Program) explicits(t *template) []*template {
	var list []*template
	if t.method == nil {
		for _, s := range p.templates.named[t.name] {
			if len(s.head.Params) == 0 && s.head.Kind == parser.FunctionTemplate {
				list = append(list, s)
			}
		}
		return list
	}
	for _, m := range t.method.syntax.Members {
		if d := m.Decl; d != nil && d.Template != nil && d.Template.Kind == parser.FunctionTemplate && d.Template.Name == t.head.Name && len(d.Template.Params) == 0 {
			list = append(list, &template{name: t.name, namespace: t.method.namespace, decl: d, head: d.Template, method: t.method, instances: map[string]*instance{}})
		}
	}
	return list
}

// instantiationArgs binds the arguments of an instantiation, those that it leaves
// out to what its signature says.
func (p *Program) instantiationArgs(t *template, x *parser.Instantiation, signature *parser.Function, namespace []string) ([]templateArg, []string, error) {
	if signature == nil {
		return p.arguments(t, x.Args, namespace, nil)
	}
	f, err := t.function(p)
	if err != nil {
		return nil, nil, err
	}
	d := newDeduction(p, t)
	if len(f.Params) == len(signature.Params) && (x.Args == nil || len(x.Args.Args) < len(t.head.Params)) {
		for i, param := range f.Params {
			s := signature.Params[i]
			known, err := p.fullType(s.Type, s.Pointers, dimsOf(s), namespace)
			if err != nil {
				continue // nothing to deduce from; sameSignature says what is wrong
			}
			d.typ(param.Type, param.Pointers, dimsOf(param), known)
		}
	}
	return p.arguments(t, x.Args, namespace, d.found)
}

func dimsOf(param *parser.Param) []*parser.Dim {
	if param.Declarator == nil {
		return nil
	}
	return param.Declarator.Dims
}

// sameSignature holds the parameters of an instance against those that its
// instantiation writes.
func (p *Program) sameSignature(t *template, own []string, written *parser.Function, namespace []string) error {
	f, err := t.function(p)
	if err != nil {
		return err
	}
	if len(f.Params) != len(written.Params) {
		return posError(written.Pos, "%s takes %d arguments, this instance of it %d", t.name, len(f.Params), len(written.Params))
	}
	for i, param := range f.Params {
		w := written.Params[i]
		want, err := p.fullType(param.Type, param.Pointers, openDims(param), own)
		if err != nil {
			return err
		}
		have, err := p.fullType(w.Type, w.Pointers, openDims(w), namespace)
		if err != nil {
			return err
		}
		if !same(want, have) {
			return posError(w.Pos, "argument %d of %s is %s, here it is %s", i, t.name, want.Spelled(), have.Spelled())
		}
	}
	return nil
}

// openDims leaves out the first dimension of a parameter, which is a pointer.
func openDims(param *parser.Param) []*parser.Dim {
	dims := dimsOf(param)
	if len(dims) > 0 && param.Declarator.Inner == nil {
		return dims[1:]
	}
	return dims
}
