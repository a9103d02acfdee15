package fmath

import "math"

// bfloatRound rounds the bits of a float32 to the upper 16, ties to even. Overflow
// carries into the exponent and so becomes infinity by itself.
func bfloatRound(u uint32) uint32 {
	if u&absMask > infBits {
		// The carry could turn a NaN into -0.
		return (u | 1<<22) &^ 0xffff
	}
	return (u + 0x7fff + u>>16&1) &^ 0xffff
}

// RoundBFloat returns x rounded to the precision of bfloat, ties to even.
func RoundBFloat(x float32) float32 {
	return math.Float32frombits(bfloatRound(math.Float32bits(x)))
}

// BFloatBits returns the bfloat nearest to x, ties to even.
func BFloatBits(x float32) uint16 { return uint16(bfloatRound(math.Float32bits(x)) >> 16) }

// BFloatFromBits returns the value of a bfloat, exactly.
func BFloatFromBits(b uint16) float32 { return math.Float32frombits(uint32(b) << 16) }

// RoundBFloatLanes is RoundBFloat for every lane.
func RoundBFloatLanes(d, s *[Lanes]float32) {
	_, _ = d[0], s[0]
	for i := range d {
		d[i] = math.Float32frombits(bfloatRound(math.Float32bits(s[i])))
	}
}
