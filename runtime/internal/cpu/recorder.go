package cpu

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// recorder collects the dispatches of a batch, and is its job once submitted.
type recorder struct {
	device     *Device
	dispatches []*dispatch // as many as any batch had; count of them are recorded
	count      int

	stop atomic.Bool
	done chan struct{}
	err  error
}

// Record binds a dispatch. Its kernel is compiled here, so that the mistakes of
// a source are those of the call.
func (r *recorder) Record(from *driver.Dispatch) error {
	k, err := r.device.kernel(from.Kernel)
	if err != nil {
		return err
	}
	if r.count == len(r.dispatches) {
		r.dispatches = append(r.dispatches, &dispatch{})
	}
	if err := r.dispatches[r.count].bind(k, from, &r.stop); err != nil {
		return err
	}
	r.count++
	return nil
}

func errThreadgroupMemory(need, limit int) error {
	return fmt.Errorf("the kernel needs %d bytes of threadgroup memory, with its own variables, and the device has %d", need, limit)
}

// Submit queues the batch behind those submitted before.
func (r *recorder) Submit() (driver.Job, error) {
	r.stop.Store(false)
	r.done, r.err = make(chan struct{}), nil
	if err := r.device.queue.add(r); err != nil {
		return nil, err
	}
	return r, nil
}

// Reset forgets what was recorded, but not the memory that it took.
func (r *recorder) Reset() {
	for _, d := range r.dispatches[:r.count] {
		clear(d.objects)
	}
	r.count = 0
}

// run executes the dispatches one after the other.
func (r *recorder) run() {
	defer close(r.done)
	for _, d := range r.dispatches[:r.count] {
		if err := d.run(); err != nil {
			if errors.Is(err, errStopped) {
				err = &driver.StoppedError{Kernel: d.program.name}
			}
			r.err = err
			return
		}
	}
}

// Wait waits for the end of the job, and stops it when ctx ends first.
func (r *recorder) Wait(ctx context.Context) (done bool, err error) {
	select {
	case <-r.done:
		return true, r.err
	default:
	}
	select {
	case <-r.done:
	case <-ctx.Done():
		r.stop.Store(true)
		if r.device.queue.remove(r) {
			r.err = &driver.StoppedError{}
			close(r.done)
		}
		<-r.done
		var stopped *driver.StoppedError
		if errors.As(r.err, &stopped) {
			stopped.Err = ctx.Err()
		}
	}
	return true, r.err
}
