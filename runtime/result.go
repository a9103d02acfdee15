package runtime

import "time"

// Result is what a device tells about a batch that is done.
type Result struct {
	// Start and End are when the device began and ended to work on the batch, on a
	// clock of its own that batches of one device share. They are 0 where nothing
	// ran.
	Start, End time.Duration
}

// Duration is how long the device worked on the batch.
func (r Result) Duration() time.Duration { return r.End - r.Start }
