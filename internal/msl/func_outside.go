package msl

import (
	"slices"
	"strings"

	"github.com/metalgen/metalgen/parser"
)

// Methods may be defined outside of their struct, as `S::f` or `S<T>::f`, and
// those of an instance may be specialised, as `template <> S<int>::f`.

// listOutside finds what is defined outside of its struct, by the plain name.
func (r *resolver) listOutside() {
	for _, d := range r.source.Decls {
		switch {
		case d.Helper != "" && d.Scope != nil:
			r.outside[d.Helper] = append(r.outside[d.Helper], d)
		case d.Template != nil && d.Template.Kind == parser.FunctionTemplate && d.Template.Scope != nil:
			r.outside[d.Template.Name] = append(r.outside[d.Template.Name], d)
		}
	}
}

// qualifierOf is what the name of a definition is qualified with.
func qualifierOf(d *parser.Decl) *parser.Tokens {
	if d.Template != nil {
		return d.Template.Scope
	}
	return d.Scope
}

// addOutside adds the definitions of methods of a name that stand outside.
func (r *resolver) addOutside(st *class, name string, found *callee) {
	for _, d := range r.outside[name] {
		if st.local || d.Open < 0 {
			continue
		}
		namespace, own, ok := r.belongs(d, st)
		if !ok {
			continue
		}
		head := d.Template
		if head != nil && st.instance != nil && len(head.Params) > 0 || head != nil && head.Inner != nil {
			head = head.Inner // the first head is that of the class
		}
		if head != nil && len(head.Params) > 0 {
			found.templates = append(found.templates, &template{
				name: st.Name + "::" + name, namespace: namespace, decl: d, head: head, method: st,
				instances: map[string]*instance{},
			})
			continue
		}
		found.functions = append(found.functions, &function{
			decl: d, namespace: namespace, name: st.Name + "::" + name, method: st, outside: true, special: own,
		})
	}
	// a template that is only declared within the struct is the one outside
	if slices.ContainsFunc(found.templates, func(t *template) bool { return t.decl.Open >= 0 }) {
		found.templates = slices.DeleteFunc(found.templates, func(t *template) bool { return t.decl.Open < 0 })
	}
}

// belongs reports whether a definition is one of a struct's methods, with the
// namespace in which its names are looked up. special is set where it is of that
// one instance only.
func (r *resolver) belongs(d *parser.Decl, st *class) (namespace []string, special, ok bool) {
	tn, err := r.syntax.typ(qualifierOf(d).List)
	if err != nil {
		return nil, false, false
	}
	t := tn.Type
	plain := st.Name
	if st.instance != nil {
		plain = st.instance.template.name
	}
	path := strings.Join(t.Path, "::")
	if plain != path && !strings.HasSuffix(plain, "::"+path) || qualify(d.Namespace, path) != plain {
		return nil, false, false
	}
	switch {
	case st.instance == nil:
		return st.namespace, false, t.Args == nil
	case t.Args == nil || d.Template == nil:
		return nil, false, false
	case len(d.Template.Params) == 0:
		args, _, err := r.at(d.Namespace).arguments(st.instance.template, t.Args, nil)
		return st.namespace, true, err == nil && r.facts.keyOf(args) == r.facts.keyOf(st.instance.args)
	case st.instance.chosen != st.instance.template || len(t.Args.Args) != len(st.instance.args):
		return nil, false, false
	}
	return r.renamed(d, st, t.Args), false, true
}

// renamed is the namespace of a struct with the names that a definition outside
// has for the parameters of its template.
func (r *resolver) renamed(d *parser.Decl, st *class, args *parser.TemplateArgs) []string {
	own := clip(st.namespace, "<outside "+posText(d.Pos)+">")
	for i, tokens := range args.Args {
		if len(tokens.List) != 1 {
			continue
		}
		if k := paramIndex(d.Template.Params, tokens.List[0].Text); k >= 0 {
			r.bindParam(own, d.Template.Params[k], st.instance.args[i])
		}
	}
	return own
}

// staticOutside reports whether a method that is defined outside is declared static
// within its struct.
func (r *resolver) staticOutside(f *function) bool {
	for _, m := range f.method.syntax.Members {
		if m.Decl == nil || m.Decl.Template != nil || m.Decl.Helper != f.syntax.Name {
			continue
		}
		if inner, err := r.syntax.function(m.Decl); err == nil && isStatic(inner) &&
			len(inner.Params) == len(f.syntax.Params) {
			return true
		}
	}
	return false
}
