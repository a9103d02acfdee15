package fmath

import "math"

// powLimit bounds |y log2 x|: beyond it the result is Inf or 0.
const powLimit = 152

// Pow returns x^y, to 0.53 ulp (MSL: 16). The special cases are those of C99, F.9.4.4.
func Pow(x, y float32) float32 {
	if math.Float32bits(x)-1 < infBits-1 {
		if t := float64(y) * log264(float64(x)); math.Abs(t) < powLimit {
			return float32(exp2By32(float64(t * 32)))
		}
	}
	return powSpecial(x, y)
}

//go:noinline
func powSpecial(x, y float32) float32 {
	bx, by := math.Float32bits(x), math.Float32bits(y)
	if bx&absMask-1 >= infBits-1 || by&absMask-1 >= infBits-1 {
		// A zero, an infinity or a NaN: math.Pow treats them as C99 does.
		return float32(math.Pow(float64(x), float64(y)))
	}
	sign := float32(1)
	if x < 0 {
		y64 := float64(y)
		if y64 != math.Trunc(y64) {
			return float32(math.NaN())
		}
		if h := y64 / 2; h != math.Trunc(h) {
			sign = -1
		}
	}
	t := float64(y) * log264(math.Abs(float64(x)))
	switch {
	case t >= powLimit:
		return sign * float32(math.Inf(1))
	case t <= -powLimit:
		return sign * 0
	}
	return sign * float32(exp2By32(float64(t*32)))
}

// Powr returns x^y as exp2(y log2 x) defines it, to 0.53 ulp (MSL: 16): NaN for
// x < 0 and wherever the product has no value (0^0, Inf^0, 1^Inf), and, unlike
// Pow, NaN if either argument is NaN (IEEE 754-2008, 9.2.1).
func Powr(x, y float32) float32 {
	if math.Float32bits(x)-1 < infBits-1 {
		if t := float64(y) * log264(float64(x)); math.Abs(t) < powLimit {
			return float32(exp2By32(float64(t * 32)))
		}
	}
	switch {
	case x < 0 || x != x || y != y,
		y == 0 && (x == 0 || x > math.MaxFloat32),
		x == 1:
		return float32(math.NaN())
	}
	// -0 counts as 0.
	return powSpecial(x+0, y)
}

// PowLanes is Pow for every lane.
func PowLanes(d, a, b *[Lanes]float32) {
	_, _, _ = d[0], a[0], b[0]
	for i := range d {
		x, y := float64(a[i]), float64(b[i])
		if math.Float64bits(x)-1 < inf64-1 {
			if t := y * log264(x); -powLimit < t && t < powLimit {
				d[i] = float32(exp2By32(float64(t * 32)))
				continue
			}
		}
		d[i] = powSpecial(float32(x), float32(y))
	}
}
