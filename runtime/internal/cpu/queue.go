package cpu

import (
	"errors"
	"slices"
	"sync"
)

// queue runs the batches of a device one after the other, in the order in which
// they were submitted.
type queue struct {
	mu      sync.Mutex
	waiting []*recorder
	current *recorder
	closed  bool
	idle    sync.Cond // broadcast when the last batch ends
	begin   func()    // work, made once: to submit again allocates nothing
	crew    *crew
}

func newQueue(c *crew) *queue {
	q := &queue{crew: c}
	q.idle.L = &q.mu
	q.begin = q.work
	return q
}

var errClosed = errors.New("the device is closed")

// add queues a batch; where nothing runs, it starts.
func (q *queue) add(r *recorder) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return errClosed
	}
	q.waiting = append(q.waiting, r)
	if q.current == nil {
		q.next()
		q.crew.do(q.begin)
	}
	return nil
}

// next makes the first waiting batch the current one.
func (q *queue) next() {
	q.current = nil
	if len(q.waiting) > 0 {
		q.current = q.waiting[0]
		q.waiting = slices.Delete(q.waiting, 0, 1)
	}
}

// remove reports whether a batch was waiting, and takes it off the queue.
func (q *queue) remove(r *recorder) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.waiting, r)
	if i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	}
	return i >= 0
}

// work runs batches until none waits.
func (q *queue) work() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.current != nil {
		r := q.current
		q.mu.Unlock()
		r.run()
		q.mu.Lock()
		q.next()
	}
	q.idle.Broadcast()
}

// close stops all batches and waits for their ends.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	if q.current != nil {
		q.current.halt()
	}
	for _, r := range q.waiting {
		r.halt()
	}
	for q.current != nil {
		q.idle.Wait()
	}
}
