package fmath

import "math"

// Power is what a power of a base is computed from in floats, which all its numbers are. Every step rounds to float32;
// a product and a sum are one step.
//
//	x is at least Low and at most High, where the result is 0 and Inf
//	k = x*Log + 1.5*2^23 - 1.5*2^23, the integer nearest to x*Log
//	r = (x + k*Whole[0]) + k*Whole[1]
//	p = 1 + r*(P[0] + r*(P[1] + ...))
//	p * 2^k
//
// The first step of r is exact, and the last one rounds subnormal results alone.
type Power struct {
	Low, High float64
	Log       float64    // of the base, to the base 2
	Whole     [2]float64 // less 1/Log, in two parts
	P         [6]float64
}

// The powers of two bases. The polynomials are off by 2^-28.3 and 2^-28.9 of the result.
var (
	PowerOfE = Power{
		-105, 90, 0x1.715476p0, [...]float64{-0x1.62e43p-1, 0x1.05c61p-29},
		[...]float64{1, 0x1.fffffcp-2, 0x1.555492p-3, 0x1.5558f2p-5, 0x1.1239d6p-7, 0x1.6a2448p-10},
	}
	PowerOfTwo = Power{
		-152, 130, 1, [...]float64{-1, 0},
		[...]float64{
			0x1.62e43p-1, 0x1.ebfbdcp-3, 0x1.c6aee8p-5, 0x1.3b2d4cp-7, 0x1.5f3e58p-10, 0x1.41fbb8p-13,
		},
	}
)

// raise makes each of d the power of s. Go has no step that multiplies and adds floats: here the sum is rounded to
// float64 first. A test finds the same results for all floats.
func (f *Power) raise(d, s []float32) {
	low, high, log, whole, rest := f.Low, f.High, f.Log, f.Whole[0], f.Whole[1]
	for i := range d {
		x := float64(s[i])
		if x > high {
			x = high
		} else if x < low {
			x = low
		}
		n := x*log + roundMagic
		scale := math.Float64frombits(math.Float64bits(n)<<52 + 0x3ff<<52)
		n -= roundMagic
		x += n * whole // is a float
		x = float64(float32(n*rest + x))
		p := float64(float32(x*f.P[5] + f.P[4]))
		p = float64(float32(p*x + f.P[3]))
		p = float64(float32(p*x + f.P[2]))
		p = float64(float32(p*x + f.P[1]))
		p = float64(float32(p*x + f.P[0]))
		p = float64(float32(p*x + 1))
		d[i] = float32(p * scale)
	}
}

// Exp returns e^x, to 0.91 ulp (MSL: 4).
func Exp(x float32) float32 {
	v := [1]float32{x}
	PowerOfE.raise(v[:], v[:])
	return v[0]
}

// Exp2 returns 2^x, to 0.96 ulp (MSL: 4); it is exact for integers.
func Exp2(x float32) float32 {
	v := [1]float32{x}
	PowerOfTwo.raise(v[:], v[:])
	return v[0]
}

// ExpLanes is Exp for every lane.
func ExpLanes(d, s *[Lanes]float32) { PowerOfE.raise(d[:], s[:]) }

// Exp2Lanes is Exp2 for every lane.
func Exp2Lanes(d, s *[Lanes]float32) { PowerOfTwo.raise(d[:], s[:]) }
