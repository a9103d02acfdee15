package runtime

import (
	"errors"
	"fmt"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Listing returns what the device executes for a kernel, as text. For the CPU device that is instructions on registers
// of 32 lanes, with their lines in the source and what the sanitizer adds, and the machine code made from them. The
// text is for people, and its form may change. On other devices the error wraps [errors.ErrUnsupported].
func (d *Device) Listing(k *bind.Kernel) (string, error) {
	if err := d.usable(); err != nil {
		return "", fmt.Errorf("Listing: %w", err)
	}
	form, err := describe(k)
	if err != nil {
		return "", err
	}
	d.life.RLock()
	defer d.life.RUnlock()
	if d.closed {
		return "", fmt.Errorf("Listing: %w", ErrClosed)
	}
	lister, ok := d.drv.(driver.Lister)
	if !ok {
		return "", fmt.Errorf("%s has no listings: %w", d, errors.ErrUnsupported)
	}
	text, err := lister.Listing(&form.kernel)
	if err != nil {
		return "", &CallError{Kernel: k.Name, Pos: k.Pos, Err: ours(err)}
	}
	return text, nil
}
