package bind

import "fmt"

// BufferArg is a device or constant pointer, set by [Call.Buffer].
const BufferArg ArgKind = 1

// Buffer sets the buffer argument at index. need is the number of elements that the buffer must have: the value of
// [Arg.Shape] for this call, or 0 if no shape is stated.
//
// If a stated shape comes to 0, the kernel does not touch the buffer in this call, and v may be the view of the zero
// Buffer: nothing is bound then, as with an optional argument.
func (c *Call[G]) Buffer(index int, v View, need int) {
	if s := c.slot(BufferArg, index); s != nil {
		s.View, s.Count = v, need
	}
}

// View is a Buffer of package runtime without its element type. The method View of a Buffer returns it.
//
// The fields are for package runtime, which checks the views of a call. There are no more than four words of them so
// that the compiler keeps them in registers.
type View struct {
	Memory *Memory // the memory behind the buffer, nil for the zero Buffer
	Offset int     // of the first element, in bytes
	Length int     // in elements, or in bytes where Size is not positive
	Size   int     // bytes of one element; negated, or 0, where the bytes cannot be divided into such elements
}

// Memory is a handle of memory of package runtime, which alone knows what the Owner is.
type Memory struct{ Owner any }

// Elements returns the bytes of v as elements of size bytes each, for programs that learn the type of an argument at
// run time. If the bytes are not a whole number of elements, or size is not positive, a call that uses the view fails,
// as after a Cast of package runtime.
func (v View) Elements(size int) View {
	bytes := v.Length
	if v.Size > 0 {
		bytes *= v.Size
	}
	if size > 0 && bytes%size == 0 {
		v.Length, v.Size = bytes/size, size
	} else {
		v.Length, v.Size = bytes, -max(size, 0)
	}
	return v
}

// Access is what a kernel does with a buffer. It is a set of bits.
type Access uint8

const (
	Read      Access         = 1 << iota // the kernel may read it
	Write                                // the kernel may write it
	ReadWrite = Read | Write             // both
)

// String returns "read", "write" or "read-write".
func (a Access) String() string {
	switch a {
	case Read:
		return "read"
	case Write:
		return "write"
	case ReadWrite:
		return "read-write"
	default:
		return fmt.Sprintf("Access(%d)", uint8(a))
	}
}
