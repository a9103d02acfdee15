package bind

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"
)

// Call is a kernel call while it is recorded. The method Call of a batch begins it, then its arguments are set, each
// once and preferably in the order of [Kernel.Args], and Dispatch ends it. A mistake also ends it; the batch keeps the
// first.
//
// G is the Grid of package runtime, which imports this one.
type Call[G any] struct {
	arguments
	to   Dispatcher[G]
	grid G
}

// Dispatch ends the call: the batch checks it, to run over grid g, and adds it.
func (c *Call[G]) Dispatch(g G) {
	c.grid = g
	c.dispatch()
}

func (c *Call[G]) dispatch() {
	if c.usable() {
		c.open = false
		c.to.Dispatch(&c.grid)
	}
}

// arguments is the part of a call that does not depend on the type of grids.
type arguments struct {
	kernel *Kernel
	fails  failer // the Dispatcher; nil where there was no call yet
	open   bool   // may be set and dispatched
	next   int    // where in Args the next argument probably is
	sparse bool   // see Recorder
	slots  []Slot // parallel to Args

	// What slots refer to.
	bytes    []byte
	textures []Texture
	samplers []Sampler
}

var errDispatched = errors.New("the call is used after its Dispatch")

// slot returns the slot of an argument that is set for the first time, or nil.
func (c *arguments) slot(kind ArgKind, index int) *Slot {
	if i := c.next; c.open && i < len(c.slots) {
		if a, s := &c.kernel.Args[i], &c.slots[i]; a.Kind == kind && a.Index == index && s.elements == 0 {
			s.elements = 1
			s.Set, c.next = true, i+1
			return s
		}
	}
	s, _ := c.element(kind, index)
	return s
}

// element is slot for an argument that may be an array, whose elements have an index each and are set in their order.
// It also returns which of them is set.
func (c *arguments) element(kind ArgKind, index int) (s *Slot, element int) {
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
func (c *arguments) find(kind ArgKind, index int) int {
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
func set[T any](c *arguments, kind ArgKind, index int, v T) {
	c.setValue(kind, index, reflect.TypeFor[T](), unsafe.Slice((*byte)(unsafe.Pointer(&v)), unsafe.Sizeof(v)))
}

// setValue is set for the bytes of a value of type t.
func (c *arguments) setValue(kind ArgKind, index int, t reflect.Type, v []byte) {
	s := c.slot(kind, index)
	if s == nil {
		return
	}
	if t != s.Type && !PointerFree(t) { // what an earlier call had there was so
		c.fail(fmt.Errorf("%v %d: a %v holds pointers", kind, index, t))
		return
	}
	c.keep(s, t, v)
}

// setBytes is set for a value whose type Go does not know.
func (c *arguments) setBytes(kind ArgKind, index int, v []byte) {
	if s := c.slot(kind, index); s != nil {
		c.keep(s, nil, v)
	}
}

func (c *arguments) keep(s *Slot, t reflect.Type, v []byte) {
	start := len(c.bytes)
	if len(v) == 4 { // without a call, as most values are
		c.bytes = append(c.bytes, v[0], v[1], v[2], v[3])
	} else {
		c.bytes = append(c.bytes, v...)
	}
	s.Type, s.Bytes = t, c.bytes[start:len(c.bytes):len(c.bytes)]
}

// usable reports whether the call is open, and fails where it is not.
func (c *arguments) usable() bool {
	if !c.open && c.fails != nil {
		c.fails.Fail(errDispatched)
	}
	return c.open
}

// fail ends the call with a mistake.
func (c *arguments) fail(err error) {
	c.open = false
	c.fails.Fail(err)
}
