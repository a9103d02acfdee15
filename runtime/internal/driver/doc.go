// Package driver is the seam between the runtime and its devices: what a device
// has to offer, and what one dispatch looks like when it arrives there.
//
// In comes a [Dispatch] that the runtime has checked from end to end: every
// argument bound, long enough, aligned and alive, the grid within the device's
// [Limits]. A driver therefore validates nothing a second time; it reports only
// what it alone can know, such as a source that does not compile.
//
// Life of a batch, as a driver sees it:
//
//	Record, Record, ... -> Submit -> Job.Wait -> Reset
//
// and after Reset the same [Recorder] serves another batch. Everything that
// Record is given belongs to the caller again when it returns.
package driver
