package msl

import (
	"strings"

	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// accessible reports whether a member of a struct may be named here, and complains
// where it is private (C++14 clause 11). A struct with friends has no secrets.
func accessible(c *checker, st *resolve.Class, name string, pos parser.Pos) bool {
	if st.Syntax == nil || insideClass(c, st) || !c.r.Private(st, name) {
		return true
	}
	c.fail(pos, "%s is private in %s", name, st.Name)
	return false
}

// insideClass reports whether what is checked is a member of a struct, or within one. A
// lambda is taken for one.
func insideClass(c *checker, st *resolve.Class) bool {
	m := c.method
	switch {
	case c.function != nil && c.function.Lambda != nil, m == st:
		return true
	case m == nil:
		return false
	case m.Instance != nil && st.Instance != nil && m.Instance.Template == st.Instance.Template:
		return true
	}
	return strings.HasPrefix(m.Name, st.Name+"::")
}

// mayName reports whether a field may be named, on whatever path it is reached.
func mayName(c *checker, st *tree.Struct, path []*tree.Field, pos parser.Pos) bool {
	for _, f := range path {
		if f.Name != "" {
			return accessible(c, c.facts.Class(st), f.Name, pos)
		}
		st = f.Type.Struct
	}
	return true
}
