package runtime

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Preload compiles kernels, several at once, so that their first calls need not, which saves milliseconds each on a
// GPU. It returns the errors of all that fail, each a [*CallError], or [ErrClosed]. Generated packages have a function
// Preload that does so for all their kernels.
//
// Preload ignores kernels with function constants: they are compiled for the values that a call sets.
func (d *Device) Preload(kernels ...*bind.Kernel) error {
	if err := d.usable(); err != nil {
		return fmt.Errorf("metalgen: preload: %w", err)
	}
	errs := make([]error, len(kernels))
	order := byTurns(kernels)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(kernels)) {
		wg.Go(func() {
			for n := next.Add(1) - 1; n < int64(len(order)); n = next.Add(1) - 1 {
				i := order[n]
				errs[i] = d.preload(kernels[i])
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// byTurns returns the indexes of kernels in an order in which their libraries take turns: the first kernel of each,
// then the second of each. A kernel compiles its library too, and all others of the library would wait for that.
func byTurns(kernels []*bind.Kernel) []int {
	turns := make([]int, len(kernels))
	seen := map[*bind.Library]int{}
	order := make([]int, len(kernels))
	for i, k := range kernels {
		order[i] = i
		if k != nil {
			turns[i] = seen[k.Library]
			seen[k.Library]++
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return turns[a] - turns[b] })
	return order
}

// usable returns why nothing can be compiled, once for all kernels, or nil.
func (d *Device) usable() error {
	if d == nil {
		return errNilDevice
	}
	d.life.RLock()
	defer d.life.RUnlock()
	if d.closed {
		return ErrClosed
	}
	return nil
}

func (d *Device) preload(k *bind.Kernel) error {
	if k == nil {
		return &CallError{Kernel: noKernel.Name, Err: errNilKernel}
	}
	form, err := formOf(k)
	if err == nil && len(form.kernel.Constants) == 0 {
		err = d.prepare(&form.kernel)
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
	return ours(d.drv.Prepare(k, nil))
}
