package runtime

import "time"

// Result is what is known of a batch that has run.
type Result struct {
	// Start and End are the times at which the device began and ended to work on the batch, on a clock that all
	// batches of the device share. They are 0 where nothing ran.
	Start, End time.Duration
}

// Duration returns how long the device worked on the batch.
func (r Result) Duration() time.Duration { return r.End - r.Start }
