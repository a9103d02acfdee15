package cuda

import "sync"

// queue has a goroutine do something with jobs, one after the other in their order.
type queue struct {
	mu      sync.Mutex
	jobs    []*recorder
	working bool // with one that is not in jobs any more
	more    *sync.Cond
	stopped bool
	ended   chan struct{}
}

// start begins the goroutine, which has the context of the device.
func (q *queue) start(d *Device, do func(r *recorder)) {
	q.more, q.ended = sync.NewCond(&q.mu), make(chan struct{})
	go d.with(func() {
		defer close(q.ended)
		for r := q.next(); r != nil; r = q.next() {
			do(r)
		}
	})
}

// add puts a job at the end.
func (q *queue) add(r *recorder) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.jobs = append(q.jobs, r)
	q.more.Signal()
}

// empty reports whether there is nothing to do.
func (q *queue) empty() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.jobs) == 0 && !q.working
}

// next returns the next job, nil after the last.
func (q *queue) next() *recorder {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.working = false
	for len(q.jobs) == 0 && !q.stopped {
		q.more.Wait()
	}
	if len(q.jobs) == 0 {
		return nil
	}
	r := q.jobs[0]
	q.jobs, q.working = q.jobs[1:], true
	return r
}

// stop returns when all jobs are done.
func (q *queue) stop() {
	q.mu.Lock()
	q.stopped = true
	q.more.Signal()
	q.mu.Unlock()
	<-q.ended
}
