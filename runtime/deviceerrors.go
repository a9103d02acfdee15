package runtime

import "github.com/metalgen/metalgen/runtime/internal/driver"

// Fault is the error of a batch with a kernel that made a mistake while it ran, such as an access out of bounds or a
// barrier that not all threads reach. The CPU device finds such mistakes and ends the batch; what was written until
// then stays.
//
// If there are several mistakes, it is the first one, and the same in every run unless the kernel itself is not
// deterministic: the first threadgroup with a mistake, its first simd-group that makes one before the next barrier, and
// the first operation of that. With [Options.Schedule] it is the first in the order of that schedule. If the context
// ends before all have run, it is the first that was found.
type Fault struct {
	Kernel string // as in the source
	Pos    string // of the operation in the source: "norm.metal:31:17"
	Msg    string // the mistake
	Thread [3]int // thread_position_in_grid of the first thread that made it
	Group  [3]int // its threadgroup_position_in_grid
	Err    error  // wraps ErrOutOfBounds, ErrDivisionByZero or ErrDivergentBarrier; nil where a call never returns

	Call CallSite // the call
}

// Error returns, say, "norm: norm.metal:31:17: input[4096]: out of bounds of 4096
// elements of float, in thread (3, 0, 0), threadgroup (2, 0, 0)".
func (e *Fault) Error() string {
	return (&driver.Fault{Kernel: e.Kernel, Pos: e.Pos, Msg: e.Msg, Thread: e.Thread, Group: e.Group}).Error() +
		e.Call.suffix()
}

// Unwrap returns Err.
func (e *Fault) Unwrap() error { return e.Err }

// StoppedError is the error of a batch that was stopped before its end, by a context that ended or by [Device.Close].
// The CPU device says where the kernel was, for example in an endless loop, for the first threadgroup that was running.
type StoppedError struct {
	Kernel string // that ran, "" where none did yet
	Pos    string // where it was in the source: "norm.metal:31:17", "" where the device does not know
	Thread [3]int // thread_position_in_grid of a thread that was there
	Group  [3]int // its threadgroup_position_in_grid
	Err    error  // why: the error of the context, or nil where the device was closed

	Call CallSite // the call that ran
}

// Error returns, say, "count: count.metal:4:2: stopped while it ran, in thread (0, 0, 0), threadgroup (0, 0, 0):
// context deadline exceeded".
func (e *StoppedError) Error() string {
	return (&driver.StoppedError{Kernel: e.Kernel, Pos: e.Pos, Thread: e.Thread, Group: e.Group, Err: e.Err}).Error() +
		e.Call.suffix()
}

// Unwrap returns Err.
func (e *StoppedError) Unwrap() error { return e.Err }

// CompileError is the error of a source that does not compile.
type CompileError struct {
	File        string       // "norm.metal"
	Diagnostics []Diagnostic // what the compiler of the device said
}

// Error returns the errors with what they quote, and leaves the warnings out.
func (e *CompileError) Error() string {
	d := &driver.CompileError{File: e.File}
	for _, diagnostic := range e.Diagnostics {
		d.Diagnostics = append(d.Diagnostics, driver.Diagnostic(diagnostic))
	}
	return d.Error()
}

// Diagnostic is one message of a [CompileError].
type Diagnostic struct {
	Pos     string // in the source that people edit, "norm.metal:31:17", "" where none is known
	Warning bool   // and no error
	Msg     string // as the compiler says it
	Quote   string // the line of the source and below it a caret, "" where the device does not quote it
}

// String returns, say, "norm.metal:31:17: unknown type".
func (d Diagnostic) String() string { return driver.Diagnostic(d).String() }

// DriftError is the error of a kernel that does not match the generated code: it has other arguments, or Metal lays out
// a struct in another way. The source and the generated code are of different versions, or metalgen has misunderstood
// the source. Metal, or a device that compiles the embedded source itself, finds it when the kernel is compiled, before
// anything runs.
type DriftError struct {
	Kernel    string // as in the source
	Pos       string // of the argument or field in the source
	Arg       string // as the generated code names it, "" where it knows none
	Generated string // what the generated code says of it
	Metal     string // what Metal says of it, or the embedded source
	By        string // which of them: "the source", or "" for Metal
}

// Error returns what the generated code says and what Metal or the source says.
func (e *DriftError) Error() string { return (*driver.DriftError)(e).Error() }

// MemoryError is the error of a device that has no memory left for a buffer.
type MemoryError struct {
	Device string // "Apple M3 Max"
	Need   int    // bytes of the buffer
	Use    MemoryUse
}

// Error returns what is needed and what is taken.
func (e *MemoryError) Error() string {
	return (&driver.MemoryError{Device: e.Device, Need: e.Need, Use: driver.MemoryUse(e.Use)}).Error()
}

// SimdWidthError is the error of a kernel that relies on simd-groups of another width than the device has. All of
// Apple's GPUs have 32 threads in a simd-group; others may not. Metal finds it when the kernel is compiled, before
// anything runs.
type SimdWidthError struct {
	Kernel     string // as in the source
	Need, Have int    // threads of a simd-group
}

// Error returns the widths, and the annotation for a kernel that works with any.
func (e *SimdWidthError) Error() string { return (*driver.SimdWidthError)(e).Error() }

// GPUError is the error of a batch that the GPU, or the system on its behalf, has ended.
type GPUError struct {
	Code GPUErrorCode // the reason

	// Kernels are those of the batch, each once, in the order of their first dispatch. One of them failed; devices do
	// not say which.
	Kernels []string
	Msg     string // as the system says it

	First, Last CallSite // the calls that it ended, one of which failed
}

// Error returns, say, "page fault in norm or scale: Caused GPU Address Fault Error; call 1 to call 40".
func (e *GPUError) Error() string {
	text := (&driver.GPUError{Code: driver.GPUErrorCode(e.Code), Kernels: e.Kernels, Msg: e.Msg}).Error()
	if e.First.Number < e.Last.Number {
		return text + "; " + e.First.String() + " to " + e.Last.String()
	}
	return text + e.First.suffix()
}

// GPUErrorCode is the reason for which a GPU ended a batch.
// Apple: MTLCommandBufferError in MTLCommandBuffer.h.
type GPUErrorCode int

// The reasons of a [GPUError].
const (
	GPUInternal        GPUErrorCode = 1  // no reason is known
	GPUTimeout         GPUErrorCode = 2  // it ran for too long
	GPUPageFault       GPUErrorCode = 3  // a kernel used an invalid address
	GPUAccessRevoked   GPUErrorCode = 4  // too many errors: the process may not use the GPU any more
	GPUNotPermitted    GPUErrorCode = 7  // the process may not use the GPU, in the background of iOS
	GPUOutOfMemory     GPUErrorCode = 8  // there was no memory to run it
	GPUInvalidResource GPUErrorCode = 9  // a buffer was gone
	GPUMemoryless      GPUErrorCode = 10 // of graphics only
	GPUDeviceRemoved   GPUErrorCode = 11 // an external GPU was unplugged
	GPUStackOverflow   GPUErrorCode = 12 // calls of functions nested too deep
)

// String returns the reason in a few words.
func (c GPUErrorCode) String() string { return driver.GPUErrorCode(c).String() }
