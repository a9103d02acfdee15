package cpu

import (
	"sync"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// A batch that is started runs while it is recorded. It is in the queue from Start on, and where it has run all that is
// recorded it waits for more, or for Submit.

// stream is what recording and running such a batch share.
type stream struct {
	started bool // see Start

	mu     sync.Mutex
	more   sync.Cond
	open   bool // more may be recorded
	ready  int  // dispatches that may run
	passed int  // calls that have run
}

// Start queues the batch.
func (r *recorder) Start() error {
	if r.stream.started {
		return nil
	}
	r.begin()
	r.needStopped()
	r.stream.started, r.stream.open = true, true
	r.release()
	return r.device.queue.add(r)
}

// grow makes room for a dispatch, while those before may run.
func (r *recorder) grow() {
	r.stream.mu.Lock()
	defer r.stream.mu.Unlock()
	r.dispatches = append(r.dispatches, &recorded{})
}

// release lets run what is recorded.
func (r *recorder) release() {
	s := &r.stream
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready = r.count
	s.more.Broadcast()
}

// released returns the dispatches that may run.
func (r *recorder) released() []*recorded {
	r.stream.mu.Lock()
	defer r.stream.mu.Unlock()
	return r.dispatches[:r.stream.ready]
}

// dispatch returns a dispatch once it may run, or nil where there will be none.
func (r *recorder) dispatch(i int) *recorded {
	s := &r.stream
	s.mu.Lock()
	defer s.mu.Unlock()
	for i >= s.ready && s.open && !r.stop.Load() {
		s.more.Wait()
	}
	switch {
	case i < s.ready:
		return r.dispatches[i]
	case s.open: // it is stopped
		r.err = &driver.StoppedError{}
	}
	return nil
}

// passed tells how many calls have run, once it is known how many there are in all.
func (r *recorder) passed(calls int) {
	s := &r.stream
	s.mu.Lock()
	defer s.mu.Unlock()
	s.passed = calls
	r.report()
}

func (r *recorder) report() {
	s := &r.stream
	if r.progress != nil && !s.open && s.passed > 0 {
		r.progress(s.passed, r.calls)
	}
}

// finish ends the recording.
func (r *recorder) finish() {
	r.release()
	r.close()
	if r.Ended() { // it has failed, and knows nothing of what was recorded since
		r.signalAll()
	}
}

func (r *recorder) close() {
	s := &r.stream
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = false
	r.report() // of what has run before
	s.more.Broadcast()
}
