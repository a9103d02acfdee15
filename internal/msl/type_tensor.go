package msl

import "github.com/metalgen/metalgen/internal/msl/tree"

// isTensor reports whether a type is a tensor of Metal's library. Kernels make them of pointers. Those that the host makes
// are handles of Metal 4's, which take another way of passing arguments than drivers have.
func (f *facts) isTensor(t *tree.Type) bool {
	if t.Kind != tree.StructType {
		return false
	}
	class := f.class(t.Struct)
	return class != nil && class.instance != nil && class.instance.template.name == "metal::tensor"
}
