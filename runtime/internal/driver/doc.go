// Package driver is the seam between the runtime and its devices: what a device does, and what a dispatch is.
//
// A driver gets a [Dispatch] that the runtime has checked: every argument is bound, long enough, aligned and alive, and
// the grid is within the [Limits] of the device. It checks nothing of that again. It reports only what it alone can
// know, such as a source that does not compile.
//
// Life of a batch, as a driver sees it:
//
//	Record, Record, ... -> Submit -> Job.Wait -> Reset
//
// After Reset the same [Recorder] serves another batch. What Record takes belongs to the caller again when it returns.
//
// The arguments of a kernel and of a dispatch are in a list for each kind. What is particular to a kind is in a file of
// its own.
package driver
