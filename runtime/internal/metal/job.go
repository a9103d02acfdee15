package metal

import (
	"context"
	"time"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// job is a submitted batch.
type job struct {
	done  chan struct{}
	err   error
	times driver.Times
}

// Apple: MTLDispatchType in MTLCommandBuffer.h.
const (
	dispatchSerial     = 0 // MTLDispatchTypeSerial
	dispatchConcurrent = 1 // MTLDispatchTypeConcurrent
)

// Submit replays the tape into a command buffer and commits that. Where as many
// are on their way as a queue takes, it waits for the end of one, and not with a
// thread in the middle of Metal.
func (r *recorder) Submit() (driver.Job, error) {
	d := r.device
	d.wraps.mu.RLock()
	defer d.wraps.mu.RUnlock()
	d.running <- struct{}{}
	var commands objc.ID
	var err error
	objc.WithPool(func() { commands, err = r.encode() })
	if err != nil {
		<-d.running
		return nil, err
	}
	r.job = job{done: make(chan struct{})}
	d.jobs.Add(1)
	go r.complete(commands)
	return &r.job, nil
}

// encode returns the committed command buffer, with a reference to it. What
// fails before that is in the pool only, and goes with it.
func (r *recorder) encode() (objc.ID, error) {
	d := r.device
	commands, err := d.commandBuffer(r.logging)
	if err != nil {
		return 0, err
	}
	if commands == 0 {
		return 0, errNoCommandBuffer
	}
	kind := uintptr(dispatchSerial)
	if d.unified {
		kind = dispatchConcurrent
	}
	encoder := objc.ID(commands.Send(selEncoder, kind))
	if encoder == 0 {
		return 0, errNoEncoder
	}
	if d.labels.Load() {
		r.labelled(commands, encoder)
	}
	fence := d.wraps.order()
	if fence != 0 {
		encoder.Send(selWaitForFence, uintptr(fence))
	}
	r.reached.send(encoder)
	r.tape.Target(encoder)
	r.tape.Replay()
	if fence != 0 {
		encoder.Send(selUpdateFence, uintptr(fence))
	}
	encoder.Send(selEndEncoding)
	commands.Retain()
	commands.Send(selCommit)
	return commands, nil
}

// complete waits for a command buffer, which takes a thread but needs no polling.
func (r *recorder) complete(commands objc.ID) {
	d := r.device
	defer d.jobs.Done()
	objc.WithPool(func() {
		commands.Send(selWaitUntilCompleted)
		r.job.err = gpuError(objc.ID(commands.Send(selError)), r.kernels)
		r.job.times = times(commands)
		commands.Release()
	})
	<-d.running
	close(r.job.done) // the recorder belongs to the runtime again
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

// Times returns when the GPU worked on the job.
func (j *job) Times() driver.Times { return j.times }

// Wait waits for the end of the job, or of ctx: a GPU cannot be stopped.
func (j *job) Wait(ctx context.Context) (done bool, err error) {
	select {
	case <-j.done:
		return true, j.err
	default:
	}
	select {
	case <-j.done:
		return true, j.err
	case <-ctx.Done():
		return false, ctx.Err()
	}
}
