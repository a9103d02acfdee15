package runtime

import "github.com/metalgen/metalgen/runtime/bind"

// Access is what kernels do with a buffer or a texture. It is a set of bits. The type is that of package bind, with
// which generated code describes arguments.
type Access = bind.Access

// What kernels may do with a buffer or a texture.
const (
	Read      Access = bind.Read      // kernels read it
	Write     Access = bind.Write     // kernels write it
	ReadWrite Access = bind.ReadWrite // kernels read and write it
)
