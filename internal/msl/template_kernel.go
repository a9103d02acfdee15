package msl

import (
	"errors"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// kernelInstance adds the kernel that an explicit instantiation makes
// (C++14 14.7.2; MSL specification 5.1.3 and 5.1.13 for host_name).
func (p *Program) kernelInstance(d *parser.Decl) {
	x := d.Instantiation
	if x.Tag != "" {
		return // of a class: it is instantiated where it is used
	}
	in := p.resolver.at(d.Namespace)
	list := in.functionTemplates(x.Path)
	isKernel := x.Kernel
	for _, t := range list {
		isKernel = isKernel || t.decl.Function != nil
	}
	switch {
	case !isKernel:
		return
	case len(list) == 0:
		in.errs.Add(x.Pos, "unknown template %s", strings.Join(x.Path, "::"))
		return
	case x.HostName == "":
		const why = "without [[host_name]] Metal exports it under a name that only its compiler knows"
		p.LeftOut = append(p.LeftOut, tree.LeftOut{Name: strings.Join(x.Path, "::"), Pos: x.Pos, Reason: why})
		in.errs.Warn(x.Pos, "this instance of kernel %s is left out: "+why, strings.Join(x.Path, "::"))
		return
	}
	explicit := explicitInstance{in: in, written: x}
	var err error
	if x.Signature {
		explicit.signature, err = in.r.syntax.function(d)
	}
	var t *template
	var args []templateArg
	var own []string
	if err == nil {
		t, args, own, err = explicit.choose(list)
	}
	if err != nil {
		var u unsupported
		if errors.As(err, &u) {
			p.LeftOut = append(p.LeftOut, tree.LeftOut{Name: x.HostName, Pos: x.Pos, Reason: u.at.Msg})
			in.errs.WarnOf(u.at.Msg, x.Pos, "kernel %s is left out: %s", x.HostName, u.at.Msg)
			return
		}
		in.report(err, x.Pos)
		return
	}
	f, err := t.function(p.resolver)
	if err != nil {
		in.report(err, x.Pos)
		return
	}
	k := &tree.Kernel{
		Name: x.HostName, HostName: true, Decl: t.decl, Pos: d.Pos,
		Template: in.r.kernelTemplate(t, f), Args: plainArgs(args),
	}
	p.addKernel(&kernel{Kernel: k, syntax: f, namespace: own, instantiation: d})
}

// kernelTemplate is the one description of a template.
func (r *resolver) kernelTemplate(t *template, f *parser.Function) *tree.KernelTemplate {
	k := r.templates.kernels[t]
	if k == nil {
		k = &tree.KernelTemplate{Name: t.name, Decl: t.decl, Pos: f.Pos}
		r.templates.kernels[t] = k
	}
	return k
}

// function is the head of a function template.
func (t *template) function(r *resolver) (*parser.Function, error) {
	d, err := t.declaration(r)
	if err != nil {
		return nil, err
	}
	return d.Function, nil
}

// functionTemplates finds the function templates of a name, definitions only.
func (in env) functionTemplates(path parser.Path) []*template {
	var list []*template
	for _, t := range in.templatesNamed(path) {
		if t.head.Kind == parser.FunctionTemplate && t.decl.Open >= 0 && t.head.Args == nil && len(t.head.Params) > 0 {
			list = append(list, t)
		}
	}
	return list
}

// explicitInstance is an explicit instantiation of a template of kernels.
type explicitInstance struct {
	in        env
	written   *parser.Instantiation
	signature *parser.Function // as it is written, or nil
}

// choose finds which of several overloaded templates an instantiation is
// of, and its arguments: the one that takes them, with a signature that is the
// one written.
func (x explicitInstance) choose(list []*template) (*template, []templateArg, []string, error) {
	var found *template
	var foundArgs []templateArg
	var foundOwn []string
	var first error
	for _, t := range list {
		args, own, err := x.arguments(t)
		if err == nil && x.signature != nil {
			err = sameSignature(x.in, t, own, x.signature)
		}
		switch {
		case err == errNotDeduced:
			err = posError(x.written.Pos, "%s needs more template arguments than these", t.name)
			fallthrough
		case err != nil:
			if first == nil {
				first = err
			}
		case found != nil:
			return nil, nil, nil,
				posError(x.written.Pos, "this may be an instance of the templates at %s and %s", posText(found.decl.Pos),
					posText(t.decl.Pos))
		default:
			found, foundArgs, foundOwn = t, args, own
		}
	}
	if found == nil {
		return nil, nil, nil, first
	}
	if s := x.in.r.explicitOf(found, foundArgs, foundOwn); s != nil {
		return s, foundArgs, foundOwn, nil
	}
	return found, foundArgs, foundOwn, nil
}

// explicitOf finds the explicit specialisation of a function template for
// arguments, or nil: one that writes them, or whose signature is that of the
// instance (C++14 14.7.3).
func (r *resolver) explicitOf(t *template, args []templateArg, own []string) *template {
	for _, s := range r.explicits(t) {
		if s.decl.Open < 0 {
			continue
		}
		if s.head.Args != nil && len(s.head.Args.Args) == len(t.head.Params) {
			if given, drafted, err := r.at(s.namespace).arguments(t, s.head.Args, nil); err == nil {
				if r.facts.keyOf(given) == r.facts.keyOf(args) && r.specialises(s, t, own) {
					return s
				}
				r.forgetDraft(drafted, t.head.Params)
			}
			continue
		}
		in := r.at(s.namespace)
		if f, err := s.function(r); err == nil && sameSignature(in, t, own, f) == nil && sameResult(in, t, own, f) {
			return s
		}
	}
	return nil
}

// specialises reports whether a specialisation whose arguments are those of an instance is of that template. Of several
// overloaded ones its parameters say which.
func (r *resolver) specialises(s, t *template, own []string) bool {
	others := slices.ContainsFunc(r.templates.named[t.name], func(o *template) bool {
		return o != t && o.head.Kind == parser.FunctionTemplate && len(o.head.Params) > 0 && o.decl.From < s.decl.From
	})
	if !others || t.method != nil {
		return true
	}
	f, err := s.function(r)
	return err == nil && sameSignature(r.at(s.namespace), t, own, f) == nil
}

// sameResult reports whether a specialisation returns what the instance does: it may be
// all that tells several apart.
func sameResult(in env, t *template, own []string, written *parser.Function) bool {
	f, err := t.function(in.r)
	if err != nil {
		return false
	}
	want, err := in.from(own).fullType(f.Result, f.Pointers, nil)
	have, failed := in.fullType(written.Result, written.Pointers, nil)
	return err != nil || failed != nil || types.Same(want, have)
}

// explicits lists the explicit specialisations of a function template's name.
func (r *resolver) explicits(t *template) []*template {
	var list []*template
	if t.method == nil {
		for _, s := range r.templates.named[t.name] {
			if len(s.head.Params) == 0 && s.head.Kind == parser.FunctionTemplate {
				list = append(list, s)
			}
		}
		return list
	}
	for _, m := range t.method.syntax.Members {
		if d := m.Decl; d != nil && d.Template != nil && d.Template.Kind == parser.FunctionTemplate &&
			d.Template.Name == t.head.Name && len(d.Template.Params) == 0 {
			list = append(list,
				&template{name: t.name, namespace: t.method.namespace, decl: d, head: d.Template, method: t.method,
					instances: map[string]*instance{}})
		}
	}
	return list
}

// arguments binds the arguments of an instantiation, those that it leaves
// out to what its signature says.
func (x explicitInstance) arguments(t *template) ([]templateArg, []string, error) {
	if x.signature == nil {
		return x.in.arguments(t, x.written.Args, nil)
	}
	f, err := t.function(x.in.r)
	if err != nil {
		return nil, nil, err
	}
	if i := packParam(f); i >= 0 {
		return nil, nil, unsupportedError(f.Params[i].Pos, "metalgen does not bind kernels whose parameters are a pack")
	}
	d := newDeduction(x.in.r, t)
	if len(f.Params) == len(x.signature.Params) &&
		(x.written.Args == nil || len(x.written.Args.Args) < len(t.head.Params)) {
		for i, param := range f.Params {
			s := x.signature.Params[i]
			known, err := x.in.fullType(s.Type, referred(s.Pointers), dimsOf(s))
			if err != nil {
				continue // nothing to deduce from; sameSignature says what is wrong
			}
			d.typ(param.Type, param.Pointers, dimsOf(param), known)
		}
	}
	return x.in.arguments(t, x.written.Args, d.found)
}

// referred leaves out the & of a parameter, which is not matched with what it refers to.
func referred(pointers []*parser.Pointer) []*parser.Pointer {
	if n := len(pointers); n > 0 && pointers[n-1].Op != "*" {
		return pointers[:n-1]
	}
	return pointers
}

func dimsOf(param *parser.Param) []*parser.Dim {
	if param.Declarator == nil {
		return nil
	}
	return param.Declarator.Dims
}

// sameSignature returns an error where the parameters of an instance are not those
// that its instantiation writes.
func sameSignature(in env, t *template, own []string, written *parser.Function) error {
	f, err := t.function(in.r)
	if err != nil {
		return err
	}
	if len(f.Params) != len(written.Params) {
		return posError(written.Pos, "%s takes %d arguments, this instance of it %d", t.name, len(f.Params),
			len(written.Params))
	}
	for i, param := range f.Params {
		w := written.Params[i]
		want, err := in.from(own).fullType(param.Type, param.Pointers, openDims(param))
		if err != nil {
			return err
		}
		have, err := in.fullType(w.Type, w.Pointers, openDims(w))
		if err != nil {
			return err
		}
		if !types.Same(want, have) {
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
