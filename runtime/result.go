package runtime

import (
	"slices"
	"time"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Result is what is known of a batch that has run.
type Result struct {
	// Start and End are the times at which the device began and ended to work on the batch, on a clock that all
	// batches of the device share. They are 0 where nothing ran.
	Start, End time.Duration

	dispatches []DispatchTimes
}

// DispatchTimes are the times at which the device began and ended to work on a dispatch or a copy, on the clock of
// [Result].
type DispatchTimes struct {
	Kernel     string // the name of the kernel in the source, "Copy" or "Encode"
	Start, End time.Duration
}

// Duration returns how long the device worked on the dispatch.
func (d DispatchTimes) Duration() time.Duration { return d.End - d.Start }

// Duration returns how long the device worked on the batch.
func (r Result) Duration() time.Duration { return r.End - r.Start }

// Dispatches returns the times of the calls and copies of the batch, in their order. It is empty without
// [Options.Times], and on a device that cannot measure them. Those that
// did not run, because the batch failed before, have no times.
func (r Result) Dispatches() []DispatchTimes { return slices.Clone(r.dispatches) }

func resultOf(t driver.Times) Result {
	r := Result{Start: t.Start, End: t.End}
	for _, d := range t.Dispatches {
		r.dispatches = append(r.dispatches, DispatchTimes(d))
	}
	return r
}
