package fmath

import "math"

// Exp2Table[i] holds the bits of 2^(i/32), less i<<47, so that adding k<<47 for
// any k with k%32 == i gives the bits of 2^(k/32): the low five bits of k cancel
// and the rest lands in the exponent.
var Exp2Table = [32]uint64{
	0x3ff0000000000000, 0x3fefd9b0d3158574, 0x3fefb5586cf9890f, 0x3fef9301d0125b51,
	0x3fef72b83c7d517b, 0x3fef54873168b9aa, 0x3fef387a6e756238, 0x3fef1e9df51fdee1,
	0x3fef06fe0a31b715, 0x3feef1a7373aa9cb, 0x3feedea64c123422, 0x3feece086061892d,
	0x3feebfdad5362a27, 0x3feeb42b569d4f82, 0x3feeab07dd485429, 0x3feea47eb03a5585,
	0x3feea09e667f3bcd, 0x3fee9f75e8ec5f74, 0x3feea11473eb0187, 0x3feea589994cce13,
	0x3feeace5422aa0db, 0x3feeb737b0cdc5e5, 0x3feec49182a3f090, 0x3feed503b23e255d,
	0x3feee89f995ad3ad, 0x3feeff76f2fb5e47, 0x3fef199bdd85529c, 0x3fef3720dcef9069,
	0x3fef5818dcfba487, 0x3fef7c97337b9b5f, 0x3fefa4afa2a490da, 0x3fefd0765b6e4540,
}

const (
	log2eBy32  = 0x1.71547652b82fep+5 // 32/ln 2
	log210By32 = 0x1.a934f0979a371p+6 // 32 log2(10)

	// (2^(r/32)-1)/r for |r| <= 1/2, relative error 2^-26.2; as r is at most
	// ln(2)/64 = 2^-6.5 of the result, that is 2^-32.7 of 2^(r/32).
	expP0 = 0x1.62e42fefdf21cp-6
	expP1 = 0x1.ebfccc6461cf7p-13
	expP2 = 0x1.c6b0a5a4be628p-20

	// The same to 2^-36, for where the 1 is subtracted again.
	expm1P0 = 0x1.62e42fef8dc47p-6
	expm1P1 = 0x1.ebfbdff8557a7p-13
	expm1P2 = 0x1.c6b13c3d49b4bp-20
	expm1P3 = 0x1.3b2ac94b39e5fp-27
)

// Exponential is what an exponential function is computed from: for an x within the limit,
//
//	z = x * Scale
//	k = the integer nearest to z, ties to even, and r = z - k
//	s = 2^(k/32), the bits Exp2Table[k mod 32] + k<<47
//	s + s*r * (P[0] + r*(P[1] + r*P[2]))
//
// Beyond the limit the result is Inf or 0, as at the limit.
type Exponential struct {
	Limit, Scale float64
	P            [3]float64
}

// The exponentials of three bases.
var (
	ExpE   = Exponential{math.Float64frombits(expLimit), log2eBy32, [...]float64{expP0, expP1, expP2}}
	ExpTwo = Exponential{math.Float64frombits(exp2Limit), 32, ExpE.P}
	ExpTen = Exponential{math.Float64frombits(exp10Limit), log210By32, ExpE.P}
)

// exp2By32 returns 2^(z/32) for |z| < 32000, to 2^-32.
func exp2By32(z float64) float64 {
	n := z + roundMagic
	k := math.Float64bits(n)
	r := z - (n - roundMagic)
	s := math.Float64frombits(Exp2Table[k%32] + k<<47)
	return s + float64(s*r*(expP0+float64(r*(expP1+float64(r*expP2)))))
}

// Beyond these the result is Inf or 0, so that within them the argument of
// exp2By32 is in its domain and the conversion to float32 does the rest: it
// overflows, rounds to subnormals and underflows as it should.
const (
	expLimit   = 0x405a400000000000 // bits of 105
	exp2Limit  = 0x4063000000000000 // bits of 152
	exp10Limit = 0x4047800000000000 // bits of 47
)

// expSpecial is Exp10 for |x| out of range, and NaN.
//
//go:noinline
func expSpecial(x float32) float32 {
	switch {
	case x != x:
		return x + x
	case x > 0:
		return float32(math.Inf(1))
	}
	return 0
}

// Exp10 returns 10^x, to 0.51 ulp (MSL: 4).
func Exp10(x float32) float32 {
	v := float64(x)
	if math.Float64bits(v)<<1 > exp10Limit<<1 {
		return expSpecial(float32(v))
	}
	return float32(exp2By32(float64(v * log210By32)))
}
