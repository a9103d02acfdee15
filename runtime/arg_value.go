package runtime

import (
	"fmt"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

var valueKind = argKind{
	table:    bufferTable,
	describe: func(k *driver.Kernel, a *driver.Arg) { k.Values = append(k.Values, a) },
	leftOut:  valueLeftOut,
	bind: func(c *call, a *formArg, s *bind.Slot) error {
		return c.bindBytes(&c.dispatch.Values, a, s)
	},
	reset: func(d *driver.Dispatch) { d.Values = d.Values[:0] },
}

func valueLeftOut(a *bind.Arg, s *bind.Slot) bool { return !s.Set && a.Optional }

// bindBytes checks a value and adds it to list.
func (c *call) bindBytes(list *[]driver.Value, a *formArg, s *bind.Slot) error {
	if len(s.Bytes) != a.Size {
		return c.bad(a.Arg, fmt.Sprintf("%s of %d bytes", a.Type, a.Size), fmt.Sprintf("%d bytes", len(s.Bytes)), nil)
	}
	*list = append(*list, driver.Value{Arg: a.driver, Bytes: s.Bytes})
	return nil
}
