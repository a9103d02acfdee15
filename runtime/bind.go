package runtime

import (
	"fmt"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// threadgroupAlign is what Metal wants lengths of threadgroup memory to be a
// multiple of.
const threadgroupAlign = 16

// bind checks the call, to run over grid g, and puts it into c.dispatch. It is
// the one place where calls are checked: drivers rely on it.
//
// Lengths of threadgroup memory come last: most are computed from the grid, and
// where that is wrong they are not what is to be reported.
func (c *Call) bind(g Grid) error {
	c.dispatch.Kernel = &c.prepared.kernel
	if err := c.bindArguments(); err != nil {
		return err
	}
	if err := checkGrid(c.kernel, g, &c.batch.dev.limits); err != nil {
		return err
	}
	if err := c.bindGrid(g); err != nil {
		return err
	}
	return c.bindThreadgroups()
}

// indirectArg stands for the Indirect of a Grid in messages.
var indirectArg = Arg{
	Kind: BufferArg, Name: "Grid.Indirect", Type: "uint[3]", Size: 12, Align: 4, Access: Read,
}

// bindGrid binds the grid, and the buffer of an indirect one.
func (c *Call) bindGrid(g Grid) error {
	c.dispatch.Grid = driver.Grid{Threadgroups: g.Threadgroups, Threads: g.Threads, Size: g.Size}
	if !g.isIndirect() {
		return nil
	}
	s := slot{view: g.Indirect.View(), count: 1}
	if err := c.checkBuffer(&indirectArg, &s); err != nil {
		return err
	}
	c.batch.held = append(c.batch.held, s.view.mem)
	c.dispatch.Grid.Indirect = s.view.bound(nil)
	c.dispatch.Grid.Indirect.Length = indirectArg.Size
	return nil
}

// bindArguments checks all arguments but threadgroup memory.
func (c *Call) bindArguments() error {
	d := &c.dispatch
	d.Buffers, d.Values, d.Constants = d.Buffers[:0], d.Values[:0], d.Constants[:0]
	for i := range c.slots {
		s, a, arg := &c.slots[i], &c.kernel.Args[i], c.prepared.args[i]
		if a.Kind == ThreadgroupArg || s.leftOut(a) {
			continue
		}
		if !s.set {
			return c.notSet(a)
		}
		switch a.Kind {
		case BufferArg:
			if err := c.checkBuffer(a, s); err != nil {
				return err
			}
			d.Buffers = append(d.Buffers, s.view.bound(arg))
			c.batch.held = append(c.batch.held, s.view.mem)
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

// bindThreadgroups checks the threadgroup memory of the call.
func (c *Call) bindThreadgroups() error {
	d := &c.dispatch
	d.Shared = d.Shared[:0]
	used := 0
	for i := range c.slots {
		s, a := &c.slots[i], &c.kernel.Args[i]
		if a.Kind != ThreadgroupArg || s.leftOut(a) {
			continue
		}
		if !s.set {
			return c.notSet(a)
		}
		n, err := c.checkThreadgroup(a, s, used)
		if err != nil {
			return err
		}
		d.Shared = append(d.Shared, driver.Shared{Arg: c.prepared.args[i], Length: n})
		used += n
	}
	return nil
}

// leftOut tells whether there is nothing to bind to a, and need not be: an
// optional argument was not set, or set to what is as good as nothing, or a
// buffer was not made of which this call, by the stated shape, touches nothing.
func (s *slot) leftOut(a *Arg) bool {
	optional := a.Optional && (a.If == "" || !s.set)
	switch a.Kind {
	case BufferArg:
		return s.view.mem == nil && (optional || s.set && a.Shape != "" && s.count == 0)
	case ThreadgroupArg:
		return s.count == 0 && optional
	default:
		return !s.set && a.Optional
	}
}

// checkBuffer checks the buffer in s against argument a. The memory is retained
// when there is no error.
func (c *Call) checkBuffer(a *Arg, s *slot) error {
	v := s.view
	align, why := a.Align, ""
	if a.Constant && align < c.batch.dev.limits.ConstantAlign {
		align, why = c.batch.dev.limits.ConstantAlign, ", being a constant pointer"
	}
	switch {
	case v.mem == nil:
		return c.bad(a, "a buffer of "+a.Type+comma(a.Shape)+because(a), "the zero Buffer", ErrNilBuffer)
	case v.mem.mistake != nil:
		return c.bad(a, "a buffer of "+a.Type, v.mem.mistake.Error(), v.mem.mistake)
	case v.mem.dev != c.batch.dev:
		return c.bad(a, "a buffer of the batch's device, "+c.batch.dev.String(), "one of another, "+v.mem.dev.String(), ErrOtherDevice)
	case v.size != a.Size:
		return c.bad(a, fmt.Sprintf("elements of %s, %d bytes each", a.Type, a.Size), fmt.Sprintf("elements of %d bytes", v.size), nil)
	case a.Access&Write != 0 && v.mem.readOnly:
		return c.bad(a, "a buffer that may be written", "one that was wrapped for reading only", ErrReadOnly)
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
		return 0, c.bad(a, "a length in elements of "+a.Type+because(a)+", which nothing in "+c.kernel.Library.File+" states", "none set", ErrNotSet)
	case s.count < 0 || saturated(s.count):
		return 0, c.badLength(a, s.count)
	case s.count == 0:
		return 0, c.bad(a, "at least 1 element of "+a.Type+comma(a.Shape), "0", nil)
	}
	bytes := Mul(CeilDiv(Mul(s.count, a.Size), threadgroupAlign), threadgroupAlign)
	if total := Add(used, bytes); total > limit {
		return 0, c.bad(a, fmt.Sprintf("at most %d bytes of threadgroup memory for all arguments together%s", limit, comma(a.Shape)),
			fmt.Sprintf("%s with %d elements of %s for this one", extent(total), s.count, a.Type), nil)
	}
	return bytes, nil
}

// badLength is the error of a length that the source states and the arguments of
// the call make nonsense of, or of one that the caller set to nonsense.
func (c *Call) badLength(a *Arg, n int) error {
	need := "a length in elements of " + a.Type + comma(a.Shape)
	if saturated(n) {
		return c.bad(a, need, "one that overflows or divides by zero", ErrOverflow)
	}
	return c.bad(a, need, fmt.Sprintf("a negative one, %d", n), nil)
}

func (c *Call) notSet(a *Arg) error {
	return c.bad(a, "a "+a.Kind.String()+" of "+a.Type, "nothing", ErrNotSet)
}

func (c *Call) bad(a *Arg, need, have string, err error) error {
	return &ArgError{Kernel: c.kernel.Name, Arg: a.Name, Need: need, Pos: a.Pos, Have: have, Err: err}
}

// because says why an optional argument is needed in this call.
func because(a *Arg) string {
	if a.If == "" {
		return ""
	}
	return ", which function constant " + a.If + " switches on"
}

// comma puts a stated shape behind what it explains.
func comma(shape string) string {
	if shape == "" {
		return ""
	}
	return ", " + shape
}
