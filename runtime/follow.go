package runtime

import (
	"encoding/binary"
	"errors"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// followed is what references in the arguments of a call lead to.
type followed struct {
	list  []followedTarget // parallel to the Resources of the dispatch
	index map[target]int   // in list
	next  int              // in list: what is to be followed on
}

type followedTarget struct {
	target
	beyond *bind.Field // what the kernel does with what references there lead to, nil where it is not known
}

// onlyRead is what a kernel does with what is reached through references in other memory, where that is known.
var onlyRead = bind.Field{Access: Read, Beyond: Read}

func (f *followed) reset() {
	if len(f.list) > 0 {
		clear(f.list)
		f.list, f.next = f.list[:0], 0
		clear(f.index)
	}
}

// canFollow returns an error where the device finds nothing by references in an argument.
func (c *call) canFollow(a *formArg) error {
	if !a.Pointers || c.batch.dev.limits.Addresses {
		return nil
	}
	return c.bad(a.Arg, "a device that follows pointers in memory, which is Metal 3 on macOS 13 or later",
		c.batch.dev.name(), errors.ErrUnsupported)
}

// followView follows the references in a buffer.
func (c *call) followView(a *formArg, v *bind.View, mem *allocation) error {
	if err := c.canFollow(a); err != nil {
		return err
	}
	return c.eachArgument(mem, v.Offset, v.Offset+v.Length*v.Size, func(p *argument) error {
		at := p.offset - v.Offset
		return c.follow(a, at/v.Size, p.field, p.to, fieldAt(a.Fields, at%v.Size))
	})
}

// followValue follows the references in a value.
func (c *call) followValue(a *formArg, s *bind.Slot) error {
	if err := c.canFollow(a); err != nil {
		return err
	}
	if s.Type == nil {
		return c.bad(a.Arg, a.Type+" as a Go type that has its pointers", "bytes", nil)
	}
	for _, f := range referencesIn(s.Type) {
		to, have, err := c.batch.dev.lookUp(f.kind, binary.LittleEndian.Uint64(s.Bytes[f.offset:]))
		if err != nil {
			return c.badReference(a, -1, f.path, c.need(f.kind), have, err)
		}
		if to == (target{}) {
			continue
		}
		if err := c.follow(a, -1, f.path, to, fieldAt(a.Fields, f.offset)); err != nil {
			return err
		}
	}
	return nil
}

// followOn follows the references in the memory that pointers lead to.
func (c *call) followOn() error {
	for f := &c.followed; f.next < len(f.list); {
		from, r := f.list[f.next], c.dispatch.Resources[f.next]
		f.next++
		if from.memory == nil {
			continue
		}
		err := c.eachArgument(from.memory, 0, from.memory.size, func(p *argument) error {
			a := c.formArg(r.Arg)
			return c.follow(a, r.Element, r.Field+"->"+p.field, p.to, from.beyond)
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

// eachArgument calls f for the references that the program wrote to the bytes from one offset to another, until it
// returns an error. A batch that is kept wants to know later whether they are still the same.
func (c *call) eachArgument(a *allocation, from, to int, f func(p *argument) error) error {
	known := a.arguments.Load()
	if known == nil {
		return nil
	}
	known.mu.Lock()
	defer known.mu.Unlock()
	c.batch.follows(&a.resource, known)
	for i := known.from(from); i < len(known.list) && known.list[i].offset < to; i++ {
		if err := f(&known.list[i]); err != nil {
			return err
		}
	}
	return nil
}

// follow hands what a reference leads to on to the device, and keeps it for the time of the batch. The field says what
// the kernel does with it; nil is not known.
func (c *call) follow(a *formArg, element int, path string, to target, field *bind.Field) error {
	writes := to.writable()
	if field != nil && field.Access != 0 {
		writes = field.Access&Write != 0
	}
	var beyond *bind.Field
	if field != nil && field.Beyond == Read {
		beyond = &onlyRead
	}
	i, known := c.followed.index[to]
	if known && beyond == nil && c.followed.list[i].beyond != nil {
		c.followed.list[i].beyond = nil
		c.followed.next = min(c.followed.next, i) // once more
	}
	if known && to.memory != nil && (!writes || c.dispatch.Resources[i].Writes) {
		return nil
	}
	if need, have, err := c.unfit(to, writes, field); need != "" {
		return c.badReference(a, element, path, need, have, err)
	}
	if known {
		c.dispatch.Resources[i].Writes = c.dispatch.Resources[i].Writes || writes
		return nil
	}
	r := driver.Resource{Writes: writes, Arg: a.driver, Element: element, Field: path}
	kind := &pointers
	if to.memory != nil {
		r.Memory = to.memory.mem
	} else {
		r.Texture, kind = to.texture.tex, &textureRefs
	}
	if !c.batch.hold(to.resource(), a.Name) {
		bad := kind.bad[freedNumber]
		return c.badReference(a, element, path, c.need(kind), bad.have, bad.err)
	}
	if c.followed.index == nil {
		c.followed.index = map[target]int{}
	}
	c.followed.index[to] = len(c.followed.list)
	c.followed.list = append(c.followed.list, followedTarget{to, beyond})
	c.dispatch.Resources = append(c.dispatch.Resources, r)
	return nil
}

// writable reports whether kernels may write what a reference leads to.
func (t target) writable() bool {
	if t.memory != nil {
		return !t.memory.readOnly
	}
	return t.texture.spec.Usage&(driver.TextureWrite|driver.TextureAtomic) != 0
}

// unfit returns what is wrong with the target of a reference.
func (c *call) unfit(to target, writes bool, field *bind.Field) (need, have string, err error) {
	if d := to.resource().dev; d != c.batch.dev {
		kind := &pointers
		if to.texture != nil {
			kind = &textureRefs
		}
		return c.need(kind), "one of another, " + d.name(), ErrOtherDevice
	}
	switch {
	case to.memory != nil && writes && to.memory.readOnly:
		return c.need(&pointers), "one of a buffer that was wrapped for reading only", ErrReadOnly
	case to.texture != nil && field != nil && field.Texels != 0:
		return to.texture.unfit(&textureUse{field.Type, field.Texture, field.Texels, field.Access})
	}
	return "", "", nil
}

// need returns what the call needs of a reference.
func (c *call) need(kind *referenceKind) string {
	return kind.what + " of the batch's device, " + c.batch.dev.name()
}

// badReference returns the error of a reference in an argument.
func (c *call) badReference(a *formArg, element int, path, need, have string, err error) error {
	e := c.bad(a.Arg, need, have, err).(*ArgError)
	e.Arg += driver.PathTo(element, path)
	return e
}

// fieldAt returns the field of a struct with the reference at an offset, nil where it is not known.
func fieldAt(fields []bind.Field, offset int) *bind.Field {
	for i := len(fields) - 1; i >= 0; i-- {
		f := &fields[i]
		switch {
		case f.Offset > offset:
		case len(f.Fields) == 0:
			return f
		case f.Stride > 0:
			return fieldAt(f.Fields, (offset-f.Offset)%f.Stride)
		default:
			return fieldAt(f.Fields, offset-f.Offset)
		}
	}
	return nil
}
