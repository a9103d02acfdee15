package cpu

import (
	"errors"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// postponed is a dispatch that was recorded while its kernel was compiled.
type postponed struct {
	compilation *compilation
	from        driver.Dispatch
}

// postpone keeps a copy of a dispatch, which is valid during the call only.
func (d *recorded) postpone(c *compilation, from *driver.Dispatch) {
	d.postponed = &postponed{compilation: c, from: from.Clone()}
}

// bindPostponed binds a dispatch that was postponed, when its kernel is compiled. It is call number call.
func (d *recorded) bindPostponed(r *recorder, call int) error {
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
	if err == nil {
		err = d.bind(k, &p.from, &r.stop)
	}
	switch _, stopped := errors.AsType[*driver.StoppedError](err); {
	case stopped:
		return err
	case err != nil:
		return &driver.CallError{Kernel: p.from.Kernel.Name, Pos: p.from.Kernel.Pos, Call: call, Err: err}
	}
	p.compilation.leave()
	d.postponed = nil
	return nil
}
