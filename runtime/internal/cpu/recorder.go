package cpu

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/cpu/storage"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// recorder collects the dispatches of a batch, and is its job once submitted.
type recorder struct {
	device     *Device
	dispatches []*recorded // as many as any batch had; count of them are recorded
	count      int
	calls      int // of these: the others wait for events, or signal them
	stream     stream

	stop    atomic.Bool
	stopped chan struct{} // closed when stop is set; nil where no dispatch ever waited for its kernel or an event
	done    chan struct{} // holds something once the batch has ended
	err     error
	driver.Ending

	times    driver.Times
	progress func(done, total int) // or nil
}

func newRecorder(d *Device) *recorder {
	r := &recorder{device: d, done: make(chan struct{}, 1)}
	r.stream.more.L = &r.stream.mu
	return r
}

// Record binds a dispatch. Its kernel is compiled before, so that an error in the source
// is one of the call. Where that takes long, waiting for the batch includes it.
func (r *recorder) Record(from *driver.Dispatch) error {
	k, c, err := r.device.join(from.Kernel, from.For)
	if c != nil {
		select {
		case <-c.done:
			k, err = c.kernel()
			c.leave()
		case <-c.slow:
			r.next().postpone(c, from)
			r.add(1)
			return nil
		}
	}
	if err != nil {
		return err
	}
	if err := r.next().bind(k, from, &r.stop); err != nil {
		return err
	}
	r.add(1)
	return nil
}

// Copy binds a copy.
func (r *recorder) Copy(to, from driver.Buffer) error {
	r.next().bindCopy(&to, &from, &r.stop)
	r.add(1)
	return nil
}

// Upload binds a copy of bytes that are the host's.
func (r *recorder) Upload(to driver.Buffer, bytes []byte) error {
	r.next().bindUpload(&to, bytes, &r.stop)
	r.add(1)
	return nil
}

// UploadTexels binds a copy of texels.
func (r *recorder) UploadTexels(to driver.Texture, levels [][]byte) error {
	r.next().bindTexels(to.(*storage.Texture), levels, &r.stop)
	r.add(1)
	return nil
}

// Metal returns nil.
func (r *recorder) Metal() driver.MetalRecorder { return nil }

// Progress keeps what is called after each dispatch.
func (r *recorder) Progress(f func(done, total int)) {
	r.stream.mu.Lock()
	defer r.stream.mu.Unlock()
	r.progress = f
}

// next returns the dispatch to be recorded next.
func (r *recorder) next() *recorded {
	if r.count == len(r.dispatches) {
		r.grow()
	}
	return r.dispatches[r.count]
}

// add adds what next has returned, which is a call or, with 0, none.
func (r *recorder) add(calls int) {
	r.count++
	r.calls += calls
	if r.stream.started {
		r.release()
	}
}

// Keep does nothing: what was recorded stays until Reset.
func (r *recorder) Keep() {}

// Submit queues the batch after those submitted before, unless it is there already.
func (r *recorder) Submit() (driver.Job, error) {
	if r.stream.started {
		r.finish()
		return r, nil
	}
	r.begin()
	if slices.ContainsFunc(r.dispatches[:r.count], (*recorded).waits) {
		r.needStopped()
	}
	r.stream.ready = r.count
	if err := r.device.queue.add(r); err != nil {
		return nil, err
	}
	return r, nil
}

// begin makes the job one that has not run.
func (r *recorder) begin() {
	select {
	case <-r.done: // of the last run
	default:
	}
	r.err, r.times = nil, driver.Times{Dispatches: r.times.Dispatches[:0]}
	r.Begin()
	if r.stop.Swap(false) {
		r.stopped = nil // it is closed
	}
	r.stream.passed = 0
}

// needStopped makes the channel, unless an earlier run has.
func (r *recorder) needStopped() {
	if r.stopped == nil {
		r.stopped = make(chan struct{})
	}
}

// Reset forgets what was recorded, but not the memory that it took.
func (r *recorder) Reset() {
	for _, d := range r.dispatches[:r.count] {
		d.reset()
	}
	r.count, r.calls, r.progress = 0, 0, nil
	r.stream.started, r.stream.open, r.stream.ready = false, false, 0
}

// run executes the dispatches one after the other.
func (r *recorder) run() {
	r.times.Start = r.device.Clock()
	defer func() {
		r.signalAll()
		r.times.End = r.device.Clock()
		r.End()
		if r.stream.started {
			r.signalAll() // what was recorded meanwhile
		}
		r.done <- struct{}{}
	}()
	if !r.stream.started {
		call := 1
		for _, d := range r.dispatches[:r.count] {
			if r.err = d.bindPostponed(r, call); r.err != nil { // before anything runs, as if Record had returned it
				return
			}
			if d.event.of == nil {
				call++
			}
		}
	}
	var found *driver.Findings
	call := 0
	for i := 0; ; i++ {
		d := r.dispatch(i)
		if d == nil {
			break
		}
		if r.err = d.bindPostponed(r, call+1); r.err != nil {
			break
		}
		if d.event.of != nil {
			if r.err = d.event.pass(r); r.err != nil {
				break
			}
			continue
		}
		call++
		d.sanitizer.Begin()
		err := r.measure(d, call)
		d.SendMessages()
		if err == nil && d.kernel != nil {
			d.sanitizer.NoteUnwritten()
		}
		found = d.sanitizer.FindingsIn(found, call)
		d.sanitizer.End()
		if err != nil {
			if errors.Is(err, interp.ErrStopped) {
				err = d.whyStopped(err)
			}
			ofCall(err, call)
			r.err = err
			break
		}
		r.passed(call)
	}
	switch {
	case found != nil && r.err == nil:
		r.err = found
	case found != nil:
		r.err = errors.Join(found, r.err)
	}
}

// ofCall makes an error one of a call.
func ofCall(err error, call int) {
	if f, ok := errors.AsType[*driver.Fault](err); ok {
		f.Call = call
	}
	if s, ok := errors.AsType[*driver.StoppedError](err); ok {
		s.Call = call
	}
}

// halt makes the job stop.
func (r *recorder) halt() {
	if r.stop.CompareAndSwap(false, true) && r.stopped != nil {
		close(r.stopped)
	}
	r.stream.mu.Lock()
	defer r.stream.mu.Unlock()
	r.stream.more.Broadcast()
}

// measure executes a dispatch, and keeps when it did where that is wanted.
func (r *recorder) measure(d *recorded, call int) error {
	if !r.device.options.Times {
		return d.run()
	}
	t := driver.DispatchTimes{Kernel: d.name(), Start: r.device.Clock(), Call: call}
	err := d.run()
	t.End = r.device.Clock()
	r.times.Dispatches = append(r.times.Dispatches, t)
	return err
}

// Times returns when the batch ran.
func (r *recorder) Times() driver.Times { return r.times }

// Wait waits for the end of the job, and stops it when ctx ends first.
func (r *recorder) Wait(ctx context.Context) (done bool, err error) {
	select {
	case <-r.done:
	default:
		select {
		case <-r.done:
		case <-ctx.Done():
			r.cancel(ctx.Err())
		}
	}
	r.done <- struct{}{} // it may be asked again
	return true, r.err
}

// cancel stops the job and waits for its end.
func (r *recorder) cancel(why error) {
	r.halt()
	if r.device.queue.remove(r) {
		r.err = &driver.StoppedError{}
		r.signalAll()
		r.End()
	} else {
		<-r.done
	}
	if stopped, ok := errors.AsType[*driver.StoppedError](r.err); ok {
		stopped.Err = why
	}
}
