package cpu

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

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

	start, end time.Duration // since the device was opened
}

// Record binds a dispatch. Its kernel is compiled here, so that an error in the source
// is one of the call.
func (r *recorder) Record(from *driver.Dispatch) error {
	k, err := r.device.kernel(from.Kernel)
	if err != nil {
		return err
	}
	if err := r.next().bind(k, from, &r.stop); err != nil {
		return err
	}
	r.count++
	return nil
}

// Copy binds a copy.
func (r *recorder) Copy(to, from driver.Buffer) error {
	r.next().bindCopy(&to, &from)
	r.count++
	return nil
}

// next returns the dispatch to be recorded next.
func (r *recorder) next() *dispatch {
	if r.count == len(r.dispatches) {
		r.dispatches = append(r.dispatches, &dispatch{})
	}
	return r.dispatches[r.count]
}

// Submit queues the batch behind those submitted before.
func (r *recorder) Submit() (driver.Job, error) {
	r.stop.Store(false)
	r.done, r.err = make(chan struct{}), nil
	r.start, r.end = 0, 0
	if err := r.device.queue.add(r); err != nil {
		return nil, err
	}
	return r, nil
}

// Reset forgets what was recorded, but not the memory that it took.
func (r *recorder) Reset() {
	for _, d := range r.dispatches[:r.count] {
		d.reset()
	}
	r.count = 0
}

// run executes the dispatches one after the other.
func (r *recorder) run() {
	r.start = time.Since(r.device.opened)
	defer func() {
		r.end = time.Since(r.device.opened)
		close(r.done)
	}()
	var found *driver.Findings
	for _, d := range r.dispatches[:r.count] {
		err := d.run()
		found = d.findingsIn(found)
		if err != nil {
			if errors.Is(err, errStopped) {
				err = &driver.StoppedError{Kernel: d.program.name}
			}
			r.err = err
			break
		}
	}
	if found != nil {
		r.err = errors.Join(found, r.err)
	}
}

// Times returns when the batch began and ended, since the device was opened.
func (r *recorder) Times() (start, end time.Duration) { return r.start, r.end }

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
