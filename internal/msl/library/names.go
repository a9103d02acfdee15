package library

import (
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// WordSet is a set of words.
func WordSet(words string) map[string]bool {
	set := map[string]bool{}
	for name := range strings.FieldsSeq(words) {
		set[name] = true
	}
	return set
}

// InternalName is the function of the library that __metal_name does, or "".
func InternalName(name string) string {
	rest, ok := strings.CutPrefix(name, "__metal_")
	if !ok || Functions[rest] == nil {
		return ""
	}
	return rest
}

// OfLibrary reports whether a call of a name with an argument of this type looks for
// it in the library.
func OfLibrary(x tree.Expr) bool {
	t := x.Type()
	for t.Kind == tree.Pointer || t.Kind == tree.Array {
		t = t.Elem
	}
	switch t.Kind {
	case tree.SimdgroupMatrix, tree.Texture, tree.Sampler:
		return true
	case tree.EnumType:
		return Enums[t.Enum.Name] == t
	}
	return t.Atomic || types.IsVote(t)
}

// MetalName is how messages say what a name of the library is called here.
func MetalName(path parser.Path) string {
	name := strings.Join(path, "::")
	return name + ": it is metal::" + name + " without using namespace metal"
}

// Has reports whether a type is one of the library's: those of scalars, vectors
// and matrices are in no namespace.
func Has(name string) bool {
	return strings.HasPrefix(name, "atomic_") || strings.HasPrefix(name, "simdgroup_") || OpaqueTypes[name] != tree.Void
}

// Path is a name without the namespace metal.
func Path(path parser.Path) parser.Path {
	path, _ = path.Rooted()
	if len(path) > 1 && path[0] == "metal" {
		return path[1:]
	}
	return path
}
