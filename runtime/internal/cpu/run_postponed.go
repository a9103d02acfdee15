package cpu

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// postponed is a dispatch that was recorded while its kernel was compiled.
type postponed struct {
	compilation *compilation
	from        driver.Dispatch
}

// postpone keeps a copy of a dispatch, which is valid during the call only.
func (d *dispatch) postpone(c *compilation, from *driver.Dispatch) {
	p := &postponed{compilation: c, from: *from}
	p.from.Buffers, p.from.Shared = slices.Clone(from.Buffers), slices.Clone(from.Shared)
	p.from.Values, p.from.Constants = cloneValues(from.Values), cloneValues(from.Constants)
	d.postponed = p
}

func cloneValues(list []driver.Value) []driver.Value {
	list = slices.Clone(list)
	for i := range list {
		list[i].Bytes = bytes.Clone(list[i].Bytes)
	}
	return list
}

// bindPostponed binds a dispatch that was postponed, when its kernel is compiled.
func (d *dispatch) bindPostponed(r *recorder) error {
	p := d.postponed
	if p == nil {
		return nil
	}
	select {
	case <-p.compilation.done:
	case <-r.stopped:
		return &driver.StoppedError{}
	}
	k, err := p.compilation.kernel()
	if err != nil {
		return err
	}
	if err := d.bind(k, &p.from, &r.stop); err != nil {
		return fmt.Errorf("%s: %w", p.from.Kernel.Name, err)
	}
	p.compilation.leave()
	d.postponed = nil
	return nil
}
