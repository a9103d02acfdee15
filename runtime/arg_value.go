package runtime

import (
	"fmt"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

var valueKind = argKind{
	table:    bufferTable,
	check:    checkSize,
	describe: func(k *driver.Kernel, arg *driver.Arg, _ *bind.Arg) { k.Values = append(k.Values, arg) },
	bind:     bindValue,
}

func bindValue(c *call, a *formArg, s *bind.Slot) error {
	if err := c.bindBytes(a, s, &c.dispatch.Values); err != nil || !a.Pointers || !s.Set {
		return err
	}
	return c.followValue(a, s)
}

// bindBytes checks a value and adds it to list.
func (c *call) bindBytes(a *formArg, s *bind.Slot, list *[]driver.Value) error {
	switch {
	case !s.Set:
		return c.notSet(a.Arg)
	case len(s.Bytes) != a.Size:
		return c.bad(a.Arg, fmt.Sprintf("%s of %d bytes", a.Type, a.Size), fmt.Sprintf("%d bytes", len(s.Bytes)), nil)
	}
	v := next(list)
	v.Arg, v.Bytes = a.driver, s.Bytes
	return nil
}
