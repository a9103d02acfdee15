package cpu

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/internal/msl/library"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/x448/float16"
)

// TestEveryFunctionOfTheLibraryIsTested fails for a function that is in none of
// the tables of these files, so that a new one needs a row.
func TestEveryFunctionOfTheLibraryIsTested(t *testing.T) {
	tested := map[string]bool{}
	for _, names := range [][]string{
		mathNames(), integerNames(), vectorNames(), packNames(), groupNames(), atomicNames(), matrixNames(), barrierNames(),
		headerNames(),
	} {
		for _, name := range names {
			tested[name] = true
		}
	}
	for _, name := range library.Builtins() {
		if !tested[name] {
			t.Errorf("%s is in no table", name)
		}
		delete(tested, name)
	}
	if len(tested) > 0 {
		t.Errorf("tables have what the library lacks: %v", slices.Sorted(maps.Keys(tested)))
	}
}

// scalar is a type of MSL. The tests hold its values in 64 bits, in cells: an
// integer sign- or zero-extended, a floating-point number as the bits of the
// float64 of the same value, a bool as 0 or 1.
type scalar struct {
	name     string
	bits     int
	signed   bool // of integers
	digits   int  // of floating-point numbers: bits of the significand
	least    int  // exponent of the least normal number
	greatest int  // exponent of the greatest number
	slice    any  // of the Go type that lies in buffers
}

type bfloat uint16

var (
	boolType   = &scalar{name: "bool", bits: 1, slice: []bool{}}
	charType   = &scalar{name: "char", bits: 8, signed: true, slice: []int8{}}
	ucharType  = &scalar{name: "uchar", bits: 8, slice: []uint8{}}
	shortType  = &scalar{name: "short", bits: 16, signed: true, slice: []int16{}}
	ushortType = &scalar{name: "ushort", bits: 16, slice: []uint16{}}
	intType    = &scalar{name: "int", bits: 32, signed: true, slice: []int32{}}
	uintType   = &scalar{name: "uint", bits: 32, slice: []uint32{}}
	longType   = &scalar{name: "long", bits: 64, signed: true, slice: []int64{}}
	ulongType  = &scalar{name: "ulong", bits: 64, slice: []uint64{}}
	floatType  = &scalar{name: "float", bits: 32, digits: 24, least: -126, greatest: 127, slice: []float32{}}
	halfType   = &scalar{name: "half", bits: 16, digits: 11, least: -14, greatest: 15, slice: []float16.Float16{}}
	bfloatType = &scalar{name: "bfloat", bits: 16, digits: 8, least: -126, greatest: 127, slice: []bfloat{}}

	integerTypes  = []*scalar{charType, ucharType, shortType, ushortType, intType, uintType, longType, ulongType}
	floatingTypes = []*scalar{floatType, halfType, bfloatType}
	numberTypes   = slices.Concat(integerTypes, floatingTypes)
)

// unsigned is the unsigned integer of as many bits.
func (s *scalar) unsigned() *scalar {
	for _, u := range integerTypes {
		if !u.signed && u.bits == s.bits {
			return u
		}
	}
	return s
}

// round returns the number of the type that is nearest to x, ties to even.
func (s *scalar) round(x float64) float64 {
	if x == 0 || math.IsInf(x, 0) || x != x {
		return x
	}
	ulp := s.ulp(x)
	r := math.RoundToEven(x/ulp) * ulp
	if math.Abs(r) >= math.Ldexp(1, s.greatest+1) {
		return math.Inf(int(math.Copysign(1, x)))
	}
	if r == 0 {
		return math.Copysign(0, x)
	}
	return r
}

// ulp is the distance of the type's numbers around x.
func (s *scalar) ulp(x float64) float64 {
	_, e := math.Frexp(x)
	return math.Ldexp(1, max(e-1, s.least)-s.digits+1)
}

// roundBig is round for numbers of any precision.
func (s *scalar) roundBig(x *big.Float) float64 {
	if x.Sign() == 0 {
		v, _ := x.Float64()
		return v
	}
	e := max(x.MantExp(nil)-1, s.least) - s.digits + 1 // of the last bit
	scaled := new(big.Float).SetMantExp(x, -e)
	n, _ := scaled.Int(nil) // truncated
	rest := new(big.Float).SetPrec(2000).Sub(scaled, new(big.Float).SetPrec(2000).SetInt(n))
	if c := rest.Abs(rest).Cmp(big.NewFloat(0.5)); c > 0 || c == 0 && n.Bit(0) == 1 {
		n.Add(n, big.NewInt(int64(x.Sign())))
	}
	v, _ := new(big.Float).SetInt(n).Float64()
	v = math.Ldexp(v, e)
	if math.Abs(v) >= math.Ldexp(1, s.greatest+1) {
		return math.Inf(x.Sign())
	}
	return math.Copysign(v, float64(x.Sign()))
}

// greatestBelowOne is 1 less half an ulp.
func (s *scalar) greatestBelowOne() float64 { return 1 - math.Ldexp(1, -s.digits) }

// cell makes a cell of a number.
func (s *scalar) cell(v float64) uint64 {
	switch {
	case s.digits > 0:
		return math.Float64bits(s.round(v))
	case s.signed || v < 0:
		return s.wrap(uint64(int64(v)))
	}
	return s.wrap(uint64(v))
}

// wrap brings a cell into the range of an integer type.
func (s *scalar) wrap(v uint64) uint64 {
	drop := 64 - s.bits
	if s.signed {
		return uint64(int64(v<<drop) >> drop)
	}
	return v << drop >> drop
}

// number is the cell of an integer as such.
func (s *scalar) number(cell uint64) *big.Int {
	if s.signed {
		return big.NewInt(int64(cell))
	}
	return new(big.Int).SetUint64(cell)
}

// wrapped makes a cell of any integer.
func (s *scalar) wrapped(v *big.Int) uint64 {
	low := new(big.Int).And(v, new(big.Int).SetUint64(math.MaxUint64)) // And goes by two's complement
	return s.wrap(low.Uint64())
}

// limits are the least and greatest integer of the type.
func (s *scalar) limits() (low, high *big.Int) {
	one := big.NewInt(1)
	if s.signed {
		high = new(big.Int).Lsh(one, uint(s.bits-1))
		low = new(big.Int).Neg(high)
		return low, high.Sub(high, one)
	}
	high = new(big.Int).Lsh(one, uint(s.bits))
	return new(big.Int), high.Sub(high, one)
}

// buffer makes a buffer of cells.
func (s *scalar) buffer(cells []uint64) any {
	v := reflect.MakeSlice(reflect.TypeOf(s.slice), len(cells), len(cells))
	for i, c := range cells {
		e := v.Index(i)
		switch f := math.Float64frombits(c); {
		case s == boolType:
			e.SetBool(c != 0)
		case s == halfType:
			e.SetUint(uint64(float16.Fromfloat32(float32(f))))
		case s == bfloatType:
			e.SetUint(uint64(math.Float32bits(float32(f)) >> 16))
		case s == floatType:
			e.SetFloat(f)
		case s.signed:
			e.SetInt(int64(c))
		default:
			e.SetUint(c)
		}
	}
	return v.Interface()
}

// cells reads a buffer.
func (s *scalar) cells(buffer any) []uint64 {
	v := reflect.ValueOf(buffer)
	cells := make([]uint64, v.Len())
	for i := range cells {
		e := v.Index(i)
		switch {
		case s == boolType:
			if e.Bool() {
				cells[i] = 1
			}
		case s == halfType:
			cells[i] = math.Float64bits(float64(float16.Frombits(uint16(e.Uint())).Float32()))
		case s == bfloatType:
			cells[i] = math.Float64bits(float64(math.Float32frombits(uint32(e.Uint()) << 16)))
		case s == floatType:
			cells[i] = math.Float64bits(e.Float())
		case s.signed:
			cells[i] = uint64(e.Int())
		default:
			cells[i] = e.Uint()
		}
	}
	return cells
}

// text is a cell for messages.
func (s *scalar) text(cell uint64) string {
	switch {
	case s.digits > 0:
		f := math.Float64frombits(cell)
		return fmt.Sprintf("%v (%x)", f, f)
	case s.signed:
		return fmt.Sprint(int64(cell))
	}
	return fmt.Sprint(cell)
}

// sameCell reports whether two cells hold the same: of floating-point numbers
// the same bits, or both no number.
func (s *scalar) sameCell(a, b uint64) bool {
	x, y := math.Float64frombits(a), math.Float64frombits(b)
	return a == b || s.digits > 0 && x != x && y != y
}

// vectorName is the type of n elements.
func (s *scalar) vectorName(n int) string {
	if n == 1 {
		return s.name
	}
	return fmt.Sprintf("%s%d", s.name, n)
}

// snippet is a piece of MSL that computes y0, y1, ... from x0, x1, ..., all of
// them vectors of n elements, or scalars where n is 1. In its text $0 is the type
// of x0, and so on.
type snippet struct {
	body    string
	in, out []*scalar
	n       int
	whole   []bool // of in: passed as scalars, one for each vector
	uniform []bool // of in: a simd-group loads its first value only, see blocks
}

func (s *snippet) isWhole(i int) bool { return i < len(s.whole) && s.whole[i] }

func (s *snippet) isUniform(i int) bool { return i < len(s.uniform) && s.uniform[i] }

// blocks makes arguments of n elements for simd-groups from some values: all lanes
// pass the same one, or each its own.
func blocks(v []uint64, n int, uniform bool, seed int) []uint64 {
	var cells []uint64
	for k := range v {
		for l := range width {
			for e := range n {
				i := k*n + e + seed
				if !uniform {
					i = k*(2*seed+5) + l*n + e
				}
				cells = append(cells, v[i%len(v)])
			}
		}
	}
	return cells
}

// run computes for cells; each vector takes n.
func (s *snippet) run(t testing.TB, args ...[]uint64) [][]uint64 {
	t.Helper()
	var params, body strings.Builder
	count := (len(args[0]) + s.n - 1) / s.n
	var buffers []any
	load := func(n int, name, index string) string {
		if n == 1 {
			return name + "[" + index + "]"
		}
		var elements []string
		for j := range n {
			elements = append(elements, fmt.Sprintf("%s[%d * %s + %d]", name, n, index, j))
		}
		return strings.Join(elements, ", ")
	}
	replacements := []string{}
	for i, x := range s.in {
		n := s.n
		if s.isWhole(i) {
			n = 1
		}
		fmt.Fprintf(&params, "device const %s* a%d, ", x.name, i)
		index := "i"
		if s.isUniform(i) {
			index = "(32 * g)"
		}
		fmt.Fprintf(&body, "\t%s x%d(%s);\n", x.vectorName(n), i, load(n, fmt.Sprintf("a%d", i), index))
		cells := args[i]
		for len(cells) < count*n { // a last vector that is not full
			cells = append(cells[:len(cells):len(cells)], cells[0])
		}
		buffers = append(buffers, x.buffer(cells))
		replacements = append(replacements, fmt.Sprintf("$%d", i), x.vectorName(n))
	}
	for i, y := range s.out {
		fmt.Fprintf(&params, "device %s* r%d, ", y.name, i)
		fmt.Fprintf(&body, "\t%s y%d;\n", y.vectorName(s.n), i)
		buffers = append(buffers, y.buffer(make([]uint64, count*s.n)))
	}
	fmt.Fprintf(&body, "\t%s;\n", strings.NewReplacer(replacements...).Replace(s.body))
	for i := range s.out {
		if s.n == 1 {
			fmt.Fprintf(&body, "\tr%d[i] = y%d;\n", i, i)
			continue
		}
		for j := range s.n {
			fmt.Fprintf(&body, "\tr%d[%d * i + %d] = y%d[%d];\n", i, s.n, j, i, j)
		}
	}
	source := fmt.Sprintf(`kernel void test(%sconstant uint& count, uint i [[thread_position_in_grid]],
		uint g [[threadgroup_position_in_grid]]) {
	if (i >= count) return;
%s}`, &params, &body)
	group := 256
	if len(s.uniform) > 0 {
		group = width
	}
	compute(t, source, driver.Grid{Threadgroups: [3]int{(count + group - 1) / group, 1, 1}, Threads: [3]int{group, 1, 1}},
		append(buffers, uint32(count))...)
	var results [][]uint64
	for i, y := range s.out {
		results = append(results, y.cells(buffers[len(s.in)+i]))
	}
	return results
}
