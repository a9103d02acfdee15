package runtime

import (
	"fmt"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// threadgroupAlign is what Metal wants lengths of threadgroup memory to be a
// multiple of.
const threadgroupAlign = 16

// bind checks every argument of the call and puts it into c.dispatch. It is the
// one place where arguments are checked: drivers rely on it.
func (c *Call) bind() error {
	d := &c.dispatch
	d.Kernel = &c.prepared.kernel
	d.Buffers, d.Values = d.Buffers[:0], d.Values[:0]
	d.Shared, d.Constants = d.Shared[:0], d.Constants[:0]
	shared := 0
	for i := range c.slots {
		s, a, arg := &c.slots[i], &c.kernel.Args[i], c.prepared.args[i]
		if !s.given(a.Kind) && a.Optional {
			continue
		}
		if !s.set {
			return c.bad(a, "a "+a.Kind.String()+" of "+a.Type, "nothing", ErrNotSet)
		}
		switch a.Kind {
		case BufferArg:
			if err := c.checkBuffer(a, s); err != nil {
				return err
			}
			d.Buffers = append(d.Buffers, driver.Buffer{
				Arg: arg, Memory: s.view.mem.mem, Offset: s.view.offset, Length: s.view.length * s.view.size,
			})
			c.batch.held = append(c.batch.held, s.view.mem)
		case ThreadgroupArg:
			n, err := c.checkThreadgroup(a, s, shared)
			if err != nil {
				return err
			}
			d.Shared = append(d.Shared, driver.Shared{Arg: arg, Length: n})
			shared += n
		case ValueArg, ConstantArg:
			bytes := c.bytes[s.start:s.end]
			if len(bytes) != a.Size {
				return c.bad(a, fmt.Sprintf("%s of %d bytes", a.Type, a.Size), fmt.Sprintf("%d bytes", len(bytes)), nil)
			}
			list := &d.Values
			if a.Kind == ConstantArg {
				list = &d.Constants
			}
			*list = append(*list, driver.Value{Arg: arg, Bytes: bytes})
		}
	}
	return nil
}

// given tells whether there is something to bind: for an optional argument the
// zero Buffer and no threadgroup memory are as good as not set.
func (s *slot) given(kind ArgKind) bool {
	switch kind {
	case BufferArg:
		return s.view.mem != nil
	case ThreadgroupArg:
		return s.count != 0
	default:
		return s.set
	}
}

// checkBuffer checks the buffer in s against argument a. The memory is retained
// when there is no error.
func (c *Call) checkBuffer(a *Arg, s *slot) error {
	v := s.view
	align, why := a.Align, ""
	if a.Constant && align < c.batch.dev.limits.ConstantAlign {
		align, why = c.batch.dev.limits.ConstantAlign, " in constant memory"
	}
	switch {
	case v.mem == nil:
		return c.bad(a, "a buffer of "+a.Type, "a nil one", ErrNilBuffer)
	case v.mem.mistake != nil:
		return c.bad(a, "a buffer of "+a.Type, v.mem.mistake.Error(), v.mem.mistake)
	case v.mem.dev != c.batch.dev:
		return c.bad(a, "a buffer of the batch's device, "+c.batch.dev.String(), "one of another, "+v.mem.dev.String(), ErrOtherDevice)
	case v.size != a.Size:
		return c.bad(a, fmt.Sprintf("elements of %s, %d bytes each", a.Type, a.Size), fmt.Sprintf("elements of %d bytes", v.size), nil)
	case s.count < 0 || saturated(s.count):
		return c.badLength(a, s.count)
	case v.length < s.count:
		return c.bad(a, fmt.Sprintf("at least %d elements of %s%s", s.count, a.Type, comma(a.Shape)), fmt.Sprint(v.length), ErrTooShort)
	case align > 0 && v.offset%align != 0:
		return c.bad(a, fmt.Sprintf("a byte offset that is a multiple of %d%s", align, why), fmt.Sprint(v.offset), nil)
	case !v.mem.retain():
		return c.bad(a, "a buffer of "+a.Type, "one that was freed", ErrFreed)
	}
	return nil
}

// checkThreadgroup returns the bytes of threadgroup memory for a, of which the
// arguments before it take used.
func (c *Call) checkThreadgroup(a *Arg, s *slot, used int) (int, error) {
	limit := c.batch.dev.limits.ThreadgroupMemory
	switch {
	case s.count == 0 && a.Shape == "":
		return 0, c.bad(a, "a length in elements of "+a.Type+", which nothing in "+c.kernel.Library.File+" states", "none set", ErrNotSet)
	case s.count < 0 || saturated(s.count):
		return 0, c.badLength(a, s.count)
	case s.count == 0:
		return 0, c.bad(a, "at least 1 element of "+a.Type+comma(a.Shape), "0", nil)
	}
	bytes := Mul(s.count, a.Size)
	if !saturated(bytes) {
		bytes = Mul(CeilDiv(bytes, threadgroupAlign), threadgroupAlign)
	}
	if total := Add(used, bytes); total > limit {
		return 0, c.bad(a, fmt.Sprintf("at most %d bytes of threadgroup memory in all%s", limit, comma(a.Shape)),
			fmt.Sprintf("%d with %d elements of %s here", total, s.count, a.Type), nil)
	}
	return bytes, nil
}

// badLength is the error of a length that the source states and the arguments of
// the call make nonsense of.
func (c *Call) badLength(a *Arg, n int) error {
	need := "a length that makes sense" + comma(a.Shape)
	if saturated(n) {
		return c.bad(a, need, "one that overflows or divides by zero", ErrOverflow)
	}
	return c.bad(a, need, fmt.Sprintf("%d elements", n), nil)
}

func (c *Call) bad(a *Arg, need, have string, err error) error {
	return &ArgError{Kernel: c.kernel.Name, Arg: a.Name, Need: need, Pos: a.Pos, Have: have, Err: err}
}

// comma puts a stated shape behind what it explains.
func comma(shape string) string {
	if shape == "" {
		return ""
	}
	return ", " + shape
}
