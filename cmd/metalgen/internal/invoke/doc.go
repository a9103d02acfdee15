// Package invoke calls one kernel whose source was only read at run time, as the
// code that metalgen generates would call it.
//
// In come the model of the kernel and settings as people type them, NAME=VALUE;
// out go .npy files. [Prepare] does all that takes no device and reports every
// mistake, [Plan.Run] dispatches, and [Plan.Save] writes the files.
package invoke
