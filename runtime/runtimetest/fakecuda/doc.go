// Package fakecuda opens CUDA devices in tests on Linux without a card. The driver of CUDA devices is the real one;
// below it is a libcuda made for tests, compiled from C when a test first needs it, which checks each call. Kernels are
// written as PTX as for a card, verified, and executed by an interpreter, thread by thread: it is slow, and strict.
package fakecuda

import "github.com/metalgen/metalgen/runtime"

// Options say how a device is opened. The zero Options are one GPU that checks and computes.
type Options struct {
	// Runtime is what [runtime.OpenWith] takes. Its Device is not used.
	Runtime runtime.Options

	// Seed chooses the order in which the threads of kernels run, of those that masks and barriers permit.
	Seed uint64
}
