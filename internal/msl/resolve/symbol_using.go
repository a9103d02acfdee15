package resolve

import (
	"cmp"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/parser"
)

// A using-declaration, `using ns::x;`, enters what is declared under a name so far
// into another namespace (C++14 7.3.3).

// UsedPath is the name that a using-declaration brings, or nil where it brings none.
func UsedPath(u *parser.Using) parser.Path {
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
func (into Declarer) use(path parser.Path, namespace []string) {
	in, name := into.In.From(namespace), Qualify(namespace, path[len(path)-1])
	if s := in.Lookup(path); s != nil {
		into.Table[name] = s
	}
	named := into.In.R.Templates.Named
	for _, t := range in.TemplatesNamed(path) {
		if !slices.Contains(named[name], t) {
			named[name] = append(slices.Clip(named[name]), t)
		}
	}
}

// UseNamespace adds a namespace of the source to those whose names are known.
func (in Env) UseNamespace(path parser.Path) {
	path, _ = path.Rooted()
	for n := len(in.Namespace); n >= 0; n-- {
		name := Qualify(in.Namespace[:n], strings.Join(path, "::"))
		inside := func(d *parser.Decl) bool { return strings.HasPrefix(strings.Join(d.Namespace, "::")+"::", name+"::") }
		if !slices.ContainsFunc(in.R.Source.Decls, inside) {
			continue
		}
		if !slices.Contains(in.R.Used, name) {
			in.R.Used = append(in.R.Used, name)
		}
		return
	}
}

// UseFunctions enters the functions that a using-declaration names.
func (r *Resolver) UseFunctions(path parser.Path, namespace []string) {
	functions, name := r.Bodies.Functions, Qualify(namespace, path[len(path)-1])
	path, rooted := path.Rooted()
	if rooted {
		namespace = nil
	}
	for n := len(namespace); n >= 0; n-- {
		if found := functions[Qualify(namespace[:n], strings.Join(path, "::"))]; len(found) > 0 {
			list := append(slices.Clone(functions[name]), found...)
			slices.SortStableFunc(list, func(a, b *Function) int { return cmp.Compare(a.Decl.From, b.Decl.From) })
			functions[name] = slices.Compact(list)
			return
		}
	}
}
