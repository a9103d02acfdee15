package libcuda

import (
	"fmt"
	"unsafe"
)

// Result is what functions return (CUresult in cuda.h).
type Result uint32

// The results that callers tell apart.
const (
	Success              Result = 0
	InvalidValue         Result = 1
	OutOfMemory          Result = 2
	NoDevice             Result = 100
	InvalidPTX           Result = 218
	NotReady             Result = 600
	IllegalAddress       Result = 700
	LaunchOutOfResources Result = 701
	LaunchTimeout        Result = 702
	LaunchFailed         Result = 719
)

// Error is the error of a function that failed.
type Error struct {
	Function string
	Result   Result
	Name     string // of the result: "CUDA_ERROR_INVALID_VALUE"
	Text     string // what the driver says of it
}

// Error returns, say, "cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected".
func (e *Error) Error() string {
	if e.Name == "" {
		return fmt.Sprintf("%s: CUDA error %d", e.Function, e.Result)
	}
	return e.Function + ": " + e.Name + ": " + e.Text
}

// Error returns the error of a function that returned a result, or nil where that is Success.
func (l *Library) Error(function string, r Result) error {
	if r == Success {
		return nil
	}
	return &Error{function, r, l.text(cuGetErrorName, r), l.text(cuGetErrorString, r)}
}

func (l *Library) text(f function, r Result) string {
	var text *byte
	if l.call(f, uintptr(r), uintptr(unsafe.Pointer(&text))) != Success {
		return ""
	}
	return goString(text)
}

// goString copies a text of C's.
func goString(text *byte) string {
	if text == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(text), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(text, n))
}
