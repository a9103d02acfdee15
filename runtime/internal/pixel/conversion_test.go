package pixel

import (
	"flag"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/x448/float16"
)

var long = flag.Bool("long", false, "test all codes of 16 bits")

// codec converts one component through the first component of a format.
type codec struct{ i *Info }

func (c codec) decode(code uint32) float32 {
	return math.Float32frombits(c.i.components[0].decode(code))
}

func (c codec) encode(x float32) uint32 { return c.i.components[0].encode(math.Float32bits(x)) }

func rat(x float32) *big.Rat { return new(big.Rat).SetFloat64(float64(x)) }

// around returns the float32 nearest to x, and some on both sides of it.
func around(x *big.Rat) []float32 {
	f, _ := x.Float32()
	xs := []float32{f}
	for _, end := range []float32{-math.MaxFloat32, math.MaxFloat32} {
		g := math.Nextafter32(f, end)
		xs = append(xs, g, math.Nextafter32(g, end))
	}
	return xs
}

var specials = []float32{
	0, float32(math.Copysign(0, -1)), 1, -1, 0.5, -0.5, 2, -2, 1e-45, -1e-45, 1e-30, 0.0031308, 0.25, 0.75,
	math.MaxFloat32, -math.MaxFloat32, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()),
}

// clampToEven returns x clamped and rounded to an integer, ties to even, as the specification's intRTNE.
func clampToEven(x *big.Rat, low, high int64) int64 {
	if x.Cmp(big.NewRat(low, 1)) <= 0 {
		return low
	}
	if x.Cmp(big.NewRat(high, 1)) >= 0 {
		return high
	}
	double := new(big.Int).Mul(x.Num(), big.NewInt(2))
	floor := new(big.Int).Div(x.Num(), x.Denom()).Int64() // Euclidean, and denominators are positive
	half := new(big.Int).Sub(double, new(big.Int).Mul(big.NewInt(2*floor), x.Denom()))
	switch half.Cmp(x.Denom()) {
	case 0:
		return floor + floor&1
	case 1:
		return floor + 1
	}
	return floor
}

// number returns the number that the specification's rules convert: limits instead of infinities.
func number(x float32) *big.Rat {
	switch {
	case x != x:
		return new(big.Rat)
	case math.IsInf(float64(x), 0):
		x = math.Float32frombits(math.Float32bits(x) - 1)
	}
	return rat(x)
}

func TestNormalizedIntegersAreCorrectlyRounded(t *testing.T) {
	for _, test := range []struct {
		format Format
		bits   int
		signed bool
	}{
		{A1BGR5Unorm, 1, false}, {ABGR4Unorm, 4, false}, {B5G6R5Unorm, 5, false}, {R8Unorm, 8, false},
		{RGB10A2Unorm, 10, false}, {R16Unorm, 16, false}, {Depth16Unorm, 16, false},
		{R8Snorm, 8, true}, {R16Snorm, 16, true},
	} {
		c := codec{test.format.Info()}
		mask := uint32(1)<<test.bits - 1
		low, high := int64(0), int64(mask)
		if test.signed {
			high >>= 1
			low = -high
		}
		check := func(x float32) {
			scaled := number(x)
			want := clampToEven(scaled.Mul(scaled, big.NewRat(high, 1)), low, high)
			if got := c.encode(x); got != uint32(want)&mask {
				t.Fatalf("%v: %v encodes to %d, want %d", test.format, x, got, want)
			}
		}
		step := uint32(1)
		if test.bits == 16 && !*long {
			step = 53
		}
		for code := uint32(0); code <= mask; code += step {
			n := int64(code)
			if test.signed && n > high {
				n -= int64(mask) + 1
			}
			want, _ := big.NewRat(max(n, low), high).Float32()
			if got := c.decode(code); got != want {
				t.Fatalf("%v: %d decodes to %v, want %v", test.format, code, got, want)
			}
			for _, x := range around(big.NewRat(2*n+1, 2*high)) {
				check(x)
			}
		}
		for _, x := range specials {
			check(x)
		}
		r := rand.New(rand.NewPCG(1, uint64(test.format)))
		for range 1000 {
			check((r.Float32() - 0.5) * 2.5)
		}
	}
}

// pow returns x to the power n.
func pow(x *big.Rat, n int) *big.Rat {
	y := big.NewRat(1, 1)
	for range n {
		y.Mul(y, x)
	}
	return y
}

// linearCompare compares the linear number c with the one that the code y of the curve means. It is exact:
// c = ((y + 0.055)/1.055)^2.4 says that c^5 is the twelfth power of the rest.
func linearCompare(c, y *big.Rat, straight bool) int {
	if y.Sign() < 0 {
		return -linearCompare(new(big.Rat).Neg(c), new(big.Rat).Neg(y), straight)
	}
	if straight {
		return c.Cmp(new(big.Rat).Quo(y, big.NewRat(1292, 100)))
	}
	if c.Sign() < 0 {
		return -1
	}
	t := new(big.Rat).Add(y, big.NewRat(55, 1000))
	t.Quo(t, big.NewRat(1055, 1000))
	return pow(c, 5).Cmp(pow(t, 12))
}

func TestTheCurveOfSRGBIsCorrectlyRounded(t *testing.T) {
	for _, test := range []struct {
		format    Format
		top, zero int64
		scale     int64
	}{
		{RGBA8Unorm_sRGB, 255, 0, 255},
		{BGR10_XR_sRGB, 1023, 384, 510},
	} {
		c := codec{test.format.Info()}
		end := big.NewRat(4045, 100000)
		for code := range test.top + 1 {
			y := big.NewRat(code-test.zero, test.scale)
			straight := new(big.Rat).Abs(y).Cmp(end) <= 0
			got := c.decode(uint32(code))
			// The number lies between the middles to the floats on both sides.
			for _, side := range []float32{-math.MaxFloat32, math.MaxFloat32} {
				middle := new(big.Rat).Add(rat(got), rat(math.Nextafter32(got, side)))
				middle.Quo(middle, big.NewRat(2, 1))
				if n := linearCompare(middle, y, straight); n != 0 && (n < 0) != (side < 0) {
					t.Fatalf("%v: %d decodes to %v, which is not the nearest", test.format, code, got)
				}
			}
			if back := c.encode(got); back != uint32(code) {
				t.Fatalf("%v: %d decodes to %v, which encodes to %d", test.format, code, got, back)
			}
		}
		// The rule for writing: is the code of c at least k?
		reaches := func(c float32, k int64) bool {
			y := big.NewRat(2*(k-test.zero)-1, 2*test.scale)
			straight := math.Abs(float64(c)) < 0.0031308
			return linearCompare(rat(c), y, straight) >= 0
		}
		for k := int64(1); k <= test.top; k++ {
			low, high := float32(-2), float32(2)
			for math.Nextafter32(low, high) != high {
				if middle := (low + high) / 2; middle != low && middle != high && int64(c.encode(middle)) < k {
					low = middle
				} else if middle != low && middle != high {
					high = middle
				} else {
					break
				}
			}
			if !reaches(high, k) || reaches(low, k) {
				t.Fatalf("%v: %v is the first to encode to %d", test.format, high, k)
			}
		}
		for x, want := range map[float32]int64{
			float32(math.Inf(1)): test.top, float32(math.Inf(-1)): 0, 1: test.zero + test.scale, 0: test.zero,
			float32(math.NaN()): test.zero,
		} {
			if got := c.encode(x); int64(got) != want {
				t.Errorf("%v: %v encodes to %d, want %d", test.format, x, got, want)
			}
		}
	}
}

func TestExtendedRangeIsCorrectlyRounded(t *testing.T) {
	for _, f := range []Format{BGR10_XR, BGRA10_XR} {
		i := f.Info()
		for _, k := range i.components {
			low, high := int64(0), int64(1023)
			if k.to == alpha {
				low, high = 384, 894
			}
			check := func(x float32) {
				y := number(x)
				y.Add(y.Mul(y, big.NewRat(510, 1)), big.NewRat(384, 1))
				if got, want := k.encode(math.Float32bits(x)), clampToEven(y, low, high); got != uint32(want) {
					t.Fatalf("%v: %v encodes to %d, want %d", f, x, got, want)
				}
			}
			for code := range int64(1024) {
				want, _ := big.NewRat(min(max(code, low), high)-384, 510).Float32()
				if got := math.Float32frombits(k.decode(uint32(code))); got != want {
					t.Fatalf("%v: %d decodes to %v, want %v", f, code, got, want)
				}
				for _, x := range around(big.NewRat(2*code+1-2*384, 2*510)) {
					check(x)
				}
			}
			for _, x := range specials {
				check(x)
			}
		}
	}
}

func TestHalvesAreThoseOfIEEE(t *testing.T) {
	c := codec{R16Float.Info()}
	same := func(a, b float32) bool { return a == b || a != a && b != b }
	for code := range uint32(1 << 16) {
		want := float16.Frombits(uint16(code)).Float32()
		if got := c.decode(code); !same(got, want) {
			t.Fatalf("%#x decodes to %v, want %v", code, got, want)
		}
		for _, x := range []float32{want, want * (1 + 0x1p-11), math.Nextafter32(want*(1+0x1p-11), 0)} {
			if got, want := c.encode(x), uint32(float16.Fromfloat32(x)); got != want && x == x {
				t.Fatalf("%v encodes to %#x, want %#x", x, got, want)
			}
		}
	}
}

func TestSmallFloatsAreNearest(t *testing.T) {
	for _, test := range []struct {
		component, mantissa int
	}{{0, 6}, {2, 5}} {
		k := RG11B10Float.Info().components[test.component]
		// The specification's formulas.
		n := float64(int(1) << test.mantissa)
		value := func(code uint32) float64 {
			exponent, mantissa := int(code>>test.mantissa), float64(code&(1<<test.mantissa-1))
			switch {
			case exponent == 31 && mantissa != 0:
				return math.NaN()
			case exponent == 31:
				return math.Inf(1)
			case exponent == 0:
				return math.Pow(2, -14) * (mantissa / n)
			}
			return math.Pow(2, float64(exponent-15)) * (1 + mantissa/n)
		}
		encode := func(x float32) uint32 { return k.encode(math.Float32bits(x)) }
		infinity := uint32(31) << test.mantissa
		for code := range uint32(1) << (test.mantissa + 5) {
			want := value(code)
			got := float64(math.Float32frombits(k.decode(code)))
			if got != want && !(got != got && want != want) {
				t.Fatalf("%d bits: %#x decodes to %v, want %v", test.mantissa+5, code, got, want)
			}
			if code >= infinity-1 {
				continue
			}
			middle := float32((want + value(code+1)) / 2)
			for x, want := range map[float32]uint32{
				float32(want):                 code,
				math.Nextafter32(middle, 0):   code,
				math.Nextafter32(middle, 1e9): code + 1,
				middle:                        code + code&1,
			} {
				if got := encode(x); got != want {
					t.Fatalf("%d bits: %v encodes to %#x, want %#x", test.mantissa+5, x, got, want)
				}
			}
		}
		for x, want := range map[float32]uint32{
			-1: 0, float32(math.Inf(-1)): 0, float32(math.Inf(1)): infinity, 1e-45: 0,
			math.MaxFloat32: infinity - 1, 65536: infinity - 1, 65500: infinity - 1,
		} {
			if got := encode(x); got != want {
				t.Errorf("%d bits: %v encodes to %#x, want %#x", test.mantissa+5, x, got, want)
			}
		}
		if v := value(encode(float32(math.NaN()))); v == v {
			t.Errorf("NaN encodes to %v", v)
		}
	}
}

// sharedReference follows the steps of the specification with exact numbers.
func sharedReference(rgb [3]float32) uint32 {
	const n, bias = 9, 15
	two := func(e int) *big.Rat {
		if e < 0 {
			return big.NewRat(1, 1).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), uint(-e)))
		}
		return new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(e)))
	}
	top := new(big.Rat).Mul(big.NewRat(511, 512), two(31-bias))
	var c [3]*big.Rat
	largest := new(big.Rat)
	for k, x := range rgb {
		c[k] = number(x)
		if c[k].Sign() < 0 {
			c[k] = new(big.Rat)
		}
		if c[k].Cmp(top) > 0 {
			c[k] = top
		}
		if c[k].Cmp(largest) > 0 {
			largest = c[k]
		}
	}
	log := -bias - 1 // max(-B-1, floor(log2(largest)))
	for log < 40 && largest.Cmp(two(log+1)) >= 0 {
		log++
	}
	exponent := log + 1 + bias
	quotient := func(x *big.Rat) int64 {
		q := new(big.Rat).Quo(x, two(exponent-bias-n))
		q.Add(q, big.NewRat(1, 2))
		return new(big.Int).Div(q.Num(), q.Denom()).Int64()
	}
	if quotient(largest) == 1<<n {
		exponent++
	}
	return uint32(quotient(c[0]) | quotient(c[1])<<9 | quotient(c[2])<<18 | int64(exponent)<<27)
}

func TestSharedExponentsFollowTheSpecification(t *testing.T) {
	i := RGB9E5Float.Info()
	var b [4]byte
	check := func(rgb [3]float32) {
		texel := FromFloats([4]float32{rgb[0], rgb[1], rgb[2], 0.5})
		i.Encode(b[:], &texel)
		words := load(b[:], 4)
		if want := sharedReference(rgb); words[0] != want {
			t.Fatalf("%v encodes to %#x, want %#x", rgb, words[0], want)
		}
		got := i.Decode(b[:]).Floats()
		scale := math.Pow(2, float64(words[0]>>27)-15)
		for c := range 3 {
			if want := float32(scale * float64(words[0]>>(9*c)&511) / 512); got[c] != want {
				t.Fatalf("%#x: component %d decodes to %v, want %v", words[0], c, got[c], want)
			}
		}
		if got[3] != 1 {
			t.Fatal("there is no alpha")
		}
	}
	for _, x := range append(specials, 65408, 65409, 65280, 0x1p-24, 0x1p-25, 0x1.8p-25, 0x1.ffp-16, 0x1.ff8p-1) {
		check([3]float32{x, 0, 0})
		check([3]float32{1, x, 0.001})
		check([3]float32{x, -x, x / 3})
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		scale := float32(math.Pow(2, float64(r.IntN(46)-28)))
		check([3]float32{r.Float32() * scale, r.Float32() * scale, (r.Float32() - 0.1) * scale})
	}
}

func TestIntegersSaturate(t *testing.T) {
	minus := func(n int32) uint32 { return uint32(-n) }
	for _, test := range []struct {
		format   Format
		in, want uint32
	}{
		{R8Uint, 255, 255}, {R8Uint, 256, 255}, {R8Uint, math.MaxUint32, 255}, {R8Uint, 0, 0},
		{R16Uint, 65536, 65535}, {R16Uint, 65535, 65535}, {R32Uint, math.MaxUint32, math.MaxUint32},
		{RGB10A2Uint, 1024, 1023}, {RGB10A2Uint, 1000, 1000},
		{R8Sint, 127, 127}, {R8Sint, 128, 127}, {R8Sint, minus(128), minus(128)}, {R8Sint, minus(129), minus(128)},
		{R8Sint, 1 << 31, minus(128)}, {R8Sint, math.MaxInt32, 127}, {R8Sint, minus(1), minus(1)},
		{R16Sint, 32768, 32767}, {R16Sint, minus(32769), minus(32768)}, {R16Sint, minus(5), minus(5)},
		{R32Sint, 1 << 31, 1 << 31}, {R32Sint, math.MaxInt32, math.MaxInt32},
	} {
		i := test.format.Info()
		b := make([]byte, i.Size)
		i.Encode(b, &Texel{test.in})
		if got := i.Decode(b)[0]; got != test.want {
			t.Errorf("%v: %d is read back as %d, want %d", test.format, int32(test.in), int32(got), int32(test.want))
		}
	}
}
