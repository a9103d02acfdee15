package runtime

import (
	"context"
	"fmt"
	"time"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Batch records kernel calls and then runs them together, as Metal does with a command buffer. A call sees what earlier
// calls wrote. Calls that do not touch the same memory may run at the same time. The same holds for the batches of a
// device, in the order in which they were submitted.
//
// A batch keeps the first mistake made while recording and ignores later calls. Run or Submit returns it, and then
// nothing of the batch runs, unless it was started; see [Batch.Start]. Once Run, or Wait after Submit, has returned,
// the batch is empty and can be used again, which allocates nothing. A kept batch is not empty then, and can be
// submitted again; see [Batch.Keep].
//
// When the context of Run or Wait ends first, the CPU device stops the running kernel within milliseconds. A GPU
// cannot be stopped: its batch stays submitted until a later Wait returns.
//
// A Batch is not for concurrent use. Its methods panic only on a nil *Batch.
type Batch struct {
	dev       *Device
	rec       driver.Recorder // nil while nothing is recorded
	recorded  bool            // rec holds something to run
	held      []held          // what its calls use
	call      call            // the only one: calls are made one after the other
	number    int             // of that call, from 1
	label     string          // of calls from now on
	sites     []site          // of the calls that rec has
	stacks    []stack         // where those were recorded, where that is kept
	err       error
	kept      bool // see Keep
	started   bool // see Start
	event     site // a call that waits for an event, or signals one, or zero
	submitted bool
	job       driver.Job // of a submitted batch that is not empty
	traced    uint64     // the number of the batch on its device, where that is traced
	idle      []idleCall // where that is traced
	found     []Finding  // of calls that run nothing
	work      []work     // of what was recorded, where the device measures it
	pipelines *pipelines // where the calls are to be compiled, and not to run
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
// If ctx has ended already, nothing runs, and the batch is empty unless it is kept. If ctx ends while the device works,
// a device that can stop does, and results may be half written. On other devices the batch stays submitted, and
// [Batch.Wait] waits for the rest.
//
// Running an empty batch does nothing. Options such as [WithProgress] are for this run.
func (b *Batch) Run(ctx context.Context, options ...RunOption) error {
	b.mustExist()
	if !b.submitted && !b.started && b.err == nil && ctx.Err() != nil {
		b.end()
		b.result = Result{}
		return fmt.Errorf("Run: the batch has not run: %w", ctx.Err())
	}
	if err := b.Submit(options...); err != nil {
		return err
	}
	return b.Wait(ctx)
}

// Submit hands the batch to the device and returns at once. [Batch.Wait] must follow: it releases the memory that the
// batch keeps alive. After an error the batch is empty, unless it is kept or the error is [ErrSubmitted], which says
// that it was submitted before. Options such as [WithProgress] are for this run.
func (b *Batch) Submit(options ...RunOption) error {
	b.mustExist()
	if b.submitted {
		return fmt.Errorf("Submit: %w", ErrSubmitted)
	}
	b.result = Result{}
	b.call.mustBeDispatched()
	if b.kept {
		b.checkKept()
	}
	if err := b.err; err != nil && !b.started {
		if !b.kept {
			b.reset()
		}
		return err
	}
	if b.recorded {
		job, err := b.dev.submit(b.rec, progressOf(options))
		if err != nil {
			err = oursAt(err, b.siteOf)
			b.end()
			return fmt.Errorf("Submit: %w", err)
		}
		b.job = job
		if t := b.dev.trace; t != nil {
			b.traced = t.submitted.Add(1)
		}
	}
	b.submitted = true
	return nil
}

// Wait waits until the submitted batch is done and returns its error. The batch is empty then, unless it is kept.
// Without Submit it returns [ErrNotSubmitted].
//
// If ctx ends first, Wait returns an error that wraps that of ctx. A device that can stop has stopped, and the batch
// has ended. On other devices the batch stays submitted: call Wait again before using it.
func (b *Batch) Wait(ctx context.Context) error {
	b.mustExist()
	if !b.submitted {
		return fmt.Errorf("Wait: %w", ErrNotSubmitted)
	}
	err := b.err // of a call recorded too late
	if b.job != nil {
		since := time.Now()
		done, jobErr := b.job.Wait(ctx)
		jobErr = oursAt(jobErr, b.siteOf)
		if !done {
			return fmt.Errorf("Wait: the batch is still running: %w", jobErr)
		}
		b.result = resultOf(b.job.Times(), b.work, b.siteOf)
		if t := b.dev.trace; t != nil {
			t.waited(b.traced, since, &b.result)
		}
		if jobErr != nil {
			err = jobErr
		}
	}
	if len(b.idle) > 0 {
		b.dev.trace.ranNothing(b.traced, b.idle)
	}
	if len(b.found) > 0 {
		err = withFindings(err, b.found)
	}
	b.end()
	return err
}

// Done returns a channel that is closed when the submitted batch is done, for use in a select. [Batch.Wait] must
// follow, and then returns at once. A batch without calls is done when it is submitted. Without Submit, Done returns
// nil.
func (b *Batch) Done() <-chan struct{} {
	b.mustExist()
	switch {
	case !b.submitted:
		return nil
	case b.job == nil:
		return nothingToDo
	}
	return b.job.Done()
}

// nothingToDo is closed.
var nothingToDo = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// Result describes the last run of the batch, after Run or Wait and until the next Run or Submit. It is zero if nothing
// ran.
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
		b.locate(err)
		b.err = err
	}
}

// end ends a run: the batch is empty then, or as it was recorded where it is kept.
func (b *Batch) end() {
	if !b.kept {
		b.reset()
		return
	}
	b.job, b.err, b.submitted = nil, nil, false
}

// reset empties the batch and keeps its storage. The device takes the recorder back, so that a batch that nobody
// uses any more holds nothing that needs closing.
func (b *Batch) reset() {
	clear(b.sites)
	b.number, b.label, b.sites, b.stacks = 0, "", b.sites[:0], b.stacks[:0]
	if b.rec != nil {
		b.dev.recycle(b.rec) // before its memory is another's
	}
	for i := range b.held {
		b.held[i].release()
	}
	clear(b.held)
	b.held = b.held[:0]
	b.idle, b.found, b.work = b.idle[:0], b.found[:0], b.work[:0]
	b.rec, b.job, b.err, b.traced, b.recorded, b.event = nil, nil, nil, 0, false, site{}
	b.started, b.submitted = false, false
	b.call.recorded.End()
}
