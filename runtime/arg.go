package runtime

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// argKind is what is particular to one kind of argument. Each has a file of its own.
type argKind struct {
	table *argTable // where its indices count

	// afterGrid is set for what is mostly computed from the grid. It is checked after that, so
	// that a wrong grid is what is reported.
	afterGrid bool

	// check finds what is wrong with the description of an argument, beside what is checked of
	// all kinds.
	check func(a *bind.Arg) error

	// describe adds an argument to the kernel as the driver knows it. What all kinds have is in
	// arg already.
	describe func(k *driver.Kernel, arg *driver.Arg, a *bind.Arg)

	// bind checks what was set and adds it to the dispatch. It adds nothing where there is
	// nothing to bind and need not be.
	bind func(c *call, a *formArg, s *bind.Slot) error
}

// argKinds is the table of kinds.
var argKinds = [...]argKind{
	bind.BufferArg:      bufferKind,
	bind.ValueArg:       valueKind,
	bind.ThreadgroupArg: threadgroupKind,
	bind.ConstantArg:    constantKind,
	bind.TextureArg:     textureKind,
	bind.SamplerArg:     samplerKind,
}

// argTable is one of Metal's tables of arguments, in which no two share an index. An index
// beyond its last one aborts the process there.
type argTable struct{ last int }

// checkArg finds descriptions that would make no sense to a device.
func checkArg(a *bind.Arg) error {
	if int(a.Kind) >= len(argKinds) || argKinds[a.Kind].table == nil {
		return errors.New("the Kind is not set")
	}
	k := &argKinds[a.Kind]
	switch {
	case a.Index < 0 || a.Index+max(a.Count-1, 0) > k.table.last:
		return fmt.Errorf("its Index %d is not within 0 to %d", a.Index, k.table.last)
	case a.Count < 0:
		return fmt.Errorf("its Count is %d", a.Count)
	case a.Align < 0:
		return fmt.Errorf("its Align is %d", a.Align)
	}
	return k.check(a)
}

// checkSize is the check of kinds that have elements.
func checkSize(a *bind.Arg) error {
	if a.Size <= 0 {
		return fmt.Errorf("its Size is %d", a.Size)
	}
	return nil
}

// sharesIndex reports whether a and b are the same argument to the device.
func sharesIndex(a, b *bind.Arg) bool {
	return a.Index < b.Index+max(b.Count, 1) && b.Index < a.Index+max(a.Count, 1) &&
		argKinds[a.Kind].table == argKinds[b.Kind].table
}

// next returns the next element of a list, which the caller sets whole. To append it would build it elsewhere first.
func next[T any](list *[]T) *T {
	n := len(*list)
	if n == cap(*list) {
		*list = slices.Grow(*list, 1)
	}
	*list = (*list)[:n+1]
	return &(*list)[n]
}

// mayLack reports whether a call may set a to nothing. It may not where a function constant switches the argument on:
// then the call sets it only where it is there.
func mayLack(a *bind.Arg) bool { return a.Optional && a.If == "" }

// notSet returns the error of an argument that the call did not set, or nil if it may be left out.
func (c *call) notSet(a *bind.Arg) error {
	if a.Optional {
		return nil
	}
	return c.bad(a, "a "+a.Kind.String()+" of "+a.Type, "nothing", ErrNotSet)
}

// bad returns the error of a wrong argument.
func (c *call) bad(a *bind.Arg, need, have string, err error) error {
	return &ArgError{Kernel: c.kernel.Name, Arg: a.Name, Need: need, Pos: a.Pos, Have: have, Err: err}
}

// ofElement makes the error of an argument that of an element of it, where that is an array.
func ofElement(err error, a *bind.Arg, element int) error {
	if e, ok := err.(*ArgError); ok && a.Count > 0 {
		e.Arg += "[" + strconv.Itoa(element) + "]"
	}
	return err
}

// badLength returns the error of an impossible length, computed from what the source states or set by the caller.
func (c *call) badLength(a *bind.Arg, n int) error {
	need := "a length in elements of " + a.Type + comma(a.Shape)
	if bind.Saturated(n) {
		return c.bad(a, need, "one that overflows or divides by zero", ErrOverflow)
	}
	return c.bad(a, need, fmt.Sprintf("a negative one, %d", n), nil)
}

// because says why an optional argument is needed in this call.
func because(a *bind.Arg) string {
	if a.If == "" {
		return ""
	}
	return ", which function constant " + a.If + " switches on"
}

// comma appends a stated shape to the text that it explains.
func comma(shape string) string {
	if shape == "" {
		return ""
	}
	return ", " + shape
}
