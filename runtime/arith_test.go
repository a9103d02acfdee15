package runtime_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/metalgen/metalgen/runtime"
)

var edges = []int{math.MinInt, math.MinInt + 1, -1 << 32, -7, -1, 0, 1, 2, 3, 7, 256, 1<<32 - 1, 1 << 32, 1<<62 - 1, 1 << 62, 1<<62 + 1, math.MaxInt - 1, math.MaxInt}

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
		check("Add", runtime.Add(a, b), new(big.Int).Add(x, y))
		check("Sub", runtime.Sub(a, b), new(big.Int).Sub(x, y))
		check("Mul", runtime.Mul(a, b), new(big.Int).Mul(x, y))
		check("NextPow2", runtime.NextPow2(a), nextPow2(x))
		if b == 0 {
			infinity := big.NewInt(math.MaxInt)
			check("Div", runtime.Div(a, b), infinity)
			check("Mod", runtime.Mod(a, b), infinity)
			check("CeilDiv", runtime.CeilDiv(a, b), infinity)
			return
		}
		quo, rem := new(big.Int).QuoRem(x, y, new(big.Int))
		check("Div", runtime.Div(a, b), quo)
		check("Mod", runtime.Mod(a, b), rem)
		if rem.Sign()*y.Sign() > 0 {
			quo.Add(quo, big.NewInt(1))
		}
		check("CeilDiv", runtime.CeilDiv(a, b), quo)
	})
}

func TestInfinitiesStick(t *testing.T) {
	for _, a := range edges {
		for _, b := range edges {
			if !infinite(a) && !infinite(b) {
				continue
			}
			for name, got := range map[string]int{
				"Add":     runtime.Add(a, b),
				"Sub":     runtime.Sub(a, b),
				"Div":     runtime.Div(a, b),
				"Mod":     runtime.Mod(a, b),
				"CeilDiv": runtime.CeilDiv(a, b),
			} {
				if !infinite(got) {
					t.Errorf("%s(%d, %d) = %d", name, a, b, got)
				}
			}
			if got := runtime.Mul(a, b); infinite(got) == (a == 0 || b == 0) {
				t.Errorf("Mul(%d, %d) = %d", a, b, got)
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
		{"inf + 1", runtime.Add(inf, 1), inf},
		{"inf + -1", runtime.Add(inf, -1), inf},
		{"-inf + 1", runtime.Add(1, neg), neg},
		{"inf + -inf", runtime.Add(neg, inf), inf},
		{"inf - 1", runtime.Sub(inf, 1), inf},
		{"1 - inf", runtime.Sub(1, inf), neg},
		{"1 - -inf", runtime.Sub(1, neg), inf},
		{"inf - inf", runtime.Sub(inf, inf), inf},
		{"-inf - inf", runtime.Sub(neg, inf), neg},
		{"-inf - -inf", runtime.Sub(neg, neg), neg},
		{"inf * 2", runtime.Mul(inf, 2), inf},
		{"inf * -1", runtime.Mul(-1, inf), neg},
		{"-inf * -1", runtime.Mul(neg, -1), inf},
		{"-inf * 1", runtime.Mul(neg, 1), neg},
		{"inf * 0", runtime.Mul(inf, 0), 0},
		{"0 * -inf", runtime.Mul(0, neg), 0},
		{"inf / 4", runtime.Div(inf, 4), inf},
		{"inf / -4", runtime.Div(inf, -4), neg},
		{"-inf / -4", runtime.Div(neg, -4), inf},
		{"4 / inf", runtime.Div(4, inf), inf},
		{"0 / 0", runtime.Div(0, 0), inf},
		{"inf ceil_div 4", runtime.CeilDiv(inf, 4), inf},
		{"-inf ceil_div 4", runtime.CeilDiv(neg, 4), neg},
		{"inf % 7", runtime.Mod(inf, 7), inf},
		{"7 % inf", runtime.Mod(7, inf), inf},
		{"next_pow2(inf)", runtime.NextPow2(inf), inf},
		{"next_pow2(-inf)", runtime.NextPow2(neg), neg},
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
		{"int8", runtime.Int(int8(-128)), -128},
		{"uint32", runtime.Int(uint32(math.MaxUint32)), math.MaxUint32},
		{"int64", runtime.Int(int64(math.MinInt64)), math.MinInt},
		{"uint64 that fits", runtime.Int(uint64(math.MaxInt64)), math.MaxInt},
		{"uint64 that does not", runtime.Int(uint64(1 << 63)), math.MaxInt},
		{"largest uint64", runtime.Int(uint64(math.MaxUint64)), math.MaxInt},
		{"named type", runtime.Int(index(math.MaxUint64)), math.MaxInt},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %d, want %d", c.name, c.got, c.want)
		}
	}
}
