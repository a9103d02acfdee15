package runtime

import (
	"errors"
	"fmt"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

var bufferKind = argKind{
	table:    bufferTable,
	check:    checkBufferArg,
	describe: func(k *driver.Kernel, a *driver.Arg) { k.Buffers = append(k.Buffers, a) },
	leftOut:  bufferLeftOut,
	bind:     bindBuffer,
	reset:    func(d *driver.Dispatch) { d.Buffers = d.Buffers[:0] },
}

// bufferTable is what buffers share with values, which are buffers to Metal.
var bufferTable = &argTable{last: 30}

func checkBufferArg(a *bind.Arg) error {
	if a.Access == 0 || a.Access > ReadWrite {
		return errors.New("its Access is not Read, Write or ReadWrite")
	}
	return nil
}

// bufferLeftOut reports whether an optional buffer was not made, or one of which this call, by
// the stated shape, touches nothing.
func bufferLeftOut(a *bind.Arg, s *bind.Slot) bool {
	return memoryOf(s.View) == nil && (optional(a, s) || s.Set && a.Shape != "" && s.Count == 0)
}

func bindBuffer(c *call, a *formArg, s *bind.Slot) error {
	b, err := c.hold(a.Arg, s.View, s.Count)
	if err != nil {
		return err
	}
	b.Arg = a.driver
	c.dispatch.Buffers = append(c.dispatch.Buffers, b)
	return nil
}

// memoryOf returns the memory behind a view, nil for that of the zero Buffer.
func memoryOf(v bind.View) *allocation {
	mem, _ := v.Memory.(*allocation)
	return mem
}

// hold checks a buffer for argument a, of which the call needs that many elements, and keeps it
// for the time of the batch.
func (c *call) hold(a *bind.Arg, v bind.View, need int) (driver.Buffer, error) {
	mem := memoryOf(v)
	if err := c.checkBuffer(a, v, mem, need); err != nil {
		return driver.Buffer{}, err
	}
	if !mem.retain() {
		return driver.Buffer{}, c.bad(a, "a buffer of "+a.Type, "one that was freed", ErrFreed)
	}
	c.batch.held = append(c.batch.held, mem)
	return driver.Buffer{Memory: mem.mem, Offset: v.Offset, Length: v.Bytes}, nil
}

func (c *call) checkBuffer(a *bind.Arg, v bind.View, mem *allocation, need int) error {
	if mem == nil {
		return c.bad(a, "a buffer of "+a.Type+comma(a.Shape)+because(a), "the zero Buffer", ErrNilBuffer)
	}
	if err := mistakeOf(v, mem); err != nil {
		return c.bad(a, "a buffer of "+a.Type, err.Error(), err)
	}
	align, why := a.Align, ""
	if a.Constant && align < c.batch.dev.limits.ConstantAlign {
		align, why = c.batch.dev.limits.ConstantAlign, ", being a constant pointer"
	}
	switch {
	case mem.dev != c.batch.dev:
		return c.bad(a, "a buffer of the batch's device, "+c.batch.dev.String(), "one of another, "+mem.dev.String(), ErrOtherDevice)
	case v.Size != a.Size:
		return c.bad(a, fmt.Sprintf("elements of %s, %d bytes each", a.Type, a.Size), fmt.Sprintf("elements of %d bytes", v.Size), nil)
	case a.Access&Write != 0 && mem.readOnly:
		return c.bad(a, "a buffer that may be written", "one that was wrapped for reading only", ErrReadOnly)
	case need < 0 || bind.Saturated(need):
		return c.badLength(a, need)
	case v.Length < need:
		return c.bad(a, fmt.Sprintf("at least %d elements of %s%s", need, a.Type, comma(a.Shape)), fmt.Sprint(v.Length), ErrTooShort)
	case align > 0 && v.Offset%align != 0:
		return c.bad(a, fmt.Sprintf("a byte offset that is a multiple of %d%s", align, why), fmt.Sprint(v.Offset), nil)
	}
	return nil
}

// mistakeOf returns the mistake of a Slice, a Cast or a view of other elements that does not fit.
func mistakeOf(v bind.View, mem *allocation) error {
	if mem.mistake != nil {
		return mem.mistake
	}
	if v.Size <= 0 || v.Length*v.Size != v.Bytes {
		reason := fmt.Sprintf("the length is not a multiple of %d", v.Size)
		return &CastError{fmt.Sprintf("elements of %d bytes", v.Size), v.Offset, v.Bytes, reason}
	}
	return nil
}
