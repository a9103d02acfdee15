package runtime

import (
	"errors"
	"runtime"
	"sync"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Preload compiles kernels, several at once, so that their first calls need not:
// that is milliseconds each on a GPU. It returns the errors of all that fail, each
// a [*CallError]. Generated packages have a Preload of all their kernels.
//
// Kernels with function constants are compiled for a set of values, which a call
// gives: of those Preload compiles nothing.
func (d *Device) Preload(kernels ...*Kernel) error {
	errs := make([]error, len(kernels))
	var wg sync.WaitGroup
	limit := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, k := range kernels {
		wg.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			errs[i] = d.preload(k)
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

func (d *Device) preload(k *Kernel) error {
	if k == nil {
		return &CallError{Kernel: noKernel.Name, Err: errNilKernel}
	}
	p, err := k.prepare()
	if err == nil && len(p.kernel.Constants) == 0 {
		err = d.prepare(&p.kernel)
	}
	if err != nil {
		return &CallError{Kernel: k.Name, Pos: k.Pos, Err: err}
	}
	return nil
}

func (d *Device) prepare(k *driver.Kernel) error {
	d.life.RLock()
	defer d.life.RUnlock()
	if d.closed {
		return ErrClosed
	}
	return d.drv.Prepare(k, nil)
}
