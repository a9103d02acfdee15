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
// GPU. It joins the errors of those that fail, each a [*CallError], or returns [ErrClosed]. Generated packages have a
// function Preload for all their kernels.
//
// Preload ignores kernels with function constants: they are compiled for the values that a call sets.
func (d *Device) Preload(kernels ...*bind.Kernel) error {
	_, err := d.PreloadPackage(kernels, nil, nil)
	return err
}

// PreloadPackage is [Device.Preload] for generated packages. It also compiles the kernels that calls record, with the
// function constants that these set; their other arguments do not matter, and nothing runs. It returns the names of the
// kernels that were left out: kernels with function constants, and instances of the families, that no call names.
func (d *Device) PreloadPackage(
	kernels []*bind.Kernel, families []*bind.Family, calls []func(b *Batch),
) (left []string, err error) {
	if err := d.usable(); err != nil {
		return nil, fmt.Errorf("Preload: %w", err)
	}
	b := &Batch{dev: d, pipelines: &pipelines{called: map[*driver.Kernel]bool{}}}
	b.call.recorded.Sparse = true
	for _, record := range calls {
		record(b)
		b.call.mustBeDispatched()
	}
	all := b.pipelines
	errs := []error{b.err}
	for _, k := range kernels {
		switch form, err := describe(k); {
		case err != nil:
			errs = append(errs, err)
		case len(form.kernel.Constants) == 0:
			all.list = append(all.list, pipeline{k, &form.kernel, nil})
		case !all.called[&form.kernel]:
			left = append(left, k.Name)
		}
	}
	for _, f := range families {
		for i := range f.Variants {
			if form, err := describe(f.Kernel(i + 1)); err == nil && !all.called[&form.kernel] {
				left = append(left, f.Variants[i].Name)
			}
		}
	}
	return left, errors.Join(append(errs, d.compile(all.list)...)...)
}

// pipelines are what is to be compiled ahead.
type pipelines struct {
	list   []pipeline
	called map[*driver.Kernel]bool
}

// pipeline is a kernel with values of its function constants.
type pipeline struct {
	kernel    *bind.Kernel
	form      *driver.Kernel
	constants []driver.Value
}

// preload adds what the call is of to what is to be compiled.
func (c *call) preload() {
	c.dispatch.Reset()
	for _, args := range [][]formArg{c.form.first, c.form.last} {
		for i := range args {
			a := &args[i]
			if a.Kind != bind.ConstantArg {
				continue
			}
			if err := a.bind(c, a, &c.recorded.Slots()[a.slot]); err != nil {
				c.batch.fail(err)
				return
			}
		}
	}
	p := c.batch.pipelines
	p.called[&c.form.kernel] = true
	p.list = append(p.list, pipeline{c.kernel, &c.form.kernel, c.dispatch.Clone().Constants})
}

// compile compiles pipelines, several at once, and returns the errors in their order.
func (d *Device) compile(list []pipeline) []error {
	errs := make([]error, len(list))
	order := byTurns(list)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(list)) {
		wg.Go(func() {
			for n := next.Add(1) - 1; n < int64(len(order)); n = next.Add(1) - 1 {
				i := order[n]
				if err := d.prepare(&list[i]); err != nil {
					errs[i] = &CallError{Kernel: list[i].kernel.Name, Pos: list[i].kernel.Pos, Err: err}
				}
			}
		})
	}
	wg.Wait()
	return errs
}

// byTurns returns the indexes of pipelines in an order in which their libraries take turns: the first kernel of each,
// then the second of each. A kernel compiles its library too, and all others of the library would wait for that.
func byTurns(list []pipeline) []int {
	turns := make([]int, len(list))
	seen := map[*bind.Library]int{}
	order := make([]int, len(list))
	for i, p := range list {
		order[i], turns[i] = i, seen[p.kernel.Library]
		seen[p.kernel.Library]++
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

// describe is formOf with the error of a call.
func describe(k *bind.Kernel) (*kernelForm, error) {
	if k == nil {
		return nil, &CallError{Kernel: noKernel.Name, Err: errNilKernel}
	}
	form, err := formOf(k)
	if err != nil {
		return nil, &CallError{Kernel: k.Name, Pos: k.Pos, Err: err}
	}
	return form, nil
}

func (d *Device) prepare(p *pipeline) error {
	d.life.RLock()
	defer d.life.RUnlock()
	if d.closed {
		return ErrClosed
	}
	return ours(d.drv.Prepare(p.form, p.constants))
}
