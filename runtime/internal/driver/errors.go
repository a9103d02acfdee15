package driver

import (
	"errors"
	"fmt"
)

// Errors that a Fault wraps.
var (
	ErrOutOfBounds      = errors.New("out of bounds")
	ErrDivisionByZero   = errors.New("integer division by zero")
	ErrDivergentBarrier = errors.New("a barrier that not all threads of the threadgroup reach")
)

// Fault is a mistake that a kernel made while it ran, as far as a device can tell.
type Fault struct {
	Kernel string // as in the source
	Pos    string // of the operation in the source: "norm.metal:31:17"
	Msg    string // what is wrong
	Thread [3]int // thread_position_in_grid of the first thread of its simd-group that made it
	Group  [3]int // its threadgroup_position_in_grid
	Err    error  // tells kinds of faults apart
}

// Error returns, say, "norm: norm.metal:31:17: input[4096]: out of bounds of 4096
// elements of float, in thread (3, 0, 0), threadgroup (2, 0, 0)".
func (e *Fault) Error() string {
	return fmt.Sprintf("%s: %s: %s, in thread %s, threadgroup %s", e.Kernel, e.Pos, e.Msg, position(e.Thread), position(e.Group))
}

// Unwrap returns Err.
func (e *Fault) Unwrap() error { return e.Err }

func position(p [3]int) string { return fmt.Sprintf("(%d, %d, %d)", p[0], p[1], p[2]) }

// StoppedError says that a batch was stopped before its end.
type StoppedError struct {
	Kernel string // that ran, "" where none did yet
	Err    error  // why: the error of the context, or nil where the device was closed
}

// Error names the kernel and the reason.
func (e *StoppedError) Error() string {
	what := "stopped before it ran"
	if e.Kernel != "" {
		what = e.Kernel + ": stopped while it ran"
	}
	if e.Err == nil {
		return what + ": the device was closed"
	}
	return fmt.Sprintf("%s: %v", what, e.Err)
}

// Unwrap returns Err.
func (e *StoppedError) Unwrap() error { return e.Err }
