package fmath

import "math"

const (
	// float32 has 29 bits less than float64: a float64 with this left of its low
	// 32 bits after a shift by 3 lies in the middle between two normal float32.
	fmaHalf = 1 << 31

	minNormal64 = 0x3810000000000000 // bits of 2^-126, the least normal float32
)

// fmaHard reports whether rounding s once more, to float32, may go wrong. The
// product of two float32 is exact in float64, so s = a*b + c has been rounded
// once, and monotonically: a second rounding can only err if the first one ended
// exactly in the middle between two float32. Among subnormals the middles have
// other bits, and all of them go the slow way; 0 is exact, the sum of numbers of
// this size having no underflow in float64.
func fmaHard(s float64) bool {
	u := math.Float64bits(s)
	return uint32(u)<<3 == fmaHalf || u<<1-1 < minNormal64<<1-1
}

// Fma returns a*b + c, correctly rounded.
func Fma(a, b, c float32) float32 {
	s := float64(a)*float64(b) + float64(c)
	if fmaHard(s) {
		return fmaSlow(a, b, c)
	}
	return float32(s)
}

// fmaSlow rounds the sum to odd before it rounds it to float32, which makes two
// roundings as good as one (Boldo and Melquiond, Emulation of a FMA and
// Correctly Rounded Sums: Proved Algorithms Using Rounding to Odd, 2008).
//
//go:noinline
func fmaSlow(a, b, c float32) float32 {
	return float32(sumToOdd(float64(a)*float64(b), float64(c)))
}

// FmaBFloat returns a*b + c for three bfloats, correctly rounded to bfloat. On the
// way there the sum is rounded to odd, first to float64 and then to float32: neither
// step makes it look like the middle between two bfloats where it is not.
func FmaBFloat(a, b, c float32) float32 {
	s := sumToOdd(float64(a)*float64(b), float64(c))
	f := float32(s)
	if d := float64(f) - s; d != 0 && d == d && math.Float32bits(f)&1 == 0 {
		// the odd neighbour of s is on its other side
		u := math.Float32bits(f)
		if (d > 0) == (s > 0) {
			u--
		} else {
			u++
		}
		f = math.Float32frombits(u)
	}
	return RoundBFloat(f)
}

// sumToOdd returns a + b if that is a float64, else that one of its two
// neighbours whose last bit is 1.
func sumToOdd(a, b float64) float64 {
	s := a + b
	// Knuth's two-sum: e is exactly what the addition has lost.
	t := s - a
	e := (a - (s - t)) + (b - t)
	u := math.Float64bits(s)
	if e == 0 || e != e || u&1 != 0 {
		return s
	}
	if (e > 0) == (s > 0) {
		u++
	} else {
		u--
	}
	return math.Float64frombits(u)
}

// FmaLanes is Fma for every lane.
func FmaLanes(d, a, b, c *[Lanes]float32) {
	_, _, _, _ = d[0], a[0], b[0], c[0]
	for i := range d {
		s := float64(a[i])*float64(b[i]) + float64(c[i])
		if fmaHard(s) {
			d[i] = fmaSlow(a[i], b[i], c[i])
			continue
		}
		d[i] = float32(s)
	}
}
