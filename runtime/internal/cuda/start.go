package cuda

import (
	"encoding/binary"
	"slices"
	"sync"

	"github.com/metalgen/metalgen/runtime/internal/cuda/libcuda"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/abi"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// A batch is sent in pieces. One that is not started is one piece, and one that is has a piece for each Start, and for
// so many calls: the sender has it from Start on, sends the pieces as they come, and comes to later batches when Submit
// has ended it.

// firstOfStarted is how many items recording puts into the first piece. It is small, so that the GPU begins soon. Each
// later piece takes twice as many as the one before, up to mostOfStarted.
const (
	firstOfStarted = 16
	mostOfStarted  = 1024
)

// piece is a part of a batch that is sent at once.
type piece struct {
	items   []*item
	first   int             // how many items are in those before
	marks   []libcuda.Event // after each item, where times are wanted
	records pair            // one for each item, copied to the host
}

// stream is what recording and sending a batch share.
type stream struct {
	started  bool
	taken    int           // how many items are in pieces
	stopping chan struct{} // closed where what has not been sent will not be

	mu     sync.Mutex
	pieces []*piece // as many as any batch had
	ready  int      // of pieces
	open   bool     // there may be more
	broken error    // why there will be none
	more   chan struct{}
	why    error // it stops
}

// Start has the sender begin with what was recorded.
func (r *recorder) Start() error {
	if !r.started {
		if err := r.begin(); err != nil {
			return err
		}
		r.started, r.open, r.more = true, true, make(chan struct{}, 1)
		r.ready, r.taken = 0, 0
		r.device.sendLast(r)
	}
	if r.count > r.taken {
		return r.take()
	}
	return nil
}

// fill begins a piece where that of a started batch is full.
func (r *recorder) fill() {
	if r.started && r.count-r.taken >= min(firstOfStarted<<min(r.ready, 8), mostOfStarted) {
		if err := r.take(); err != nil {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.broken = err
		}
	}
}

// take makes a piece of what was recorded since the last one.
func (r *recorder) take() error {
	r.mu.Lock()
	if r.ready == len(r.pieces) {
		r.pieces = append(r.pieces, &piece{})
	}
	p := r.pieces[r.ready]
	r.mu.Unlock()
	p.first, p.items = r.taken, r.items[r.taken:r.count:r.count]
	if err := r.prepare(p); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.taken = r.count
	r.ready++
	r.wake()
	return nil
}

// prepare makes the events and the memory of records of a piece.
func (r *recorder) prepare(p *piece) error {
	d := r.device
	if d.options.Times {
		p.marks = append(p.marks, make([]libcuda.Event, max(0, len(p.items)-len(p.marks)))...)
		for i := range p.marks {
			if err := d.makeEvents(&p.marks[i]); err != nil {
				return err
			}
		}
	}
	if need := max(len(p.items), 1) * abi.RecordSize; p.records.gpu == nil || p.records.gpu.size < need {
		p.records.free()
		var err error
		if p.records, err = d.newPair(rounded(need), 0, 0); err != nil {
			return err
		}
		r.dropGraph()
	}
	for n, i := range p.items {
		if i.kernel != nil {
			binary.LittleEndian.PutUint64(i.params, p.records.gpu.address+uint64(n*abi.RecordSize))
		}
	}
	return nil
}

// wake has the sender look for a piece.
func (s *stream) wake() {
	select {
	case s.more <- struct{}{}:
	default:
	}
}

// piece returns a piece when it is ready, or nil where there will be none.
func (r *recorder) piece(n int) (*piece, error) {
	for {
		r.mu.Lock()
		p, open, err := (*piece)(nil), r.open, r.broken
		if n < r.ready {
			p = r.pieces[n]
		}
		r.mu.Unlock()
		if p != nil || err != nil || !open {
			return p, err
		}
		select {
		case <-r.more:
		case <-r.device.closing:
			return nil, &driver.StoppedError{}
		}
	}
}

// finishStream ends the recording of a started batch.
func (r *recorder) finishStream() {
	var err error
	if r.count > r.taken {
		err = r.take()
	}
	r.mu.Lock()
	if err != nil && r.broken == nil {
		r.broken = err
	}
	r.open = false
	r.wake()
	r.mu.Unlock()
	if r.Ended() { // it has failed, and knows nothing of what was recorded since
		r.signalAll()
	}
}

// stop has what has not been sent not be, and reports whether that is all of the job.
func (r *recorder) stop(why error) bool {
	r.mu.Lock()
	if r.why == nil {
		r.why = why
		close(r.stopping)
	}
	r.mu.Unlock()
	if !r.device.sender.remove(r) {
		return false
	}
	r.failed = &driver.StoppedError{Err: why}
	r.finish(libcuda.Success)
	return true
}

// reason returns why the job is stopped.
func (r *recorder) reason() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.why
}

// stopsBefore returns the error of a job that is stopped before an item.
func (r *recorder) stopsBefore(p *piece, n int) error {
	select {
	case <-r.stopping:
	default:
		return nil
	}
	e := &driver.StoppedError{Err: r.reason(), Call: p.first + n}
	if n > 0 {
		e.Kernel = p.items[n-1].name()
	}
	return e
}

// remove takes a job out of the queue, and reports whether it was there.
func (q *queue) remove(r *recorder) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.jobs, r)
	if i >= 0 {
		q.jobs = slices.Delete(q.jobs, i, i+1)
	}
	return i >= 0
}
