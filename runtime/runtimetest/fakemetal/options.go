package fakemetal

import (
	"time"

	"github.com/metalgen/metalgen/runtime"
)

// Options say what kind of Metal a test needs, and how its device compiles. The zero Options are one GPU with unified
// memory, which checks, computes and logs.
type Options struct {
	// Runtime is what [runtime.OpenWith] takes. Its Device is not used. With Sanitize or Schedule, which only the CPU
	// device has, Open fails; where METALGEN_SANITIZE or METALGEN_SCHEDULE ask for them, the test is skipped.
	Runtime runtime.Options

	// Machine and System say which Mac the fake plays, and under which system.
	Machine Machine
	System  System

	// AllowFaults is for tests that expect a kernel to fail: a fault is then only the error of its batch. Mistakes of
	// the driver still fail the test.
	AllowFaults bool

	// Discrete is a GPU with memory of its own, as in an Intel Mac. The driver uses
	// serial encoders there, without barriers.
	Discrete bool

	// NoMetal3 is a GPU or a system without Metal 3, where buffers hold no pointers, textures and samplers.
	NoMetal3 bool

	// Piece is the largest number of calls in a command buffer; 0 lets the driver choose, some dozens.
	Piece int

	// SimdWidth is the number of threads in a simd-group that Metal reports; 0 means that of the machine. Results do
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
