package fmath

import "math"

// Sqrt returns the square root of x, correctly rounded.
func Sqrt(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// Rsqrt returns 1/sqrt(x), correctly rounded. The two roundings in float64 move
// the quotient by at most 1.5 float64 ulps, and no 1/sqrt(x) of a float32 comes
// that near to the middle between two float32: as scaling x by 4 scales the
// result exactly, the 2^24 numbers of [1, 4) stand for all.
func Rsqrt(x float32) float32 { return float32(1 / math.Sqrt(float64(x))) }

// SqrtLanes is Sqrt for every lane.
func SqrtLanes(d, s *[Lanes]float32) {
	_, _ = d[0], s[0]
	for i := range d {
		d[i] = float32(math.Sqrt(float64(s[i])))
	}
}

// RsqrtLanes is Rsqrt for every lane.
func RsqrtLanes(d, s *[Lanes]float32) {
	_, _ = d[0], s[0]
	for i := range d {
		d[i] = float32(1 / math.Sqrt(float64(s[i])))
	}
}

// DivLanes is a/b for every lane, correctly rounded.
func DivLanes(d, a, b *[Lanes]float32) {
	_, _, _ = d[0], a[0], b[0]
	for i := range d {
		d[i] = a[i] / b[i]
	}
}
