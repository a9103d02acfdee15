package interp

// Limits on what the execution of a program takes. They are checked before anything is allocated.
const (
	// maxIdle bounds the bytes of frames that a threadgroup keeps while it is idle.
	maxIdle = 1 << 24

	// maxCalls bounds the calls of functions that call themselves, and maxStacked the bytes
	// that they take for a simd-group.
	maxCalls   = 256
	maxStacked = 1 << 20
)
