package resolve

import "github.com/metalgen/metalgen/internal/msl/tree"

// IsTensor reports whether a type is a tensor of Metal's library. Kernels make them of pointers. Those that the host makes
// are handles of Metal 4's, which take another way of passing arguments than drivers have.
func (f *Facts) IsTensor(t *tree.Type) bool {
	if t.Kind != tree.StructType {
		return false
	}
	class := f.Class(t.Struct)
	return class != nil && class.Instance != nil && class.Instance.Template.Name == "metal::tensor"
}
