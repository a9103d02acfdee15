package cpu

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// correct is the bound for what is rounded correctly: half an ulp, and a little
// for float64 references that are rounded themselves, and for half and bfloat
// being rounded from float.
const correct = 0.501

// unaryMath are the functions of one argument, with the ulps that the MSL
// specification allows for float (section 8.4, "ULPs and Relative Error"). Half
// and bfloat get 1 ulp at most: the float result rounded once more. 0 ulp also
// asks for the sign of zeros.
var unaryMath = []struct {
	name string
	ulps float64
	ref  func(float64) float64
}{
	{"acos", 4, math.Acos},
	{"acosh", 4, math.Acosh},
	{"asin", 4, math.Asin},
	{"asinh", 4, math.Asinh},
	{"atan", 5, math.Atan},
	{"atanh", 5, math.Atanh},
	{"ceil", 0, math.Ceil},
	{"cos", 4, math.Cos},
	{"cosh", 4, math.Cosh},
	{"cospi", 4, func(x float64) float64 { _, c := sinCosPi(x); return c }},
	{"exp", 4, math.Exp},
	{"exp10", 4, func(x float64) float64 { return math.Pow(10, x) }},
	{"exp2", 4, math.Exp2},
	{"abs", 0, math.Abs},
	{"fabs", 0, math.Abs},
	{"floor", 0, math.Floor},
	{"log", 4, math.Log},
	{"log10", 4, func(x float64) float64 { return math.Log(x) / math.Ln10 }},
	{"log2", 4, func(x float64) float64 { return math.Log(x) / math.Ln2 }},
	{"rint", 0, math.RoundToEven},
	{"round", 0, math.Round},
	{"rsqrt", correct, func(x float64) float64 { return 1 / math.Sqrt(x) }},
	{"saturate", 0, func(x float64) float64 {
		if x > 0 {
			return min(x, 1)
		}
		return 0
	}},
	{"sign", 0, func(x float64) float64 {
		switch {
		case x == 0:
			return x
		case x != x:
			return 0
		}
		return math.Copysign(1, x)
	}},
	{"sin", 4, math.Sin},
	{"sinh", 4, math.Sinh},
	{"sinpi", 4, func(x float64) float64 { s, _ := sinCosPi(x); return s }},
	{"sqrt", correct, math.Sqrt},
	{"tan", 6, math.Tan},
	{"tanh", 5, math.Tanh},
	{"tanpi", 6, func(x float64) float64 {
		s, c := sinCosPi(x)
		if c == 0 { // C23 has the signs change from one pole to the next, starting with +Inf at 1/2
			return math.Copysign(math.Inf(1), s)
		}
		return s / c
	}},
	{"trunc", 0, math.Trunc},
}

// sinCosPi is exact where the results are.
func sinCosPi(x float64) (s, c float64) {
	r := math.Mod(x, 2) // exact
	k := math.RoundToEven(2 * r)
	s, c = math.Sincos((r - k/2) * math.Pi)
	switch int(k) & 3 {
	case 1:
		return c, -s
	case 2:
		return -s, -c
	case 3:
		return -c, s
	}
	return s, c
}

// binaryMath are the functions of two arguments.
var binaryMath = []struct {
	name string
	ulps float64
	ref  func(x, y float64) float64
}{
	{"atan2", 6, math.Atan2},
	{"copysign", 0, math.Copysign},
	{"divide", correct, func(x, y float64) float64 { return x / y }},
	{"fdim", correct, func(x, y float64) float64 {
		if x <= y {
			return 0
		}
		return x - y
	}},
	{"fmax", 0, greaterNumber},
	{"fmin", 0, lesserNumber},
	{"max", 0, greaterNumber},
	{"min", 0, lesserNumber},
	{"fmod", 0, math.Mod},
	{"pow", 16, math.Pow},
	{"powr", 16, func(x, y float64) float64 {
		switch {
		case x < 0, x != x, y != y, x == 0 && y == 0, math.IsInf(x, 1) && y == 0, x == 1 && math.IsInf(y, 0):
			return math.NaN()
		}
		return math.Pow(math.Abs(x), y)
	}},
	{"step", 0, func(edge, x float64) float64 {
		if x < edge {
			return 0
		}
		return 1
	}},
}

// greaterNumber and lesserNumber ignore what is not a number, and take -0 for less
// than 0, as the device documents; C leaves that open.
func greaterNumber(x, y float64) float64 {
	if x != x {
		return y
	}
	if y != y {
		return x
	}
	return math.Max(x, y)
}

func lesserNumber(x, y float64) float64 { return -greaterNumber(-x, -y) }

// ternaryMath are the functions of three arguments. Where the specification gives
// a formula of several steps, each of them is rounded.
var ternaryMath = []struct {
	name string
	ulps float64
	ref  func(s *scalar, x, y, z float64) float64
}{
	{"clamp", 0, func(_ *scalar, x, y, z float64) float64 { return lesserNumber(greaterNumber(x, y), z) }},
	{"fma", 0, fusedMultiplyAdd},
	{"fmax3", 0, func(_ *scalar, x, y, z float64) float64 { return greaterNumber(greaterNumber(x, y), z) }},
	{"fmin3", 0, func(_ *scalar, x, y, z float64) float64 { return lesserNumber(lesserNumber(x, y), z) }},
	{"fmedian3", 0, medianNumber},
	{"max3", 0, func(_ *scalar, x, y, z float64) float64 { return greaterNumber(greaterNumber(x, y), z) }},
	{"min3", 0, func(_ *scalar, x, y, z float64) float64 { return lesserNumber(lesserNumber(x, y), z) }},
	{"median3", 0, medianNumber},
	{"mix", 0, func(s *scalar, x, y, a float64) float64 { return s.round(x + s.round(s.round(y-x)*a)) }},
	{"smoothstep", 0, func(s *scalar, low, high, x float64) float64 {
		t := s.round(s.round(x-low) / s.round(high-low))
		t = lesserNumber(greaterNumber(t, 0), 1)
		return s.round(s.round(t*t) * s.round(3-s.round(2*t)))
	}},
}

// medianNumber is the middle one; where one is not a number, NaN says that any
// of the others will do.
func medianNumber(_ *scalar, x, y, z float64) float64 {
	if x != x || y != y || z != z {
		return math.NaN()
	}
	v := []float64{x, y, z}
	slices.SortFunc(v, func(a, b float64) int {
		if a == b {
			return int(math.Copysign(1, a)-math.Copysign(1, b)) / 2
		}
		if a < b {
			return -1
		}
		return 1
	})
	return v[1]
}

func fusedMultiplyAdd(s *scalar, x, y, z float64) float64 {
	for _, v := range []float64{x, y, z} {
		if v != v || math.IsInf(v, 0) {
			return x*y + z
		}
	}
	exact := new(big.Float).SetPrec(2000)
	exact.Mul(big.NewFloat(x).SetPrec(2000), big.NewFloat(y).SetPrec(2000))
	exact.Add(exact, big.NewFloat(z).SetPrec(2000))
	if exact.Sign() == 0 { // the signs of zeros follow the ordinary sum
		return x*y + z
	}
	return s.roundBig(exact)
}

// otherMath are tested by tests of their own.
var otherMath = []string{
	"fract", "frexp", "ilogb", "ldexp", "modf", "nextafter", "sincos",
	"isfinite", "isinf", "isnan", "isnormal", "isordered", "isunordered", "signbit", "select",
}

func mathNames() []string {
	names := slices.Clone(otherMath)
	for _, f := range unaryMath {
		names = append(names, f.name)
	}
	for _, f := range binaryMath {
		names = append(names, f.name)
	}
	for _, f := range ternaryMath {
		names = append(names, f.name)
	}
	return names
}

// specials are numbers of a type that functions tend to get wrong.
func (s *scalar) specials() []float64 {
	least := math.Ldexp(1, s.least-s.digits+1)
	most := math.Ldexp(2-math.Ldexp(1, 1-s.digits), s.greatest)
	v := []float64{
		math.NaN(), math.Inf(1), 0, least, 3 * least, math.Ldexp(1, s.least), math.Ldexp(1, s.least) - least, most,
		s.greatestBelowOne(), 1, 1 + math.Ldexp(1, 1-s.digits), 0.5, 0.5 - math.Ldexp(1, -s.digits-1), 1.5, 2, 2.5, 3, 10,
		math.Ldexp(1, s.digits-1) - 0.5, math.Ldexp(1, s.digits-1) + 1, math.Ldexp(1, s.digits), 88, 104, 0.1, 5, 128, 150,
		2000,
	}
	for _, x := range v {
		v = append(v, -x)
	}
	return s.rounded(v)
}

// grid is the specials and more numbers, of all magnitudes and of ordinary ones.
func (s *scalar) grid(n int) []float64 {
	rng := rand.New(rand.NewPCG(1, uint64(s.digits)))
	v := s.specials()
	for i := range n {
		x := (rng.Float64() - 0.5) * 20
		switch i % 4 {
		case 0:
			x = math.Ldexp(rng.Float64()-0.5, s.least+rng.IntN(s.greatest-s.least))
		case 1:
			x = (rng.Float64() - 0.5) * 200
		case 2:
			x = 1 + (rng.Float64()-0.5)/16
		}
		v = append(v, x)
	}
	return s.rounded(v)
}

func (s *scalar) rounded(v []float64) []float64 {
	r := make([]float64, len(v))
	for i, x := range v {
		r[i] = s.round(x)
	}
	return r
}

func cellsOf(v []float64) []uint64 {
	c := make([]uint64, len(v))
	for i, x := range v {
		c[i] = math.Float64bits(x)
	}
	return c
}

func numbersOf(cells []uint64) []float64 {
	v := make([]float64, len(cells))
	for i, c := range cells {
		v[i] = math.Float64frombits(c)
	}
	return v
}

// away is the distance of got from want in ulps of the type.
func (s *scalar) away(got, want float64) float64 {
	rounded := s.round(want)
	switch {
	case got == rounded && (math.IsInf(got, 0) || want == 0), got != got && want != want:
		return 0
	case got != got || want != want || math.IsInf(want, 0):
		return math.Inf(1)
	case math.IsInf(got, 0):
		got = math.Copysign(math.Ldexp(1, s.greatest+1), got)
	}
	return math.Abs(got-want) / s.ulp(want)
}

// off reports whether a result is further off than allowed; none allowed asks
// for the same bits.
func (s *scalar) off(got, want, ulps float64) bool {
	if ulps == 0 {
		return !s.sameCell(math.Float64bits(got), math.Float64bits(s.round(want)))
	}
	return !(s.away(got, want) <= ulps)
}

// allowed is the bound for a type.
func (s *scalar) allowed(ulps float64) float64 {
	if s == floatType {
		return ulps
	}
	return min(ulps, 1)
}

// spelling of a function's namespace and its number of elements.
type spelling struct {
	prefix string
	n      int
}

var spellings = []spelling{{"", 1}, {"", 2}, {"metal::precise::", 3}, {"fast::", 4}, {"precise::", 1},
	{"metal::fast::", 1}}

// eachSpelling runs a test for a type as scalars and vectors, in all namespaces.
func eachSpelling(t *testing.T, test func(t *testing.T, s *scalar, sp spelling)) {
	for _, s := range floatingTypes {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			for _, sp := range spellings {
				test(t, s, sp)
			}
		})
	}
}

func TestMathOfOneArgumentIsAsAccurateAsTheSpecificationAsks(t *testing.T) {
	t.Parallel()
	eachSpelling(t, func(t *testing.T, s *scalar, sp spelling) {
		xs := s.grid(1100)
		const batch = 8 // functions in one kernel
		for from := 0; from < len(unaryMath); from += batch {
			fns := unaryMath[from:min(from+batch, len(unaryMath))]
			call := &snippet{in: []*scalar{s}, n: sp.n}
			for i, f := range fns {
				call.body += fmt.Sprintf("y%d = %s%s(x0); ", i, sp.prefix, f.name)
				call.out = append(call.out, s)
			}
			results := call.run(t, cellsOf(xs))
			for i, f := range fns {
				bound := s.allowed(f.ulps)
				for j, x := range xs {
					if got, want := math.Float64frombits(results[i][j]), f.ref(x); s.off(got, want, bound) {
						t.Errorf("%s%s(%v %x) of %s = %v (%x), want %v (%.3f ulp)", sp.prefix, f.name, x, x, s.vectorName(sp.n), got, got,
							want, s.away(got, want))
						break
					}
				}
			}
		}
	})
}

// pairs are all pairs of some numbers.
func pairs(v []float64) (x, y []float64) {
	for _, a := range v {
		for _, b := range v {
			x, y = append(x, a), append(y, b)
		}
	}
	return x, y
}

func TestMathOfTwoArgumentsIsAsAccurateAsTheSpecificationAsks(t *testing.T) {
	t.Parallel()
	eachSpelling(t, func(t *testing.T, s *scalar, sp spelling) {
		xs, ys := pairs(s.specials()[:40])
		more := s.grid(1000)
		for i, x := range more {
			xs, ys = append(xs, x), append(ys, more[(i*7+3)%len(more)])
		}
		call := &snippet{in: []*scalar{s, s}, n: sp.n}
		for i, f := range binaryMath {
			call.body += fmt.Sprintf("y%d = %s%s(x0, x1); ", i, sp.prefix, f.name)
			call.out = append(call.out, s)
		}
		results := call.run(t, cellsOf(xs), cellsOf(ys))
		for i, f := range binaryMath {
			bound := s.allowed(f.ulps)
			for j, x := range xs {
				if got, want := math.Float64frombits(results[i][j]), f.ref(x, ys[j]); s.off(got, want, bound) {
					t.Errorf("%s%s(%v, %v) of %s = %v, want %v (%.3f ulp)", sp.prefix, f.name, x, ys[j], s.vectorName(sp.n), got, want,
						s.away(got, want))
					break
				}
			}
		}
	})
}

// triples are all triples of a few numbers, and more that nearly cancel in x*y+z.
func (s *scalar) triples() (x, y, z []float64) {
	v := s.specials()
	few := []float64{v[0], v[1], v[2], v[3], v[7], v[8], v[9], v[11], v[16], v[31], v[29], v[37], v[39]}
	for _, a := range few {
		for _, b := range few {
			for _, c := range few {
				x, y, z = append(x, a), append(y, b), append(z, c)
			}
		}
	}
	rng := rand.New(rand.NewPCG(2, uint64(s.digits)))
	for i := range 2000 {
		a, b := s.round(1+rng.Float64()), s.round(1+rng.Float64())
		c := s.round(rng.Float64())
		switch i % 4 {
		case 0:
			c = s.round(-a * b)
		case 1: // sums that come near the middle of two numbers
			c = s.round(math.Ldexp(1+rng.Float64(), s.digits-rng.IntN(4)))
		case 2:
			c = s.round(math.Ldexp(1, -s.digits-rng.IntN(8)))
		}
		x, y, z = append(x, a), append(y, b), append(z, c)
	}
	// the middle between two numbers, and what is far below it
	middle := 1 + math.Ldexp(1, -s.digits/2)
	tiny := math.Ldexp(1, s.least)
	for _, v := range [][3]float64{
		{middle, middle, tiny}, {middle, middle, -tiny}, {3, math.Ldexp(1, s.least-1), tiny * 0.75},
	} {
		x, y, z = append(x, s.round(v[0])), append(y, s.round(v[1])), append(z, s.round(v[2]))
	}
	return x, y, z
}

func TestMathOfThreeArgumentsRoundsEachStep(t *testing.T) {
	t.Parallel()
	eachSpelling(t, func(t *testing.T, s *scalar, sp spelling) {
		xs, ys, zs := s.triples()
		call := &snippet{in: []*scalar{s, s, s}, n: sp.n}
		for i, f := range ternaryMath {
			call.body += fmt.Sprintf("y%d = %s%s(x0, x1, x2); ", i, sp.prefix, f.name)
			call.out = append(call.out, s)
		}
		results := call.run(t, cellsOf(xs), cellsOf(ys), cellsOf(zs))
		for i, f := range ternaryMath {
			for j := range xs {
				x, y, z := xs[j], ys[j], zs[j]
				got, want := math.Float64frombits(results[i][j]), f.ref(s, x, y, z)
				if strings.HasSuffix(f.name, "median3") && want != want {
					continue
				}
				if s.off(got, want, f.ulps) {
					t.Errorf("%s%s(%x, %x, %x) of %s = %x, want %x (%.3f ulp)", sp.prefix, f.name, x, y, z, s.vectorName(sp.n), got,
						want, s.away(got, want))
					break
				}
			}
		}
	})
}

func TestFractIsBelowOne(t *testing.T) {
	t.Parallel()
	eachSpelling(t, func(t *testing.T, s *scalar, sp spelling) {
		xs := append(s.grid(1000), s.round(-math.Ldexp(1, -20)), s.round(-math.Ldexp(1, s.least)))
		call := &snippet{body: "y0 = " + sp.prefix + "fract(x0)", in: []*scalar{s}, out: []*scalar{s}, n: sp.n}
		got := numbersOf(call.run(t, cellsOf(xs))[0])
		for i, x := range xs {
			want := math.Min(s.round(x-math.Floor(x)), s.greatestBelowOne())
			if math.IsInf(x, 0) {
				want = 0 // as OpenCL has it
			}
			if !(got[i] == want || x != x && got[i] != got[i]) {
				t.Fatalf("%sfract(%x) of %s = %x, want %x", sp.prefix, x, s.name, got[i], want)
			}
		}
	})
}

func TestFunctionsThatSplitNumbersAreExact(t *testing.T) {
	t.Parallel()
	eachSpelling(t, func(t *testing.T, s *scalar, sp spelling) {
		xs := s.grid(1000)
		p := sp.prefix
		call := &snippet{in: []*scalar{s}, out: []*scalar{s, s, s, intType, intType, s, s}, n: sp.n}
		ints := intType.vectorName(sp.n)
		call.body = "$0 whole, c; " + ints + " e; y0 = " + p + "modf(x0, whole); y1 = whole; y2 = " + p +
			"frexp(x0, e); y3 = e; y4 = " + p + "ilogb(x0); y5 = " + p + "sincos(x0, c); y6 = c"
		r := call.run(t, cellsOf(xs))
		fraction, whole, significand, sine, cosine := numbersOf(r[0]), numbersOf(r[1]), numbersOf(r[2]), numbersOf(r[5]),
			numbersOf(r[6])
		for i, x := range xs {
			exponent, logb := int(int32(r[3][i])), int(int32(r[4][i]))
			w, f := math.Modf(x)
			if math.IsInf(x, 0) {
				w, f = x, math.Copysign(0, x)
			}
			f = math.Copysign(f, x)
			if s.off(fraction[i], f, 0) || s.off(whole[i], w, 0) {
				t.Errorf("%smodf(%x) of %s = %x and %x, want %x and %x", p, x, s.name, fraction[i], whole[i], f, w)
			}
			m, n := math.Frexp(x)
			if s.off(significand[i], m, 0) || exponent != n && x-x == 0 {
				t.Errorf("%sfrexp(%x) of %s = %x and %d, want %x and %d", p, x, s.name, significand[i], exponent, m, n)
			}
			want := n - 1
			switch {
			case x == 0, x != x: // FP_ILOGB0 and FP_ILOGBNAN
				want = math.MinInt32
			case math.IsInf(x, 0):
				want = math.MaxInt32
			}
			if logb != want {
				t.Errorf("%silogb(%x) of %s = %d, want %d", p, x, s.name, logb, want)
			}
			if bound := s.allowed(4); s.off(sine[i], math.Sin(x), bound) || s.off(cosine[i], math.Cos(x), bound) {
				t.Errorf("%ssincos(%x) of %s = %x and %x", p, x, s.name, sine[i], cosine[i])
			}
			if t.Failed() {
				return
			}
		}
	})
}

func TestLdexpRoundsOnce(t *testing.T) {
	t.Parallel()
	eachSpelling(t, func(t *testing.T, s *scalar, sp spelling) {
		var xs []float64
		var ns []uint64
		for _, x := range s.grid(60) {
			for _, n := range []int32{
				0, 1, -1, 10, -10, -14, -15, -24, -126, -140, 127, 128, -149, 250, -300, math.MaxInt32, math.MinInt32,
			} {
				xs, ns = append(xs, x), append(ns, uint64(int64(n)))
			}
		}
		call := &snippet{body: "y0 = " + sp.prefix + "ldexp(x0, x1)", in: []*scalar{s, intType}, out: []*scalar{s}, n: sp.n}
		got := numbersOf(call.run(t, cellsOf(xs), ns)[0])
		for i, x := range xs {
			n := max(-600, min(int64(ns[i]), 600))
			if want := math.Ldexp(x, int(n)); s.off(got[i], want, 0) {
				t.Fatalf("%sldexp(%x, %d) of %s = %x, want %x", sp.prefix, x, n, s.name, got[i], want)
			}
		}
	})
}

func TestNextafterGoesToTheNeighbourInTheType(t *testing.T) {
	t.Parallel()
	eachSpelling(t, func(t *testing.T, s *scalar, sp spelling) {
		xs, ys := pairs(s.specials())
		call := &snippet{body: "y0 = " + sp.prefix + "nextafter(x0, x1)", in: []*scalar{s, s}, out: []*scalar{s}, n: sp.n}
		got := numbersOf(call.run(t, cellsOf(xs), cellsOf(ys))[0])
		least := math.Ldexp(1, s.least-s.digits+1)
		for i, x := range xs {
			y := ys[i]
			want := y
			switch {
			case x != x || y != y:
				want = math.NaN()
			case x == y:
			case x == 0:
				want = math.Copysign(least, y)
			case math.IsInf(x, 0):
				want = math.Copysign(math.Ldexp(2-math.Ldexp(1, 1-s.digits), s.greatest), x)
			default:
				step := s.ulp(x)
				if (y > x) != (x > 0) && math.Abs(x) == math.Ldexp(1, int(math.Logb(x))) {
					step = max(step/2, least) // below a power of two they are closer
				}
				want = s.round(x + math.Copysign(step, y-x))
				if want == 0 {
					want = math.Copysign(0, x)
				}
			}
			if s.off(got[i], want, 0) {
				t.Fatalf("%snextafter(%x, %x) of %s = %x, want %x", sp.prefix, x, y, s.name, got[i], want)
			}
		}
	})
}

func TestFloatsAreClassified(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		ref  func(s *scalar, x, y float64) bool
	}{
		{"isfinite(x0)", func(_ *scalar, x, _ float64) bool { return x-x == 0 }},
		{"isinf(x0)", func(_ *scalar, x, _ float64) bool { return math.IsInf(x, 0) }},
		{"isnan(x0)", func(_ *scalar, x, _ float64) bool { return x != x }},
		{"isnormal(x0)", func(s *scalar, x, _ float64) bool {
			return math.Abs(x) >= math.Ldexp(1, s.least) && !math.IsInf(x, 0)
		}},
		{"signbit(x0)", func(_ *scalar, x, _ float64) bool { return math.Signbit(x) }},
		{"isordered(x0, x1)", func(_ *scalar, x, y float64) bool { return x == x && y == y }},
		{"isunordered(x0, x1)", func(_ *scalar, x, y float64) bool { return x != x || y != y }},
	}
	for _, s := range floatingTypes {
		for n := 1; n <= 4; n++ {
			xs, ys := pairs(s.specials())
			call := &snippet{in: []*scalar{s, s}, n: n}
			for i, f := range tests {
				call.body += fmt.Sprintf("y%d = %s; ", i, f.name)
				call.out = append(call.out, boolType)
			}
			results := call.run(t, cellsOf(xs), cellsOf(ys))
			for i, f := range tests {
				for j, x := range xs {
					if x != x && strings.HasPrefix(f.name, "signbit") {
						continue // conversions may change it
					}
					if got := results[i][j] != 0; got != f.ref(s, x, ys[j]) {
						t.Fatalf("%s of %s: %v, %v gives %v", f.name, s.vectorName(n), x, ys[j], got)
					}
				}
			}
		}
	}
}

func TestSelectTakesTheSecondWhereTheConditionHolds(t *testing.T) {
	t.Parallel()
	for _, s := range append(slices.Clone(numberTypes), boolType) {
		for n := 1; n <= 4; n++ {
			var x, y, c []uint64
			for i := range 48 {
				a, b := s.cell(float64(i)), s.cell(float64(i+60))
				if s == boolType {
					a, b = uint64(i&1), uint64(i>>1&1)
				}
				x, y, c = append(x, a), append(y, b), append(c, uint64(i*i/3%2))
			}
			call := &snippet{body: "y0 = select(x0, x1, x2)", in: []*scalar{s, s, boolType}, out: []*scalar{s}, n: n}
			got := call.run(t, x, y, c)[0]
			for i := range x {
				want := x[i]
				if c[i] != 0 {
					want = y[i]
				}
				if got[i] != want {
					t.Fatalf("select(%d, %d, %d) of %s = %s", x[i], y[i], c[i], s.vectorName(n), s.text(got[i]))
				}
			}
		}
	}
}

// TestScalarsAndVectorsMixInMath is about the arguments that the checker widens.
func TestScalarsAndVectorsMixInMath(t *testing.T) {
	t.Parallel()
	x := []float32{-2, 0.25, 0.5, 3}
	y := make([]float32, 12)
	compute(t, `kernel void test(device const float4* x, device float4* y) {
	y[0] = clamp(x[0], 0.0f, 1.0f);
	y[1] = max(x[0], 0.5f);
	y[2] = mix(x[0], float4(1), 0.5f);
}`, threads(1), x, y)
	want := []float32{0, 0.25, 0.5, 1, 0.5, 0.5, 0.5, 3, -0.5, 0.625, 0.75, 2}
	if !slices.Equal(y, want) {
		t.Errorf("%v, want %v", y, want)
	}
}
