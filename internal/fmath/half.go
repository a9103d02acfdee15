package fmath

import "math"

// Arithmetic on halves may be done in float32 and rounded with RoundHalf: for
// + - * / and sqrt, rounding first to p' bits and then to p is the same as rounding
// once if p' >= 2p+2 (Figueroa, When is double rounding innocuous?, 1995), and
// 24 >= 2*11+2. Subnormal halves only have fewer bits, at exponents that are
// ordinary in float32. The same holds for bfloat, 24 >= 2*8+2: there the
// subnormals are also those of float32, but sums are exact among them, products of
// two 8-bit numbers are exact down to where they vanish, and quotients keep away
// from the middle of two bfloats by 2^-142, far more than float32 rounds off.
//
// It does not hold for fma; see FmaHalf.

const (
	halfMinNormal = 0x38800000 // bits of 2^-14
	halfOverflow  = 0x477ff000 // bits of 65520, midway from the last half to 2^16
	halfMagicExp  = 13 << 23
)

// halfMagic returns C = 2^(e+13) for the number with the bits a and the exponent
// e, at least -14. Added to the number, C pushes out exactly the bits that a half
// has no room for, and the hardware rounds them to nearest even.
func halfMagic(a uint32) uint32 {
	return max(a&infBits, halfMinNormal) + halfMagicExp
}

// RoundHalf returns x rounded to the precision and range of half, ties to even.
func RoundHalf(x float32) float32 {
	u := math.Float32bits(x)
	a := u & absMask
	if a >= halfOverflow {
		return halfSpecial(u)
	}
	c := math.Float32frombits(halfMagic(a))
	r := (math.Float32frombits(a) + c) - c
	return math.Float32frombits(math.Float32bits(r) | u&signMask)
}

// halfSpecial is RoundHalf for overflow, infinities and NaN; it keeps
// the bits that a half holds.
//
//go:noinline
func halfSpecial(u uint32) float32 {
	if u&absMask > infBits {
		return math.Float32frombits(u&^0x1fff | 1<<22)
	}
	return math.Float32frombits(u&signMask | infBits)
}

// RoundHalfLanes is RoundHalf for every lane.
func RoundHalfLanes(d, s *[Lanes]float32) {
	_, _ = d[0], s[0]
	for i := range d {
		u := math.Float32bits(s[i])
		a := u & absMask
		if a >= halfOverflow {
			d[i] = halfSpecial(u)
			continue
		}
		c := math.Float32frombits(halfMagic(a))
		r := (math.Float32frombits(a) + c) - c
		d[i] = math.Float32frombits(math.Float32bits(r) | u&signMask)
	}
}

// HalfBits returns the half nearest to x, ties to even.
func HalfBits(x float32) uint16 {
	u := math.Float32bits(x)
	a := u & absMask
	sign := uint16(u >> 16 & 0x8000)
	if a >= halfOverflow {
		if a > infBits {
			return sign | 0x7e00 | uint16(a>>13&0x3ff)
		}
		return sign | 0x7c00
	}
	c := halfMagic(a)
	// The mantissa with its leading bit; a carry out of it, or its absence in a
	// subnormal, moves the exponent as it should.
	m := math.Float32bits(math.Float32frombits(a)+math.Float32frombits(c)) - c
	return sign | uint16((c-halfMagicExp-halfMinNormal)>>13+m)
}

// HalfFromBits returns the value of a half, exactly.
func HalfFromBits(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	m := uint32(h & 0x7fff)
	switch {
	case m < 0x400:
		// Not a product with a power of two in the bits of a subnormal float32:
		// processors are slow at those.
		return math.Float32frombits(math.Float32bits(float32(int32(m))*0x1p-24) | sign)
	case m < 0x7c00:
		return math.Float32frombits(sign | (m<<13 + (127-15)<<23))
	case m > 0x7c00:
		m |= 0x200
	}
	return math.Float32frombits(sign | infBits | m<<13)
}

// FmaHalf returns a*b + c for three halves, correctly rounded to half. The float32
// nearest to the sum is not enough for that, the float64 is: the product of two
// halves has 22 bits, and for the sum to come near the middle between two halves
// without being there its parts must be so close that it fits in 53 bits. So it is
// rounded to half in one step, by the means of halfMagic.
func FmaHalf(a, b, c float32) float32 {
	s := float64(a)*float64(b) + float64(c)
	u := math.Float64bits(s)
	m := u &^ (1 << 63)
	if !(math.Float64frombits(m) < 65520) {
		return halfSpecial(math.Float32bits(float32(s)))
	}
	k := math.Float64frombits(max(m&(0x7ff<<52), (1023-14)<<52) + 42<<52)
	r := (math.Float64frombits(m) + k) - k
	return float32(math.Float64frombits(math.Float64bits(r) | u&(1<<63)))
}
