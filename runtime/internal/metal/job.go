package metal

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// job is a submitted batch.
type job struct {
	mu    sync.Mutex
	left  int // pieces that have not ended
	wrong int // the first piece that failed, where err is set
	err   error
	times driver.Times
	done  chan struct{} // holds something once all pieces have ended

	progress         func(done, total int) // or nil
	completed, total int                   // dispatches
}

// Apple: MTLDispatchType in MTLCommandBuffer.h.
const (
	dispatchSerial     = 0 // MTLDispatchTypeSerial
	dispatchConcurrent = 1 // MTLDispatchTypeConcurrent
)

// Submit commits the first piece of the batch, and has the others follow. Where as many command buffers are on their
// way as a queue takes, it waits for the end of one, and not with a thread in the middle of Metal.
func (r *recorder) Submit() (driver.Job, error) {
	d, n := r.device, r.count
	r.job.start(r.pieces[:n], d.options.Times)
	d.jobs.Add(1)
	d.wired.commit()
	d.wraps.mu.RLock()
	d.turns.begin(n)
	if err := r.commit(0); err != nil {
		d.endSubmit(n)
		d.jobs.Done()
		return nil, err
	}
	if n == 1 {
		d.endSubmit(n)
	} else {
		d.jobs.Go(func() { r.commitRest(n) })
	}
	return &r.job, nil
}

// commitRest commits all pieces of n but the first. Where that fails, the others are not committed, and count as
// pieces that failed.
func (r *recorder) commitRest(n int) {
	d, j := r.device, &r.job
	defer d.endSubmit(n)
	for i := 1; i < n; i++ {
		if err := r.commit(i); err != nil {
			for ; i < n; i++ {
				d.ended(j, i, r.pieces[i], err, driver.Times{})
			}
		}
	}
}

// endSubmit ends what Submit began for a batch of n pieces: all of them have been committed.
func (d *Device) endSubmit(n int) {
	d.turns.end(n)
	d.wraps.mu.RUnlock()
}

// turns keep the pieces of a batch together: batches take effect one after the other.
type turns struct{ mu sync.RWMutex }

func (t *turns) begin(pieces int) {
	if pieces == 1 {
		t.mu.RLock()
	} else {
		t.mu.Lock()
	}
}

func (t *turns) end(pieces int) {
	if pieces == 1 {
		t.mu.RUnlock()
	} else {
		t.mu.Unlock()
	}
}

// commit replays the tape of a piece into a command buffer and commits that. What fails before is in the pool only,
// and goes with it.
func (r *recorder) commit(i int) (err error) {
	d := r.device
	d.running <- struct{}{}
	objc.WithPool(func() { err = r.encode(i) })
	if err != nil {
		<-d.running
	}
	return err
}

func (r *recorder) encode(i int) error {
	d, p := r.device, r.pieces[i]
	commands, err := d.commandBuffer(p.logging)
	if err != nil {
		return err
	}
	if commands == 0 {
		return errNoCommandBuffer
	}
	for _, w := range p.waits {
		commands.Send(selEncodeWait, uintptr(w.event), w.value)
	}
	if len(p.kernels) > 0 || p.encodes != nil {
		if err := r.encodeTo(commands, p); err != nil {
			return err
		}
	}
	for _, s := range p.signals {
		commands.Send(selEncodeSignal, uintptr(s.event), s.value)
	}
	flights.add(commands.Retain(), flight{r, i})
	commands.Send(selAddCompletedHandler, d.completed)
	commands.Send(selCommit)
	return nil
}

// encodeTo encodes what a piece does into a command buffer.
func (r *recorder) encodeTo(commands objc.ID, p *piece) error {
	d := r.device
	kind := uintptr(dispatchSerial)
	if d.unified {
		kind = dispatchConcurrent
	}
	encoder := objc.ID(commands.Send(selEncoder, kind))
	if encoder == 0 {
		return errNoEncoder
	}
	if d.labels.Load() {
		p.labelled(commands, encoder)
	}
	fence := d.wraps.order()
	if fence != 0 {
		encoder.Send(selWaitForFence, uintptr(fence))
	}
	s := objc.NewSender()
	defer s.Free()
	p.reached.send(s, encoder)
	p.tape.Target(encoder)
	p.tape.Replay()
	if p.encodes != nil {
		p.encodes(uintptr(encoder))
	}
	if fence != 0 {
		encoder.Send(selUpdateFence, uintptr(fence))
	}
	encoder.Send(selEndEncoding)
	return nil
}

// start makes the job one of pieces that have not ended. Where dispatches are measured, each has a piece.
func (j *job) start(pieces []*piece, measured bool) {
	select {
	case <-j.done: // of the last run
	default:
	}
	n := len(pieces)
	j.left, j.wrong, j.err = n, n, nil
	j.times = driver.Times{Dispatches: j.times.Dispatches[:0]}
	if measured {
		j.times.Dispatches = slices.Grow(j.times.Dispatches, n)[:n]
	}
	j.completed, j.total = 0, 0
	for _, p := range pieces {
		j.total += p.dispatches()
	}
}

// end counts piece number i, which has ended, and reports whether it was the last. Of several errors it keeps that of
// the first piece: later ones follow from it, and there is no progress any more.
func (j *job) end(i int, p *piece, err error, t driver.Times) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err != nil && i < j.wrong {
		j.wrong, j.err = i, err
	}
	if n := p.dispatches(); j.err == nil && n > 0 {
		j.completed += n
		if j.progress != nil {
			j.progress(j.completed, j.total)
		}
	}
	if j.times.Start == 0 || t.Start < j.times.Start && t.Start > 0 {
		j.times.Start = t.Start
	}
	j.times.End = max(j.times.End, t.End)
	if i < len(j.times.Dispatches) {
		j.times.Dispatches[i] = driver.DispatchTimes{Kernel: p.first(), Start: t.Start, End: t.End}
	}
	j.left--
	if j.left > 0 {
		return false
	}
	// pieces that only wait for events or signal them are no dispatches
	j.times.Dispatches = slices.DeleteFunc(j.times.Dispatches, func(t driver.DispatchTimes) bool { return t.Kernel == "" })
	return true
}

// ended ends a piece, and with the last one the job: then the recorder belongs to the runtime again.
func (d *Device) ended(j *job, i int, p *piece, err error, t driver.Times) {
	if j.end(i, p, err, t) {
		j.done <- struct{}{}
		d.jobs.Done()
	}
}

// Progress keeps what is called when a piece has ended.
func (r *recorder) Progress(f func(done, total int)) { r.job.progress = f }

// Times returns when the GPU worked on the job.
func (j *job) Times() driver.Times { return j.times }

// Wait waits for the end of the job, or of ctx: a GPU cannot be stopped.
func (j *job) Wait(ctx context.Context) (done bool, err error) {
	select {
	case <-j.done:
	default:
		select {
		case <-j.done:
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
	j.done <- struct{}{} // it may be asked again
	return true, j.err
}

// times asks a command buffer that is completed when the GPU had it.
func times(commands objc.ID) driver.Times {
	return driver.Times{
		Start: seconds(commands.Double(selGPUStartTime)),
		End:   seconds(commands.Double(selGPUEndTime)),
	}
}

// clockUptimeRaw is the clock of the times of command buffers. Apple: CLOCK_UPTIME_RAW in time.h.
const clockUptimeRaw = 8

// Clock returns the time on the clock of jobs, or 0 where the system has no such function.
// Apple: clock_gettime_nsec_np in time.h.
func (d *Device) Clock() time.Duration {
	function, err := objc.Symbol("clock_gettime_nsec_np")
	if err != nil {
		return 0
	}
	s := objc.NewSender()
	defer s.Free()
	return time.Duration(s.Call(function, clockUptimeRaw))
}

// seconds returns a CFTimeInterval as a duration.
func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
