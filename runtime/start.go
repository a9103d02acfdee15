package runtime

import (
	"errors"
	"fmt"
)

// Start has the device begin with the calls of the batch while later ones are still recorded: first with those recorded
// so far, and from then on with each full piece. Calling Start again begins with what was recorded since. Submit or Run
// must follow, as always. The first calls of a long batch run earlier by the time that recording takes.
//
// It gives up two promises of batches. From Start on, the program must not touch what the calls use, as after Submit.
// And a mistake does not keep the calls before it from running: [Batch.Submit] does not return it, but [Batch.Wait]
// does when they are done.
//
// The batch has its place in the order of the device's batches from the first Start on, which may come before its first
// call. Batches that are started or submitted later wait until it is submitted and done, so several goroutines can
// record batches at the same time that run in the order of their Start. A goroutine that waits for a later batch before
// it has submitted this one waits until its context ends.
//
// A batch that is kept cannot be started.
func (b *Batch) Start() {
	b.mustExist()
	b.call.mustBeDispatched()
	if b.err != nil || b.pipelines != nil {
		return
	}
	if err := b.start(); err != nil {
		b.fail(fmt.Errorf("Start: %w", err))
	}
}

var errKeptStarted = errors.New("a batch is kept or started, and not both")

func (b *Batch) start() (err error) {
	switch {
	case b.submitted:
		return ErrSubmitted
	case b.kept:
		return errKeptStarted
	case b.dev == nil:
		return errNoBatch
	}
	if b.rec == nil {
		if b.rec, err = b.dev.recorder(); err != nil {
			return err
		}
	}
	if err := b.dev.start(b.rec); err != nil {
		return err
	}
	b.started, b.recorded = true, true
	return nil
}
