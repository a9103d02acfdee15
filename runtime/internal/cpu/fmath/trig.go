package fmath

import "math"

const (
	invPi = 0x1.45f306dc9c883p-2

	// pi in two parts, the first of 33 bits, so that its product with a multiple of
	// 1/2 below 2^19 is exact (Cody and Waite, Software Manual for the Elementary
	// Functions, 1980). What is dropped is below 2^-65 for the largest x, and no
	// float32 that small comes nearer than 2^-28 to a zero of sin or cos.
	piHi = 0x1.921fb54400000p+1
	piLo = 0x1.0b4611a626331p-33

	trigLimit = 0x4130000000000000 // bits of 2^20

	// (sin(r)-r)/r^3 in r^2 for |r| <= pi/2, to 2^-35.3 of sin(r).
	sinP0 = -0x1.555555476793bp-3
	sinP1 = 0x1.11110c4984b9dp-7
	sinP2 = -0x1.a017d976edf88p-13
	sinP3 = 0x1.71707abac5f5ap-19
	sinP4 = -0x1.9a680b09b39b1p-26
)

// sinPoly returns sin(r) for |r| <= pi/2, and -0 for -0. One polynomial over half
// a period, rather than two over a quarter, leaves nothing to choose: with
// arguments that differ from lane to lane that branch would be mispredicted half
// of the time.
func sinPoly(r float64) float64 {
	z := r * r
	return r * (1 + z*(sinP0+z*(sinP1+z*(sinP2+z*(sinP3+z*sinP4)))))
}

// sin64 returns sin(x) for |x| <= 2^20.
func sin64(x float64) float64 {
	n := x*invPi + roundMagic
	k := math.Float64bits(n)
	n -= roundMagic
	s := sinPoly((x - n*piHi) - n*piLo)
	return math.Float64frombits(math.Float64bits(s) ^ k<<63)
}

// cos64 returns cos(x) for |x| <= 2^20, as the sine of the distance to its
// nearest zero, which is what keeps the relative precision there.
func cos64(x float64) float64 {
	n := (x*invPi - 0.5) + roundMagic
	k := math.Float64bits(n)
	n = (n - roundMagic) + 0.5
	s := sinPoly((x - n*piHi) - n*piLo)
	return math.Float64frombits(math.Float64bits(s) ^ ^k<<63)
}

//go:noinline
func sinBig(x float32) float32 { return float32(math.Sin(float64(x))) }

//go:noinline
func cosBig(x float32) float32 { return float32(math.Cos(float64(x))) }

// Sin returns the sine of x, to 0.51 ulp for all x (MSL: 4).
func Sin(x float32) float32 {
	v := float64(x)
	if math.Float64bits(v)<<1 > trigLimit<<1 {
		return sinBig(float32(v))
	}
	return float32(sin64(v))
}

// Cos returns the cosine of x, to 0.51 ulp for all x (MSL: 4).
func Cos(x float32) float32 {
	v := float64(x)
	if math.Float64bits(v)<<1 > trigLimit<<1 {
		return cosBig(float32(v))
	}
	return float32(cos64(v))
}

// Tan returns the tangent of x, to 0.51 ulp for all x (MSL: 6).
func Tan(x float32) float32 {
	v := float64(x)
	if math.Float64bits(v)<<1 > trigLimit<<1 {
		return float32(math.Tan(v))
	}
	return float32(sin64(v) / cos64(v))
}

// SinLanes is Sin for every lane; sin64 is too large to be inlined.
func SinLanes(d, s *[Lanes]float32) {
	_, _ = d[0], s[0]
	for i := range d {
		x := float64(s[i])
		if math.Float64bits(x)<<1 > trigLimit<<1 {
			d[i] = sinBig(float32(x))
			continue
		}
		n := x*invPi + roundMagic
		k := math.Float64bits(n)
		n -= roundMagic
		r := sinPoly((x - n*piHi) - n*piLo)
		d[i] = float32(math.Float64frombits(math.Float64bits(r) ^ k<<63))
	}
}

// CosLanes is Cos for every lane.
func CosLanes(d, s *[Lanes]float32) {
	_, _ = d[0], s[0]
	for i := range d {
		x := float64(s[i])
		if math.Float64bits(x)<<1 > trigLimit<<1 {
			d[i] = cosBig(float32(x))
			continue
		}
		n := (x*invPi - 0.5) + roundMagic
		k := math.Float64bits(n)
		n = (n - roundMagic) + 0.5
		r := sinPoly((x - n*piHi) - n*piLo)
		d[i] = float32(math.Float64frombits(math.Float64bits(r) ^ ^k<<63))
	}
}
