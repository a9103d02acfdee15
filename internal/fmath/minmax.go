package fmath

import "math"

// Fmin returns the lesser of a and b; if one is NaN, the other. -0 is less than 0.
func Fmin(a, b float32) float32 {
	switch {
	case a < b || b != b:
		return a
	case a == b:
		return math.Float32frombits(math.Float32bits(a) | math.Float32bits(b)&signMask)
	}
	// b < a, or a is NaN.
	return b
}

// Fmax returns the greater of a and b; if one is NaN, the other. 0 is greater than -0.
func Fmax(a, b float32) float32 {
	switch {
	case a > b || b != b:
		return a
	case a == b:
		return math.Float32frombits(math.Float32bits(a) & (math.Float32bits(b) | absMask))
	}
	return b
}

// Fdim returns a-b if a > b, else +0; NaN if either is NaN.
func Fdim(a, b float32) float32 {
	if a <= b {
		return 0
	}
	return a - b
}

// Clamp returns fmin(fmax(x, lo), hi), as MSL defines it; so NaN becomes lo.
func Clamp(x, lo, hi float32) float32 { return Fmin(Fmax(x, lo), hi) }

// Saturate returns x clamped to [0, 1], and 0 for NaN.
func Saturate(x float32) float32 {
	switch {
	case x >= 1:
		return 1
	case x > 0:
		return x
	}
	return 0
}

// Sign returns 1 or -1 with the sign of x, x itself for zeros, and 0 for NaN.
func Sign(x float32) float32 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	case x != x:
		return 0
	}
	return x
}

// Step returns 0 if x < edge, else 1.
func Step(edge, x float32) float32 {
	if x < edge {
		return 0
	}
	return 1
}
