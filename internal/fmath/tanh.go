package fmath

import "math"

const (
	tanhTiny = 0x3f20000000000000 // bits of 2^-13: below, x^3/3 is less than 0.1 ulp of x
	tanhBig  = 0x4024000000000000 // bits of 10: above, 1-tanh(x) is less than half an ulp of 1
)

// Tangent is what tanh is computed from. Below Tiny it is x, and beyond the limit 1, as at the limit. Else
//
//	z = x * Scale, k, r and s as for an Exponential
//	e = (s - 1) + s*r * (P[0] + r*(P[1] + r*(P[2] + r*P[3])))
//	e / (e + 2)
type Tangent struct {
	Limit, Tiny, Scale float64
	P                  [4]float64
}

// TanhOf is what Tanh is computed from.
var TanhOf = Tangent{
	math.Float64frombits(tanhBig), math.Float64frombits(tanhTiny), 2 * log2eBy32,
	[...]float64{expm1P0, expm1P1, expm1P2, expm1P3},
}

// expm1By32 returns 2^(z/32)-1 for |z| < 32000, to 2^-34. Near 0 the difference
// s-1 vanishes exactly and the polynomial alone remains, so that nothing cancels.
func expm1By32(z float64) float64 {
	n := z + roundMagic
	k := math.Float64bits(n)
	r := z - (n - roundMagic)
	s := math.Float64frombits(Exp2Table[k%32] + k<<47)
	return (s - 1) + float64(s*r*(expm1P0+float64(r*(expm1P1+float64(r*(expm1P2+float64(r*expm1P3)))))))
}

//go:noinline
func tanhSpecial(x float32) float32 {
	if math.Float32bits(x)&absMask < infBits && math.Abs(float64(x)) < 1 {
		return x
	}
	if x != x {
		return x + x
	}
	return Copysign(1, x)
}

// Tanh returns the hyperbolic tangent of x, to 0.51 ulp (MSL: 5).
func Tanh(x float32) float32 {
	v := float64(x)
	if math.Float64bits(v)<<1-tanhTiny<<1 > (tanhBig-tanhTiny)<<1 {
		return tanhSpecial(float32(v))
	}
	e := expm1By32(float64(v * (2 * log2eBy32)))
	return float32(e / (e + 2))
}

// TanhLanes is Tanh for every lane.
func TanhLanes(d, s *[Lanes]float32) {
	_, _ = d[0], s[0]
	for i := range d {
		x := float64(s[i])
		if math.Float64bits(x)<<1-tanhTiny<<1 > (tanhBig-tanhTiny)<<1 {
			d[i] = tanhSpecial(float32(x))
			continue
		}
		e := expm1By32(float64(x * (2 * log2eBy32)))
		d[i] = float32(e / (e + 2))
	}
}
