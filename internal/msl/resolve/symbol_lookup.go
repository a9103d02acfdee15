package resolve

import (
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// Qualify joins a namespace and a name.
func Qualify(namespace []string, name string) string {
	if len(namespace) == 0 {
		return name
	}
	return strings.Join(namespace, "::") + "::" + name
}

// Under returns what m has for a name of a namespace. Names are looked up more often than
// anything else, so that it makes no string of them.
func Under[T any](m map[string]T, namespace []string, name string) (T, bool) {
	if len(namespace) == 0 {
		x, ok := m[name]
		return x, ok
	}
	var room [512]byte // names of instances have their arguments in them
	key := room[:0]
	for _, n := range namespace {
		key = append(append(key, n...), "::"...)
	}
	x, ok := m[string(append(key, name...))]
	return x, ok
}

// Lookup finds a name as seen from a namespace, innermost first. Names of the
// library may carry metal::.
func (in Env) Lookup(path parser.Path) *Symbol {
	path = in.R.Unaliased(path)
	if rest, ok := path.Rooted(); ok {
		in.Namespace, in.Locals, path = nil, nil, rest
	}
	if len(path) == 0 {
		return nil // a function without a result
	}
	if s := in.Locals.Find(strings.Join(path, "::")); s != nil {
		return s
	}
	if len(path) > 1 && path[0] == "metal" {
		if s := in.R.Symbols[strings.Join(path, "::")]; s != nil {
			return s
		}
		in.Namespace, path = nil, path[1:]
	}
	name := strings.Join(path, "::")
	for n := len(in.Namespace); n >= 0; n-- {
		if s, ok := Under(in.R.Symbols, in.Namespace[:n], name); ok {
			return s
		}
	}
	// using namespace of the source's own namespaces: take the name where it
	// is unambiguous.
	for i := range in.R.Used {
		if s, ok := Under(in.R.Symbols, in.R.Used[i:i+1], name); ok {
			return s
		}
	}
	if s := lookupMember(in, path); s != nil {
		return s
	}
	return libraryStructNamed(in, path)
}

// lookupMember finds what a struct or its bases declare: by T::name, T being a
// name of the struct, or from within the struct.
func lookupMember(in Env, path []string) *Symbol {
	if len(path) > 1 {
		s := in.Lookup(path[:1])
		if s == nil || s.Aliased == nil && s.Structure == nil || s.State == Resolving {
			return nil
		}
		t, err := in.SymbolType(s)
		if err != nil {
			return &Symbol{Name: Qualify(path[:1], path[1]), Pos: s.Pos, Aliased: &Alias{}, State: Broken, Err: err}
		}
		if t.Kind == tree.EnumType && len(path) == 2 {
			return in.R.Symbols[t.Enum.Name+"::"+path[1]]
		}
		return in.MemberOf(t, path[1:])
	}
	for n := len(in.Namespace); n > 0; n-- {
		s, _ := Under(in.R.Symbols, in.Namespace[:n-1], in.Namespace[n-1])
		if s == nil || s.Structure == nil || len(s.Structure.Bases) == 0 || s.State != Resolved {
			continue
		}
		if m := in.R.MemberIn(s.typ.Struct, path[0]); m != nil {
			return m
		}
	}
	return nil
}

// usedNamespaces lists the namespaces of the source that `using namespace` at file scope
// names.
func usedNamespaces(source *parser.Tree, w *Work) []string {
	var used, last []string
	spaces, seen := map[string]bool{}, map[string]bool{}
	for _, d := range source.Decls {
		if slices.Equal(d.Namespace, last) {
			continue
		}
		last = d.Namespace
		for n := range last {
			spaces[Qualify(last[:n], last[n])] = true
		}
	}
	for _, d := range source.Decls {
		t := source.Tokens[d.From:d.To]
		if len(t) < 4 || !t[0].Is("using") || !t[1].Is("namespace") {
			continue
		}
		var path []string
		for _, tok := range t[2:] {
			if tok.Kind == parser.Ident {
				path = append(path, tok.Text)
			}
		}
		name := strings.Join(path, "::")
		for n := len(d.Namespace); n > 0; n-- {
			if inner := Qualify(d.Namespace[:n], name); spaces[inner] {
				name = inner
				break
			}
		}
		if !spaces[name] || seen[name] { // one that the source does not have is of the library
			continue
		}
		seen[name] = true
		if used = append(used, name); len(used) > MaxUsed {
			w.end(d.Pos, "the source uses more than %d namespaces", MaxUsed)
			return nil
		}
	}
	return used
}

// Unqualified is the last part of a qualified name.
func Unqualified(name string) string { return name[strings.LastIndexByte(name, ':')+1:] }
