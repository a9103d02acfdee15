package driver

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
)

// The kinds of a Fault, which wraps one of them.
var (
	ErrOutOfBounds      = errors.New("out of bounds")
	ErrDivisionByZero   = errors.New("integer division by zero")
	ErrDivergentBarrier = errors.New("a barrier that not all threads of the threadgroup reach")
)

// Fault is the error of a job with a kernel that made a mistake while it ran.
type Fault struct {
	Kernel string // as in the source
	Pos    string // of the operation in the source: "norm.metal:31:17"
	Msg    string // the mistake
	Thread [3]int // thread_position_in_grid of the first thread that made it
	Group  [3]int // its threadgroup_position_in_grid
	Err    error  // wraps one of the kinds, or is nil where a call never returns
	Call   int    // which Record or Copy it was of, from 1; 0 where it is not known
}

// Error returns, say, "norm: norm.metal:31:17: input[4096]: out of bounds of 4096
// elements of float, in thread (3, 0, 0), threadgroup (2, 0, 0)".
func (e *Fault) Error() string {
	return fmt.Sprintf("%s: %s: %s, in thread %s, threadgroup %s",
		e.Kernel, e.Pos, e.Msg, position(e.Thread), position(e.Group))
}

// Unwrap returns Err.
func (e *Fault) Unwrap() error { return e.Err }

func position(p [3]int) string { return fmt.Sprintf("(%d, %d, %d)", p[0], p[1], p[2]) }

// StoppedError is the error of a job that was stopped before its end.
type StoppedError struct {
	Kernel string // that ran, "" where none did yet
	Pos    string // where it was in the source: "norm.metal:31:17", "" where the device does not know
	Thread [3]int // thread_position_in_grid of a thread that was there
	Group  [3]int // its threadgroup_position_in_grid
	Err    error  // why: the error of the context, or nil where the device was closed
	Call   int    // which Record or Copy ran, from 1; 0 where none did
}

// Error returns the kernel, where it was, and the reason.
func (e *StoppedError) Error() string {
	what := "stopped before it ran"
	switch {
	case e.Pos != "":
		what = fmt.Sprintf("%s: %s: stopped while it ran, in thread %s, threadgroup %s",
			e.Kernel, e.Pos, position(e.Thread), position(e.Group))
	case e.Kernel != "":
		what = e.Kernel + ": stopped while it ran"
	}
	if e.Err == nil {
		return what + ": the device was closed"
	}
	return fmt.Sprintf("%s: %v", what, e.Err)
}

// Unwrap returns Err.
func (e *StoppedError) Unwrap() error { return e.Err }

// CallError is the error of a job for a reason that would have been the error of one of its calls, had it been found
// while the call was recorded.
type CallError struct {
	Kernel string // as in the source, or "Copy" and the like
	Pos    string // where the kernel is in the source
	Call   int    // which Record, Copy or Encode it was, from 1
	Err    error  // the reason
}

// Error returns the kernel and the reason.
func (e *CallError) Error() string { return fmt.Sprintf("%s: %v", e.Kernel, e.Err) }

// Unwrap returns Err.
func (e *CallError) Unwrap() error { return e.Err }

// CompileError is the error of a source that does not compile.
type CompileError struct {
	File        string // "norm.metal"
	Diagnostics []Diagnostic
}

// Diagnostic is one message of a compiler.
type Diagnostic struct {
	Pos     string // "norm.metal:31:17", "" where none is known
	Warning bool
	Msg     string
	Quote   string // the line of the source and below it a caret, "" where none is known
}

// String returns, say, "norm.metal:31:17: unknown type".
func (d Diagnostic) String() string {
	s := d.Msg
	if d.Warning {
		s = "warning: " + s
	}
	if d.Pos != "" {
		s = d.Pos + ": " + s
	}
	return s
}

// Error returns the errors with what they quote, and leaves the warnings out.
func (e *CompileError) Error() string {
	var lines []string
	for _, d := range e.Diagnostics {
		if d.Warning {
			continue
		}
		if lines = append(lines, d.String()); d.Quote != "" {
			lines = append(lines, d.Quote)
		}
	}
	if len(lines) == 0 {
		return e.File + ": does not compile"
	}
	return strings.Join(lines, "\n")
}

// DriftError is the error of a kernel that is not what the generated code says: source and code are of different
// versions, or metalgen has misunderstood the source.
type DriftError struct {
	Kernel    string // as in the source
	Pos       string // of the argument or field in the source
	Arg       string // as the generated code names it, "" where it knows none
	Generated string // what the generated code says of it
	Metal     string // what Metal says of it, or the embedded source
	By        string // which of them: "the source", or "" for Metal
}

// Error returns what the generated code says and what Metal or the source says.
func (e *DriftError) Error() string {
	what := e.Arg
	if what == "" {
		what = "an argument"
	}
	if e.Pos != "" {
		what += " (" + e.Pos + ")"
	}
	return fmt.Sprintf("%s: the generated code says %s, %s says %s: run metalgen again",
		what, e.Generated, cmp.Or(e.By, "Metal"), e.Metal)
}

// MemoryError is the error of a device that has no memory left for a buffer.
type MemoryError struct {
	Device string // "Apple M3 Max"
	Need   int    // bytes of the buffer
	Use    MemoryUse
}

// Error returns what is needed and what is taken.
func (e *MemoryError) Error() string {
	return fmt.Sprintf(
		"%s has no memory for a buffer of %d bytes: %d are allocated, and %d are what it recommends at most",
		e.Device, e.Need, e.Use.Allocated, e.Use.Recommended)
}

// SimdWidthError is the error of a kernel that counts on simd-groups of another width than the device has.
type SimdWidthError struct {
	Kernel     string // as in the source
	Need, Have int    // threads of a simd-group
}

// Error returns the widths, and what to write above a kernel that copes.
func (e *SimdWidthError) Error() string {
	return fmt.Sprintf("the kernel needs simd-groups of %d threads, on this device they have %d "+
		"(one that copes says metalgen:simd any)", e.Need, e.Have)
}

// GPUError is the error of a job that the GPU, or the system on its behalf, has ended.
// Apple: MTLCommandBufferError in MTLCommandBuffer.h.
type GPUError struct {
	Code GPUErrorCode
	// Kernels are those of the job, each once, in the order of their first dispatch. One of them failed, and no device
	// says which.
	Kernels []string
	Msg     string // as the system says it

	First, Last int // which Record, Copy or Encode they were, from 1; 0 where it is not known
}

// Error returns, say, "page fault in norm or scale: Caused GPU Address Fault Error".
func (e *GPUError) Error() string {
	s := e.Code.String()
	if len(e.Kernels) > 0 {
		s += " in " + alternatives(e.Kernels)
	}
	if e.Msg != "" {
		s += ": " + e.Msg
	}
	return s
}

// maxAlternatives bounds how many kernels a message names.
const maxAlternatives = 8

func alternatives(names []string) string {
	more := ""
	if n := len(names) - maxAlternatives; n > 0 {
		names, more = names[:maxAlternatives], fmt.Sprintf(" or %d more", n)
	}
	if n := len(names); n > 1 && more == "" {
		return strings.Join(names[:n-1], ", ") + " or " + names[n-1]
	}
	return strings.Join(names, ", ") + more
}

// GPUErrorCode is the reason for which a GPU ended a job.
type GPUErrorCode int

// The reasons. Apple: MTLCommandBufferError in MTLCommandBuffer.h.
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

var gpuErrors = map[GPUErrorCode]string{
	GPUInternal:        "internal GPU error",
	GPUTimeout:         "GPU timeout",
	GPUPageFault:       "GPU page fault",
	GPUAccessRevoked:   "GPU access revoked",
	GPUNotPermitted:    "GPU use not permitted",
	GPUOutOfMemory:     "out of GPU memory",
	GPUInvalidResource: "invalid GPU resource",
	GPUMemoryless:      "GPU out of tile memory",
	GPUDeviceRemoved:   "GPU removed",
	GPUStackOverflow:   "GPU stack overflow",
}

// String returns the reason in a few words.
func (c GPUErrorCode) String() string {
	if s, ok := gpuErrors[c]; ok {
		return s
	}
	return fmt.Sprintf("GPU error %d", int(c))
}
