package runtime

import (
	"errors"
	"fmt"
	"strings"
)

// Errors to compare with by [errors.Is].
var (
	ErrNoDevice     = errors.New("no device")                          // Open found nothing to run on
	ErrClosed       = errors.New("the device is closed")               // use of a device after Close
	ErrSubmitted    = errors.New("the batch is submitted; Wait first") // recording into, or running, a submitted batch
	ErrNotSubmitted = errors.New("the batch is not submitted")         // Wait without Submit

	ErrNotPageAligned = errors.New("the memory does not begin at a page") // WrapBuffer

	ErrNotSet      = errors.New("not set")             // in an ArgError: the call left the argument out
	ErrNilBuffer   = errors.New("nil buffer")          // in an ArgError: the zero Buffer where the kernel needs memory
	ErrReadOnly    = errors.New("read-only buffer")    // in an ArgError: wrapped for reading, and the kernel writes it
	ErrFreed       = errors.New("freed buffer")        // in an ArgError: used after Free
	ErrOtherDevice = errors.New("foreign buffer")      // in an ArgError: made by another device
	ErrTooShort    = errors.New("buffer too short")    // in an ArgError: fewer elements than the kernel needs
	ErrOverflow    = errors.New("does not fit an int") // in an ArgError: a stated length overflows or divides by zero

	// In a Fault. An access that is not aligned and a null pointer are out of bounds, too.
	ErrOutOfBounds      = errors.New("out of bounds")
	ErrDivisionByZero   = errors.New("integer division by zero")
	ErrDivergentBarrier = errors.New("a barrier that not all threads of the threadgroup reach")
)

// ArgError is one wrong argument of a call.
type ArgError struct {
	Kernel string // as in the source
	Arg    string // as in the source
	Need   string // what the kernel needs
	Pos    string // the line of the source that says so, "" where none does
	Have   string // what was given

	// Err tells common cases apart: one of the Err variables, a *SliceError,
	// a *CastError, or nil.
	Err error
}

// Error returns, say, "fused_norm_add_f32: residual: need at least 8192 elements
// of float, [rows, dim] (norm.metal:21), have 4096".
func (e *ArgError) Error() string {
	var pos string
	if e.Pos != "" {
		pos = " (" + e.Pos + ")"
	}
	return fmt.Sprintf("%s: %s: need %s%s, have %s", e.Kernel, e.Arg, e.Need, pos, e.Have)
}

// Unwrap returns Err.
func (e *ArgError) Unwrap() error { return e.Err }

// GridError is a grid that a kernel cannot be dispatched with.
type GridError struct {
	Kernel   string // as in the source
	Grid     Grid   // what was given
	Need     string // what the device needs
	Have     string // the number that is wrong
	Stated   string // the grid as the source states it, "" where nothing does
	Pos      string // the line of the source that states it
	Unstated string // the file that does not state a grid, when none was given either
}

// Error returns, say, "norm: grid of (8, 1, 1) threadgroups of (2048, 1, 1)
// threads: need at most 1024 threads per threadgroup, have 2048", followed by
// what the source states.
func (e *GridError) Error() string {
	if e.Unstated != "" {
		return fmt.Sprintf("%s: nothing in %s states its grid; set Grid", e.Kernel, e.Unstated)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: grid of %v: need %s, have %s", e.Kernel, e.Grid, e.Need, e.Have)
	if e.Stated != "" {
		fmt.Fprintf(&b, "; the source states %s", e.Stated)
		if e.Pos != "" {
			fmt.Fprintf(&b, " (%s)", e.Pos)
		}
	}
	return b.String()
}

// CallError is a call that failed for a reason that is no single argument's: a
// kernel that does not compile, one described wrongly, a call never dispatched.
type CallError struct {
	Kernel string // as in the source
	Pos    string // where the kernel is in the source
	Err    error
}

// Error returns kernel, position and reason.
func (e *CallError) Error() string {
	if e.Pos == "" {
		return fmt.Sprintf("%s: %v", e.Kernel, e.Err)
	}
	return fmt.Sprintf("%s (%s): %v", e.Kernel, e.Pos, e.Err)
}

// Unwrap returns Err.
func (e *CallError) Unwrap() error { return e.Err }

// SliceError is a [Buffer.Slice] out of range.
type SliceError struct {
	I, J int // as given to Slice
	Len  int // elements of the buffer
}

// Error returns, say, "Slice(5, 99) of a buffer of 10 elements".
func (e *SliceError) Error() string {
	return fmt.Sprintf("Slice(%d, %d) of a buffer of %d elements", e.I, e.J, e.Len)
}

// CastError is a [Cast] that does not fit.
type CastError struct {
	Type   string // Go type cast to
	Offset int    // of the buffer in its memory, in bytes
	Length int    // of the buffer, in bytes
	Reason string
}

// Error returns, say, "Cast to uint64 of 12 bytes at offset 0: the length is not
// a multiple of 8".
func (e *CastError) Error() string {
	return fmt.Sprintf("Cast to %s of %d bytes at offset %d: %s", e.Type, e.Length, e.Offset, e.Reason)
}
