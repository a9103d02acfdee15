package resolve

import (
	"slices"
	"strings"

	"github.com/metalgen/metalgen/parser"
)

// Methods may be defined outside of their struct, as `S::f` or `S<T>::f`, and
// those of an instance may be specialised, as `template <> S<int>::f`.

// ListOutside finds what is defined outside of its struct, by the plain name.
func (r *Resolver) ListOutside() {
	for _, d := range r.Source.Decls {
		switch {
		case d.Helper != "" && d.Scope != nil:
			r.outside[d.Helper] = append(r.outside[d.Helper], d)
		case d.Template != nil && d.Template.Kind == parser.FunctionTemplate && d.Template.Scope != nil:
			r.outside[d.Template.Name] = append(r.outside[d.Template.Name], d)
		}
	}
}

// QualifierOf is what the name of a definition is qualified with.
func QualifierOf(d *parser.Decl) *parser.Tokens {
	if d.Template != nil {
		return d.Template.Scope
	}
	return d.Scope
}

// addOutside adds the definitions of methods of a name that stand outside.
func (r *Resolver) addOutside(st *Class, name string, found *Callee) {
	for _, d := range r.outside[name] {
		if st.local || d.Open < 0 {
			continue
		}
		namespace, own, ok := r.belongs(d, st)
		if !ok {
			continue
		}
		head := d.Template
		if head != nil && st.Instance != nil && len(head.Params) > 0 || head != nil && head.Inner != nil {
			head = head.Inner // the first head is that of the class
		}
		if head != nil && len(head.Params) > 0 {
			found.Templates = append(found.Templates, &Template{
				Name: st.Name + "::" + name, Namespace: namespace, Decl: d, Head: head, Method: st,
				instances: map[string]*instance{},
			})
			continue
		}
		found.Functions = append(found.Functions, &Function{
			Decl: d, Namespace: namespace, Name: st.Name + "::" + name, Method: st, Outside: true, Special: own,
		})
	}
	// a template that is only declared within the struct is the one outside
	if slices.ContainsFunc(found.Templates, func(t *Template) bool { return t.Decl.Open >= 0 }) {
		found.Templates = slices.DeleteFunc(found.Templates, func(t *Template) bool { return t.Decl.Open < 0 })
	}
}

// belongs reports whether a definition is one of a struct's methods, with the
// namespace in which its names are looked up. special is set where it is of that
// one instance only.
func (r *Resolver) belongs(d *parser.Decl, st *Class) (namespace []string, special, ok bool) {
	tn, err := r.Syntax.Type(QualifierOf(d).List)
	if err != nil {
		return nil, false, false
	}
	t := tn.Type
	plain := st.Name
	if st.Instance != nil {
		plain = st.Instance.Template.Name
	}
	path := strings.Join(t.Path, "::")
	if plain != path && !strings.HasSuffix(plain, "::"+path) || Qualify(d.Namespace, path) != plain {
		return nil, false, false
	}
	switch {
	case st.Instance == nil:
		return st.Namespace, false, t.Args == nil
	case t.Args == nil || d.Template == nil:
		return nil, false, false
	case len(d.Template.Params) == 0:
		args, _, err := r.At(d.Namespace).Arguments(st.Instance.Template, t.Args, nil)
		return st.Namespace, true, err == nil && r.Facts.KeyOf(args) == r.Facts.KeyOf(st.Instance.Args)
	case st.Instance.chosen != st.Instance.Template || len(t.Args.Args) != len(st.Instance.Args):
		return nil, false, false
	}
	return r.renamed(d, st, t.Args), false, true
}

// renamed is the namespace of a struct with the names that a definition outside
// has for the parameters of its template.
func (r *Resolver) renamed(d *parser.Decl, st *Class, args *parser.TemplateArgs) []string {
	own := Clip(st.Namespace, "<outside "+PosText(d.Pos)+">")
	for i, tokens := range args.Args {
		if len(tokens.List) != 1 {
			continue
		}
		if k := ParamIndex(d.Template.Params, tokens.List[0].Text); k >= 0 {
			r.bindParam(own, d.Template.Params[k], st.Instance.Args[i])
		}
	}
	return own
}

// StaticOutside reports whether a method that is defined outside is declared static
// within its struct.
func (r *Resolver) StaticOutside(f *Function) bool {
	for _, m := range f.Method.Syntax.Members {
		if m.Decl == nil || m.Decl.Template != nil || m.Decl.Helper != f.Syntax.Name {
			continue
		}
		if inner, err := r.Syntax.Function(m.Decl); err == nil && IsStatic(inner) &&
			len(inner.Params) == len(f.Syntax.Params) {
			return true
		}
	}
	return false
}
