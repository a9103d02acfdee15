package msl

import (
	"maps"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// declarations checks what names are declared as.
func (v *vetter) declarations() {
	u := &resolve.Unit{}
	c := newChecker(v.r, u, nil)
	v.checked(u)
	for _, r := range v.r.Redeclared {
		checkRedeclared(c, r)
	}
	for _, name := range slices.Sorted(maps.Keys(v.r.Bodies.Functions)) {
		list := slices.DeleteFunc(slices.Clone(v.r.Bodies.Functions[name]),
			func(f *resolve.Function) bool { return f.Name != name })
		checkOverloads(c, list)
		if s := v.r.Symbols[name]; s != nil && len(list) > 0 && s.Structure == nil && s.Enum == nil {
			c.fail(list[0].Decl.Pos, "%s is declared as something else at %s", name, resolve.PosText(s.Pos))
		}
	}
	for _, d := range v.r.Source.Decls {
		if d.Using != nil {
			usedName(c, d)
		}
	}
}

// checkRedeclared complains of a name that is declared twice.
func checkRedeclared(c *checker, r resolve.Redeclaration) {
	a, b := r.First, r.Again
	if a.Aliased != nil && b.Aliased != nil {
		s, err := c.in.SymbolType(a)
		t, failed := c.in.SymbolType(b)
		if err != nil || failed != nil || types.Same(s, t) {
			return
		}
	}
	if a.Variable != nil && b.Variable != nil && (a.Variable.Value == nil || b.Variable.Value == nil) {
		return // a declaration and a definition
	}
	c.fail(b.Pos, "%s is declared twice; the first is at %s", b.Name, resolve.PosText(a.Pos))
}

// checkOverloads complains of functions of one name that no call can tell apart.
func checkOverloads(c *checker, list []*resolve.Function) {
	for i, f := range list {
		if !signatureOf(c.r, f) || f.Special {
			continue
		}
		for _, o := range list[:i] {
			if o.Special || o.Signature != resolve.Resolved || !sameParams(o.Fn, f.Fn) ||
				f.Constructor() && objectSpace(o) != objectSpace(f) {
				continue
			}
			switch {
			case o.Decl.Open >= 0 && f.Decl.Open >= 0:
				c.fail(f.Fn.Pos, "%s is defined twice; the first is at %s", f.Name, resolve.PosText(o.Fn.Pos))
			case f.Fn.Result != nil && o.Fn.Result != nil && !types.Same(f.Fn.Result, o.Fn.Result):
				c.fail(f.Fn.Pos, "%s differs from that at %s in its result only", f.Name, resolve.PosText(o.Fn.Pos))
			default:
				defaultsTwice(c, f, o)
			}
			break
		}
		defaultsBehind(c, f, list)
	}
}

// defaultsTwice complains of default values that two declarations of a function have.
func defaultsTwice(c *checker, f, earlier *resolve.Function) {
	for i, d := range f.Defaults {
		if d != nil && earlier.Defaults[i] != nil {
			c.fail(d.Tokens.Pos, "the parameter has a default value already, at %s",
				resolve.PosText(earlier.Defaults[i].Tokens.Pos))
		}
	}
}

// defaultsBehind complains of a parameter without a default value after one with.
func defaultsBehind(c *checker, f *resolve.Function, list []*resolve.Function) {
	first := slices.IndexFunc(f.Defaults, func(d *resolve.DefaultArg) bool { return d != nil })
	if first < 0 {
		return
	}
	for i, d := range f.Defaults[first:] {
		elsewhere := func(o *resolve.Function) bool {
			return o.Signature == resolve.Resolved && sameParams(o.Fn, f.Fn) && o.Defaults[first+i] != nil
		}
		if v := f.Fn.Params[first+i]; d == nil && !slices.ContainsFunc(list, elsewhere) {
			c.fail(v.Pos, "%s needs a default value, as a parameter before it has one", v.Name)
		}
	}
}

// usedName complains of a using-declaration of nothing.
func usedName(c *checker, d *parser.Decl) {
	path := resolve.UsedPath(d.Using)
	if rest, _ := path.Rooted(); len(rest) == 0 || rest[0] == "metal" || rest[0] == "std" || rest[0] == "simd" {
		return
	}
	in := c.in.At(d.Namespace)
	if in.Lookup(path) != nil || len(in.TemplatesNamed(path)) > 0 {
		return
	}
	here := *c
	here.in.Namespace, here.from = d.Namespace, len(c.r.Source.Tokens)
	if callees(&here, path).Empty() {
		c.fail(d.Using.Pos, "unknown name %s", strings.Join(path, "::"))
	}
}

// methodOverloads checks the methods of a name as functions are.
func (v *vetter) methodOverloads(found resolve.Callee) {
	u := &resolve.Unit{}
	checkOverloads(newChecker(v.r, u, nil), found.Functions)
	v.checked(u)
}

// neverCalled checks the lambdas of a function that nobody has called, as far as they
// say the types of their parameters.
func neverCalled(c *checker, list []*resolve.Lambda) {
	for _, l := range list {
		generic := slices.ContainsFunc(l.Syntax.Params,
			func(param *parser.Param) bool { return isAuto(param.Type) || param.Pack })
		if len(l.Calls) > 0 || generic || c.in.Open {
			continue
		}
		f := lambdaFunction(c, l, nil)
		c.use(&f.Unit)
		if f.Signature == resolve.Resolved {
			l.Calls[""] = f
			f.State = resolve.Resolving
			checkBody(c.r, f)
			f.State = resolve.Resolved
		}
	}
}
