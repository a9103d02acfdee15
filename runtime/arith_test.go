package runtime_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/metalgen/metalgen/runtime"
)

// FuzzArithmeticClampsTheExactResult holds every operation against math/big.
func FuzzArithmeticClampsTheExactResult(f *testing.F) {
	edges := []int{math.MinInt, math.MinInt + 1, -1 << 32, -7, -1, 0, 1, 2, 3, 7, 256, 1<<32 - 1, 1 << 32, 1<<62 - 1, 1 << 62, 1<<62 + 1, math.MaxInt - 1, math.MaxInt}
	for _, a := range edges {
		for _, b := range edges {
			f.Add(a, b)
		}
	}
	f.Fuzz(func(t *testing.T, a, b int) {
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
			infinite := big.NewInt(math.MaxInt)
			check("Div", runtime.Div(a, b), infinite)
			check("Mod", runtime.Mod(a, b), infinite)
			check("CeilDiv", runtime.CeilDiv(a, b), infinite)
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
