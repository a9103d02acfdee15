package runtime

import (
	"encoding/binary"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// followed is the memory that pointers in the arguments of a call lead to.
type followed struct {
	list  []*allocation       // parallel to the Resources of the dispatch
	index map[*allocation]int // in list
}

func (f *followed) reset() {
	clear(f.list)
	f.list = f.list[:0]
	clear(f.index)
}

// followView follows the pointers in a buffer.
func (c *call) followView(a *formArg, v *bind.View, mem *allocation) error {
	return mem.eachArgument(v.Offset, v.Offset+v.Length*v.Size, func(p *argument) error {
		at := p.offset - v.Offset
		return c.follow(a, at/v.Size, p.field, p.to, accessThrough(a.Fields, at%v.Size))
	})
}

// followValue follows the pointers in a value.
func (c *call) followValue(a *formArg, s *bind.Slot) error {
	if !a.Pointers {
		return nil
	}
	if s.Type == nil {
		return c.bad(a.Arg, a.Type+" as a Go type that has its pointers", "bytes", nil)
	}
	for _, f := range pointersIn(s.Type) {
		to, have, err := c.batch.dev.pointed(binary.LittleEndian.Uint64(s.Bytes[f.offset:]))
		if err != nil {
			return c.badPointer(a, -1, f.path, have, err)
		}
		if to == nil {
			continue
		}
		if err := c.follow(a, -1, f.path, to, accessThrough(a.Fields, f.offset)); err != nil {
			return err
		}
	}
	return nil
}

// followOn follows the pointers in the memory that pointers lead to. What the kernel does with what those lead to is
// not known.
func (c *call) followOn() error {
	for i := 0; i < len(c.followed.list); i++ {
		mem, r := c.followed.list[i], c.dispatch.Resources[i]
		err := mem.eachArgument(0, mem.size, func(p *argument) error {
			a := c.formArg(r.Arg)
			return c.follow(a, r.Element, r.Field+"->"+p.field, p.to, 0)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// formArg returns the argument of the call that the driver knows as arg.
func (c *call) formArg(arg *driver.Arg) *formArg {
	for i := range c.form.first {
		if a := &c.form.first[i]; a.driver == arg {
			return a
		}
	}
	return nil
}

// eachArgument calls f for the pointers that the program wrote to the bytes from one offset to another, until it
// returns an error.
func (a *allocation) eachArgument(from, to int, f func(p *argument) error) error {
	known := a.arguments.Load()
	if known == nil {
		return nil
	}
	known.mu.Lock()
	defer known.mu.Unlock()
	for i := known.from(from); i < len(known.list) && known.list[i].offset < to; i++ {
		if err := f(&known.list[i]); err != nil {
			return err
		}
	}
	return nil
}

// follow hands the memory that a pointer leads to on to the device, and keeps it for the time of the batch. access is
// what the kernel does with it, 0 where that is not known.
func (c *call) follow(a *formArg, element int, field string, to *allocation, access bind.Access) error {
	writes := access&Write != 0 || access == 0 && !to.readOnly
	if i, ok := c.followed.index[to]; ok && (!writes || c.dispatch.Resources[i].Writes) {
		return nil
	}
	switch {
	case to.dev != c.batch.dev:
		return c.badPointer(a, element, field, "one of another, "+to.dev.String(), ErrOtherDevice)
	case writes && to.readOnly:
		return c.badPointer(a, element, field, "one of a buffer that was wrapped for reading only", ErrReadOnly)
	}
	if i, ok := c.followed.index[to]; ok {
		c.dispatch.Resources[i].Writes = true
		return nil
	}
	if !to.retain() {
		return c.badPointer(a, element, field, badPointers[freedPointer].have, ErrFreed)
	}
	c.batch.held = append(c.batch.held, &to.resource)
	if c.followed.index == nil {
		c.followed.index = map[*allocation]int{}
	}
	c.followed.index[to] = len(c.followed.list)
	c.followed.list = append(c.followed.list, to)
	c.dispatch.Resources = append(c.dispatch.Resources,
		driver.Resource{Memory: to.mem, Writes: writes, Arg: a.driver, Element: element, Field: field})
	return nil
}

// badPointer returns the error of a pointer in an argument.
func (c *call) badPointer(a *formArg, element int, field, have string, err error) error {
	e := c.bad(a.Arg, "a pointer to a buffer of the batch's device, "+c.batch.dev.String(), have, err).(*ArgError)
	e.Arg += driver.PathTo(element, field)
	return e
}

// accessThrough returns what a kernel does with what the pointer at an offset of a struct leads to, 0 where that is
// not known.
func accessThrough(fields []bind.Field, offset int) bind.Access {
	for i := len(fields) - 1; i >= 0; i-- {
		f := &fields[i]
		switch {
		case f.Offset > offset:
		case len(f.Fields) == 0:
			return f.Access
		case f.Stride > 0:
			return accessThrough(f.Fields, (offset-f.Offset)%f.Stride)
		default:
			return accessThrough(f.Fields, offset-f.Offset)
		}
	}
	return 0
}
