package bind

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"
)

// Call is a kernel call while it is recorded. The method Call of a batch begins it, its
// arguments are set, each once and best in the order of [Kernel.Args], and Dispatch checks it
// and adds it to the batch.
//
// G is the Grid of package runtime, which imports this one.
type Call[G any] struct {
	to     Dispatcher[G]
	kernel *Kernel
	open   bool   // between Begin and End
	next   int    // where in Args the next argument probably is
	slots  []Slot // parallel to Args
	bytes  []byte // what the slots of values refer to
}

// Dispatcher takes what was recorded: a batch of package runtime.
type Dispatcher[G any] interface {
	// Dispatch takes the call to run over grid g.
	Dispatch(g G)

	// Fail takes a mistake in the call. The call has ended.
	Fail(err error)
}

var errDispatched = errors.New("the call is used after its Dispatch")

// Begin begins a call of k, which may be one after another in c: its storage is used again.
func (c *Call[G]) Begin(k *Kernel, to Dispatcher[G]) {
	c.to, c.kernel = to, k
	if n := len(k.Args); n <= cap(c.slots) {
		c.slots = c.slots[:n]
		clear(c.slots)
	} else {
		c.slots = make([]Slot, n)
	}
	c.bytes, c.next, c.open = c.bytes[:0], 0, true
}

// End ends the call: whatever is set after it is a mistake.
func (c *Call[G]) End() { c.open = false }

// Open reports whether the call has begun and not ended.
func (c *Call[G]) Open() bool { return c.open }

// Slots returns what was set, parallel to the Args of the kernel. It is valid until the next
// Begin.
func (c *Call[G]) Slots() []Slot { return c.slots }

// Dispatch checks the call and adds it to the batch, to run over grid g. It ends the call.
func (c *Call[G]) Dispatch(g G) {
	if c.usable() {
		c.open = false
		c.to.Dispatch(g)
	}
}

// slot returns the slot of an argument that is set for the first time, or nil.
func (c *Call[G]) slot(kind ArgKind, index int) *Slot {
	if !c.usable() {
		return nil
	}
	i := c.find(kind, index)
	if i < 0 {
		c.fail(fmt.Errorf("the kernel has no %v argument %d", kind, index))
		return nil
	}
	s := &c.slots[i]
	if s.Set {
		c.fail(fmt.Errorf("%s is set twice", c.kernel.Args[i].Name))
		return nil
	}
	s.Set, c.next = true, i+1
	return s
}

// find returns the position of an argument in Args, or -1.
func (c *Call[G]) find(kind ArgKind, index int) int {
	args := c.kernel.Args
	if i := c.next; i < len(args) && args[i].Kind == kind && args[i].Index == index {
		return i
	}
	for i := range args {
		if args[i].Kind == kind && args[i].Index == index {
			return i
		}
	}
	return -1
}

// set copies the bytes of v into the slot of an argument.
func set[T, G any](c *Call[G], kind ArgKind, index int, v T) {
	s := c.slot(kind, index)
	if s == nil {
		return
	}
	if t := reflect.TypeFor[T](); !PointerFree(t) {
		c.fail(fmt.Errorf("%v %d: a %v holds pointers", kind, index, t))
		return
	}
	c.keep(s, unsafe.Slice((*byte)(unsafe.Pointer(&v)), unsafe.Sizeof(v)))
}

// setBytes is set for a value of a type that Go does not know.
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
