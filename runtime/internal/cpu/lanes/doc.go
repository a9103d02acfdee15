// Package lanes does one operation on the 32 lanes of a simd-group at once.
//
// The operations are fields of variables, one for each type of lanes: Float.Exp(z, x),
// Int.Add(z, x, y). Texel has those of texels and of samplers. What they are set to when the
// program starts is what this processor can do best:
//
//	go.go             Go, on every processor, and everywhere with the build tag purego
//	avx2_amd64.s      AVX2, FMA and F16C
//	avx512_amd64.s    AVX-512 F, VL, BW and DQ
//
// The assembly is written by tools/lanes, and what has none stays in Go. All three have the
// same results, bit for bit, but for which NaN an arithmetic operation returns: an operation
// that moves or changes bits (Blend, Neg, Abs, min and max of a number and a NaN, conversions
// from and to half and bfloat) keeps those of a NaN, others return any NaN for one.
//
// The destination may be any of the operands of its type. Nothing has to be aligned. No
// function keeps a pointer.
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
