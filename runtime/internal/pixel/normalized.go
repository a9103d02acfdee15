package pixel

import "math"

// MSL, section 8.7.1. The quotients are those of two numbers that a float32 holds exactly, so they are correctly
// rounded, and the products are exact in float64. NaN is written as zero.

func unorm(bits int) conversion {
	top := float32(uint32(1)<<bits - 1)
	return conversion{
		decode: func(b uint32) uint32 { return math.Float32bits(float32(b) / top) },
		encode: func(v uint32) uint32 { return nearest(float64(math.Float32frombits(v))*float64(top), float64(top)) },
	}
}

// Of the two numbers that mean -1, the least one is read and never written.
func snorm(bits int) conversion {
	top, unused := float32(uint32(1)<<(bits-1)-1), 32-bits
	return conversion{
		decode: func(b uint32) uint32 {
			return math.Float32bits(max(float32(int32(b<<unused)>>unused)/top, -1))
		},
		encode: func(v uint32) uint32 {
			x := float64(math.Float32frombits(v)) * float64(top)
			if x < 0 {
				return -nearest(-x, float64(top)) << unused >> unused
			}
			return nearest(x, float64(top))
		},
	}
}

// nearest returns the integer nearest to x, ties to even, from 0 to top, and 0 for NaN.
func nearest(x, top float64) uint32 {
	switch {
	case x >= top:
		return uint32(top)
	case x > 0:
		// A float64 of 2^52 has no bits for fractions, so the addition rounds.
		return uint32(math.Float64bits(x + 0x1p52))
	}
	return 0
}
