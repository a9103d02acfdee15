package fmath

import (
	"math"
	"math/bits"
)

// Copysign returns the magnitude of x with the sign of y.
func Copysign(x, y float32) float32 {
	return math.Float32frombits(math.Float32bits(x)&absMask | math.Float32bits(y)&signMask)
}

// Ldexp returns x * 2^n, correctly rounded also where it becomes subnormal.
func Ldexp(x float32, n int32) float32 {
	// 300 leads from the least subnormal past the greatest float32 and back to less
	// than half the least subnormal, and stays in the range of float64, where the
	// product is therefore exact.
	n = max(-300, min(n, 300))
	return float32(float64(x) * math.Float64frombits(uint64(1023+n)<<52))
}

// Frexp returns a fraction in [1/2, 1) and an exponent with x = frac * 2^exp;
// zeros, infinities and NaN come back unchanged with exponent 0.
func Frexp(x float32) (frac float32, exp int32) {
	if a := math.Float32bits(x) & absMask; a-1 >= infBits-1 {
		return x, 0
	}
	// As a float64 no float32 is subnormal.
	u := math.Float64bits(float64(x))
	exp = int32(u>>52&0x7ff) - 1022
	return float32(math.Float64frombits(u&^(0x7ff<<52) | 1022<<52)), exp
}

// What Ilogb returns for 0 and NaN (FP_ILOGB0 and FP_ILOGBNAN), and for infinities.
const (
	IlogbZero = math.MinInt32
	IlogbNaN  = math.MinInt32
	IlogbInf  = math.MaxInt32
)

// Ilogb returns the exponent of x as an integer.
func Ilogb(x float32) int32 {
	a := math.Float32bits(x) & absMask
	switch {
	case a == 0:
		return IlogbZero
	case a > infBits:
		return IlogbNaN
	case a == infBits:
		return IlogbInf
	case a < 1<<23:
		return int32(bits.Len32(a)) - 150
	}
	return int32(a>>23) - 127
}

// Nextafter returns the float32 next to x in the direction of y, and y if they
// are equal.
func Nextafter(x, y float32) float32 {
	b := math.Float32bits(x)
	switch {
	case x != x || y != y:
		return x + y
	case x == y:
		return y
	case x == 0:
		return math.Float32frombits(math.Float32bits(y)&signMask | 1)
	case (y > x) == (x > 0):
		b++
	default:
		b--
	}
	return math.Float32frombits(b)
}

// NextafterHalf is Nextafter among the halves.
func NextafterHalf(x, y float32) float32 {
	if x != x || y != y {
		return x + y
	}
	return HalfFromBits(nextBits(HalfBits(x), x, y))
}

// NextafterBFloat is Nextafter among the bfloats.
func NextafterBFloat(x, y float32) float32 {
	if x != x || y != y {
		return x + y
	}
	return BFloatFromBits(nextBits(BFloatBits(x), x, y))
}

// nextBits moves the 16 bits of x by one in the direction of y.
func nextBits(bits uint16, x, y float32) uint16 {
	sign := uint16(math.Float32bits(y) >> 16 & 0x8000)
	switch {
	case x == y:
		return bits&^0x8000 | sign
	case x == 0:
		return sign | 1
	case (y > x) == (x > 0):
		return bits + 1
	}
	return bits - 1
}
