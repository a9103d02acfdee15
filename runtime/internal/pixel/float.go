package pixel

import (
	"math"

	"github.com/metalgen/metalgen/internal/fmath"
)

// MSL, sections 8.7.2 to 8.7.4. NaN and subnormal numbers are kept.

const (
	oneFloat = 0x3f800000 // bits of 1

	// The exponents of a half and of the unsigned numbers of 11 and 10 bits.
	leastExponent = -14
	exponentBias  = 15
	exponentTop   = 31
)

func floating(bits int) conversion {
	switch bits {
	case 32:
		same := func(b uint32) uint32 { return b }
		return conversion{decode: same, encode: same}
	case 16:
		return conversion{
			decode: func(b uint32) uint32 { return math.Float32bits(fmath.HalfFromBits(uint16(b))) },
			encode: func(v uint32) uint32 { return uint32(fmath.HalfBits(math.Float32frombits(v))) },
		}
	}
	return smallFloat(bits - 5)
}

// smallFloat is a float without a sign, with 5 bits of exponent. It is a half without the last bits of the mantissa.
func smallFloat(mantissa int) conversion {
	const halfMantissa = 10
	return conversion{
		decode: func(b uint32) uint32 {
			return math.Float32bits(fmath.HalfFromBits(uint16(b << (halfMantissa - mantissa))))
		},
		encode: func(v uint32) uint32 { return smallFloatBits(math.Float32frombits(v), mantissa) },
	}
}

// smallFloatBits returns the nearest float without a sign, ties to even. MSL does not say what a number that is too
// large becomes; in OpenGL it is the largest finite one.
func smallFloatBits(x float32, mantissa int) uint32 {
	infinity := uint32(exponentTop) << mantissa
	switch {
	case x != x:
		return infinity | 1<<(mantissa-1)
	case !(x > 0):
		return 0
	case x > math.MaxFloat32:
		return infinity
	}
	exponent := max(int(math.Float32bits(x)>>23)-127, leastExponent)
	// The mantissa with its leading bit, if there is one, counts as one more in the exponent.
	significand := math.RoundToEven(math.Ldexp(float64(x), mantissa-exponent))
	if exponent > exponentBias {
		return infinity - 1
	}
	return min(uint32(exponent-leastExponent)<<mantissa+uint32(significand), infinity-1)
}
