package resolve

import (
	"slices"

	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// FunctionTemplates finds the function templates of a name, definitions only.
func (in Env) FunctionTemplates(path parser.Path) []*Template {
	var list []*Template
	for _, t := range in.TemplatesNamed(path) {
		if t.Head.Kind == parser.FunctionTemplate && t.Decl.Open >= 0 && t.Head.Args == nil && len(t.Head.Params) > 0 {
			list = append(list, t)
		}
	}
	return list
}

// ExplicitOf finds the explicit specialisation of a function template for
// arguments, or nil: one that writes them, or whose signature is that of the
// instance (C++14 14.7.3).
func (r *Resolver) ExplicitOf(t *Template, args []TemplateArg, own []string) *Template {
	for _, s := range r.explicits(t) {
		if s.Decl.Open < 0 {
			continue
		}
		if s.Head.Args != nil && len(s.Head.Args.Args) == len(t.Head.Params) {
			if given, drafted, err := r.At(s.Namespace).Arguments(t, s.Head.Args, nil); err == nil {
				if r.Facts.KeyOf(given) == r.Facts.KeyOf(args) && r.specialises(s, t, own) {
					return s
				}
				r.forgetDraft(drafted, t.Head.Params)
			}
			continue
		}
		in := r.At(s.Namespace)
		if f, err := s.Function(r); err == nil && SameSignature(in, t, own, f) == nil && sameResult(in, t, own, f) {
			return s
		}
	}
	return nil
}

// specialises reports whether a specialisation whose arguments are those of an instance is of that template. Of several
// overloaded ones its parameters say which.
func (r *Resolver) specialises(s, t *Template, own []string) bool {
	others := slices.ContainsFunc(r.Templates.Named[t.Name], func(o *Template) bool {
		return o != t && o.Head.Kind == parser.FunctionTemplate && len(o.Head.Params) > 0 && o.Decl.From < s.Decl.From
	})
	if !others || t.Method != nil {
		return true
	}
	f, err := s.Function(r)
	return err == nil && SameSignature(r.At(s.Namespace), t, own, f) == nil
}

// sameResult reports whether a specialisation returns what the instance does: it may be
// all that tells several apart.
func sameResult(in Env, t *Template, own []string, written *parser.Function) bool {
	f, err := t.Function(in.R)
	if err != nil {
		return false
	}
	want, err := in.From(own).FullType(f.Result, f.Pointers, nil)
	have, failed := in.FullType(written.Result, written.Pointers, nil)
	return err != nil || failed != nil || types.Same(want, have)
}

// explicits lists the explicit specialisations of a function template's name.
func (r *Resolver) explicits(t *Template) []*Template {
	var list []*Template
	if t.Method == nil {
		for _, s := range r.Templates.Named[t.Name] {
			if len(s.Head.Params) == 0 && s.Head.Kind == parser.FunctionTemplate {
				list = append(list, s)
			}
		}
		return list
	}
	for _, m := range t.Method.Syntax.Members {
		if d := m.Decl; d != nil && d.Template != nil && d.Template.Kind == parser.FunctionTemplate &&
			d.Template.Name == t.Head.Name && len(d.Template.Params) == 0 {
			list = append(list,
				&Template{Name: t.Name, Namespace: t.Method.Namespace, Decl: d, Head: d.Template, Method: t.Method,
					instances: map[string]*instance{}})
		}
	}
	return list
}

// DimsOf are the dimensions of a parameter.
func DimsOf(param *parser.Param) []*parser.Dim {
	if param.Declarator == nil {
		return nil
	}
	return param.Declarator.Dims
}

// SameSignature returns an error where the parameters of an instance are not those
// that its instantiation writes.
func SameSignature(in Env, t *Template, own []string, written *parser.Function) error {
	f, err := t.Function(in.R)
	if err != nil {
		return err
	}
	if len(f.Params) != len(written.Params) {
		return Errorf(written.Pos, "%s takes %d arguments, this instance of it %d", t.Name, len(f.Params),
			len(written.Params))
	}
	for i, param := range f.Params {
		w := written.Params[i]
		want, err := in.From(own).FullType(param.Type, param.Pointers, openDims(param))
		if err != nil {
			return err
		}
		have, err := in.FullType(w.Type, w.Pointers, openDims(w))
		if err != nil {
			return err
		}
		if !types.Same(want, have) {
			return Errorf(w.Pos, "argument %d of %s is %s, here it is %s", i, t.Name, want.Spelled(), have.Spelled())
		}
	}
	return nil
}

// openDims leaves out the first dimension of a parameter, which is a pointer.
func openDims(param *parser.Param) []*parser.Dim {
	dims := DimsOf(param)
	if len(dims) > 0 && param.Declarator.Inner == nil {
		return dims[1:]
	}
	return dims
}
