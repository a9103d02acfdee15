package msl

import (
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// accessible reports whether a member of a struct may be named here, and complains
// where it is private (C++14 clause 11). A struct with friends has no secrets.
func accessible(c *checker, st *class, name string, pos parser.Pos) bool {
	if st.syntax == nil || insideClass(c, st) || !c.r.private(st, name) {
		return true
	}
	c.fail(pos, "%s is private in %s", name, st.Name)
	return false
}

// insideClass reports whether what is checked is a member of a struct, or within one. A
// lambda is taken for one.
func insideClass(c *checker, st *class) bool {
	m := c.method
	switch {
	case c.function != nil && c.function.lambda != nil, m == st:
		return true
	case m == nil:
		return false
	case m.instance != nil && st.instance != nil && m.instance.template == st.instance.template:
		return true
	}
	return strings.HasPrefix(m.Name, st.Name+"::")
}

// private reports whether a struct has a private member of a name, and no friends.
func (r *resolver) private(st *class, name string) bool {
	hidden, found := st.syntax.Tag == "class", false
	for _, m := range st.syntax.Members {
		switch {
		case m.Access != "":
			hidden = m.Access == "private"
		case m.Decl != nil && isFriend(r.source, m.Decl):
			return false
		case m.Decl != nil:
			found = found || hidden && methodName(m.Decl) == name
		case m.Field != nil:
			named := func(v *parser.Init) bool { return declaredName(v.Declarator) == name }
			found = found || hidden && slices.ContainsFunc(m.Field.Vars, named)
		}
	}
	return found
}

// mayName reports whether a field may be named, on whatever path it is reached.
func mayName(c *checker, st *tree.Struct, path []*tree.Field, pos parser.Pos) bool {
	for _, f := range path {
		if f.Name != "" {
			return accessible(c, c.facts.class(st), f.Name, pos)
		}
		st = f.Type.Struct
	}
	return true
}
