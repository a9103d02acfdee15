package cpu

import (
	"fmt"

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

// bindPostponed binds a dispatch that was postponed, when its kernel is compiled.
func (d *recorded) bindPostponed(r *recorder) error {
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
