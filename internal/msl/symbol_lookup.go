package msl

import (
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// qualify joins a namespace and a name.
func qualify(namespace []string, name string) string {
	if len(namespace) == 0 {
		return name
	}
	return strings.Join(namespace, "::") + "::" + name
}

// under returns what m has for a name of a namespace. Names are looked up more often than
// anything else, so that it makes no string of them.
func under[T any](m map[string]T, namespace []string, name string) (T, bool) {
	if len(namespace) == 0 {
		x, ok := m[name]
		return x, ok
	}
	var room [128]byte
	key := room[:0]
	for _, n := range namespace {
		key = append(append(key, n...), "::"...)
	}
	x, ok := m[string(append(key, name...))]
	return x, ok
}

// lookup finds a name as seen from a namespace, innermost first. Names of the
// library may carry metal::.
func (in env) lookup(path parser.Path) *symbol {
	path = in.r.unaliased(path)
	if rest, ok := path.Rooted(); ok {
		in.namespace, in.locals, path = nil, nil, rest
	}
	if len(path) == 0 {
		return nil // a function without a result
	}
	if s := in.locals.find(strings.Join(path, "::")); s != nil {
		return s
	}
	if len(path) > 1 && path[0] == "metal" {
		if s := in.r.symbols[strings.Join(path, "::")]; s != nil {
			return s
		}
		in.namespace, path = nil, path[1:]
	}
	name := strings.Join(path, "::")
	for n := len(in.namespace); n >= 0; n-- {
		if s, ok := under(in.r.symbols, in.namespace[:n], name); ok {
			return s
		}
	}
	// using namespace of the source's own namespaces: take the name where it
	// is unambiguous.
	for i := range in.r.used {
		if s, ok := under(in.r.symbols, in.r.used[i:i+1], name); ok {
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
func lookupMember(in env, path []string) *symbol {
	if len(path) > 1 {
		s := in.lookup(path[:1])
		if s == nil || s.aliased == nil && s.structure == nil || s.state == resolving {
			return nil
		}
		t, err := in.symbolType(s)
		if err != nil {
			return &symbol{name: qualify(path[:1], path[1]), pos: s.pos, aliased: &alias{}, state: broken, err: err}
		}
		if t.Kind == tree.EnumType && len(path) == 2 {
			return in.r.symbols[t.Enum.Name+"::"+path[1]]
		}
		return in.memberOf(t, path[1:])
	}
	for n := len(in.namespace); n > 0; n-- {
		s, _ := under(in.r.symbols, in.namespace[:n-1], in.namespace[n-1])
		if s == nil || s.structure == nil || len(s.structure.Bases) == 0 || s.state != resolved {
			continue
		}
		if m := in.r.memberIn(s.typ.Struct, path[0]); m != nil {
			return m
		}
	}
	return nil
}

// usedNamespaces lists the namespaces of the source that `using namespace` at file scope
// names.
func usedNamespaces(source *parser.Tree, w *work) []string {
	var used, last []string
	spaces, seen := map[string]bool{}, map[string]bool{}
	for _, d := range source.Decls {
		if slices.Equal(d.Namespace, last) {
			continue
		}
		last = d.Namespace
		for n := range last {
			spaces[qualify(last[:n], last[n])] = true
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
			if inner := qualify(d.Namespace[:n], name); spaces[inner] {
				name = inner
				break
			}
		}
		if !spaces[name] || seen[name] { // one that the source does not have is of the library
			continue
		}
		seen[name] = true
		if used = append(used, name); len(used) > maxUsed {
			w.end(d.Pos, "the source uses more than %d namespaces", maxUsed)
			return nil
		}
	}
	return used
}
