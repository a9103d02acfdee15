package resolve

import (
	"slices"
	"strings"

	"github.com/metalgen/metalgen/parser"
)

// What the library declares is in the namespace metal. A name of it goes without
// metal:: where `using namespace metal` or a using-declaration is seen, and in a call
// where an argument leads to it (C++14 3.4.2, 7.3.3, 7.3.4).

// reach is what a source says about names of the library.
type reach struct {
	all    map[string]bool // namespaces with `using namespace metal`
	names  map[string]bool // qualified names that using-declarations introduce
	nested bool            // some of either are of a namespace
}

// reachOf returns what a source says, or nil for one that includes no header of the
// library: what that is to be compiled with is not known.
func reachOf(source *parser.Tree) *reach {
	if !source.Library {
		return nil
	}
	r := &reach{all: map[string]bool{"metal": true}, names: map[string]bool{}}
	for _, d := range source.Decls {
		if d.Using != nil {
			r.use(UsedPath(d.Using), d.Namespace)
			continue
		}
		t := slices.DeleteFunc(slices.Clone(source.Tokens[d.From:min(d.To, d.From+5)]),
			func(t parser.Token) bool { return t.Is("::") })
		if len(t) == 4 && t[0].Is("using") && t[1].Is("namespace") && t[2].Is("metal") {
			r.all[strings.Join(d.Namespace, "::")] = true
			r.nested = r.nested || len(d.Namespace) > 0
		}
	}
	return r
}

// use notes a using-declaration.
func (r *reach) use(path parser.Path, namespace []string) {
	if path, _ = path.Rooted(); len(path) > 1 && path[0] == "metal" {
		r.names[Qualify(namespace, path[len(path)-1])] = true
		r.nested = r.nested || len(namespace) > 0
	}
}

// ThroughUsing is the name that the library has for what a path leads to: metal::x for m::x, where a namespace m of the
// source has `using metal::x` or `using namespace metal` (C++14 7.3.3, 3.4.3.2).
func (in Env) ThroughUsing(path parser.Path) parser.Path {
	path = in.R.Unaliased(path)
	if in.R.reach == nil || !in.R.reach.nested || len(path) < 2 || path[0] == "metal" {
		return path
	}
	rest, rooted := path.Rooted()
	namespace := in.Namespace
	if rooted {
		namespace = nil
	}
	for n := len(namespace); n >= 0; n-- {
		for i := 1; i < len(rest); i++ {
			of := Qualify(namespace[:n], strings.Join(rest[:i], "::"))
			if in.R.reach.names[of+"::"+rest[i]] || in.R.reach.all[of] && in.R.Names[rest[i]] == nil {
				return append(parser.Path{"metal"}, rest[i:]...)
			}
		}
	}
	return path
}

// Unaliased is a path with the namespace that its first name is another name for (C++14 7.3.2).
func (r *Resolver) Unaliased(path parser.Path) parser.Path {
	rest, _ := path.Rooted()
	for range maxAliasDepth {
		if len(r.Source.Aliases) == 0 || len(rest) < 2 || r.Source.Aliases[rest[0]] == nil {
			return path
		}
		path = slices.Concat(r.Source.Aliases[rest[0]], rest[1:])
		rest, _ = path.Rooted()
	}
	return path
}

// WholeLibrary is what `using namespace metal` enters into the scope of a body.
const WholeLibrary = "<using namespace metal>"

// reaches reports whether a name of the library goes without metal:: here.
func (in Env) reaches(name string) bool {
	if in.R.reach == nil || in.R.reach.all[""] || in.R.reach.names[name] ||
		len(in.Namespace) > 0 && in.Namespace[0] == "metal" {
		return true
	}
	for n := range in.Namespace {
		outer := Qualify(in.Namespace[:n], in.Namespace[n])
		if in.R.reach.all[outer] || in.R.reach.names[outer+"::"+name] {
			return true
		}
	}
	return slices.ContainsFunc(in.R.Used, func(n string) bool {
		return in.R.reach.all[n] ||
			in.R.reach.names[n+"::"+name]
	}) || in.Locals.Find(WholeLibrary) != nil
}

// Hides reports whether a path is the name of something in the library, which is not
// seen here without metal::.
func (in Env) Hides(path parser.Path) bool {
	return len(path) > 0 && path[0] != "" && path[0] != "metal" && path[0] != "as_type" &&
		!strings.HasPrefix(path[0], "_") && !in.reaches(path[0])
}
