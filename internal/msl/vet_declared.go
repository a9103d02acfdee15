package msl

import (
	"maps"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// redeclaration is a name that is declared again: fine for some names, a mistake for
// others, which only vet minds.
type redeclaration struct{ first, again *symbol }

// declarations checks what names are declared as.
func (v *vetter) declarations() {
	u := &unit{}
	c := v.r.newChecker(u, nil)
	v.checked(u)
	for _, r := range v.r.redeclared {
		checkRedeclared(c, r)
	}
	for _, name := range slices.Sorted(maps.Keys(v.r.bodies.functions)) {
		list := slices.DeleteFunc(slices.Clone(v.r.bodies.functions[name]),
			func(f *function) bool { return f.name != name })
		checkOverloads(c, list)
		if s := v.r.symbols[name]; s != nil && len(list) > 0 && s.structure == nil && s.enum == nil {
			c.fail(list[0].decl.Pos, "%s is declared as something else at %s", name, posText(s.pos))
		}
	}
	for _, d := range v.r.source.Decls {
		if d.Using != nil {
			usedName(c, d)
		}
	}
}

// checkRedeclared complains of a name that is declared twice.
func checkRedeclared(c *checker, r redeclaration) {
	a, b := r.first, r.again
	if a.aliased != nil && b.aliased != nil {
		s, err := c.in.symbolType(a)
		t, failed := c.in.symbolType(b)
		if err != nil || failed != nil || types.Same(s, t) {
			return
		}
	}
	if a.variable != nil && b.variable != nil && (a.variable.Value == nil || b.variable.Value == nil) {
		return // a declaration and a definition
	}
	c.fail(b.pos, "%s is declared twice; the first is at %s", b.name, posText(a.pos))
}

// checkOverloads complains of functions of one name that no call can tell apart.
func checkOverloads(c *checker, list []*function) {
	for i, f := range list {
		if !c.r.signatureOf(f) || f.special {
			continue
		}
		for _, o := range list[:i] {
			if o.special || o.signature != resolved || !sameParams(o.fn, f.fn) ||
				f.constructor() && objectSpace(o) != objectSpace(f) {
				continue
			}
			switch {
			case o.decl.Open >= 0 && f.decl.Open >= 0:
				c.fail(f.fn.Pos, "%s is defined twice; the first is at %s", f.name, posText(o.fn.Pos))
			case f.fn.Result != nil && o.fn.Result != nil && !types.Same(f.fn.Result, o.fn.Result):
				c.fail(f.fn.Pos, "%s differs from that at %s in its result only", f.name, posText(o.fn.Pos))
			default:
				defaultsTwice(c, f, o)
			}
			break
		}
		defaultsBehind(c, f, list)
	}
}

// defaultsTwice complains of default values that two declarations of a function have.
func defaultsTwice(c *checker, f, earlier *function) {
	for i, d := range f.defaults {
		if d != nil && earlier.defaults[i] != nil {
			c.fail(d.tokens.Pos, "the parameter has a default value already, at %s", posText(earlier.defaults[i].tokens.Pos))
		}
	}
}

// defaultsBehind complains of a parameter without a default value behind one with.
func defaultsBehind(c *checker, f *function, list []*function) {
	first := slices.IndexFunc(f.defaults, func(d *defaultArg) bool { return d != nil })
	if first < 0 {
		return
	}
	for i, d := range f.defaults[first:] {
		elsewhere := func(o *function) bool {
			return o.signature == resolved && sameParams(o.fn, f.fn) && o.defaults[first+i] != nil
		}
		if v := f.fn.Params[first+i]; d == nil && !slices.ContainsFunc(list, elsewhere) {
			c.fail(v.Pos, "%s needs a default value, as a parameter before it has one", v.Name)
		}
	}
}

// usedName complains of a using-declaration of nothing.
func usedName(c *checker, d *parser.Decl) {
	path := usedPath(d.Using)
	if rest, _ := path.Rooted(); len(rest) == 0 || rest[0] == "metal" || rest[0] == "std" || rest[0] == "simd" {
		return
	}
	in := c.in.at(d.Namespace)
	if in.lookup(path) != nil || len(in.templatesNamed(path)) > 0 {
		return
	}
	here := *c
	here.in.namespace, here.from = d.Namespace, len(c.r.source.Tokens)
	if callees(&here, path).empty() {
		c.fail(d.Using.Pos, "unknown name %s", strings.Join(path, "::"))
	}
}

// methodOverloads checks the methods of a name as functions are.
func (v *vetter) methodOverloads(found callee) {
	u := &unit{}
	checkOverloads(v.r.newChecker(u, nil), found.functions)
	v.checked(u)
}

// neverCalled checks the lambdas of a function that nobody has called, as far as they
// say the types of their parameters.
func neverCalled(c *checker, list []*lambda) {
	for _, l := range list {
		generic := slices.ContainsFunc(l.syntax.Params,
			func(param *parser.Param) bool { return isAuto(param.Type) || param.Pack })
		if len(l.calls) > 0 || generic || c.in.open {
			continue
		}
		f := lambdaFunction(c, l, nil)
		c.use(&f.unit)
		if f.signature == resolved {
			l.calls[""] = f
			f.state = resolving
			c.r.checkBody(f)
			f.state = resolved
		}
	}
}
