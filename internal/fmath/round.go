package fmath

import "math"

// Floor returns the greatest integer not above x.
func Floor(x float32) float32 { return float32(math.Floor(float64(x))) }

// Ceil returns the least integer not below x.
func Ceil(x float32) float32 { return float32(math.Ceil(float64(x))) }

// Trunc returns x without its fraction.
func Trunc(x float32) float32 { return float32(math.Trunc(float64(x))) }

// Rint returns the integer nearest to x, ties to even.
func Rint(x float32) float32 { return float32(math.RoundToEven(float64(x))) }

// Round returns the integer nearest to x, ties away from zero. The sum is exact
// in float64 wherever x has a fraction, so that the greatest float32 below 1/2
// does not become 1.
func Round(x float32) float32 {
	return float32(math.Trunc(float64(x) + math.Copysign(0.5, float64(x))))
}

// Fract returns x - floor(x), correctly rounded but always below 1: for x just
// below 0 it is the greatest float32 there. It is +0 for integers and infinities.
func Fract(x float32) float32 {
	const below1 = 0x1.fffffep-1
	if math.Float32bits(x)&absMask == infBits {
		return 0
	}
	f := x - Floor(x)
	if f > below1 {
		return below1
	}
	return f
}

// Modf returns the fraction and the integral part of x, both with the sign of x.
func Modf(x float32) (frac, whole float32) {
	if math.Float32bits(x)&absMask == infBits {
		return Copysign(0, x), x
	}
	whole = Trunc(x)
	return Copysign(x-whole, x), whole
}

// Fmod returns x - y*trunc(x/y), which is always exact, with the sign of x.
func Fmod(x, y float32) float32 {
	bx, by := math.Float32bits(x)&absMask, math.Float32bits(y)&absMask
	switch {
	case bx >= infBits || by > infBits || by == 0:
		return float32(math.NaN())
	case bx < by:
		return x
	}
	// The mantissas as integers, brought to a common exponent: the remainder of
	// the integers, in units of the last bit of y, is that of the floats. One
	// division takes in 40 bits of the difference of the exponents, so that
	// common arguments need one or two, and the worst eight.
	mx, ex := mantissa(bx)
	my, ey := mantissa(by)
	r := mx % my
	for n := ex - ey; n > 0 && r != 0; n -= 40 {
		r = r << min(n, 40) % my
	}
	// r < 2^24, and r * 2^(ey-150) is no float64 subnormal.
	m := float64(r) * math.Float64frombits(uint64(1023-150+ey)<<52)
	return Copysign(float32(m), x)
}

// mantissa splits the bits b of a finite positive float32 so that its value is
// m * 2^(e-150).
func mantissa(b uint32) (m uint64, e int) {
	if b < 1<<23 {
		return uint64(b), 1
	}
	return uint64(b&(1<<23-1) | 1<<23), int(b >> 23)
}
