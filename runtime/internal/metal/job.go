package metal

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// job is a submitted batch.
type job struct {
	done chan struct{}
	err  error
}

const (
	dispatchSerial     = 0 // MTLDispatchTypeSerial
	dispatchConcurrent = 1 // MTLDispatchTypeConcurrent
)

// Submit replays the tape into a command buffer and commits that.
func (r *recorder) Submit() (driver.Job, error) {
	d := r.device
	d.running <- struct{}{}
	var commands objc.ID
	err := errors.New("the Metal device gives no command buffer")
	objc.WithPool(func() {
		if commands = objc.ID(d.queue.Send(selCommandBuffer)); commands == 0 {
			return
		}
		kind := uintptr(dispatchSerial)
		if d.unified {
			kind = dispatchConcurrent
		}
		encoder := objc.ID(commands.Send(selEncoder, kind))
		if encoder == 0 {
			err = errors.New("the Metal device gives no compute encoder")
			return
		}
		err = nil
		commands.Retain()
		r.tape.Target(encoder)
		r.tape.Replay()
		encoder.Send(selEndEncoding)
		commands.Send(selCommit)
	})
	if err != nil {
		<-d.running
		return nil, err
	}
	r.job = job{done: make(chan struct{})}
	d.jobs.Add(1)
	go r.complete(commands)
	return &r.job, nil
}

// complete waits for a command buffer, which takes a thread but needs no polling.
func (r *recorder) complete(commands objc.ID) {
	defer r.device.jobs.Done()
	objc.WithPool(func() {
		commands.Send(selWaitUntilCompleted)
		if err := objc.NewError(objc.ID(commands.Send(selError))); err != nil {
			r.job.err = fmt.Errorf("%s: %w", strings.Join(r.kernels, ", "), err)
		}
		commands.Release()
	})
	<-r.device.running
	close(r.job.done)
}

// Times is not there yet.
func (j *job) Times() (start, end time.Duration) { return 0, 0 }

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
