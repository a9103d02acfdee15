package runtime

import (
	"fmt"
	"sync"
)

// Capture calls run and writes everything that the device does meanwhile to a file that Xcode opens, a .gputrace,
// which must not exist yet. Submit and Wait within run. Each dispatch has the name of its kernel there.
//
// Only one capture can run at a time, and only if MTL_CAPTURE_ENABLED=1 is in the environment of the program. The error
// is that of run, if it has one. On the CPU device the error wraps [errors.ErrUnsupported], and Capture does not call
// run.
func (d *Device) Capture(path string, run func() error) error {
	stop, err := d.startCapture(path)
	if err != nil {
		return fmt.Errorf("Capture to %s: %w", path, err)
	}
	stop = sync.OnceValue(stop)
	defer stop() // where run fails, or panics
	if err := run(); err != nil {
		return err
	}
	if err := ours(stop()); err != nil {
		return fmt.Errorf("Capture to %s: %w", path, err)
	}
	return nil
}

func (d *Device) startCapture(path string) (stop func() error, err error) {
	if d == nil {
		return nil, errNilDevice
	}
	d.life.RLock()
	defer d.life.RUnlock()
	if d.closed {
		return nil, ErrClosed
	}
	stop, err = d.drv.Capture(path)
	return stop, ours(err)
}
