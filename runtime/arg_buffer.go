package runtime

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

var bufferKind = argKind{
	table:    bufferTable,
	check:    checkBufferArg,
	describe: describeBuffer,
	bind:     bindBuffer,
}

// bufferTable is what buffers share with values, which are buffers to Metal.
var bufferTable = &argTable{last: 30}

func checkBufferArg(a *bind.Arg) error {
	if a.Access == 0 || a.Access > ReadWrite {
		return errors.New("its Access is not Read, Write or ReadWrite")
	}
	return checkSize(a)
}

func describeBuffer(k *driver.Kernel, arg *driver.Arg, a *bind.Arg) {
	arg.Reads, arg.Writes, arg.Constant = a.Access&Read != 0, a.Access&Write != 0, a.Constant
	arg.Shape = a.Shape
	k.Buffers = append(k.Buffers, arg)
}

// bindBuffer leaves out an optional buffer that was not made, and one that this call, by the stated shape, does not
// touch.
func bindBuffer(c *call, a *formArg, s *bind.Slot) error {
	if !s.Set {
		return c.notSet(a.Arg)
	}
	v, mem := &s.View, allocationOf(&s.View)
	if mem == nil && (mayLack(a.Arg) || a.Shape != "" && s.Count == 0) {
		return nil
	}
	if err := c.hold(a.Arg, v, mem, s.Count); err != nil {
		return err
	}
	b := next(&c.dispatch.Buffers)
	b.Arg, b.Memory, b.Offset, b.Length = a.driver, mem.mem, v.Offset, v.Length*v.Size
	b.Shaped, b.Shape = a.Shape != "", s.Count*v.Size
	if a.Pointers || mem.arguments.Load() != nil {
		return c.followView(a, v, mem)
	}
	return nil
}

// hold checks a buffer for argument a, which must have at least need elements, and keeps its memory for the time of the
// batch.
func (c *call) hold(a *bind.Arg, v *bind.View, mem *allocation, need int) error {
	if mem == nil {
		return c.bad(a, "a buffer of "+a.Type+comma(a.Shape)+because(a), "the zero Buffer", ErrNilBuffer)
	}
	align, why := a.Align, ""
	if a.Constant && align < c.batch.dev.limits.ConstantAlign {
		align, why = c.batch.dev.limits.ConstantAlign, ", being a constant pointer"
	}
	switch {
	case mem.mistake != nil:
		return c.bad(a, "a buffer of "+a.Type, mem.mistake.Error(), mem.mistake)
	case v.Size <= 0:
		err := unevenElements(v)
		return c.bad(a, "a buffer of "+a.Type, err.Error(), err)
	case !within(v, mem.size):
		return c.bad(a, "a view that Buffer.View has returned", "one that reaches out of its memory", nil)
	case mem.dev != c.batch.dev:
		return c.bad(a, "a buffer of the batch's device, "+c.batch.dev.name(),
			"one of another, "+mem.dev.name(), ErrOtherDevice)
	case v.Size != a.Size:
		return c.bad(a, fmt.Sprintf("elements of %s, %d bytes each", a.Type, a.Size),
			fmt.Sprintf("elements of %d bytes", v.Size), nil)
	case a.Access&Write != 0 && mem.readOnly:
		return c.bad(a, "a buffer that may be written", "one that was wrapped for reading only", ErrReadOnly)
	case need < 0 || bind.Saturated(need):
		return c.badLength(a, need)
	case v.Length < need:
		return c.bad(a, fmt.Sprintf("at least %d elements of %s%s", need, a.Type, comma(a.Shape)),
			fmt.Sprint(v.Length), ErrTooShort)
	case v.Length != 0 && v.Offset != 0 && align > 0 && v.Offset%align != 0:
		return c.bad(a, fmt.Sprintf("a byte offset that is a multiple of %d%s", align, why), fmt.Sprint(v.Offset), nil)
	case !c.batch.hold(&mem.resource, a.Name):
		return c.bad(a, "a buffer of "+a.Type, "one that was freed", ErrFreed)
	}
	return nil
}

// unevenElements returns the error of a view that is not a whole number of elements.
func unevenElements(v *bind.View) error {
	reason := fmt.Sprintf("the length is not a multiple of %d", -v.Size)
	if v.Size == 0 {
		reason = "the elements have no size"
	}
	return &CastError{fmt.Sprintf("elements of %d bytes", -v.Size), v.Offset, v.Length, reason}
}

// within reports whether all elements of v are in memory of size bytes. They are unless the view
// was put together by hand.
func within(v *bind.View, size int) bool {
	hi, bytes := bits.Mul64(uint64(v.Length), uint64(v.Size))
	return hi == 0 && bytes <= uint64(size) && uint64(v.Offset) <= uint64(size)-bytes
}
