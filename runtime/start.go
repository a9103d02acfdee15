package runtime

import (
	"errors"
	"fmt"
)

// Start has the device begin with the calls of the batch while later ones are still recorded: with those that there
// are, and from then on with each piece of calls as it is full. Start again has it begin with what was recorded since.
// Submit or Run must follow, as always. It makes the first calls of a long batch run earlier by the time that recording
// takes.
//
// It costs what a batch promises otherwise. From Start on, the program leaves alone what the calls use, as after
// Submit. And a mistake does not keep the calls before it from running: [Batch.Submit] returns none, and [Batch.Wait]
// returns it when they are done.
//
// The batch has its place in the order of the device's batches from the first Start on, which may come before its first
// call. Batches that are started or submitted later wait until it is submitted and done, and so several goroutines can
// record batches at once that run in the order of their Start. A goroutine that waits for a later batch before it has
// submitted this one waits until its context ends.
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
