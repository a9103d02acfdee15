package msl

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/resolve"
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
// depend on its parameters: those are names about which nothing is known
// (vet_template.go).
func (p *Program) Vet() parser.ErrorList {
	p.checking.Lock()
	defer p.checking.Unlock()
	r := p.resolver
	listFunctions(r)
	r.Vetting = true
	v := &vetter{r: r, program: p}
	for _, k := range p.Kernels {
		v.checked(&resolve.Unit{Errs: k.Errors})
		if k.Unbound || k.Errors.HasErrors() {
			v.openFunction(&resolve.Function{Decl: k.Decl, Syntax: p.kernels[k].syntax, Name: k.Name,
				Namespace: p.kernels[k].namespace})
			continue
		}
		v.checked(&p.kernelBody(r, k).Unit)
	}
	v.symbols()
	v.functions()
	v.declarations()
	v.templatesTwice(r.Source.Decls)
	for _, d := range r.Source.Decls {
		if !preprocess.InLibrary(d.Pos) {
			v.declaration(d)
		}
	}
	return v.mistakes()
}

// vetter checks all of a program.
type vetter struct {
	r       *resolve.Resolver
	program *Program
	open    []*resolve.Unit // templates and what else is not known in full
	whole   []*resolve.Unit
}

// checked notes a unit whose errors count.
func (v *vetter) checked(u *resolve.Unit) { v.whole = append(v.whole, u) }

// mistakes gathers the errors of all that was checked. Of several at one place there
// is one: it is the same in all instances of a template, and first in the template.
func (v *vetter) mistakes() parser.ErrorList {
	var list parser.ErrorList
	seen := map[*resolve.Unit]bool{}
	for todo := slices.Concat(v.open, v.whole); len(todo) > 0; {
		u := todo[0]
		todo = todo[1:]
		if seen[u] {
			continue
		}
		seen[u] = true
		list = append(list, u.Errs...)
		todo = append(todo, u.Uses...)
	}
	list = append(list, v.r.Types.Errs...)
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
	for _, name := range slices.Sorted(maps.Keys(v.r.Symbols)) {
		s := v.r.Symbols[name]
		if s == nil || s.Decl == nil || preprocess.InLibrary(s.Pos) || s.Param || s.Instance != nil || s.Name != name ||
			strings.ContainsRune(name, '<') {
			continue
		}
		u := &resolve.Unit{}
		c := newChecker(v.r, u, s.Namespace)
		switch {
		case s.Aliased != nil && s.Aliased.Type != nil && s.Aliased.Type.Decltype != nil:
			// that of a function is no type of a value
		case s.IsType():
			t, err := c.in.SymbolType(s)
			switch {
			case err != nil:
				c.report(err, s.Pos)
				if s.Structure != nil {
					v.openStruct(s.Decl, s.Structure, s.Namespace)
				}
			case s.Structure != nil:
				v.class(v.r.Facts.Class(t.Struct))
			}
		case s.Variable != nil && s.VarType != nil:
			globalValue(c, s, &parser.Name{Path: []string{s.Name}, Pos: s.Pos})
		}
		v.checked(u)
	}
}

// class checks the methods of a struct and the initial values of its fields.
func (v *vetter) class(st *resolve.Class) {
	if st.Syntax == nil {
		return
	}
	for _, f := range st.Fields {
		if st.Inits[f] == nil {
			continue
		}
		u := &resolve.Unit{}
		c := newChecker(v.r, u, st.Namespace)
		if usesFields(st, f) {
			ownValue(c, st, f, &tree.Var{Name: "this", Type: st.Type, Pos: st.Pos, Space: "thread"})
		} else {
			fieldValue(c, st, f)
		}
		v.checked(u)
	}
	v.templatesTwice(declarations(st.Syntax))
	seen := map[string]bool{}
	for _, m := range st.Syntax.Members {
		v.virtual(m.Decl)
		name := resolve.MethodName(m.Decl)
		if name == "" || seen[name] {
			continue
		}
		seen[name] = true
		found := v.r.MethodsIn(st, name)
		found.Add(v.r.FriendsIn(st, name))
		for _, f := range found.Functions {
			v.function(f)
		}
		v.methodOverloads(found)
		for _, t := range found.Templates {
			v.functionTemplate(t, nil)
		}
	}
}

// virtual complains of a virtual method, which Metal does not have (section 1.5.4).
func (v *vetter) virtual(d *parser.Decl) {
	if d == nil {
		return
	}
	for _, t := range v.r.Source.Tokens[d.From:d.To] {
		if t.Is("(") || t.Is("{") {
			return
		}
		if t.Is("virtual") {
			u := &resolve.Unit{}
			u.Errs.Add(t.Pos, "Metal has no virtual functions")
			v.checked(u)
			return
		}
	}
}

// functions checks the functions of the program that are no templates.
func (v *vetter) functions() {
	for _, name := range slices.Sorted(maps.Keys(v.r.Bodies.Functions)) {
		for _, f := range v.r.Bodies.Functions[name] {
			if (f.Decl.Scope == nil || v.ofNamespace(f.Decl)) && !preprocess.InLibrary(f.Decl.Pos) {
				v.function(f)
			}
		}
	}
}

// ofNamespace reports whether the name of a definition is qualified with that of a
// namespace, and not with that of a struct.
func (v *vetter) ofNamespace(d *parser.Decl) bool {
	path := namesIn(resolve.QualifierOf(d))
	in := v.r.At(d.Namespace)
	return in.Lookup(path) == nil && in.ClassNamed(path) == nil
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

// function checks a function whose types should all be known.
func (v *vetter) function(f *resolve.Function) {
	v.checked(&f.Unit)
	if !signatureOf(v.r, f) {
		v.openFunction(&resolve.Function{Decl: f.Decl, Syntax: f.Syntax, Namespace: f.Namespace, Name: f.Name,
			Method: f.Method, Outside: f.Outside})
		return
	}
	v.defaults(f)
	if f.State == resolve.Unresolved && f.Decl.Open >= 0 {
		f.State, f.Made = resolve.Resolving, f.Decl.Pos
		checkBody(v.r, f)
		f.State = resolve.Resolved
	}
}

// defaults checks the default values of a function's parameters.
func (v *vetter) defaults(f *resolve.Function) {
	for i, def := range f.Defaults {
		if def == nil || f.Fn.Params[i].Type == nil {
			continue
		}
		u := &resolve.Unit{}
		c := newChecker(v.r, u, f.Namespace)
		c.fn, c.in.Open = f.Fn, f.Open
		if x := defaultValue(c, []*resolve.Function{f}, f, i); x != nil {
			if p := f.Fn.Params[i]; p.Ref {
				c.bind(p, x)
			} else {
				c.implicit(x, p.Type)
			}
		}
		v.checked(u)
	}
}

// openFunction checks the body of a function whose signature is not known in full.
func (v *vetter) openFunction(f *resolve.Function) {
	f.Open = true
	v.open = append(v.open, &f.Unit)
	if !signatureOf(v.r, f) {
		return
	}
	if f.Decl.Function != nil {
		f.Errs = nil // of a kernel they have been reported
	}
	v.defaults(f)
	if f.Decl.Open >= 0 {
		f.State = resolve.Resolving
		checkBody(v.r, f)
		f.State = resolve.Resolved
	}
}

// unknownParam is a parameter with only its name known.
func unknownParam(param *parser.Param) *tree.Var {
	return &tree.Var{Name: paramName(param), Pos: param.Pos, Space: "thread", Param: true}
}
