package runtime

import (
	"context"
	"fmt"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Batch records kernel calls and then runs them together, as Metal does with a
// command buffer. Calls run in order as far as one depends on what another
// wrote; those that do not may overlap. Batches of a device take effect in the
// order in which they were submitted, as far as they touch the same memory.
//
// A batch keeps the first mistake made while recording and drops later calls;
// Run or Submit returns it, and then nothing of the batch runs. Once Run, or
// Wait after Submit, has returned the batch is empty and may be recorded again,
// which allocates nothing. When ctx ends first, the CPU device stops the kernel
// that runs, within milliseconds. A GPU cannot do that: there the device goes on,
// and so the batch stays submitted until a Wait sees the end of it.
//
// A Batch is not for concurrent use. Methods panic on a nil *Batch and only there.
type Batch struct {
	dev       *Device
	rec       driver.Recorder // nil while nothing is recorded
	recorded  bool            // rec holds something to run
	held      []*allocation   // one for each buffer binding
	call      call            // the only one: calls are made one after the other
	err       error
	submitted bool
	job       driver.Job // of a submitted batch that is not empty
	result    Result     // of the last run
}

// Err is the first mistake made while recording, which Run or Submit will return.
func (b *Batch) Err() error {
	b.mustExist()
	return b.err
}

// Run submits the batch and waits for it. It returns the first mistake made
// while recording, the device's error, or that of ctx. When ctx has ended
// already, nothing runs and the batch is empty; when it ends while the device
// works, the device stops where it can, and what was written stays half done;
// where it cannot, the batch stays submitted and [Batch.Wait] waits for the rest.
//
// Running an empty batch does nothing.
func (b *Batch) Run(ctx context.Context) error {
	b.mustExist()
	if !b.submitted && b.err == nil && ctx.Err() != nil {
		b.reset()
		b.result = Result{}
		return fmt.Errorf("metalgen: batch not run: %w", ctx.Err())
	}
	if err := b.Submit(); err != nil {
		return err
	}
	return b.Wait(ctx)
}

// Submit hands the batch to the device and returns at once. After an error the
// batch is empty, except where it was submitted before ([ErrSubmitted]); else
// [Batch.Wait] is next: it is what releases the memory that the batch holds.
func (b *Batch) Submit() error {
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
		job, err := b.dev.submit(b.rec)
		if err != nil {
			b.reset()
			return fmt.Errorf("metalgen: submit: %w", err)
		}
		b.job = job
	}
	b.submitted = true
	return nil
}

// Wait returns when the submitted batch is done, with its error, and the batch is
// empty then. When ctx ends first, Wait returns an error that wraps that of ctx: a
// device that can stop has stopped, and the batch is empty; else the device goes on
// and the batch stays submitted: Wait again before using it. Without Submit it
// returns [ErrNotSubmitted].
func (b *Batch) Wait(ctx context.Context) error {
	b.mustExist()
	if !b.submitted {
		return fmt.Errorf("metalgen: wait: %w", ErrNotSubmitted)
	}
	err := b.err // of a call recorded too late
	if b.job != nil {
		done, jobErr := b.job.Wait(ctx)
		jobErr = ours(jobErr)
		if !done {
			return fmt.Errorf("metalgen: batch still running: %w", jobErr)
		}
		b.result.Start, b.result.End = b.job.Times()
		if jobErr != nil {
			err = fmt.Errorf("metalgen: batch failed: %w", jobErr)
		}
	}
	b.reset()
	return err
}

// Result is what the device tells about the last run of the batch, once Run or Wait
// has returned and until the next Run or Submit. It is zero where nothing ran.
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

// reset empties the batch and keeps its storage. The recorder goes back to the
// device: a batch that nobody uses any more holds nothing that needs closing.
func (b *Batch) reset() {
	for i, a := range b.held {
		a.release()
		b.held[i] = nil
	}
	b.held = b.held[:0]
	if b.rec != nil {
		b.dev.recycle(b.rec)
	}
	b.rec, b.job, b.err, b.recorded, b.submitted = nil, nil, nil, false, false
	b.call.recorded.End()
}
