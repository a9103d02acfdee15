package library

import (
	"slices"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// Member returns the type that a type of the library has as a member, or nil.
func Member(t *tree.Type, path []string) *tree.Type {
	switch {
	case t.Kind == tree.SimdgroupMatrix && slices.Equal(path, []string{"storage_type"}): // of thread_elements
		return tree.VectorType(t.Scalar, 2)
	case t.Kind == tree.Array && !types.IsPlainArray(t) && slices.Equal(path, []string{"value_type"}):
		return t.Elem
	}
	return nil
}

// NamedMember returns the type that a path names as a member of one of the library, or nil.
func NamedMember(path parser.Path) *tree.Type {
	path = Path(path)
	if len(path) < 2 {
		return nil
	}
	t := tree.Named(path[0])
	if t == nil {
		return nil
	}
	return Member(t, path[1:])
}
