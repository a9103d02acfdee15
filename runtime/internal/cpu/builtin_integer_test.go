package cpu

import (
	"fmt"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// integerMath are the functions on integers of any width, in exact integers. The
// results are then wrapped around or, where the function saturates, clamped.
var integerMath = []struct {
	name string
	args int
	ref  func(s *scalar, x []*big.Int) *big.Int
}{
	{"abs", 1, func(_ *scalar, x []*big.Int) *big.Int { return new(big.Int).Abs(x[0]) }},
	{"clz", 1, onBits(func(v uint64, n int) uint64 { return uint64(bits.LeadingZeros64(v) - 64 + n) })},
	{"ctz", 1, onBits(func(v uint64, n int) uint64 { return uint64(min(bits.TrailingZeros64(v), n)) })},
	{"popcount", 1, onBits(func(v uint64, _ int) uint64 { return uint64(bits.OnesCount64(v)) })},
	{"reverse_bits", 1, onBits(func(v uint64, n int) uint64 { return bits.Reverse64(v) >> (64 - n) })},
	{"absdiff", 2, func(_ *scalar, x []*big.Int) *big.Int {
		d := new(big.Int).Sub(x[0], x[1])
		return d.Abs(d)
	}},
	{"addsat", 2, func(s *scalar, x []*big.Int) *big.Int { return s.clamped(new(big.Int).Add(x[0], x[1])) }},
	{"subsat", 2, func(s *scalar, x []*big.Int) *big.Int { return s.clamped(new(big.Int).Sub(x[0], x[1])) }},
	{"hadd", 2, func(_ *scalar, x []*big.Int) *big.Int {
		sum := new(big.Int).Add(x[0], x[1])
		return sum.Rsh(sum, 1)
	}},
	{"rhadd", 2, func(_ *scalar, x []*big.Int) *big.Int {
		sum := new(big.Int).Add(x[0], x[1])
		return sum.Rsh(sum.Add(sum, big.NewInt(1)), 1)
	}},
	{"mulhi", 2, func(s *scalar, x []*big.Int) *big.Int {
		p := new(big.Int).Mul(x[0], x[1])
		return p.Rsh(p, uint(s.bits))
	}},
	{"max", 2, func(_ *scalar, x []*big.Int) *big.Int { return sorted(x)[1] }},
	{"min", 2, func(_ *scalar, x []*big.Int) *big.Int { return sorted(x)[0] }},
	{"rotate", 2, func(s *scalar, x []*big.Int) *big.Int {
		by := new(big.Int).And(x[1], big.NewInt(int64(s.bits-1))).Uint64()
		v := new(big.Int).SetUint64(s.unsigned().wrapped(x[0]))
		left := new(big.Int).Lsh(v, uint(by))
		return left.Or(left, v.Rsh(v, uint(s.bits)-uint(by)))
	}},
	{"madhi", 3, func(s *scalar, x []*big.Int) *big.Int {
		p := new(big.Int).Mul(x[0], x[1])
		return p.Add(p.Rsh(p, uint(s.bits)), x[2])
	}},
	{"madsat", 3, func(s *scalar, x []*big.Int) *big.Int {
		p := new(big.Int).Mul(x[0], x[1])
		return s.clamped(p.Add(p, x[2]))
	}},
	{"max3", 3, func(_ *scalar, x []*big.Int) *big.Int { return sorted(x)[2] }},
	{"min3", 3, func(_ *scalar, x []*big.Int) *big.Int { return sorted(x)[0] }},
	{"median3", 3, func(_ *scalar, x []*big.Int) *big.Int { return sorted(x)[1] }},
	{"clamp", 3, func(_ *scalar, x []*big.Int) *big.Int { // undefined for low > high
		if x[1].Cmp(x[2]) > 0 {
			return nil
		}
		return sorted([]*big.Int{sorted([]*big.Int{x[0], x[1]})[1], x[2]})[0]
	}},
}

func integerNames() []string {
	names := []string{"mul24", "mad24", "extract_bits", "insert_bits"}
	for _, f := range integerMath {
		names = append(names, f.name)
	}
	return names
}

// onBits is for functions of the bits of a type of n bits.
func onBits(fn func(v uint64, n int) uint64) func(s *scalar, x []*big.Int) *big.Int {
	return func(s *scalar, x []*big.Int) *big.Int {
		return new(big.Int).SetUint64(fn(s.unsigned().wrapped(x[0]), s.bits))
	}
}

func (s *scalar) clamped(v *big.Int) *big.Int {
	low, high := s.limits()
	return sorted([]*big.Int{low, v, high})[1]
}

func sorted(v []*big.Int) []*big.Int {
	v = slices.Clone(v)
	slices.SortFunc(v, (*big.Int).Cmp)
	return v
}

// integers are integers of a type that functions tend to get wrong, and more.
func (s *scalar) integers(n int) []uint64 {
	low, high := s.limits()
	rng := rand.New(rand.NewPCG(3, uint64(s.bits)))
	var v []uint64
	for _, limit := range []*big.Int{low, high, new(big.Int)} {
		for d := int64(-2); d <= 2; d++ {
			v = append(v, s.wrapped(new(big.Int).Add(limit, big.NewInt(d))))
		}
	}
	v = append(v, s.wrap(0x5555555555555555), s.wrap(0x0123456789abcdef), s.wrap(1<<(s.bits/2)), s.wrap(1<<(s.bits/2)-1))
	for len(v) < n {
		v = append(v, s.wrap(rng.Uint64()>>rng.IntN(s.bits)))
	}
	return v[:n]
}

// tuples are all tuples of k integers, as k columns.
func tuples(v []uint64, k int) [][]uint64 {
	columns := make([][]uint64, k)
	total := 1
	for range k {
		total *= len(v)
	}
	for i := range total {
		rest := i
		for j := range columns {
			columns[j] = append(columns[j], v[rest%len(v)])
			rest /= len(v)
		}
	}
	return columns
}

func TestIntegerFunctionsAreExact(t *testing.T) {
	t.Parallel()
	counts := map[int]int{1: 200, 2: 30, 3: 12}
	for _, s := range integerTypes {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			for args := 1; args <= 3; args++ {
				columns := tuples(s.integers(counts[args]), args)
				var want [][]*big.Int
				for n := 1; n <= 4; n++ {
					call := &snippet{n: n}
					list := "x0"
					call.in = append(call.in, s)
					for i := 1; i < args; i++ {
						list += fmt.Sprintf(", x%d", i)
						call.in = append(call.in, s)
					}
					var refs []func(s *scalar, x []*big.Int) *big.Int
					var names []string
					for _, f := range integerMath {
						if f.args != args {
							continue
						}
						call.body += fmt.Sprintf("y%d = %s(%s); ", len(names), f.name, list)
						out := s
						if f.name == "absdiff" {
							out = s.unsigned()
						}
						call.out = append(call.out, out)
						refs, names = append(refs, f.ref), append(names, f.name)
					}
					results := call.run(t, columns...)
					for i, ref := range refs {
						if len(want) == i {
							want = append(want, make([]*big.Int, len(columns[0])))
							for j := range columns[0] {
								want[i][j] = ref(s, s.row(columns, j))
							}
						}
						for j := range columns[0] {
							if w := want[i][j]; w != nil && results[i][j] != call.out[i].wrapped(w) {
								t.Errorf("%s%v of %s = %s, want %v", names[i], s.row(columns, j), s.vectorName(n), s.text(results[i][j]), w)
								break
							}
						}
					}
				}
			}
		})
	}
}

func (s *scalar) row(columns [][]uint64, j int) []*big.Int {
	x := make([]*big.Int, len(columns))
	for i := range x {
		x[i] = s.number(columns[i][j])
	}
	return x
}

// TestProductsOf24BitsTakeTheLowBits is about the functions that work on int and
// uint only.
func TestProductsOf24BitsTakeTheLowBits(t *testing.T) {
	t.Parallel()
	for _, s := range []*scalar{intType, uintType} {
		of24 := &scalar{bits: 24, signed: s.signed}
		v := append(s.integers(10), s.wrap(0x7fffff), s.wrap(0x800000), s.wrap(0xffffff), s.wrap(0x123456),
			s.wrap(0xff800000))
		columns := tuples(v, 3)
		for n := 1; n <= 4; n++ {
			call := &snippet{body: "y0 = mul24(x0, x1); y1 = mad24(x0, x1, x2)", in: []*scalar{s, s, s}, out: []*scalar{s, s},
				n: n}
			results := call.run(t, columns...)
			for j := range columns[0] {
				x, y := columns[0][j], columns[1][j]
				if s.wrap(of24.wrap(x)) != x || s.wrap(of24.wrap(y)) != y {
					continue // more than 24 bits: undefined
				}
				product := s.wrap(x * y)
				if results[0][j] != product || results[1][j] != s.wrap(product+columns[2][j]) {
					t.Fatalf("mul24, mad24(%d, %d, %d) of %s = %d, %d", x, y, columns[2][j], s.vectorName(n), results[0][j],
						results[1][j])
				}
			}
		}
	}
}

func TestBitFieldsOfAllOffsetsAndCounts(t *testing.T) {
	t.Parallel()
	for _, s := range integerTypes {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			for n := 1; n <= 4; n++ {
				var x, y, offsets, counts []uint64
				v := s.integers(20)
				for offset := 0; offset <= s.bits; offset++ {
					for count := 0; count <= s.bits-offset; count++ {
						offsets, counts = append(offsets, uint64(offset)), append(counts, uint64(count))
						for range n {
							x, y = append(x, v[len(x)%len(v)]), append(y, v[(len(y)*7+5)%len(v)])
						}
					}
				}
				call := &snippet{
					body: "y0 = extract_bits(x0, x2, x3); y1 = insert_bits(x0, x1, x2, x3)",
					in:   []*scalar{s, s, uintType, uintType}, out: []*scalar{s, s}, n: n, whole: []bool{false, false, true, true},
				}
				results := call.run(t, x, y, offsets, counts)
				for i := range x {
					offset, count := uint(offsets[i/n]), uint(counts[i/n])
					u := s.unsigned()
					ones := uint64(1)<<count - 1 // for 64 too, as Go shifts
					field := u.wrap(x[i]) >> offset & ones
					if s.signed && count > 0 && field>>(count-1)&1 != 0 {
						field |= ^ones
					}
					if results[0][i] != s.wrap(field) {
						t.Fatalf("extract_bits(%#x, %d, %d) of %s = %#x, want %#x", x[i], offset, count, s.vectorName(n), results[0][i],
							s.wrap(field))
					}
					if want := s.wrap(x[i]&^(ones<<offset) | y[i]&ones<<offset); results[1][i] != want {
						t.Fatalf("insert_bits(%#x, %#x, %d, %d) of %s = %#x, want %#x", x[i], y[i], offset, count, s.vectorName(n),
							results[1][i], want)
					}
				}
			}
		})
	}
}
