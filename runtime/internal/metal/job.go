package metal

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// job is a submitted batch.
type job struct {
	mu    sync.Mutex
	next  int       // the piece to commit
	ready int       // pieces that may be committed
	open  bool      // there may be more of them: see Start
	more  sync.Cond // there are, or it is not open any more
	lost  int       // the first piece that could not be committed, or more than there are
	left  int       // pieces that have not ended, and 1 for the goroutine that commits what is open
	wrong int       // the first piece that failed, or more than there are
	err   error
	times driver.Times
	done  chan struct{} // holds something once all pieces have ended
	driver.Ending

	progress         func(done, total int) // or nil
	completed, total int                   // dispatches
}

// Apple: MTLDispatchType in MTLCommandBuffer.h.
const (
	dispatchSerial     = 0 // MTLDispatchTypeSerial
	dispatchConcurrent = 1 // MTLDispatchTypeConcurrent
)

// commit replays the tape of a piece into a command buffer and commits that. Its caller has a place among those that
// run. What fails before is in the pool only, and goes with it.
func (r *recorder) commit(i int, p *piece) (err error) {
	objc.WithPool(func() { err = r.encode(i, p) })
	if err == nil {
		return nil
	}
	<-r.device.running
	if p.first > 0 {
		err = &driver.CallError{Kernel: p.name(), Call: p.first, Err: err}
	}
	return err
}

func (r *recorder) encode(i int, p *piece) error {
	d := r.device
	d.wraps.mu.RLock()
	defer d.wraps.mu.RUnlock()
	commands, err := d.commandBuffer(p.logging)
	if err != nil {
		return err
	}
	if commands == 0 {
		return errNoCommandBuffer
	}
	for _, w := range p.waits {
		commands.Send(selEncodeWait, uintptr(w.event.id), w.value)
	}
	switch {
	case p.uploads > 0:
		err = p.encodeTexels(commands)
	case p.dispatches() > 0:
		err = r.encodeTo(commands, p)
	}
	if err != nil {
		return err
	}
	for _, s := range p.signals {
		commands.Send(selEncodeSignal, uintptr(s.event.id), s.value)
	}
	flights.add(commands.Retain(), flight{r, i, p, d.wraps.era.begin()})
	commands.Send(selAddCompletedHandler, d.completed)
	commands.Send(selCommit)
	return nil
}

// encodeTo encodes what a piece does into a command buffer.
func (r *recorder) encodeTo(commands objc.ID, p *piece) error {
	d := r.device
	kind := uintptr(dispatchSerial)
	if d.can.unified {
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
	if c := &p.commands; c.id != 0 {
		c.reached.send(s, encoder)
		s.Send(encoder, selExecuteCommands, uintptr(c.id), 0, uintptr(c.count))
	} else {
		p.reached.send(s, encoder)
		p.tape.Replay(encoder)
	}
	if p.encodes != nil {
		p.encodes(uintptr(encoder))
	}
	if fence != 0 {
		encoder.Send(selUpdateFence, uintptr(fence))
	}
	encoder.Send(selEndEncoding)
	return nil
}

// start makes the job a new one.
func (j *job) start() {
	select {
	case <-j.done: // of the last run
	default:
	}
	j.Begin()
	j.next, j.ready, j.lost, j.left, j.wrong, j.err = 0, 0, math.MaxInt, 0, math.MaxInt, nil
	j.times = driver.Times{Dispatches: j.times.Dispatches[:0]}
	j.completed, j.total = 0, 0
}

// admit makes pieces ready up to a number. Where dispatches are measured, each has a piece. mu is held, unless the job
// has not begun.
func (j *job) admit(pieces []*piece, measured bool) {
	for _, p := range pieces[j.ready:] {
		j.left++
		j.total += p.dispatches()
		if measured {
			j.times.Dispatches = append(j.times.Dispatches, driver.DispatchTimes{})
		}
	}
	j.ready = len(pieces)
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
		j.report()
	}
	if j.times.Start == 0 || t.Start < j.times.Start && t.Start > 0 {
		j.times.Start = t.Start
	}
	j.times.End = max(j.times.End, t.End)
	if i < len(j.times.Dispatches) {
		j.times.Dispatches[i] = driver.DispatchTimes{Kernel: p.name(), Start: t.Start, End: t.End, Call: p.first}
	}
	return j.leave()
}

// report tells how far the job is, once it is known how many there are in all.
func (j *job) report() {
	if j.progress != nil && !j.open {
		j.progress(j.completed, j.total)
	}
}

// leave counts one that the job has waited for, and reports whether it was the last. mu is held.
func (j *job) leave() bool {
	j.left--
	if j.left > 0 {
		return false
	}
	// pieces that only wait for events or signal them are no dispatches
	j.times.Dispatches = slices.DeleteFunc(j.times.Dispatches, func(t driver.DispatchTimes) bool { return t.Kernel == "" })
	return true
}

// ended ends a piece, and with the last one the job: then the recorder belongs to the runtime again, and the events of
// pieces that were not committed are signalled.
func (d *Device) ended(r *recorder, i int, p *piece, err error, t driver.Times) {
	d.wired.near()
	if r.job.end(i, p, err, t) {
		r.over()
	}
}

// over ends the job.
func (r *recorder) over() {
	j := &r.job
	j.mu.Lock() // in a batch that is abandoned, pieces may come
	lost := r.pieces[min(j.lost, j.ready):j.ready]
	j.mu.Unlock()
	for _, p := range lost {
		p.signalAll()
	}
	j.End()
	j.done <- struct{}{}
	r.device.jobs.Done()
}

// Progress keeps what is called when a piece has ended.
func (r *recorder) Progress(f func(done, total int)) {
	r.job.mu.Lock()
	defer r.job.mu.Unlock()
	r.job.progress = f
}

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
