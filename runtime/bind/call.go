package bind

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"
)

// Call is a kernel call while it is recorded. The method Call of a batch begins it, then its arguments are set, each
// once and best in the order of [Kernel.Args], and Dispatch ends it. A mistake ends it too; the batch keeps the first.
//
// G is the Grid of package runtime, which imports this one.
type Call[G any] struct {
	to     Dispatcher[G]
	kernel *Kernel
	open   bool   // may be set and dispatched
	next   int    // where in Args the next argument probably is
	slots  []Slot // parallel to Args
	bytes  []byte // what the slots of values refer to

	textures []Texture // what the slots of textures refer to
	samplers []Sampler // what the slots of samplers refer to
}

var errDispatched = errors.New("the call is used after its Dispatch")

// Dispatch ends the call: the batch checks it, to run over grid g, and adds it.
func (c *Call[G]) Dispatch(g G) {
	if c.usable() {
		c.open = false
		c.to.Dispatch(g)
	}
}

// slot returns the slot of an argument that is set for the first time, or nil.
func (c *Call[G]) slot(kind ArgKind, index int) *Slot {
	s, _ := c.element(kind, index)
	return s
}

// element is slot for an argument that may be an array, whose elements have an index each and are set in their order.
// It also returns which of them is set.
func (c *Call[G]) element(kind ArgKind, index int) (s *Slot, element int) {
	if !c.usable() {
		return nil, 0
	}
	i := c.find(kind, index)
	if i < 0 {
		c.fail(fmt.Errorf("the kernel has no %v argument %d", kind, index))
		return nil, 0
	}
	a := &c.kernel.Args[i]
	s, element = &c.slots[i], index-a.Index
	switch {
	case element < s.elements:
		c.fail(fmt.Errorf("%s is set twice", a.Name))
		return nil, 0
	case element > s.elements:
		c.fail(fmt.Errorf("%s: element %d is set before element %d", a.Name, element, s.elements))
		return nil, 0
	}
	s.elements++
	s.Set, c.next = true, i+1
	return s, element
}

// find returns the position of an argument in Args, or -1.
func (c *Call[G]) find(kind ArgKind, index int) int {
	args := c.kernel.Args
	if i := c.next; i < len(args) && args[i].Kind == kind && args[i].Index == index {
		return i
	}
	for i := range args {
		if args[i].Kind == kind && index >= args[i].Index && index < args[i].Index+max(args[i].Count, 1) {
			return i
		}
	}
	return -1
}

// reserve returns the next n elements of storage, zeroed. What was reserved before stays where it is.
func reserve[T any](storage *[]T, n int) []T {
	start := len(*storage)
	*storage = append(*storage, make([]T, n)...) // which allocates only where the storage grows
	return (*storage)[start:]
}

// set copies the bytes of v into the slot of an argument.
func set[T, G any](c *Call[G], kind ArgKind, index int, v T) {
	s := c.slot(kind, index)
	if s == nil {
		return
	}
	t := reflect.TypeFor[T]()
	if !PointerFree(t) {
		c.fail(fmt.Errorf("%v %d: a %v holds pointers", kind, index, t))
		return
	}
	s.Type = t
	c.keep(s, unsafe.Slice((*byte)(unsafe.Pointer(&v)), unsafe.Sizeof(v)))
}

// setBytes is set for a value whose type Go does not know.
func (c *Call[G]) setBytes(kind ArgKind, index int, v []byte) {
	if s := c.slot(kind, index); s != nil {
		c.keep(s, v)
	}
}

func (c *Call[G]) keep(s *Slot, v []byte) {
	start := len(c.bytes)
	c.bytes = append(c.bytes, v...)
	s.Bytes = c.bytes[start:len(c.bytes):len(c.bytes)]
}

// usable reports whether the call is open, and fails where it is not.
func (c *Call[G]) usable() bool {
	if !c.open && c.to != nil {
		c.to.Fail(errDispatched)
	}
	return c.open
}

// fail ends the call with a mistake.
func (c *Call[G]) fail(err error) {
	c.open = false
	c.to.Fail(err)
}
