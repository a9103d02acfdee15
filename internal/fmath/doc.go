// Package fmath is the floating-point part of the Metal standard library in
// precise math mode, for a device that runs kernels on the CPU.
//
// Errors are stated in ulps of the float32 result, as measured by the tests. The
// bounds to meet are those of the Metal Shading Language Specification (MSL),
// section 8.4, "ULPs and Relative Error": correctly rounded for + - * /, fma,
// sqrt, rsqrt, fract, ldexp and the rounding functions; 4 ulp for most of the
// transcendental ones; 5 or 6 for atan, atan2, tan and tanh; 16 for pow and powr.
// Subnormals are kept: MSL permits flushing them, but does not ask for it.
//
// Almost everything but exp and exp2 computes in float64. Its 29 extra bits let short polynomials
// be evaluated without compensation, its exponents make every float32 subnormal
// an ordinary number and every float32 overflow or underflow a matter of the
// final conversion, and on current machines it costs no more than float32.
//
// A result is the same on every machine, to the bit, where it is not left to package math: conversions
// around products keep the compiler from fusing them with a sum, which it does for some processors.
// Machine code computes what the types Exponential, Logarithm, Sine and Tangent describe. Each step
// there rounds to float64, and the last to float32. Only what Power describes is computed in floats.
//
// Functions named ...Lanes apply one operation to the 32 lanes of a simd-group.
// The destination may be any of the sources.
//
// Their loops convert a lane to float64 before anything else is done with it, range
// tests included: CVTSS2SD on amd64 keeps the upper half of its destination and so
// waits for what was there before. With the float32 dead afterwards the compiler
// converts in place; else each lane waits for the one before it, which makes the
// loops four times as slow. Touching the arrays ahead of a loop moves the nil
// checks out of it.
package fmath

// Lanes is the number of lanes of a simd-group.
const Lanes = 32

const (
	absMask  = 0x7fffffff
	signMask = 0x80000000
	infBits  = 0x7f800000
	inf64    = 0x7ff0000000000000 // infBits of a float64

	// Adding roundMagic to a float64 of less than 2^51 leaves the nearest integer,
	// ties to even, in the low bits; subtracting it again gives that integer as a
	// float64. Unlike a conversion it needs no trip through an integer register.
	roundMagic = 0x1.8p52
)
