package fmath

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/x448/float16"
)

func TestRounding(t *testing.T) {
	for _, f := range []struct {
		name string
		f    func(float32) float32
		ref  func(float64) float64
	}{
		{"Floor", Floor, math.Floor}, {"Ceil", Ceil, math.Ceil}, {"Trunc", Trunc, math.Trunc},
		{"Rint", Rint, math.RoundToEven}, {"Round", Round, math.Round},
		{"Modf", func(x float32) float32 { _, w := Modf(x); return w },
			func(x float64) float64 { w, _ := math.Modf(x); return w }},
	} {
		check := func(x float32) {
			if got, want := f.f(x), float32(f.ref(float64(x))); !same(got, want) {
				t.Fatalf("%s(%v) = %v, want %v", f.name, x, got, want)
			}
		}
		for b := uint64(0); b < 1<<32; b += stride * 8 {
			check(math.Float32frombits(uint32(b)))
		}
		for _, x := range specials {
			check(x)
		}
		for i := range 4000 {
			check(float32(i-2000) / 8)
		}
	}
	for _, c := range []struct{ x, fract, frac float32 }{
		{1.25, 0.25, 0.25}, {-1.25, 0.75, -0.25}, {0, 0, 0}, {negz, 0, negz}, {-3, 0, negz}, {-tiny, 0x1.fffffep-1, -tiny},
		{tiny, tiny, tiny},
		{inf, 0, 0}, {-inf, 0, negz}, {nan, nan, nan}, {huge, 0, 0},
	} {
		if got := Fract(c.x); !same(got, c.fract) {
			t.Errorf("Fract(%v) = %v, want %v", c.x, got, c.fract)
		}
		if got, _ := Modf(c.x); !same(got, c.frac) {
			t.Errorf("Modf(%v) = %v, want %v", c.x, got, c.frac)
		}
	}
}

func TestFmod(t *testing.T) {
	check := func(x, y float32) {
		if got, want := Fmod(x, y), float32(math.Mod(float64(x), float64(y))); !same(got, want) {
			t.Fatalf("Fmod(%v, %v) = %v, want %v", x, y, got, want)
		}
	}
	for _, x := range specials {
		for _, y := range specials {
			check(x, y)
		}
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 50_000 {
		check(math.Float32frombits(rng.Uint32()), math.Float32frombits(rng.Uint32()))
		check(float32(rng.NormFloat64()*1000), float32(rng.NormFloat64()))
	}
}

func TestMinMax(t *testing.T) {
	for _, c := range []struct{ a, b, min, max, dim float32 }{
		{1, 2, 1, 2, 0}, {2, 1, 1, 2, 1}, {0, negz, negz, 0, 0}, {negz, 0, negz, 0, 0}, {negz, negz, negz, negz, 0},
		{0, 0, 0, 0, 0},
		{nan, 1, 1, 1, nan}, {1, nan, 1, 1, nan}, {nan, nan, nan, nan, nan}, {inf, -inf, -inf, inf, inf},
		{inf, inf, inf, inf, 0}, {-1, -1, -1, -1, 0}, {inf, nan, inf, inf, nan},
	} {
		if got := Fmin(c.a, c.b); !same(got, c.min) {
			t.Errorf("Fmin(%v, %v) = %v", c.a, c.b, got)
		}
		if got := Fmax(c.a, c.b); !same(got, c.max) {
			t.Errorf("Fmax(%v, %v) = %v", c.a, c.b, got)
		}
		if got := Fdim(c.a, c.b); !same(got, c.dim) {
			t.Errorf("Fdim(%v, %v) = %v", c.a, c.b, got)
		}
	}
	for _, c := range []struct{ x, sign, sat, step, clamp float32 }{
		{0, 0, 0, 0, 0}, {negz, negz, 0, 0, negz}, {nan, 0, 0, 1, -1}, {3, 1, 1, 1, 2}, {-3, -1, 0, 0, -1},
		{0.5, 1, 0.5, 1, 0.5}, {inf, 1, 1, 1, 2}, {-inf, -1, 0, 0, -1}, {tiny, 1, tiny, 0, tiny},
	} {
		for name, p := range map[string][2]float32{
			"Sign": {Sign(c.x), c.sign}, "Saturate": {Saturate(c.x), c.sat}, "Step": {Step(0.5, c.x), c.step},
			"Clamp": {Clamp(c.x, -1, 2), c.clamp},
		} {
			if !same(p[0], p[1]) {
				t.Errorf("%s(%v) = %v, want %v", name, c.x, p[0], p[1])
			}
		}
	}
}

func TestBits(t *testing.T) {
	for b := uint64(0); b < 1<<32; b += stride * 16 {
		x := math.Float32frombits(uint32(b))
		f, e := Frexp(x)
		rf, re := math.Frexp(float64(x))
		if !same(f, float32(rf)) || int(e) != re {
			t.Fatalf("Frexp(%v) = %v, %v", x, f, e)
		}
		if f == f && !same(Ldexp(f, e), x) {
			t.Fatalf("Ldexp(%v, %v) = %v", f, e, Ldexp(f, e))
		}
		if got, want := Ilogb(x), math.Ilogb(float64(x)); x == x && x != 0 && int(got) != want && !math.IsInf(float64(x), 0) {
			t.Fatalf("Ilogb(%v) = %v", x, got)
		}
		n := int32(b>>8)%400 - 200
		if got, want := Ldexp(x, n), float32(math.Ldexp(float64(x), int(n))); !same(got, want) {
			t.Fatalf("Ldexp(%v, %v) = %v, want %v", x, n, got, want)
		}
	}
	for _, x := range specials {
		for _, y := range specials {
			if got, want := Nextafter(x, y), math.Nextafter32(x, y); !same(got, want) && x != y {
				t.Errorf("Nextafter(%v, %v) = %v, want %v", x, y, got, want)
			}
			if got, want := Copysign(x, y), float32(math.Copysign(float64(x), float64(y))); !same(got, want) {
				t.Errorf("Copysign(%v, %v) = %v", x, y, got)
			}
		}
	}
	if !same(Nextafter(0, negz), negz) {
		t.Error("Nextafter(0, -0)")
	}
	if Ilogb(0) != IlogbZero || Ilogb(nan) != IlogbNaN || Ilogb(-inf) != IlogbInf || Ilogb(tiny) != -149 {
		t.Error("Ilogb of specials")
	}
	if !same(Ldexp(tiny, math.MaxInt32), inf) || !same(Ldexp(-huge, math.MinInt32), negz) ||
		!same(Ldexp(3*tiny, -1), 2*tiny) {
		t.Error("Ldexp at the ends")
	}
}

// near calls f with x and its neighbours, of both signs.
func near(x float32, f func(float32)) {
	for d := -2; d <= 2; d++ {
		b := math.Float32bits(x) + uint32(d)
		f(math.Float32frombits(b))
		f(math.Float32frombits(b ^ signMask))
	}
}

func TestHalf(t *testing.T) {
	check := func(x float32) {
		h := float16.Fromfloat32(x)
		if got := HalfBits(x); got != h.Bits() {
			t.Fatalf("HalfBits(%v) = %04x, want %04x", x, got, h.Bits())
		}
		if got, want := RoundHalf(x), h.Float32(); math.Float32bits(got) != math.Float32bits(want) {
			t.Fatalf("RoundHalf(%v) = %v, want %v", x, got, want)
		}
	}
	for i := range 1 << 16 {
		h := uint16(i)
		x := HalfFromBits(h)
		if want := float16.Frombits(h).Float32(); math.Float32bits(x) != math.Float32bits(want) {
			t.Fatalf("HalfFromBits(%04x) = %v, want %v", h, x, want)
		}
		if back := HalfBits(x); back != h && x == x {
			t.Fatalf("HalfBits(HalfFromBits(%04x)) = %04x", h, back)
		}
		if h < 0x7c00 {
			near(x, check)
			next := float32(65536)
			if h < 0x7bff {
				next = HalfFromBits(h + 1)
			}
			near((x+next)/2, check)
		}
	}
	for b := uint64(0); b < 1<<32; b += stride {
		check(math.Float32frombits(uint32(b)))
	}
}

// half rounds an exact number to half, from the definition.
func half(x *big.Float) float32 {
	e := max(x.MantExp(nil)-1, -14) - 10
	q := new(big.Float).SetMantExp(x, -e)
	i, _ := q.Int(nil)
	rest := new(big.Float).Sub(q, new(big.Float).SetPrec(500).SetInt(i))
	c := rest.Abs(rest).Cmp(big.NewFloat(0.5))
	if c > 0 || c == 0 && i.Bit(0) == 1 {
		i.Add(i, big.NewInt(int64(x.Sign())))
	}
	f, _ := new(big.Float).SetMantExp(new(big.Float).SetInt(i), e).Float32()
	if f >= 65536 || f <= -65536 {
		f *= inf
	}
	return Copysign(f, float32(x.Sign()))
}

// The claims of the comments on arithmetic in half and bfloat.
func TestHalfArithmetic(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	pick := func() float32 {
		for {
			// Half of the time a mantissa with few bits, which is what makes ties.
			h := uint16(rng.Uint32())
			if rng.IntN(2) == 0 {
				h &= 0xfc03 << rng.UintN(8)
			}
			if x := HalfFromBits(h); x-x == 0 {
				return x
			}
		}
	}
	exact := func(a, b, c float32) *big.Float {
		z := new(big.Float).SetPrec(500).SetFloat64(float64(a))
		z.Mul(z, big.NewFloat(float64(b)))
		return z.Add(z, big.NewFloat(float64(c)))
	}
	for range 60_000 {
		a, b, c := pick(), pick(), pick()
		if z := exact(a, b, c); z.Sign() != 0 {
			if got, want := FmaHalf(a, b, c), half(z); !same(got, want) {
				t.Fatalf("FmaHalf(%v, %v, %v) = %v, want %v", a, b, c, got, want)
			}
		}
		if z := exact(a, b, 0); z.Sign() != 0 && !same(RoundHalf(a*b), half(z)) {
			t.Fatalf("%v * %v", a, b)
		}
		if z := exact(a, 1, b); z.Sign() != 0 && !same(RoundHalf(a+b), half(z)) {
			t.Fatalf("%v + %v", a, b)
		}
		if a != 0 && b != 0 {
			z := new(big.Float).SetPrec(500)
			z.Quo(z.SetFloat64(float64(a)), big.NewFloat(float64(b)))
			if !same(RoundHalf(a/b), half(z)) {
				t.Fatalf("%v / %v", a, b)
			}
		}
	}
	for h := range uint16(0x7c00) {
		if x := HalfFromBits(h); h != 0 && !same(RoundHalf(Sqrt(x)), half(sqrt(bigOf(float64(x))))) {
			t.Fatalf("sqrt(%v)", x)
		}
	}
	for _, c := range []struct{ a, b, c, want float32 }{
		{inf, 1, -inf, nan}, {inf, 0, 1, nan}, {inf, 2, 1, inf}, {nan, 1, 1, nan}, {negz, 1, negz, negz},
		{65504, 65504, 1, inf}, {-65504, 65504, 1, -inf},
		{0x1p-24, 0x1p-24, 1 + 0x1p-10, 1 + 0x1p-10}, {1 + 0x1p-10, 1 - 0x1p-11, 0x1p-24, 1},
	} {
		if got := FmaHalf(c.a, c.b, c.c); !same(got, c.want) {
			t.Errorf("FmaHalf(%v, %v, %v) = %v, want %v", c.a, c.b, c.c, got, c.want)
		}
	}
}

func TestBFloat(t *testing.T) {
	check := func(x float32) {
		lo := math.Float32bits(x) &^ 0xffff
		want := lo
		if rest := math.Float32bits(x) & 0xffff; rest > 0x8000 || rest == 0x8000 && lo>>16&1 == 1 {
			want += 1 << 16
		}
		if x != x {
			want = lo | 1<<22
		}
		if got := RoundBFloat(x); math.Float32bits(got) != want {
			t.Fatalf("RoundBFloat(%v) = %v", x, got)
		}
		if got := BFloatBits(x); got != uint16(want>>16) {
			t.Fatalf("BFloatBits(%v) = %04x", x, got)
		}
	}
	for i := range 1 << 16 {
		x := BFloatFromBits(uint16(i))
		if back := BFloatBits(x); back != uint16(i) && x == x {
			t.Fatalf("BFloatBits(BFloatFromBits(%04x)) = %04x", i, back)
		}
		near(math.Float32frombits(uint32(i)<<16), check)
		near(math.Float32frombits(uint32(i)<<16|0x8000), check)
	}
	for b := uint64(0); b < 1<<32; b += stride {
		check(math.Float32frombits(uint32(b)))
	}
}

func TestIntegers(t *testing.T) {
	lim := func(bits uint, signed bool) (lo, hi *big.Int) {
		one := big.NewInt(1)
		if !signed {
			return new(big.Int), new(big.Int).Sub(new(big.Int).Lsh(one, bits), one)
		}
		h := new(big.Int).Lsh(one, bits-1)
		return new(big.Int).Neg(h), new(big.Int).Sub(h, one)
	}
	want := func(x float32, bits uint, signed bool) *big.Int {
		lo, hi := lim(bits, signed)
		switch {
		case x != x:
			return new(big.Int)
		case x > huge:
			return hi
		case x < -huge:
			return lo
		}
		i, _ := big.NewFloat(float64(x)).Int(nil)
		if i.Cmp(lo) < 0 {
			return lo
		}
		if i.Cmp(hi) > 0 {
			return hi
		}
		return i
	}
	check := func(x float32) {
		for _, c := range []struct {
			name   string
			got    int64
			bits   uint
			signed bool
		}{
			{"Int", int64(IntFromFloat(x)), 32, true}, {"Uint", int64(UintFromFloat(x)), 32, false},
			{"Long", LongFromFloat(x), 64, true},
		} {
			if w := want(x, c.bits, c.signed); w.Cmp(big.NewInt(c.got)) != 0 {
				t.Fatalf("%sFromFloat(%v) = %v, want %v", c.name, x, c.got, w)
			}
		}
		if w := want(x, 64, false); w.Uint64() != UlongFromFloat(x) {
			t.Fatalf("UlongFromFloat(%v) = %v, want %v", x, UlongFromFloat(x), w)
		}
	}
	for _, x := range specials {
		check(x)
	}
	for e := range 70 {
		near(float32(math.Ldexp(1, e)), check)
	}
	for b := uint64(0); b < 1<<32; b += stride * 200 {
		check(math.Float32frombits(uint32(b)))
	}
}
