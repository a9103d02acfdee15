package runtime

import (
	"slices"
	"time"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Result describes the run of a batch.
type Result struct {
	// Start and End are the times at which the device began and ended to work on the batch, on a clock that all batches
	// of the device share. They are 0 if nothing ran.
	Start, End time.Duration

	dispatches []DispatchTimes
}

// DispatchTimes are the times at which the device began and ended to work on a dispatch or a copy, on the clock of
// [Result].
type DispatchTimes struct {
	Kernel     string // the name of the kernel in the source, "Copy" or "Encode"
	Start, End time.Duration
	Grid       Grid // of a call, without Indirect

	// Bytes is how much memory the call reads and writes at least, by the stated shapes of its buffers, or their
	// lengths where none is stated. An element that it reads more than once counts once, and textures do not count.
	Bytes int
	Call  CallSite
}

// Duration returns how long the device worked on the dispatch.
func (d DispatchTimes) Duration() time.Duration { return d.End - d.Start }

// Duration returns how long the device worked on the batch.
func (r Result) Duration() time.Duration { return r.End - r.Start }

// Dispatches returns the times of the calls and copies of the batch, in their order. It is empty without
// [Options.Times], and on a device that cannot measure them. Those that
// did not run, because the batch failed before, have no times.
func (r Result) Dispatches() []DispatchTimes { return slices.Clone(r.dispatches) }

// resultOf returns the times of a batch, with what was recorded: all that was measured, in its order.
func resultOf(t driver.Times, recorded []work, at func(call int) CallSite) Result {
	r := Result{Start: t.Start, End: t.End}
	for _, d := range t.Dispatches {
		times := DispatchTimes{Kernel: d.Kernel, Start: d.Start, End: d.End, Call: at(d.Call)}
		for len(recorded) > 0 {
			w := recorded[0]
			recorded = recorded[1:]
			if w.kernel == d.Kernel {
				times.Grid, times.Bytes = w.grid, w.bytes
				break
			}
		}
		r.dispatches = append(r.dispatches, times)
	}
	return r
}
