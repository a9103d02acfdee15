package bind_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/metalgen/metalgen/runtime/bind"
)

var edges = []int{math.MinInt, math.MinInt + 1, -1 << 32, -7, -1, 0, 1, 2, 3, 7, 256, 1<<32 - 1, 1 << 32, 1<<62 - 1,
	1 << 62, 1<<62 + 1, math.MaxInt - 1, math.MaxInt}

func infinite(n int) bool { return n == math.MaxInt || n == math.MinInt }

// FuzzArithmeticClampsTheExactResult holds every operation on numbers that are no
// infinities against math/big.
func FuzzArithmeticClampsTheExactResult(f *testing.F) {
	for _, a := range edges {
		for _, b := range edges {
			f.Add(a, b)
		}
	}
	f.Fuzz(func(t *testing.T, a, b int) {
		if infinite(a) || infinite(b) {
			t.Skip("TestInfinitiesStick has them")
		}
		x, y := big.NewInt(int64(a)), big.NewInt(int64(b))
		check := func(name string, got int, want *big.Int) {
			t.Helper()
			if got != clamp(want) {
				t.Errorf("%s(%d, %d) = %d, want %d", name, a, b, got, clamp(want))
			}
		}
		check("Add", bind.Add(a, b), new(big.Int).Add(x, y))
		check("Sub", bind.Sub(a, b), new(big.Int).Sub(x, y))
		check("Mul", bind.Mul(a, b), new(big.Int).Mul(x, y))
		check("NextPow2", bind.NextPow2(a), nextPow2(x))
		if b == 0 {
			infinity := big.NewInt(math.MaxInt)
			check("Div", bind.Div(a, b), infinity)
			check("Mod", bind.Mod(a, b), infinity)
			if a == 0 {
				infinity = x // no elements are no groups
			}
			check("CeilDiv", bind.CeilDiv(a, b), infinity)
			return
		}
		quo, rem := new(big.Int).QuoRem(x, y, new(big.Int))
		check("Div", bind.Div(a, b), quo)
		check("Mod", bind.Mod(a, b), rem)
		if rem.Sign()*y.Sign() > 0 {
			quo.Add(quo, big.NewInt(1))
		}
		check("CeilDiv", bind.CeilDiv(a, b), quo)
	})
}

func TestInfinitiesStick(t *testing.T) {
	for _, a := range edges {
		for _, b := range edges {
			if !infinite(a) && !infinite(b) {
				continue
			}
			for name, got := range map[string]int{
				"Add":     bind.Add(a, b),
				"Sub":     bind.Sub(a, b),
				"Div":     bind.Div(a, b),
				"Mod":     bind.Mod(a, b),
				"CeilDiv": bind.CeilDiv(a, b),
			} {
				if !infinite(got) {
					t.Errorf("%s(%d, %d) = %d", name, a, b, got)
				}
			}
			if got := bind.Mul(a, b); infinite(got) == (a == 0 || b == 0) {
				t.Errorf("Mul(%d, %d) = %d", a, b, got)
			}
		}
	}
}

func TestComparisonsOfInfinitiesDoNotHold(t *testing.T) {
	for _, a := range edges {
		for _, b := range edges {
			finite := !infinite(a) && !infinite(b)
			for name, c := range map[string]struct{ got, want bool }{
				"Less": {bind.Less(a, b), a < b}, "LessEqual": {bind.LessEqual(a, b), a <= b},
				"Equal": {bind.Equal(a, b), a == b}, "NotEqual": {bind.NotEqual(a, b), a != b},
			} {
				if want := c.want && finite; c.got != want {
					t.Errorf("%s(%d, %d) = %v, want %v", name, a, b, c.got, want)
				}
			}
		}
	}
}

func TestInfinitiesHaveSigns(t *testing.T) {
	const inf, neg = math.MaxInt, math.MinInt
	for _, c := range []struct {
		name      string
		got, want int
	}{
		{"inf + 1", bind.Add(inf, 1), inf},
		{"inf + -1", bind.Add(inf, -1), inf},
		{"-inf + 1", bind.Add(1, neg), neg},
		{"inf + -inf", bind.Add(neg, inf), inf},
		{"inf - 1", bind.Sub(inf, 1), inf},
		{"1 - inf", bind.Sub(1, inf), neg},
		{"1 - -inf", bind.Sub(1, neg), inf},
		{"inf - inf", bind.Sub(inf, inf), inf},
		{"-inf - inf", bind.Sub(neg, inf), neg},
		{"-inf - -inf", bind.Sub(neg, neg), neg},
		{"inf * 2", bind.Mul(inf, 2), inf},
		{"inf * -1", bind.Mul(-1, inf), neg},
		{"-inf * -1", bind.Mul(neg, -1), inf},
		{"-inf * 1", bind.Mul(neg, 1), neg},
		{"inf * 0", bind.Mul(inf, 0), 0},
		{"0 * -inf", bind.Mul(0, neg), 0},
		{"inf / 4", bind.Div(inf, 4), inf},
		{"inf / -4", bind.Div(inf, -4), neg},
		{"-inf / -4", bind.Div(neg, -4), inf},
		{"4 / inf", bind.Div(4, inf), inf},
		{"0 / 0", bind.Div(0, 0), inf},
		{"inf ceil_div 4", bind.CeilDiv(inf, 4), inf},
		{"-inf ceil_div 4", bind.CeilDiv(neg, 4), neg},
		{"inf % 7", bind.Mod(inf, 7), inf},
		{"7 % inf", bind.Mod(7, inf), inf},
		{"next_pow2(inf)", bind.NextPow2(inf), inf},
		{"next_pow2(-inf)", bind.NextPow2(neg), neg},
	} {
		if c.got != c.want {
			t.Errorf("%s = %d, want %d", c.name, c.got, c.want)
		}
	}
}

func clamp(v *big.Int) int {
	switch {
	case v.IsInt64():
		return int(v.Int64())
	case v.Sign() < 0:
		return math.MinInt
	default:
		return math.MaxInt
	}
}

func nextPow2(v *big.Int) *big.Int {
	p := big.NewInt(1)
	for p.Cmp(v) < 0 {
		p.Lsh(p, 1)
	}
	return p
}

func TestIntClampsWhatDoesNotFit(t *testing.T) {
	type index uint64
	for _, c := range []struct {
		name      string
		got, want int
	}{
		{"int8", bind.Int(int8(-128)), -128},
		{"uint32", bind.Int(uint32(math.MaxUint32)), math.MaxUint32},
		{"int64", bind.Int(int64(math.MinInt64)), math.MinInt},
		{"uint64 that fits", bind.Int(uint64(math.MaxInt64)), math.MaxInt},
		{"uint64 that does not", bind.Int(uint64(1 << 63)), math.MaxInt},
		{"largest uint64", bind.Int(uint64(math.MaxUint64)), math.MaxInt},
		{"named type", bind.Int(index(math.MaxUint64)), math.MaxInt},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %d, want %d", c.name, c.got, c.want)
		}
	}
}
