package msl

import (
	"errors"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/resolve"
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
	in := p.resolver.At(d.Namespace)
	list := in.FunctionTemplates(x.Path)
	isKernel := x.Kernel
	for _, t := range list {
		isKernel = isKernel || t.Decl.Function != nil
	}
	switch {
	case !isKernel:
		return
	case len(list) == 0:
		in.Errs.Add(x.Pos, "unknown template %s", strings.Join(x.Path, "::"))
		return
	case x.HostName == "":
		const why = "without [[host_name]] Metal exports it under a name that only its compiler knows"
		p.LeftOut = append(p.LeftOut, tree.LeftOut{Name: strings.Join(x.Path, "::"), Pos: x.Pos, Reason: why})
		in.Errs.Warn(x.Pos, "this instance of kernel %s is left out: "+why, strings.Join(x.Path, "::"))
		return
	}
	explicit := explicitInstance{in: in, written: x}
	var err error
	if x.Signature {
		explicit.signature, err = in.R.Syntax.Function(d)
	}
	var t *resolve.Template
	var args []resolve.TemplateArg
	var own []string
	if err == nil {
		t, args, own, err = explicit.choose(list)
	}
	if err != nil {
		var u resolve.Unsupported
		if errors.As(err, &u) {
			p.LeftOut = append(p.LeftOut, tree.LeftOut{Name: x.HostName, Pos: x.Pos, Reason: u.At.Msg})
			in.Errs.WarnOf(u.At.Msg, x.Pos, "kernel %s is left out: %s", x.HostName, u.At.Msg)
			return
		}
		in.Report(err, x.Pos)
		return
	}
	f, err := t.Function(p.resolver)
	if err != nil {
		in.Report(err, x.Pos)
		return
	}
	k := &tree.Kernel{
		Name: x.HostName, HostName: true, Decl: t.Decl, Pos: d.Pos,
		Template: kernelTemplate(in.R, t, f), Args: plainArgs(args),
	}
	p.addKernel(&kernel{Kernel: k, syntax: f, namespace: own, instantiation: d})
}

// kernelTemplate is the one description of a template.
func kernelTemplate(r *resolve.Resolver, t *resolve.Template, f *parser.Function) *tree.KernelTemplate {
	k := r.Templates.Kernels[t]
	if k == nil {
		k = &tree.KernelTemplate{Name: t.Name, Decl: t.Decl, Pos: f.Pos}
		r.Templates.Kernels[t] = k
	}
	return k
}

// explicitInstance is an explicit instantiation of a template of kernels.
type explicitInstance struct {
	in        resolve.Env
	written   *parser.Instantiation
	signature *parser.Function // as it is written, or nil
}

// choose finds which of several overloaded templates an instantiation is
// of, and its arguments: the one that takes them, with a signature that is the
// one written.
func (x explicitInstance) choose(list []*resolve.Template) (*resolve.Template, []resolve.TemplateArg, []string, error) {
	var found *resolve.Template
	var foundArgs []resolve.TemplateArg
	var foundOwn []string
	var first error
	for _, t := range list {
		args, own, err := x.arguments(t)
		if err == nil && x.signature != nil {
			err = resolve.SameSignature(x.in, t, own, x.signature)
		}
		switch {
		case err == resolve.ErrNotDeduced:
			err = resolve.Errorf(x.written.Pos, "%s needs more template arguments than these", t.Name)
			fallthrough
		case err != nil:
			if first == nil {
				first = err
			}
		case found != nil:
			return nil, nil, nil,
				resolve.Errorf(x.written.Pos, "this may be an instance of the templates at %s and %s",
					resolve.PosText(found.Decl.Pos),
					resolve.PosText(t.Decl.Pos))
		default:
			found, foundArgs, foundOwn = t, args, own
		}
	}
	if found == nil {
		return nil, nil, nil, first
	}
	if s := x.in.R.ExplicitOf(found, foundArgs, foundOwn); s != nil {
		return s, foundArgs, foundOwn, nil
	}
	return found, foundArgs, foundOwn, nil
}

// arguments binds the arguments of an instantiation, those that it leaves
// out to what its signature says.
func (x explicitInstance) arguments(t *resolve.Template) ([]resolve.TemplateArg, []string, error) {
	if x.signature == nil {
		return x.in.Arguments(t, x.written.Args, nil)
	}
	f, err := t.Function(x.in.R)
	if err != nil {
		return nil, nil, err
	}
	if i := packParam(f); i >= 0 {
		return nil, nil, resolve.UnsupportedError(f.Params[i].Pos,
			"metalgen does not bind kernels whose parameters are a pack")
	}
	d := resolve.NewDeduction(x.in.R, t)
	if len(f.Params) == len(x.signature.Params) &&
		(x.written.Args == nil || len(x.written.Args.Args) < len(t.Head.Params)) {
		for i, param := range f.Params {
			s := x.signature.Params[i]
			known, err := x.in.FullType(s.Type, referred(s.Pointers), resolve.DimsOf(s))
			if err != nil {
				continue // nothing to deduce from; sameSignature says what is wrong
			}
			d.Type(param.Type, param.Pointers, resolve.DimsOf(param), known)
		}
	}
	return x.in.Arguments(t, x.written.Args, d.Found)
}

// referred leaves out the & of a parameter, which is not matched with what it refers to.
func referred(pointers []*parser.Pointer) []*parser.Pointer {
	if n := len(pointers); n > 0 && pointers[n-1].Op != "*" {
		return pointers[:n-1]
	}
	return pointers
}

// plainArgs are arguments as others see them.
func plainArgs(args []resolve.TemplateArg) []tree.TemplateArg {
	list := make([]tree.TemplateArg, len(args))
	for i, a := range args {
		list[i] = a.TemplateArg
		if a.IsPack {
			list[i].Name = strings.Trim(resolve.ArgList(a.Pack), "<>")
		}
	}
	return list
}
