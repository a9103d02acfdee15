package fmath

import "math"

// From 2^24 on every float32 is an even integer.
const evenLimit = 0x4b800000

// SinPi returns sin(pi x), to 0.51 ulp (MSL: 4). The reduction is exact, so that
// integers give exactly 0, with the sign of x (C23, F.10.1.13).
func SinPi(x float32) float32 {
	if b := math.Float32bits(x) & absMask; b >= evenLimit {
		if b >= infBits {
			return float32(math.NaN())
		}
		return Copysign(0, x)
	}
	v := sinPi64(float64(x))
	if v == 0 {
		return Copysign(0, x)
	}
	return float32(v)
}

func sinPi64(x float64) float64 {
	n := x + roundMagic
	k := math.Float64bits(n)
	s := sinPoly((x - (n - roundMagic)) * math.Pi)
	return math.Float64frombits(math.Float64bits(s) ^ k<<63)
}

func cosPi64(x float64) float64 {
	n := (x - 0.5) + roundMagic
	k := math.Float64bits(n)
	s := sinPoly((x - ((n - roundMagic) + 0.5)) * math.Pi)
	return math.Float64frombits(math.Float64bits(s) ^ ^k<<63)
}

// CosPi returns cos(pi x), to 0.51 ulp (MSL: 4); it is exactly +0 at n+1/2.
func CosPi(x float32) float32 {
	if b := math.Float32bits(x) & absMask; b >= evenLimit {
		if b >= infBits {
			return float32(math.NaN())
		}
		return 1
	}
	// +0 turns -0 into 0.
	return float32(cosPi64(float64(x)) + 0)
}

// TanPi returns tan(pi x), to 0.51 ulp (MSL: 6). At integers it is a zero and at
// n+1/2 an infinity, with the signs of C23, F.10.1.14.
func TanPi(x float32) float32 {
	b := math.Float32bits(x) & absMask
	if b >= evenLimit {
		if b >= infBits {
			return float32(math.NaN())
		}
		return Copysign(0, x)
	}
	s, c := sinPi64(float64(x)), cosPi64(float64(x))
	switch {
	case s == 0:
		z := Copysign(0, x)
		if int32(x)&1 != 0 {
			return -z
		}
		return z
	case c == 0:
		if math.Floor(float64(x)/2)*2 == math.Floor(float64(x)) {
			return float32(math.Inf(1))
		}
		return float32(math.Inf(-1))
	}
	return float32(s / c)
}
