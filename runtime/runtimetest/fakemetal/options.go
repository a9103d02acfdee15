package fakemetal

import (
	"time"

	"github.com/metalgen/metalgen/runtime"
)

// Options say what kind of Metal a test wants, and how its device compiles. The
// zero Options are one GPU with unified memory, which checks, computes and logs.
type Options struct {
	// Runtime is what [runtime.OpenWith] takes. Its Device is not used. With Sanitize or Schedule, which only the CPU
	// device has, Open fails; where METALGEN_SANITIZE or METALGEN_SCHEDULE ask for them, the test is skipped.
	Runtime runtime.Options

	// Machine and System say which Mac the fake plays, and under which system.
	Machine Machine
	System  System

	// AllowFaults leaves it to the error of a batch that a kernel has failed: a test that expects a fault does not fail
	// by it. Mistakes of the driver fail the test all the same.
	AllowFaults bool

	// Discrete is a GPU with memory of its own, as in an Intel Mac. The driver uses
	// serial encoders there, without barriers.
	Discrete bool

	// NoMetal3 is a GPU or a system without Metal 3, where buffers hold no pointers, textures and samplers.
	NoMetal3 bool

	// Piece is how many calls of a batch a command buffer has at most; 0 is what the driver chooses, dozens.
	Piece int

	// SimdWidth is how many threads a simd-group has, as Metal says; 0 means those of the machine. What is computed does
	// not change.
	SimdWidth int

	// NoLog keeps the numbers of [Log.Counts] only. A log costs memory for each
	// message.
	NoLog bool

	// Watchdog is how long a kernel may run before its batch fails with a GPUTimeout, as
	// on a Mac; 0 means 10 s. Later batches run. Where the context of a Wait has ended
	// before its batch, closing the device ends what runs at once.
	Watchdog time.Duration

	// Empty makes all methods do next to nothing: no dispatch is executed, nothing
	// is checked and nothing logged. It is for benchmarks, and for counting what
	// the driver allocates.
	Empty bool
}
