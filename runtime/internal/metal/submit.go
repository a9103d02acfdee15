package metal

import (
	"math"
	"slices"
	"sync"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Batches take effect one after the other, so their pieces are committed in the order of their Submit. A queue takes a
// limited number of command buffers, and a batch may wait for an event that only the caller of Submit will signal. So
// Submit does not wait: it commits what there is room for, and a goroutine commits the rest.

// submits are the batches of a device that are being committed.
type submits struct {
	mu      sync.Mutex
	queue   []*recorder // in the order of their Submit; empty while there are singles but no others
	singles int         // batches of one piece that Submit commits, at once and in any order
	none    sync.Cond   // of these are left
}

// Submit commits the first piece of the batch where nothing is in its way.
func (r *recorder) Submit() (driver.Job, error) {
	d := r.device
	if r.started {
		r.finish()
		return &r.job, nil
	}
	if r.kept {
		r.makeCommands()
	}
	r.job.start()
	r.job.admit(r.pieces[:r.count], d.options.Times)
	d.jobs.Add(1)
	d.wired.commit()
	d.wired.near()
	if !d.submits.begin(r) {
		return &r.job, nil
	}
	single := r.count == 1
	err := r.commit(0, r.pieces[0]) // with which a job of one piece may be over, and r another batch
	if err == nil && !single {
		r.job.next = 1
	}
	d.submits.began(d, single, err)
	if err != nil {
		d.jobs.Done()
		return nil, err
	}
	return &r.job, nil
}

// begin puts a batch in order, and reports whether its first piece may be committed at once: then it has a place among
// those that run.
func (s *submits) begin(r *recorder) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, single := r.device, r.count == 1
	if len(s.queue) == 0 && (single || s.singles == 0) && d.hasRoom() {
		if single {
			s.singles++
		} else {
			s.queue = append(s.queue, r)
		}
		return true
	}
	s.queue = append(s.queue, r)
	if len(s.queue) == 1 {
		d.startCommitting()
	}
	return false
}

// began is called when the first piece of a batch is committed, or could not be.
func (s *submits) began(d *Device, single bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case single:
		if s.singles--; s.singles == 0 {
			s.none.Broadcast()
		}
		return
	case err != nil:
		s.queue = slices.Delete(s.queue, 0, 1)
	}
	if len(s.queue) > 0 {
		d.startCommitting()
	}
}

// hasRoom takes a place among those that run, if there is one.
func (d *Device) hasRoom() bool {
	select {
	case d.running <- struct{}{}:
		return true
	default:
		return false
	}
}

// startCommitting has a goroutine commit the queue. mu is held, and no goroutine commits it yet.
func (d *Device) startCommitting() {
	d.jobs.Add(1)
	go d.commits()
}

// commitQueue commits the batches of the queue, and ends where that is empty.
func (d *Device) commitQueue() {
	defer d.jobs.Done()
	s := &d.submits
	for more := true; more; {
		s.mu.Lock()
		for s.singles > 0 {
			s.none.Wait()
		}
		r := s.queue[0]
		s.mu.Unlock()
		r.commitRest()
		s.mu.Lock()
		s.queue = slices.Delete(s.queue, 0, 1)
		more = len(s.queue) > 0
		s.mu.Unlock()
	}
}

// commitRest commits the pieces that are not committed yet, and those that come. Where that fails, the others are not
// committed, and count as pieces that failed.
func (r *recorder) commitRest() {
	d, j := r.device, &r.job
	started, n := r.started, math.MaxInt
	if !started {
		n = j.ready
	}
	var failed error
	for i := j.next; i < n; i++ { // with the last one the job may be over, and r another batch
		p := r.pieceToCommit(i)
		if p == nil {
			break
		}
		if failed == nil {
			d.running <- struct{}{}
			if failed = r.commit(i, p); failed == nil {
				continue
			}
			j.lost = i
		}
		d.ended(r, i, p, failed, driver.Times{})
	}
	if started {
		r.leave()
	}
}
