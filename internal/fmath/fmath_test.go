package fmath

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

var (
	inf    = float32(math.Inf(1))
	nan    = float32(math.NaN())
	negz   = float32(math.Copysign(0, -1))
	tiny   = float32(math.SmallestNonzeroFloat32)
	huge   = float32(math.MaxFloat32)
	normal = float32(0x1p-126)
)

// each sets every lane of d to f of the lane of s.
func each(d, s *[Lanes]float32, f func(float32) float32) {
	for i := range d {
		d[i] = f(s[i])
	}
}

// each2 sets every lane of d to f of the lanes of a and b.
func each2(d, a, b *[Lanes]float32, f func(a, b float32) float32) {
	for i := range d {
		d[i] = f(a[i], b[i])
	}
}

// same compares bits, but any NaN with any other.
func same(a, b float32) bool {
	return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
}

// ulps is the distance of got from want in the float32 ulps at want.
func ulps(got float32, want float64) float64 {
	w := float32(want)
	switch {
	case same(got, w), got == w:
		if math.Abs(float64(w)) > math.MaxFloat32 || w != w || w == 0 && want == 0 {
			return 0
		}
	case got != got || w != w:
		return math.Inf(1)
	}
	_, e := math.Frexp(want)
	g := float64(got)
	if got > huge || got < -huge {
		g = math.Copysign(0x1p128, g)
	}
	return math.Abs(g-want) / math.Ldexp(1, max(e, -125)-24)
}

type unary struct {
	name  string
	f     func(float32) float32
	ref   func(float64) float64
	lanes func(d, s *[Lanes]float32)
	bound float64
	lo    float32 // where references of some precision are taken
	hi    float32
}

func rsqrt(x float64) float64 { return 1 / math.Sqrt(x) }

// The bounds are those of the doc comments.
var unaries = []unary{
	{"Exp", Exp, math.Exp, ExpLanes, 0.91, -110, 95},
	{"Exp2", Exp2, math.Exp2, Exp2Lanes, 0.96, -155, 135},
	{"Exp10", Exp10, nil, nil, 0.51, -48, 40},
	{"Log", Log, math.Log, LogLanes, 0.51, 0, huge},
	{"Log2", Log2, nil, Log2Lanes, 0.51, 0, huge},
	{"Log10", Log10, math.Log10, nil, 0.51, 0, huge},
	{"Sin", Sin, math.Sin, SinLanes, 0.51, -huge, huge},
	{"Cos", Cos, math.Cos, CosLanes, 0.51, -huge, huge},
	{"Tan", Tan, math.Tan, nil, 0.51, -huge, huge},
	{"SinPi", SinPi, nil, nil, 0.51, -1 << 24, 1 << 24},
	{"CosPi", CosPi, nil, nil, 0.51, -1 << 24, 1 << 24},
	{"TanPi", TanPi, nil, nil, 0.51, -1 << 24, 1 << 24},
	{"Asin", Asin, nil, nil, 0.51, -1, 1},
	{"Acos", Acos, nil, nil, 0.51, -1, 1},
	{"Atan", Atan, nil, nil, 0.51, -huge, huge},
	{"Sinh", Sinh, nil, nil, 0.51, -95, 95},
	{"Cosh", Cosh, nil, nil, 0.51, -95, 95},
	{"Tanh", Tanh, math.Tanh, TanhLanes, 0.51, -20, 20},
	{"Asinh", Asinh, nil, nil, 0.51, -huge, huge},
	{"Acosh", Acosh, nil, nil, 0.51, 1, huge},
	{"Atanh", Atanh, nil, nil, 0.51, -1, 1},
	{"Sqrt", Sqrt, math.Sqrt, SqrtLanes, 0.5, 0, huge},
	{"Rsqrt", Rsqrt, rsqrt, RsqrtLanes, 0.5 + 1e-8, 0, huge},
}

// points returns n float32 inside (lo, hi): half of them evenly spread over the
// range, half over the bit patterns in it, and 0 never.
func points(lo, hi float32, n int) []float32 {
	rng := rand.New(rand.NewPCG(7, uint64(math.Float32bits(hi))))
	var p []float32
	for len(p) < n {
		x := lo + float32(rng.Float64()*(float64(hi)-float64(lo)))
		if len(p)%2 == 0 {
			x = math.Float32frombits(rng.Uint32())
		}
		if x > lo && x < hi && x != 0 {
			p = append(p, x)
		}
	}
	return p
}

func TestAgainstBig(t *testing.T) {
	for _, u := range unaries {
		t.Run(u.name, func(t *testing.T) {
			t.Parallel()
			xs := points(u.lo, u.hi, 300)
			switch u.name {
			case "Sin", "Cos", "Tan":
				// Near the first multiples of pi/2, and what is known to come nearest to one.
				for k := range 40 {
					xs = append(xs, float32(float64(k+1)*math.Pi/2))
				}
				xs = append(xs, 0x1.4bp+2, 16367173*0x1p+72, 1<<20, 1<<20+1, -1<<20, 0x1.fffffep+19)
			case "Log", "Log2", "Log10", "Acosh":
				for _, e := range []float32{0x1p-23, 0x1p-20, 0x1p-12, 0x1p-7, 0x1p-6} {
					xs = append(xs, 1+e)
				}
				if u.lo == 0 {
					xs = append(xs, 1-0x1p-24, 1-0x1p-12, 1-0x1p-7, tiny, normal)
				}
			}
			worst, at := 0.0, float32(0)
			for _, x := range xs {
				if h := math.Abs(float64(x)); u.name == "TanPi" && h-math.Floor(h) == 0.5 {
					continue // a pole
				}
				want, _ := bigFuncs[u.name](bigOf(float64(x))).Float64()
				if e := ulps(u.f(x), want); e > worst {
					worst, at = e, x
				}
			}
			t.Logf("%.4f ulp at %v", worst, at)
			if worst > u.bound {
				t.Errorf("%.4f ulp at %v (%x): got %v", worst, at, math.Float32bits(at), u.f(at))
			}
		})
	}
}

const stride = 1009

func TestSweep(t *testing.T) {
	for _, u := range unaries {
		if u.ref == nil {
			continue
		}
		t.Run(u.name, func(t *testing.T) {
			t.Parallel()
			step := uint64(stride)
			if u.hi == huge && u.lo == -huge || testing.Short() {
				step *= 8 // math.Sin of huge numbers is slow
			}
			worst, at := 0.0, float32(0)
			for b := uint64(0); b < 1<<32; b += step {
				x := math.Float32frombits(uint32(b))
				if e := ulps(u.f(x), u.ref(float64(x))); e > worst {
					worst, at = e, x
				}
			}
			t.Logf("%.4f ulp at %v", worst, at)
			if worst > u.bound {
				t.Errorf("%.4f ulp at %v (%x): got %v", worst, at, math.Float32bits(at), u.f(at))
			}
		})
	}
}

// specials are where something happens in some function or other.
var specials = []float32{
	0, negz, 1, -1, 0.5, -0.5, 1.5, -1.5, 2, -2, 2.5, -2.5, 3, -3, 4, 1e10, -1e10,
	inf, -inf, nan, tiny, -tiny, normal, -normal, normal - tiny, huge, -huge,
	0x1.fffffep-1, 0x1.fffffep-2, 1 << 23, 1<<24 - 1, 1 << 24, 1<<23 + 1, -(1 << 23) - 1,
	88.7, 88.8, 89, -87.4, -103.9, -104, -104.5, 105, -105, 106, 128, -126, -149, -150, -151, 152, 153,
	38.5, 38.6, -44.8, -45.5, 47, 48, 0x1p-13, 0x1p-14, 9, 9.1, 10, 10.1, 65504, 65519, 65520, 65536,
	0x1p-14, 0x1p-15, 0x1p-24, 0x1p-25, 0x1.000002p-25, 1 << 20, 1<<20 + 1, 1 << 31, 1 << 32, 1 << 63,
}

func TestLanes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	inputs := make([]float32, 0, 4096)
	inputs = append(inputs, specials...)
	for len(inputs) < 4096 {
		x := math.Float32frombits(rng.Uint32())
		if len(inputs)%2 == 0 {
			x = float32(rng.NormFloat64() * 5)
		}
		inputs = append(inputs, x)
	}
	var a, b, c, d [Lanes]float32
	pick := func(v *[Lanes]float32) {
		for i := range v {
			v[i] = inputs[rng.IntN(len(inputs))]
			if rng.IntN(3) == 0 {
				v[i] = specials[rng.IntN(len(specials))]
			}
		}
	}
	us := append([]unary{
		{name: "RoundHalf", f: RoundHalf, lanes: RoundHalfLanes},
		{name: "RoundBFloat", f: RoundBFloat, lanes: RoundBFloatLanes},
	}, unaries...)
	for _, u := range us {
		if u.lanes == nil {
			continue
		}
		for range 300 {
			pick(&a)
			u.lanes(&d, &a)
			b = a
			u.lanes(&b, &b)
			each(&c, &a, u.f)
			for i := range d {
				if !same(d[i], c[i]) || !same(b[i], c[i]) {
					t.Fatalf("%s(%v): lanes %v, in place %v, scalar %v", u.name, a[i], d[i], b[i], c[i])
				}
			}
		}
	}
	for _, f := range []struct {
		name  string
		lanes func(d, a, b *[Lanes]float32)
		f     func(a, b float32) float32
	}{
		{"Pow", PowLanes, Pow},
		{"Div", DivLanes, func(a, b float32) float32 { return a / b }},
		{"Fma", func(d, a, b *[Lanes]float32) { FmaLanes(d, a, b, a) },
			func(a, b float32) float32 { return Fma(a, b, a) }},
	} {
		for range 500 {
			pick(&a)
			pick(&b)
			f.lanes(&d, &a, &b)
			c = b
			f.lanes(&c, &a, &c)
			var want [Lanes]float32
			each2(&want, &a, &b, f.f)
			for i := range d {
				if !same(d[i], want[i]) || !same(c[i], want[i]) {
					t.Fatalf("%s(%v, %v): lanes %v, in place %v, scalar %v", f.name, a[i], b[i], d[i], c[i], want[i])
				}
			}
		}
	}
}

// Exhaustive but for powers of 4, which only shift the result: with r and x as
// integers, 1/sqrt(x) lies between the middles r-1/2 and r+1/2.
func TestRsqrtCorrectlyRounded(t *testing.T) {
	step := uint32(1)
	if testing.Short() {
		step = 31
	}
	for b := uint32(0x3f800000); b < 0x40800000; b += step {
		x := math.Float32frombits(b)
		if x == 1 || Rsqrt(x) == 1 {
			if x > 1+0x1p-23 {
				t.Fatalf("Rsqrt(%v) = 1", x)
			}
			continue
		}
		// x = mx * 2^-23, r = mr * 2^-24; 1 stands at 2^(23+50) once r is doubled.
		mx := uint64(x * (1 << 23))
		mr := uint64(Rsqrt(x) * (1 << 24))
		if lo, hi := 2*mr-1, 2*mr+1; !lessThan2to73(lo*lo, mx) || lessThan2to73(hi*hi, mx) {
			t.Fatalf("Rsqrt(%v) = %v", x, Rsqrt(x))
		}
	}
}

func lessThan2to73(a, b uint64) bool {
	// a < 2^52 and b < 2^25: split so that nothing overflows.
	hi := (a >> 26) * b
	lo := (a & (1<<26 - 1)) * b
	return hi+lo>>26 < 1<<47
}

func TestSpecials(t *testing.T) {
	type c struct{ x, want float32 }
	for _, f := range []struct {
		name string
		f    func(float32) float32
		c    []c
	}{
		{"Exp", Exp,
			[]c{{0, 1}, {negz, 1}, {inf, inf}, {-inf, 0}, {nan, nan}, {89, inf}, {-104, 0}, {-103.9, tiny}, {huge, inf},
				{-huge, 0}}},
		{"Exp2", Exp2,
			[]c{{0, 1}, {10, 1024}, {-149, tiny}, {-150, 0}, {-126, normal}, {127, 0x1p127}, {128, inf}, {inf, inf}, {-inf, 0},
				{nan, nan}}},
		{"Exp10", Exp10, []c{{0, 1}, {3, 1000}, {10, 1e10}, {38.6, inf}, {-46, 0}, {inf, inf}, {-inf, 0}, {nan, nan}}},
		{"Log", Log, []c{{0, -inf}, {negz, -inf}, {1, 0}, {-1, nan}, {-tiny, nan}, {inf, inf}, {-inf, nan}, {nan, nan}}},
		{"Log2", Log2,
			[]c{{0, -inf}, {1, 0}, {8, 3}, {tiny, -149}, {normal, -126}, {0x1p127, 127}, {-1, nan}, {inf, inf}, {nan, nan}}},
		{"Log10", Log10, []c{{0, -inf}, {1, 0}, {1000, 3}, {1e10, 10}, {-1, nan}, {inf, inf}, {nan, nan}}},
		{"Sin", Sin, []c{{0, 0}, {negz, negz}, {tiny, tiny}, {-tiny, -tiny}, {inf, nan}, {-inf, nan}, {nan, nan}}},
		{"Cos", Cos, []c{{0, 1}, {negz, 1}, {tiny, 1}, {inf, nan}, {nan, nan}}},
		{"Tan", Tan, []c{{0, 0}, {negz, negz}, {tiny, tiny}, {inf, nan}, {nan, nan}}},
		{"SinPi", SinPi,
			[]c{{0, 0}, {negz, negz}, {1, 0}, {-1, negz}, {2, 0}, {-3, negz}, {0.5, 1}, {1.5, -1}, {-0.5, -1}, {huge, 0},
				{-huge, negz}, {inf, nan}, {nan, nan}}},
		{"CosPi", CosPi,
			[]c{{0, 1}, {negz, 1}, {1, -1}, {-1, -1}, {2, 1}, {0.5, 0}, {1.5, 0}, {-0.5, 0}, {-1.5, 0}, {1<<24 - 1, -1},
				{huge, 1}, {tiny, 1}, {inf, nan}, {nan, nan}}},
		{"TanPi", TanPi,
			[]c{{0, 0}, {negz, negz}, {1, negz}, {-1, 0}, {2, 0}, {-2, negz}, {0.5, inf}, {1.5, -inf}, {-0.5, -inf}, {-1.5, inf},
				{0.25, 1}, {-0.25, -1}, {huge, 0}, {inf, nan}, {nan, nan}}},
		{"Asin", Asin, []c{{0, 0}, {negz, negz}, {1.0000001, nan}, {-2, nan}, {inf, nan}, {nan, nan}, {tiny, tiny}}},
		{"Acos", Acos, []c{{1, 0}, {1.0000001, nan}, {-2, nan}, {inf, nan}, {nan, nan}, {-1, math.Pi}}},
		{"Atan", Atan, []c{{0, 0}, {negz, negz}, {inf, math.Pi / 2}, {-inf, -math.Pi / 2}, {nan, nan}, {tiny, tiny}}},
		{"Sinh", Sinh,
			[]c{{0, 0}, {negz, negz}, {inf, inf}, {-inf, -inf}, {nan, nan}, {100, inf}, {-100, -inf}, {tiny, tiny}}},
		{"Cosh", Cosh, []c{{0, 1}, {negz, 1}, {inf, inf}, {-inf, inf}, {nan, nan}, {100, inf}, {-100, inf}}},
		{"Tanh", Tanh,
			[]c{{0, 0}, {negz, negz}, {inf, 1}, {-inf, -1}, {nan, nan}, {tiny, tiny}, {-tiny, -tiny}, {huge, 1}, {-huge, -1},
				{9.5, 1}}},
		{"Asinh", Asinh, []c{{0, 0}, {negz, negz}, {inf, inf}, {-inf, -inf}, {nan, nan}, {tiny, tiny}}},
		{"Acosh", Acosh, []c{{1, 0}, {0x1.fffffep-1, nan}, {-1, nan}, {inf, inf}, {-inf, nan}, {nan, nan}}},
		{"Atanh", Atanh, []c{{0, 0}, {negz, negz}, {1, inf}, {-1, -inf}, {1.0000001, nan}, {nan, nan}, {tiny, tiny}}},
		{"Sqrt", Sqrt, []c{{0, 0}, {negz, negz}, {4, 2}, {-1, nan}, {inf, inf}, {-inf, nan}, {nan, nan}}},
		{"Rsqrt", Rsqrt,
			[]c{{0, inf}, {negz, -inf}, {4, 0.5}, {-1, nan}, {inf, 0}, {-inf, nan}, {nan, nan}, {0x1p-148, 0x1p74}}},
	} {
		for _, c := range f.c {
			if got := f.f(c.x); !same(got, c.want) {
				t.Errorf("%s(%v) = %v, want %v", f.name, c.x, got, c.want)
			}
		}
	}
}

func TestAtan2(t *testing.T) {
	for _, y := range specials {
		for _, x := range specials {
			if e := ulps(Atan2(y, x), math.Atan2(float64(y), float64(x))); e > 0.51 {
				t.Errorf("Atan2(%v, %v) = %v", y, x, Atan2(y, x))
			}
		}
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for range 1000 {
		y, x := float32(rng.NormFloat64()), float32(rng.NormFloat64())
		want := bigAtan(quo(bigOf(float64(y)), bigOf(float64(x))))
		if x < 0 {
			if y < 0 {
				want.Sub(want, bigPi)
			} else {
				want.Add(want, bigPi)
			}
		}
		w, _ := want.Float64()
		if e := ulps(Atan2(y, x), w); e > 0.51 {
			t.Errorf("Atan2(%v, %v) = %v: %v ulp", y, x, Atan2(y, x), e)
		}
	}
}

func TestPow(t *testing.T) {
	for _, x := range specials {
		for _, y := range specials {
			want := math.Pow(float64(x), float64(y))
			if e := ulps(Pow(x, y), want); e > 0.53 || math.Signbit(float64(Pow(x, y))) != math.Signbit(want) && want == want {
				t.Errorf("Pow(%v, %v) = %v, want %v", x, y, Pow(x, y), want)
			}
		}
	}
	for _, c := range []struct{ x, y, pow, powr float32 }{
		{0, 0, 1, nan}, {negz, 0, 1, nan}, {inf, 0, 1, nan}, {nan, 0, 1, nan}, {2, negz, 1, 1},
		{1, inf, 1, nan}, {1, -inf, 1, nan}, {1, nan, 1, nan}, {1, 5, 1, 1}, {-1, inf, 1, nan}, {-1, -inf, 1, nan},
		{0, 3, 0, 0}, {negz, 3, negz, 0}, {negz, 2, 0, 0}, {0, -3, inf, inf}, {negz, -3, -inf, inf}, {negz, -2, inf, inf},
		{0, inf, 0, 0}, {0, -inf, inf, inf}, {2, inf, inf, inf}, {2, -inf, 0, 0}, {0.5, inf, 0, 0}, {0.5, -inf, inf, inf},
		{inf, 2, inf, inf}, {inf, -2, 0, 0}, {inf, inf, inf, inf}, {inf, -inf, 0, 0},
		{-inf, 3, -inf, nan}, {-inf, -3, negz, nan}, {-inf, 2, inf, nan}, {-inf, 0.5, inf, nan},
		{-2, 3, -8, nan}, {-2, 2, 4, nan}, {-2, 0.5, nan, nan}, {-2, -3, -0.125, nan}, {-2, -1e30, 0, nan},
		{-2, 1e30, inf, nan},
		{-2, 129, -inf, nan}, {-2, -151, negz, nan}, {2, 0.5, math.Sqrt2, math.Sqrt2}, {2, -149, tiny, tiny},
		{nan, 1, nan, nan}, {2, nan, nan, nan},
		{tiny, 1, tiny, tiny}, {huge, 1, huge, huge}, {huge, 2, inf, inf}, {huge, -2, 0, 0},
	} {
		if got := Pow(c.x, c.y); !same(got, c.pow) {
			t.Errorf("Pow(%v, %v) = %v, want %v", c.x, c.y, got, c.pow)
		}
		if got := Powr(c.x, c.y); !same(got, c.powr) {
			t.Errorf("Powr(%v, %v) = %v, want %v", c.x, c.y, got, c.powr)
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	worst, big := 0.0, 0
	for i := range 300_000 {
		x := math.Float32frombits(rng.Uint32() & absMask)
		switch i % 3 {
		case 0:
			x = rng.Float32() * 10
		case 1:
			x = 1 + (rng.Float32()-0.5)/64
		}
		y := float32(rng.NormFloat64() * 100 / max(1, math.Abs(math.Log2(float64(x)))))
		if i%3 == 1 {
			y = float32(rng.NormFloat64() * 80 / math.Max(1e-8, math.Abs(math.Log2(float64(x)))))
		}
		want := math.Pow(float64(x), float64(y))
		if i%1000 < 3 && x > 0 && x < inf && want > 0 && want < 1e300 {
			// math.Pow is itself worth a check.
			want, _ = bigExp(mul(bigLog(bigOf(float64(x))), bigOf(float64(y)))).Float64()
			big++
		}
		e := ulps(Pow(x, y), want)
		worst = max(worst, e)
		if e > 0.53 {
			t.Fatalf("Pow(%v, %v) = %v, want %v: %v ulp", x, y, Pow(x, y), want, e)
		}
	}
	t.Logf("%.4f ulp, %d against big", worst, big)
}

func TestFma(t *testing.T) {
	check := func(a, b, c float32) {
		t.Helper()
		var want float32
		if s := float64(a)*float64(b) + float64(c); s == 0 || s != s || math.IsInf(s, 0) {
			want = float32(s)
		} else {
			z := new(big.Float).SetPrec(1000)
			z.Mul(z.SetFloat64(float64(a)), big.NewFloat(float64(b)))
			want, _ = z.Add(z, big.NewFloat(float64(c))).Float32()
		}
		if got := Fma(a, b, c); !same(got, want) {
			t.Fatalf("Fma(%x, %x, %x) = %x, want %x", a, b, c, got, want)
		}
	}
	for _, a := range specials {
		for _, b := range specials {
			for _, c := range specials {
				if (a-a)+(b-b)+(c-c) == 0 {
					check(a, b, c)
				}
			}
		}
	}
	for _, c := range []struct{ a, b, c, want float32 }{
		{inf, 0, 1, nan}, {inf, 1, -inf, nan}, {inf, 1, 1, inf}, {1, 1, -inf, -inf}, {nan, 1, 1, nan}, {1, 1, nan, nan},
		{negz, 1, negz, negz}, {negz, 1, 0, 0}, {1, 1, -1, 0}, {huge, 2, -huge, huge}, {huge, 2, 0, inf}, {tiny, 0.5, 0, 0},
		{tiny, 0.5, tiny, 2 * tiny},
	} {
		if got := Fma(c.a, c.b, c.c); !same(got, c.want) {
			t.Errorf("Fma(%v, %v, %v) = %v, want %v", c.a, c.b, c.c, got, c.want)
		}
	}
	rng := rand.New(rand.NewPCG(8, 9))
	slow := 0
	for i := range 60_000 {
		switch i % 3 {
		case 0: // any bits
			a, b, c := math.Float32frombits(rng.Uint32()), math.Float32frombits(rng.Uint32()), math.Float32frombits(rng.Uint32())
			if (a-a)+(b-b)+(c-c) == 0 {
				check(a, b, c)
			}
		case 1: // a middle between two normal numbers, and hardly more or less
			m := rng.Uint32N(1<<24) | 1<<24 | 1 // 25 bits, the last a 1
			f := uint32(3)
			for ; f < 1000 && m%f != 0; f += 2 {
			}
			if m%f != 0 || m/f >= 1<<24 {
				continue
			}
			slow++
			e := rng.IntN(200) - 120
			a := float32(math.Ldexp(float64(m/f), e))
			c := float32(math.Ldexp(1+rng.Float64(), e-60+rng.IntN(60)))
			for _, s := range []float32{1, -1} {
				check(a, float32(f), s*c)
				check(-a, float32(f), s*c)
				check(a, float32(f), s*tiny)
				check(a, float32(f), 0)
			}
		case 2: // results among the subnormals
			a := float32(math.Ldexp(1+rng.Float64(), -70-rng.IntN(10)))
			b := float32(math.Ldexp(1+rng.Float64(), -62-rng.IntN(20)))
			c := math.Float32frombits(rng.Uint32() & (signMask | 1<<(rng.UintN(25)) - 1))
			check(a, b, c)
			check(-a, b, c)
			// (2k+1) * 2^-150 is a middle; the rest of the product decides.
			check(float32(2*rng.IntN(1000)+1)*0x1p-100, 0x1p-50, float32(rng.IntN(3)-1)*tiny)
		}
	}
	if slow < 1000 {
		t.Errorf("only %d middles", slow)
	}
	// The middle of two subnormals, plus what only a third operand can add: 2^-150
	// and, from the last bits of the product, up to 2^-196.
	check(0x1.000002p-75, 0x1p-75, 0)
	check(0x1.fffffep-76, 0x1p-75, 0)
	check(0x1.fffffep-76, 0x1.000002p-75, tiny)
}
