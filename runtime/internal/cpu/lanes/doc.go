// Package lanes does one operation on the 32 lanes of a simd-group at once, in Go: it is what the interpreter computes
// with.
//
// The destination may be any of the operands of its type. Nothing has to be aligned. No function keeps a pointer. An
// operation that moves or changes bits (Select, min and max of a number and a NaN, conversions from and to half and
// bfloat) keeps those of a NaN, others return any NaN for one.
package lanes

// Width is the number of lanes.
const Width = 32

// Word is what a lane can hold.
type Word interface {
	int32 | uint32 | float32 | int64 | uint64
}

// Integer is a Word that is no float.
type Integer interface {
	int32 | uint32 | int64 | uint64
}
