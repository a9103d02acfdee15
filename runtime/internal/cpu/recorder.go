package cpu

import (
	"context"
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
		if r.stop.Load() {
			r.err = errStopped
		} else {
			r.err = d.run()
		}
		if r.err == errStopped {
			r.err = &StoppedError{Kernel: d.program.name}
		}
		if r.err != nil {
			return
		}
	}
}

// StoppedError says that a job was stopped before its end.
type StoppedError struct{ Kernel string }

// Error names the kernel that ran.
func (e *StoppedError) Error() string { return e.Kernel + ": stopped while it ran" }

// Wait waits for the end of the job.
func (r *recorder) Wait(ctx context.Context) (done bool, err error) {
	select {
	case <-r.done:
		return true, r.err
	default:
	}
	select {
	case <-r.done:
		return true, r.err
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// Stop makes the job end as soon as it can: within one turn of a loop.
func (r *recorder) Stop() { r.stop.Store(true) }
