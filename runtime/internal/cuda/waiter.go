package cuda

import "sync"

// waiter waits for jobs, in the order in which they were submitted, and finishes them.
type waiter struct {
	mu      sync.Mutex
	jobs    []*recorder
	more    *sync.Cond
	stopped bool
	ended   chan struct{}
}

func (w *waiter) start(d *Device) {
	w.more, w.ended = sync.NewCond(&w.mu), make(chan struct{})
	go d.with(func() {
		defer close(w.ended)
		for r := w.next(); r != nil; r = w.next() {
			r.finish(d.lib.EventSynchronize(r.end))
		}
	})
}

// add has a job waited for.
func (w *waiter) add(r *recorder) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.jobs = append(w.jobs, r)
	w.more.Signal()
}

// next returns the next job, nil after the last.
func (w *waiter) next() *recorder {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.jobs) == 0 && !w.stopped {
		w.more.Wait()
	}
	if len(w.jobs) == 0 {
		return nil
	}
	r := w.jobs[0]
	w.jobs = w.jobs[1:]
	return r
}

// stop returns when all jobs have ended.
func (w *waiter) stop() {
	w.mu.Lock()
	w.stopped = true
	w.more.Signal()
	w.mu.Unlock()
	<-w.ended
}
