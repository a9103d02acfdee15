package driver

import (
	"fmt"
	"log/slog"
	"time"
)

// Options are how a device compiles kernels. The zero Options are Metal's own defaults.
type Options struct {
	// Macros are defined for every source. Those that it was generated with keep their values, because its text defines
	// them.
	Macros map[string]string

	// Math is how exact the arithmetic is. The CPU device is always exact.
	Math MathMode

	// Language is the version of MSL to compile, or 0 for the newest that the system has. One that the system
	// does not have is an error of opening the device. The CPU device has all.
	Language LanguageVersion

	// Metallibs are libraries that Apple's metal and metallib commands have compiled, by the name of their source:
	// "norm.metal". Metal loads them instead of compiling those sources. The CPU device has no use for them.
	Metallibs map[string][]byte

	// Cache is a folder in which a device keeps what it has compiled for the next process, or "" for none.
	Cache string

	// Labels puts every dispatch into a debug group with the name of its kernel, which Xcode shows. It costs two
	// messages a dispatch.
	Labels bool

	// Sanitize are what the CPU device looks for while kernels run. What it finds is an error of the job, of type
	// *Findings.
	Sanitize Checks

	// Schedule is the seed of an order in which the CPU device runs simd-groups, of all that barriers permit, or 0 for
	// its usual one.
	Schedule uint64

	// Piece is how many dispatches of a batch Metal gets at a time, or 0 for as many as the driver thinks best. It is
	// for tests.
	Piece int

	// Reuse is how many bytes of freed memory a device keeps for memory to come, and 0 for none.
	Reuse int

	// Wired is how many bytes of memory and textures a device keeps resident, 0 for as many as it recommends, and
	// negative for none.
	Wired int

	// Linger is how long after the last job the device asks for them to stay resident, or 0 for not at all.
	Linger time.Duration

	// Times has jobs measure their dispatches, though batches take longer then.
	Times bool

	// Unchecked has a CUDA device leave out the checks of bounds. The others ignore it.
	Unchecked bool

	// Compiled is told of each compilation that has ended, from any goroutine, if it is not nil.
	Compiled func(Compilation)

	// Log is where messages of os_log in kernels go, or nil for slog.Default().
	Log *slog.Logger
}

// Compilation is one of a source or of a kernel.
type Compilation struct {
	Name       string // of the kernel, or of the file
	Start, End time.Time
	For        any // what Dispatch.For is of the call that was the first to need it, nil where no call was
}

// Measure calls compile, and tells Compiled how long it took, and for whom.
func (o *Options) Measure(name string, of any, compile func() error) error {
	if o.Compiled == nil {
		return compile()
	}
	c := Compilation{Name: name, Start: time.Now(), For: of}
	err := compile()
	c.End = time.Now()
	o.Compiled(c)
	return err
}

// MathMode is how far Metal's compiler may depart from IEEE 754.
// Apple: MTLMathMode in MTLLibrary.h.
type MathMode uint8

const (
	MathDefault MathMode = iota // MathFast
	MathSafe                    // nothing is reordered, contracted away or assumed
	MathRelaxed                 // reordering, but infinities and NaNs are honoured
	MathFast                    // no infinities or NaNs are expected
)

var mathModes = [...]string{"default", "safe", "relaxed", "fast"}

// String returns "default", "safe", "relaxed" or "fast".
func (m MathMode) String() string {
	if int(m) >= len(mathModes) {
		return fmt.Sprintf("MathMode(%d)", uint8(m))
	}
	return mathModes[m]
}

// LanguageVersion is a version of MSL. Apple: MTLLanguageVersion in MTLLibrary.h.
type LanguageVersion uint32

// MSL returns a version of MSL: MSL(3, 1) is Metal 3.1.
func MSL(major, minor uint16) LanguageVersion {
	return LanguageVersion(major)<<16 | LanguageVersion(minor)
}

// String returns, say, "3.1".
func (v LanguageVersion) String() string { return fmt.Sprintf("%d.%d", v>>16, v&0xffff) }
