package fmath

import (
	"math"
	"math/rand/v2"
	"testing"
)

// lanes returns 32 numbers from [lo, hi).
func lanes(lo, hi float32) *[Lanes]float32 {
	rng := rand.New(rand.NewPCG(1, uint64(math.Float32bits(hi))))
	a := new([Lanes]float32)
	for i := range a {
		a[i] = lo + (hi-lo)*rng.Float32()
	}
	return a
}

func BenchmarkLanes(b *testing.B) {
	var d [Lanes]float32
	x, y, z := lanes(-10, 10), lanes(-8, 8), lanes(-1, 1)
	pos := lanes(0.001, 100)
	relu := lanes(-1, 1)
	for i := range relu {
		relu[i] = max(relu[i], 0)
	}
	unary := []struct {
		name string
		f    func(d, s *[Lanes]float32)
		s    *[Lanes]float32
	}{
		{"Exp", ExpLanes, x},
		{"Exp2", Exp2Lanes, x},
		{"Log", LogLanes, pos},
		{"Log2", Log2Lanes, pos},
		{"Sqrt", SqrtLanes, pos},
		{"Rsqrt", RsqrtLanes, pos},
		{"Sin", SinLanes, x},
		{"Cos", CosLanes, x},
		{"Tanh", TanhLanes, y},
		{"RoundHalf", RoundHalfLanes, x},
		{"RoundHalf/zeros", RoundHalfLanes, relu},
		{"RoundBFloat", RoundBFloatLanes, x},
	}
	for _, c := range unary {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				c.f(&d, c.s)
			}
		})
	}
	b.Run("Pow", func(b *testing.B) {
		for b.Loop() {
			PowLanes(&d, pos, y)
		}
	})
	b.Run("Div", func(b *testing.B) {
		for b.Loop() {
			DivLanes(&d, x, pos)
		}
	})
	b.Run("Fma", func(b *testing.B) {
		for b.Loop() {
			FmaLanes(&d, x, y, z)
		}
	})
	b.Run("Fma/zeros", func(b *testing.B) {
		for b.Loop() {
			FmaLanes(&d, relu, relu, relu)
		}
	})
}

func BenchmarkMap(b *testing.B) {
	var d [Lanes]float32
	x, unit, pos := lanes(-10, 10), lanes(-1, 1), lanes(1, 100)
	for _, c := range []struct {
		name string
		f    func(float32) float32
		s    *[Lanes]float32
	}{
		{"Exp", Exp, x}, {"Exp10", Exp10, x}, {"Log10", Log10, pos},
		{"Tan", Tan, x}, {"SinPi", SinPi, x}, {"CosPi", CosPi, x}, {"TanPi", TanPi, x},
		{"Asin", Asin, unit}, {"Acos", Acos, unit}, {"Atan", Atan, x},
		{"Sinh", Sinh, x}, {"Cosh", Cosh, x},
		{"Asinh", Asinh, x}, {"Acosh", Acosh, pos}, {"Atanh", Atanh, unit},
		{"Floor", Floor, x}, {"Rint", Rint, x}, {"Round", Round, x}, {"Fract", Fract, x},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				each(&d, c.s, c.f)
			}
		})
	}
	b.Run("Fmod", func(b *testing.B) {
		for b.Loop() {
			each2(&d, x, unit, Fmod)
		}
	})
	b.Run("Atan2", func(b *testing.B) {
		for b.Loop() {
			each2(&d, x, unit, Atan2)
		}
	})
}
