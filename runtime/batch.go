package runtime

import (
	"context"
	"fmt"
	"time"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Batch records kernel calls and then runs them together, as Metal does with a command buffer. A call sees what the
// calls before it wrote. Calls that do not touch the same memory may run at the same time. The same holds for the
// batches of a device, in the order in which they were submitted.
//
// A batch keeps the first mistake made while recording and ignores later calls. Run or Submit returns it, and then
// nothing of the batch runs. Once Run, or Wait after Submit, has returned, the batch is empty and can be used again,
// which allocates nothing.
//
// When the context of Run or Wait ends first, the CPU device stops the running kernel within milliseconds. A GPU
// cannot be stopped: its batch stays submitted until a later Wait returns.
//
// A Batch is not for concurrent use. Its methods panic on a nil *Batch, and in no other case.
type Batch struct {
	dev       *Device
	rec       driver.Recorder // nil while nothing is recorded
	recorded  bool            // rec holds something to run
	held      []*resource     // what its calls use
	call      call            // the only one: calls are made one after the other
	err       error
	submitted bool
	job       driver.Job // of a submitted batch that is not empty
	number    uint64     // of the batch on its device, where that is traced
	result    Result     // of the last run
}

// Err returns the first mistake made while recording, which Run or Submit will return.
func (b *Batch) Err() error {
	b.mustExist()
	return b.err
}

// Run submits the batch and waits for it. It returns the first mistake made while recording, the device's error, or
// that of ctx.
//
// When ctx has ended already, nothing runs and the batch is empty. When ctx ends while the device works, a device
// that can stop does, and leaves what was written half done. On other devices the batch stays submitted, and
// [Batch.Wait] waits for the rest.
//
// Running an empty batch does nothing. Options such as [WithProgress] are for this run.
func (b *Batch) Run(ctx context.Context, options ...RunOption) error {
	b.mustExist()
	if !b.submitted && b.err == nil && ctx.Err() != nil {
		b.reset()
		b.result = Result{}
		return fmt.Errorf("metalgen: batch not run: %w", ctx.Err())
	}
	if err := b.Submit(options...); err != nil {
		return err
	}
	return b.Wait(ctx)
}

// Submit starts the batch and returns at once. [Batch.Wait] must follow: it releases the memory that the batch keeps
// alive. After an error the batch is empty, unless it was submitted before, which is [ErrSubmitted]. Options such as
// [WithProgress] are for this run.
func (b *Batch) Submit(options ...RunOption) error {
	b.mustExist()
	if b.submitted {
		return fmt.Errorf("metalgen: submit: %w", ErrSubmitted)
	}
	b.result = Result{}
	b.call.mustBeDispatched()
	if err := b.err; err != nil {
		b.reset()
		return err
	}
	if b.recorded {
		job, err := b.dev.submit(b.rec, progressOf(options))
		if err != nil {
			b.reset()
			return fmt.Errorf("metalgen: submit: %w", err)
		}
		b.job = job
		if t := b.dev.trace; t != nil {
			b.number = t.submitted.Add(1)
		}
	}
	b.submitted = true
	return nil
}

// Wait waits until the submitted batch is done and returns its error. The batch is empty then. Without Submit it
// returns [ErrNotSubmitted].
//
// When ctx ends first, Wait returns an error that wraps that of ctx. A device that can stop has stopped, and the
// batch is empty. On other devices the batch stays submitted: call Wait again before using it.
func (b *Batch) Wait(ctx context.Context) error {
	b.mustExist()
	if !b.submitted {
		return fmt.Errorf("metalgen: wait: %w", ErrNotSubmitted)
	}
	err := b.err // of a call recorded too late
	if b.job != nil {
		since := time.Now()
		done, jobErr := b.job.Wait(ctx)
		jobErr = ours(jobErr)
		if !done {
			return fmt.Errorf("metalgen: batch still running: %w", jobErr)
		}
		b.result = resultOf(b.job.Times())
		if t := b.dev.trace; t != nil {
			t.waited(b.number, since, &b.result)
		}
		if jobErr != nil {
			err = fmt.Errorf("metalgen: batch failed: %w", jobErr)
		}
	}
	b.reset()
	return err
}

// Result returns what is known of the last run of the batch, after Run or Wait and until the next Run or Submit. It
// is zero where nothing ran.
func (b *Batch) Result() Result {
	b.mustExist()
	return b.result
}

func (b *Batch) mustExist() {
	if b == nil {
		panic("metalgen: use of a nil *Batch; Device.NewBatch makes one")
	}
}

// fail keeps the first mistake.
func (b *Batch) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

// reset empties the batch and keeps its storage. The device takes the recorder back, so that a batch that nobody
// uses any more holds nothing that needs closing.
func (b *Batch) reset() {
	for i, r := range b.held {
		r.release()
		b.held[i] = nil
	}
	b.held = b.held[:0]
	if b.rec != nil {
		b.dev.recycle(b.rec)
	}
	b.rec, b.job, b.err, b.recorded, b.submitted = nil, nil, nil, false, false
	b.call.recorded.End()
}
