package runtime

import (
	"errors"
	"fmt"
	"strings"
)

// Errors to look for with [errors.Is].
var (
	ErrNoDevice       = errors.New("no device")                           // Open found nothing to run on
	ErrClosed         = errors.New("the device is closed")                // a device was used after Close
	ErrNotPageAligned = errors.New("the memory does not begin at a page") // in WrapBuffer

	// Of a [Batch].
	ErrSubmitted    = errors.New("the batch is submitted; Wait first")       // a submitted batch was recorded into, or run
	ErrNotSubmitted = errors.New("the batch is not submitted; Submit first") // Wait was called without Submit

	// In an [ArgError].
	ErrNotSet      = errors.New("not set")                          // the call left the argument out
	ErrNilBuffer   = errors.New("nil buffer")                       // the zero Buffer where the kernel needs memory
	ErrNilTexture  = errors.New("nil texture")                      // the zero Texture where the kernel needs one
	ErrReadOnly    = errors.New("read-only buffer")                 // wrapped for reading, and the kernel writes it
	ErrAccess      = errors.New("texture of other use")             // made for other uses, or used by another argument
	ErrFreed       = errors.New("freed buffer, texture or event")   // used after Free
	ErrRewritten   = errors.New("references were written")          // which a kept batch had followed, see Batch.Keep
	ErrOtherDevice = errors.New("foreign buffer, texture or event") // made by another device
	ErrTooShort    = errors.New("buffer too short")                 // fewer elements than the kernel needs
	ErrNoMemory    = errors.New("pointer to nothing")               // a pointer or reference that leads nowhere
	ErrOverflow    = errors.New("does not fit an int")              // the stated length overflows, or divides by zero

	// In a [Fault]. An access that is not aligned, a null pointer and a store to constant memory are out of
	// bounds too.
	ErrOutOfBounds      = errors.New("out of bounds")
	ErrDivisionByZero   = errors.New("integer division by zero")
	ErrDivergentBarrier = errors.New("a barrier that not all threads of the threadgroup reach")
)

// ArgError is the error of a call with a wrong argument.
type ArgError struct {
	Kernel string // as in the source
	Arg    string // as in the source
	Need   string // what the kernel needs
	Pos    string // the line of the source that says so, "" where none does
	Have   string // what the call has

	// Err is the reason, for common ones: one of the Err variables, a *SliceError or a *CastError. Else it is nil.
	Err error

	Call CallSite // the call
}

// Error returns, say, "fused_norm_add_f32: residual: need at least 8192 elements
// of float, [rows, dim] (norm.metal:21), have 4096".
func (e *ArgError) Error() string {
	var pos string
	if e.Pos != "" {
		pos = " (" + e.Pos + ")"
	}
	return fmt.Sprintf("%s: %s: need %s%s, have %s%s", e.Kernel, e.Arg, e.Need, pos, e.Have, e.Call.suffix())
}

// Unwrap returns Err.
func (e *ArgError) Unwrap() error { return e.Err }

// GridError is the error of a call with a grid that its kernel cannot run over.
type GridError struct {
	Kernel   string // as in the source
	Grid     Grid   // what the call has
	Need     string // what the device needs
	Have     string // the number that is wrong
	Stated   string // the grid as the source states it, "" where nothing does
	Pos      string // the line of the source that states it
	Unstated string // the file that states no grid, where the call has none either

	Call CallSite // the call
}

// Error returns, say, "norm: grid of (8, 1, 1) threadgroups of (2048, 1, 1) threads: need at most 1024 threads per
// threadgroup, have 2048", and then what the source states.
func (e *GridError) Error() string {
	if e.Unstated != "" {
		return fmt.Sprintf("%s: nothing in %s states its grid; set Grid, as Threads(n).Of(256) or Threadgroups(n).Of(256)%s",
			e.Kernel, e.Unstated, e.Call.suffix())
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: grid of %v: need %s, have %s", e.Kernel, e.Grid, e.Need, e.Have)
	if e.Stated != "" {
		fmt.Fprintf(&b, "; the source states %s", e.Stated)
		if e.Pos != "" {
			fmt.Fprintf(&b, " (%s)", e.Pos)
		}
	}
	b.WriteString(e.Call.suffix())
	return b.String()
}

// RequireError is the error of a call that does not meet what its kernel requires: a metalgen:require above it.
type RequireError struct {
	Kernel string // as in the source
	Need   string // the condition as the source writes it: "n_experts > 0"
	Pos    string // the line of the source that says so
	Have   string // the numbers that the condition depends on: "n_experts = 0"

	Call CallSite // the call
}

// Error returns, say, "moe_gate: need n_experts > 0 (moe_gate.metal:22), have n_experts = 0".
func (e *RequireError) Error() string {
	return fmt.Sprintf("%s: need %s (%s), have %s%s", e.Kernel, e.Need, e.Pos, e.Have, e.Call.suffix())
}

// CallError is the error of a call for a reason that is not in one of its arguments: a kernel that does not compile,
// or is described wrongly, or a call that was never dispatched.
type CallError struct {
	Kernel string // as in the source
	Pos    string // where the kernel is in the source
	Err    error  // the reason

	Call CallSite // the call
}

// Error returns the kernel, its position, the call and the reason.
func (e *CallError) Error() string {
	switch at := strings.TrimPrefix(e.Call.suffix(), "; "); {
	case at == "" && e.Pos == "":
		return fmt.Sprintf("%s: %v", e.Kernel, e.Err)
	case at == "" || e.Pos == "":
		return fmt.Sprintf("%s (%s%s): %v", e.Kernel, e.Pos, at, e.Err)
	default:
		return fmt.Sprintf("%s (%s; %s): %v", e.Kernel, e.Pos, at, e.Err)
	}
}

// Unwrap returns Err.
func (e *CallError) Unwrap() error { return e.Err }

// SliceError is the error of a [Buffer.Slice] out of range.
type SliceError struct {
	I, J int // the arguments of Slice
	Len  int // elements of the buffer
}

// Error returns, say, "Slice(5, 99) of a buffer of 10 elements".
func (e *SliceError) Error() string {
	return fmt.Sprintf("Slice(%d, %d) of a buffer of %d elements", e.I, e.J, e.Len)
}

// CastError is the error of a [Cast] to a type that the bytes of the buffer do not fit.
type CastError struct {
	Type   string // the Go type
	Offset int    // of the buffer in its memory, in bytes
	Length int    // of the buffer, in bytes
	Reason string // why it does not fit
}

// Error returns, say, "Cast to uint64 of 12 bytes at offset 0: the length is not
// a multiple of 8".
func (e *CastError) Error() string {
	return fmt.Sprintf("Cast to %s of %d bytes at offset %d: %s", e.Type, e.Length, e.Offset, e.Reason)
}
