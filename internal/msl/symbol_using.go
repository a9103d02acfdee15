package msl

import (
	"cmp"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/parser"
)

// A using-declaration, `using ns::x;`, enters what is declared under a name so far
// into another namespace (C++14 7.3.3).

// usedPath is the name that a using-declaration brings, or nil where it brings none.
func usedPath(u *parser.Using) parser.Path {
	if u.Type != nil || u.Struct != nil || len(u.Rest) == 0 && (!u.Root || u.Args != nil) {
		return nil
	}
	path := append(parser.Path{u.Name}, u.Rest...)
	if u.Root {
		path = append(parser.Path{""}, path...)
	}
	return path
}

// use enters the type, variable or template that a using-declaration names.
func (into declarer) use(path parser.Path, namespace []string) {
	in, name := into.in.from(namespace), qualify(namespace, path[len(path)-1])
	if s := in.lookup(path); s != nil {
		into.table[name] = s
	}
	named := into.in.r.templates.named
	for _, t := range in.templatesNamed(path) {
		if !slices.Contains(named[name], t) {
			named[name] = append(slices.Clip(named[name]), t)
		}
	}
}

// useNamespace adds a namespace of the source to those whose names are known.
func (in env) useNamespace(path parser.Path) {
	path, _ = path.Rooted()
	for n := len(in.namespace); n >= 0; n-- {
		name := qualify(in.namespace[:n], strings.Join(path, "::"))
		inside := func(d *parser.Decl) bool { return strings.HasPrefix(strings.Join(d.Namespace, "::")+"::", name+"::") }
		if !slices.ContainsFunc(in.r.source.Decls, inside) {
			continue
		}
		if !slices.Contains(in.r.used, name) {
			in.r.used = append(in.r.used, name)
		}
		return
	}
}

// useFunctions enters the functions that a using-declaration names.
func (r *resolver) useFunctions(path parser.Path, namespace []string) {
	functions, name := r.bodies.functions, qualify(namespace, path[len(path)-1])
	path, rooted := path.Rooted()
	if rooted {
		namespace = nil
	}
	for n := len(namespace); n >= 0; n-- {
		if found := functions[qualify(namespace[:n], strings.Join(path, "::"))]; len(found) > 0 {
			list := append(slices.Clone(functions[name]), found...)
			slices.SortStableFunc(list, func(a, b *function) int { return cmp.Compare(a.decl.From, b.decl.From) })
			functions[name] = slices.Compact(list)
			return
		}
	}
}
