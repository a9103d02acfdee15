package fakemetal

import "github.com/metalgen/metalgen/runtime"

// Options say what kind of Metal a test wants, and how its device compiles. The
// zero Options are one GPU with unified memory, which checks, computes and logs.
type Options struct {
	// Runtime is what [runtime.OpenWith] takes. Its Device is not used.
	Runtime runtime.Options

	// Discrete is a GPU with memory of its own, as in an Intel Mac. The driver uses
	// serial encoders there, without barriers.
	Discrete bool

	// NoLog keeps the numbers of [Log.Counts] only. A log costs memory for each
	// message.
	NoLog bool

	// Empty makes all methods do next to nothing: no dispatch is executed, nothing
	// is checked and nothing logged. It is for benchmarks, and for counting what
	// the driver allocates.
	Empty bool
}
