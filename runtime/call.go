package runtime

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Call is a kernel call while it is recorded: [Batch.Call] begins it, its
// arguments are set, each once and best in the order of [Kernel.Args], and
// Dispatch checks it and adds it to the batch.
type Call struct {
	batch    *Batch
	kernel   *Kernel
	prepared *preparedKernel
	open     bool   // between Batch.Call and Dispatch
	next     int    // where in Args the next argument probably is
	slots    []slot // parallel to Args
	bytes    []byte // what the slots of values refer to
	dispatch driver.Dispatch
}

// slot is what was given for one argument.
type slot struct {
	set        bool
	view       View // buffers
	count      int  // elements: needed of a buffer, given for threadgroup memory
	start, end int  // values and function constants: where in Call.bytes
}

var (
	errNoBatch       = fmt.Errorf("%w: the batch was not made by Device.NewBatch, or by that of a nil *Device", ErrNoDevice)
	errNilKernel     = errors.New("the *Kernel is nil")
	errNotDispatched = errors.New("the call was begun but not dispatched")
	errDispatched    = errors.New("the call is used after its Dispatch")
)

// noKernel stands in for a nil *Kernel in messages.
var noKernel = Kernel{Name: "call of no kernel"}

// begin starts a call of k. After a mistake the call stays closed, and all its
// methods do nothing.
func (c *Call) begin(b *Batch, k *Kernel) {
	if !c.beginOther(b, cmp.Or(k, &noKernel)) {
		return
	}
	if k == nil {
		c.fail(errNilKernel)
		return
	}
	if err := c.prepare(); err != nil {
		c.fail(err)
	}
}

// beginOther ends the call before and reports whether something may be recorded
// now, with k as its name in messages.
func (c *Call) beginOther(b *Batch, k *Kernel) bool {
	c.batch = b
	c.mustBeDispatched()
	c.open, c.kernel = false, k
	switch {
	case b.err != nil:
	case b.submitted:
		c.fail(ErrSubmitted)
	case b.dev == nil:
		c.fail(errNoBatch)
	case b.rec == nil:
		var err error
		if b.rec, err = b.dev.recorder(); err != nil {
			c.fail(err)
		}
	}
	return b.err == nil
}

func (c *Call) prepare() (err error) {
	if c.prepared, err = c.kernel.prepare(); err != nil {
		return err
	}
	if n := len(c.kernel.Args); n <= cap(c.slots) {
		c.slots = c.slots[:n]
		clear(c.slots)
	} else {
		c.slots = make([]slot, n)
	}
	c.bytes, c.next, c.open = c.bytes[:0], 0, true
	return nil
}

// mustBeDispatched makes a mistake of a call that was left open.
func (c *Call) mustBeDispatched() {
	if c.open {
		c.fail(errNotDispatched)
	}
}

// Buffer sets the buffer argument at index. need is the least number of elements
// that the buffer must have, as [Arg.Shape] comes out for this call, or 0 where
// no shape is stated.
//
// Where a shape is stated and comes out as 0, the kernel does not touch the
// buffer in this call, and v may be the view of the zero Buffer: nothing is bound
// then, as with an optional argument.
func (c *Call) Buffer(index int, v View, need int) {
	if s := c.slot(BufferArg, index); s != nil {
		s.view, s.count = v, need
	}
}

// Value sets the argument at index that the kernel takes by constant reference: a
// scalar, an array or a params struct, of exactly the size the kernel declares.
// The bytes of v are copied.
func Value[T any](c *Call, index int, v T) {
	setBytes(c, ValueArg, index, v)
}

// Constant sets the function constant at index: a bool, a number or a vector of
// at most 16 bytes, of exactly the size that the source declares.
func Constant[T any](c *Call, index int, v T) {
	setBytes(c, ConstantArg, index, v)
}

func setBytes[T any](c *Call, kind ArgKind, index int, v T) {
	s := c.slot(kind, index)
	if s == nil {
		return
	}
	if !pointerFree(reflect.TypeFor[T]()) {
		c.fail(fmt.Errorf("%v %d: a %v holds pointers", kind, index, reflect.TypeFor[T]()))
		return
	}
	c.keep(s, unsafe.Slice((*byte)(unsafe.Pointer(&v)), unsafe.Sizeof(v)))
}

// ValueBytes is [Value] for programs that learn the type of an argument at run
// time: v is the value as Metal lays it out.
func (c *Call) ValueBytes(index int, v []byte) {
	if s := c.slot(ValueArg, index); s != nil {
		c.keep(s, v)
	}
}

// ConstantBytes is [Constant] for such programs.
func (c *Call) ConstantBytes(index int, v []byte) {
	if s := c.slot(ConstantArg, index); s != nil {
		c.keep(s, v)
	}
}

// keep copies the bytes of a value.
func (c *Call) keep(s *slot, v []byte) {
	s.start = len(c.bytes)
	c.bytes = append(c.bytes, v...)
	s.end = len(c.bytes)
}

// Threadgroup sets the length of the threadgroup pointer argument at index, in
// elements. Its bytes are rounded up to a multiple of 16, as Metal asks.
func (c *Call) Threadgroup(index, elements int) {
	if s := c.slot(ThreadgroupArg, index); s != nil {
		s.count = elements
	}
}

// Dispatch checks the call and adds it to the batch, to run over grid g. It ends
// the call.
func (c *Call) Dispatch(g Grid) {
	if !c.usable() {
		return
	}
	c.open = false
	if err := c.bind(g); err != nil {
		c.batch.fail(err)
		return
	}
	if err := c.batch.dev.record(c.batch.rec, &c.dispatch); err != nil {
		c.fail(err)
		return
	}
	c.batch.recorded = true
}

// slot returns the place of an argument that is set for the first time, or nil.
func (c *Call) slot(kind ArgKind, index int) *slot {
	if !c.usable() {
		return nil
	}
	i := c.find(kind, index)
	if i < 0 {
		c.fail(fmt.Errorf("the kernel has no %v argument %d", kind, index))
		return nil
	}
	s := &c.slots[i]
	if s.set {
		c.fail(fmt.Errorf("%s is set twice", c.kernel.Args[i].Name))
		return nil
	}
	s.set, c.next = true, i+1
	return s
}

// find returns the position of an argument in Args, or -1.
func (c *Call) find(kind ArgKind, index int) int {
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

// usable tells whether the call is being recorded.
func (c *Call) usable() bool {
	if !c.open && c.batch.err == nil {
		c.fail(errDispatched)
	}
	return c.open && c.batch.err == nil
}

// fail makes err the mistake of the batch, unless it has one.
func (c *Call) fail(err error) {
	c.batch.fail(&CallError{Kernel: c.kernel.Name, Pos: c.kernel.Pos, Err: err})
}
