package runtime

import "github.com/metalgen/metalgen/runtime/bind"

// Access is what a kernel does with a buffer, and what [WrapBuffer] permits it. It is a set of
// bits.
type Access = bind.Access

const (
	Read      = bind.Read      // the kernel may read it
	Write     = bind.Write     // the kernel may write it
	ReadWrite = bind.ReadWrite // both
)
