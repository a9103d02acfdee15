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

// Sine is what a sine or a cosine is computed from, for an x within the limit:
//
//	k = the integer nearest to x*InvPi - Half, ties to even, and n = k + Half
//	r = (x - n*PiHigh) - n*PiLow, and z = r*r
//	r * (P[0] + z*(P[1] + z*(P[2] + z*(P[3] + z*(P[4] + z*P[5]))))), negated where the last bit of k^Flip is 1
type Sine struct {
	Limit, Half   float64
	Flip          uint64
	InvPi         float64
	PiHigh, PiLow float64
	P             [6]float64
}

// What Sin and Cos are computed from.
var (
	SinOf = Sine{
		math.Float64frombits(trigLimit), 0, 0, invPi, piHi, piLo,
		[...]float64{1, sinP0, sinP1, sinP2, sinP3, sinP4},
	}
	CosOf = Sine{SinOf.Limit, 0.5, 1, invPi, piHi, piLo, SinOf.P}
)

// sinPoly returns sin(r) for |r| <= pi/2, and -0 for -0. One polynomial over half
// a period, rather than two over a quarter, leaves nothing to choose: with
// arguments that differ from lane to lane that branch would be mispredicted half
// of the time.
func sinPoly(r float64) float64 {
	z := r * r
	return r * (1 + float64(z*(sinP0+float64(z*(sinP1+float64(z*(sinP2+float64(z*(sinP3+float64(z*sinP4))))))))))
}

// sin64 returns sin(x) for |x| <= 2^20.
func sin64(x float64) float64 {
	n := float64(x*invPi) + roundMagic
	k := math.Float64bits(n)
	n -= roundMagic
	s := sinPoly((x - float64(n*piHi)) - float64(n*piLo))
	return math.Float64frombits(math.Float64bits(s) ^ k<<63)
}

// cos64 returns cos(x) for |x| <= 2^20, as the sine of the distance to its
// nearest zero, which is what keeps the relative precision there.
func cos64(x float64) float64 {
	n := (float64(x*invPi) - 0.5) + roundMagic
	k := math.Float64bits(n)
	n = (n - roundMagic) + 0.5
	s := sinPoly((x - float64(n*piHi)) - float64(n*piLo))
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
		n := float64(x*invPi) + roundMagic
		k := math.Float64bits(n)
		n -= roundMagic
		r := sinPoly((x - float64(n*piHi)) - float64(n*piLo))
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
		n := (float64(x*invPi) - 0.5) + roundMagic
		k := math.Float64bits(n)
		n = (n - roundMagic) + 0.5
		r := sinPoly((x - float64(n*piHi)) - float64(n*piLo))
		d[i] = float32(math.Float64frombits(math.Float64bits(r) ^ ^k<<63))
	}
}
