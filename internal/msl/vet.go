package msl

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/parser/preprocess"
)

// Vet checks all of a program: the bodies of all its functions, called or not, and
// its types and constants. It returns the mistakes that are left once Analyze has
// found none. What Metal may allow and metalgen does not know is none of them.
//
// Kernels are checked with what they call, as Body does, and then the functions that
// nobody has called. A template is checked once by itself, as far as it does not
// depend on its parameters: those are names of which nothing is known
// (vet_template.go).
func (p *Program) Vet() parser.ErrorList {
	p.checking.Lock()
	defer p.checking.Unlock()
	r := p.resolver
	r.listFunctions()
	r.vetting = true
	v := &vetter{resolver: r, program: p}
	for _, k := range p.Kernels {
		v.checked(&unit{errs: k.Errors})
		if k.Unbound || k.Errors.HasErrors() {
			v.openFunction(&function{decl: k.Decl, syntax: r.facts.kernels[k].syntax, name: k.Name,
				namespace: r.facts.kernels[k].namespace})
			continue
		}
		f := r.bodies.kernels[k]
		if f == nil {
			f = r.checkKernel(r.facts.kernels[k])
			r.bodies.kernels[k] = f
		}
		v.checked(&f.unit)
	}
	v.symbols()
	v.functions()
	v.declarations()
	for _, d := range r.source.Decls {
		if !preprocess.InLibrary(d.Pos) {
			v.declaration(d)
		}
	}
	return v.mistakes()
}

// vetter checks all of a program.
type vetter struct {
	*resolver
	program *Program
	open    []*unit // templates and what else is not known in full
	whole   []*unit
}

// checked notes a unit whose errors count.
func (v *vetter) checked(u *unit) { v.whole = append(v.whole, u) }

// mistakes gathers the errors of all that was checked. Of several at one place there
// is one: it is the same in all instances of a template, and first in the template.
func (v *vetter) mistakes() parser.ErrorList {
	var list parser.ErrorList
	seen := map[*unit]bool{}
	for todo := slices.Concat(v.open, v.whole); len(todo) > 0; {
		u := todo[0]
		todo = todo[1:]
		if seen[u] {
			continue
		}
		seen[u] = true
		list = append(list, u.errs...)
		todo = append(todo, u.uses...)
	}
	list = append(list, v.types.errs...)
	list = slices.DeleteFunc(list, func(e *parser.Error) bool { return e.Warning || e.Unsupported })
	slices.SortStableFunc(list, func(a, b *parser.Error) int {
		return cmp.Or(cmp.Compare(a.Pos.Filename, b.Pos.Filename), cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Column, b.Pos.Column))
	})
	return slices.CompactFunc(list, func(a, b *parser.Error) bool { return a.Pos == b.Pos })
}

// symbols checks the types and constants of the program, and the methods of its
// structs.
func (v *vetter) symbols() {
	for _, name := range slices.Sorted(maps.Keys(v.resolver.symbols)) {
		s := v.resolver.symbols[name]
		if s == nil || s.decl == nil || preprocess.InLibrary(s.pos) || s.param || s.instance != nil || s.name != name || strings.ContainsRune(name, '<') {
			continue
		}
		u := &unit{}
		c := v.newChecker(u, s.namespace)
		switch {
		case s.aliased != nil && s.aliased.typ != nil && s.aliased.typ.Decltype != nil:
			// that of a function is no type of a value
		case s.isType():
			t, err := c.symbolType(s)
			switch {
			case err != nil:
				c.report(err, s.pos)
				if s.structure != nil {
					v.openStruct(s.decl, s.structure, s.namespace)
				}
			case s.structure != nil:
				v.class(v.facts.class(t.Struct))
			}
		case s.variable != nil && s.varType != nil:
			c.globalValue(s, &parser.Name{Path: []string{s.name}, Pos: s.pos})
		}
		v.checked(u)
	}
}

// class checks the methods of a struct and the initial values of its fields.
func (v *vetter) class(st *class) {
	if st.syntax == nil {
		return
	}
	for _, f := range st.Fields {
		if st.inits[f] == nil {
			continue
		}
		u := &unit{}
		c := v.newChecker(u, st.namespace)
		if usesFields(st, f) {
			c.ownValue(st, f, &tree.Var{Name: "this", Type: st.typ, Pos: st.Pos, Space: "thread"})
		} else {
			c.fieldValue(st, f)
		}
		v.checked(u)
	}
	v.templatesTwice(st.syntax)
	seen := map[string]bool{}
	for _, m := range st.syntax.Members {
		v.virtual(m.Decl)
		name := methodName(m.Decl)
		if name == "" || seen[name] {
			continue
		}
		seen[name] = true
		found := v.methodsIn(st, name)
		found.add(v.friendsIn(st, name))
		for _, f := range found.functions {
			v.function(f)
		}
		v.methodOverloads(found)
		for _, t := range found.templates {
			v.functionTemplate(t, nil)
		}
	}
}

// virtual complains of a virtual method, which Metal does not have (section 1.5.4).
func (v *vetter) virtual(d *parser.Decl) {
	if d == nil {
		return
	}
	for _, t := range v.source.Tokens[d.From:d.To] {
		if t.Is("(") || t.Is("{") {
			return
		}
		if t.Is("virtual") {
			u := &unit{}
			u.errs.Add(t.Pos, "Metal has no virtual functions")
			v.checked(u)
			return
		}
	}
}

// methodName is the name of the function that a member of a struct is, or "".
func methodName(d *parser.Decl) string {
	switch {
	case d == nil:
		return ""
	case d.Template != nil && d.Template.Kind == parser.FunctionTemplate:
		return d.Template.Name
	}
	return d.Helper
}

// functions checks the functions of the program that are no templates.
func (v *vetter) functions() {
	for _, name := range slices.Sorted(maps.Keys(v.bodies.functions)) {
		for _, f := range v.bodies.functions[name] {
			if (f.decl.Scope == nil || v.ofNamespace(f.decl)) && !preprocess.InLibrary(f.decl.Pos) {
				v.function(f)
			}
		}
	}
}

// ofNamespace reports whether the name of a definition is qualified with that of a
// namespace, and not with that of a struct.
func (v *vetter) ofNamespace(d *parser.Decl) bool {
	path := namesIn(qualifierOf(d))
	in := v.at(d.Namespace)
	return in.lookup(path) == nil && in.classNamed(path) == nil
}

// namesIn is the names of a path without the template arguments in it.
func namesIn(tokens *parser.Tokens) []string {
	var path []string
	depth := 0
	for _, t := range tokens.List {
		switch {
		case t.Is("<"):
			depth++
		case t.Is(">"):
			depth--
		case t.Kind == parser.Ident && depth == 0:
			path = append(path, t.Text)
		}
	}
	return path
}

// function checks a function of which everything should be known.
func (v *vetter) function(f *function) {
	v.checked(&f.unit)
	if !v.signatureOf(f) {
		v.openFunction(&function{decl: f.decl, syntax: f.syntax, namespace: f.namespace, name: f.name, method: f.method,
			outside: f.outside})
		return
	}
	v.defaults(f)
	if f.state == unresolved && f.decl.Open >= 0 {
		f.state, f.made = resolving, f.decl.Pos
		v.checkBody(f)
		f.state = resolved
	}
}

// defaults checks the default values of a function's parameters.
func (v *vetter) defaults(f *function) {
	for i, def := range f.defaults {
		if def == nil || f.fn.Params[i].Type == nil {
			continue
		}
		u := &unit{}
		c := v.newChecker(u, f.namespace)
		c.fn, c.open = f.fn, f.open
		if x := c.defaultValue([]*function{f}, f, i); x != nil {
			if p := f.fn.Params[i]; p.Ref {
				c.bind(p, x)
			} else {
				c.implicit(x, p.Type)
			}
		}
		v.checked(u)
	}
}

// openFunction checks the body of a function whose signature is not known in full.
func (v *vetter) openFunction(f *function) {
	f.open = true
	v.open = append(v.open, &f.unit)
	if !v.signatureOf(f) {
		return
	}
	if f.decl.Function != nil {
		f.errs = nil // of a kernel they have been reported
	}
	v.defaults(f)
	if f.decl.Open >= 0 {
		f.state = resolving
		v.checkBody(f)
		f.state = resolved
	}
}

// unknownParam is a parameter of which only the name is known.
func unknownParam(param *parser.Param) *tree.Var {
	return &tree.Var{Name: paramName(param), Pos: param.Pos, Space: "thread", Param: true}
}
