package ir

import "math"

// What floats come to as integers that stand for numbers from 0 to 1 or from -1 to 1 (section 6.14): the nearest one,
// ties to even; what is not a number is 0. n is the bits of the integer.

func toUnorm(n int64, v float32) uint32 { return nearest(0, float64(v), uint64(1)<<n-1, nil) }

func toSnorm(n int64, v float32) uint32 { return nearest(-1, float64(v), uint64(1)<<(n-1)-1, nil) }

func toSRGB(n int64, v float32) uint32 { return nearest(0, float64(v), uint64(1)<<n-1, gamma) }

// nearest returns what stands for a number from low to 1, where scale stands for 1. A curve may bend it before.
func nearest(low, v float64, scale uint64, curve func(float64) float64) uint32 {
	if v != v {
		v = 0
	}
	v = min(max(v, low), 1)
	if curve != nil {
		v = curve(v)
	}
	return uint32(int32(math.RoundToEven(v * float64(scale))))
}

// The transfer function of sRGB (IEC 61966-2-1).

func gamma(v float64) float64 {
	if v <= 0.0031308 {
		return v * 12.92
	}
	return 1.055*math.Pow(v, 1/2.4) - 0.055
}

func fromSRGB(n int64, bits uint32) float32 {
	v := float64(bits) / float64(uint64(1)<<n-1)
	if v <= 0.04045 {
		return float32(v / 12.92)
	}
	return float32(math.Pow((v+0.055)/1.055, 2.4))
}
