package metal

import "github.com/metalgen/metalgen/runtime/internal/driver"

// A batch that is started is committed while it is recorded: a piece once the next one begins, by the goroutine that
// commits batches in their order. It is in their queue from Start on, and those after it wait until Submit has closed
// it and its pieces are committed.

// firstOfStarted is how many dispatches the first piece of a batch has that was started: fewer than others, so that the
// GPU has something to do soon. Each after it has twice as many.
const firstOfStarted = 16

// most returns what a piece has at most.
func (r *recorder) most() pieceSize {
	most := r.device.most
	if r.started && r.count < 8 {
		most.dispatches = min(most.dispatches, firstOfStarted<<(r.count-1))
	}
	return most
}

// Start puts the batch into the queue, and begins a piece: that before it is committed.
func (r *recorder) Start() error {
	if !r.started {
		r.open()
	}
	if !r.isEmpty() || len(r.waits) > 0 {
		r.begin()
	}
	return nil
}

// open opens the job.
func (r *recorder) open() {
	d, s := r.device, &r.device.submits
	r.started = true
	r.job.start()
	r.job.open, r.job.left = true, 1 // commitRest
	d.jobs.Add(1)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = append(s.queue, r)
	if len(s.queue) == 1 {
		d.startCommitting()
	}
}

// finish makes the last piece ready, if there is anything in it, and closes the job.
func (r *recorder) finish() {
	j := &r.job
	j.mu.Lock()
	defer j.mu.Unlock()
	n := r.count
	if r.isEmpty() && len(r.waits) == 0 {
		n--
	}
	j.admit(r.pieces[:n], r.device.options.Times)
	j.open = false
	if j.completed > 0 && j.err == nil {
		j.report() // what ended before
	}
	j.more.Broadcast()
}

// pieceToCommit returns a piece once it is ready, or nil where there will be none.
func (r *recorder) pieceToCommit(i int) *piece {
	j := &r.job
	j.mu.Lock()
	defer j.mu.Unlock()
	for i >= j.ready && j.open {
		j.more.Wait()
	}
	if i >= j.ready {
		return nil
	}
	if r.started {
		r.device.wired.commit() // what was made since Start
	}
	return r.pieces[i]
}

// leave has the job wait for its pieces only.
func (r *recorder) leave() {
	j := &r.job
	j.mu.Lock()
	last := j.leave()
	j.mu.Unlock()
	if last {
		r.over()
	}
}

// abandon closes a job whose rest will not be submitted, because the device is closed.
func (j *job) abandon() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.open {
		j.open, j.wrong, j.err = false, 0, &driver.StoppedError{}
		j.more.Broadcast()
	}
}

// abandon abandons what is open.
func (s *submits) abandon() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.queue {
		r.job.abandon()
	}
}
