package cpu

import (
	"fmt"
	"math"
	"math/big"
	"reflect"
	"slices"
	"testing"
)

// The tests of the language compare the device with this model of MSL's scalars:
// a number at a time, in the arithmetic of Go and of math/big. It shares no code
// with the device.

// number is a scalar of MSL.
type number struct {
	kind string
	i    uint64  // of integers and bool, sign- or zero-extended
	f    float64 // of the others
}

// scalarModel is what sets a scalar type apart. rank orders types as the usual
// arithmetic conversions do.
type scalarModel struct {
	bits     int
	signed   bool
	floating bool
	rank     int
	digits   int // of a significand
	least    int // exponent of the smallest subnormal
	most     float64
}

var scalarModels = map[string]scalarModel{
	"bool":   {bits: 1, rank: 0},
	"char":   {bits: 8, signed: true, rank: 1},
	"uchar":  {bits: 8, rank: 2},
	"short":  {bits: 16, signed: true, rank: 3},
	"ushort": {bits: 16, rank: 4},
	"int":    {bits: 32, signed: true, rank: 5},
	"uint":   {bits: 32, rank: 6},
	"long":   {bits: 64, signed: true, rank: 7},
	"ulong":  {bits: 64, rank: 8},
	"half":   {floating: true, rank: 9, digits: 11, least: -24, most: 65504},
	"bfloat": {floating: true, rank: 10, digits: 8, least: -133, most: 0x1.fep127},
	"float":  {floating: true, rank: 11, digits: 24, least: -149, most: math.MaxFloat32},
}

var (
	integerKinds = []string{"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"}
	floatKinds   = []string{"half", "bfloat", "float"}
	allKinds     = slices.Concat([]string{"bool"}, integerKinds, floatKinds)
)

func (n number) String() string {
	if scalarModels[n.kind].floating {
		return fmt.Sprintf("%s %g", n.kind, n.f)
	}
	if scalarModels[n.kind].signed {
		return fmt.Sprintf("%s %d", n.kind, int64(n.i))
	}
	return fmt.Sprintf("%s %d", n.kind, n.i)
}

func (n number) same(m number) bool {
	if n.kind != m.kind {
		return false
	}
	if scalarModels[n.kind].floating {
		return math.Float64bits(n.f) == math.Float64bits(m.f) || n.f != n.f && m.f != m.f
	}
	return n.i == m.i
}

func (n number) isTrue() bool {
	if scalarModels[n.kind].floating {
		return n.f != 0
	}
	return n.i != 0
}

// integerOf cuts bits to the width of a type.
func integerOf(kind string, bits uint64) number {
	switch kind {
	case "bool":
		bits &= 1
	case "char":
		bits = uint64(int8(bits))
	case "uchar":
		bits = uint64(uint8(bits))
	case "short":
		bits = uint64(int16(bits))
	case "ushort":
		bits = uint64(uint16(bits))
	case "int":
		bits = uint64(int32(bits))
	case "uint":
		bits = uint64(uint32(bits))
	}
	return number{kind: kind, i: bits}
}

// floatOf rounds to the precision of a type: to nearest, ties to even, with
// subnormals and with infinity beyond the greatest value.
func floatOf(kind string, f float64) number {
	if kind == "float" {
		return number{kind: kind, f: float64(float32(f))}
	}
	m := scalarModels[kind]
	if f != 0 && !math.IsInf(f, 0) && f == f {
		_, exponent := math.Frexp(f)
		quantum := max(exponent-m.digits, m.least)
		sign := f
		f = math.Ldexp(math.RoundToEven(math.Ldexp(f, -quantum)), quantum)
		if math.Abs(f) > m.most {
			f = math.Inf(1)
		}
		f = math.Copysign(f, sign)
	}
	return number{kind: kind, f: f}
}

// to converts as MSL does; of what a float is beyond an integer's range it takes
// the nearest value, and 0 of what is no number.
func (n number) to(kind string) number {
	from, to := scalarModels[n.kind], scalarModels[kind]
	switch {
	case kind == n.kind:
		return n
	case kind == "bool":
		return boolNumber(n.isTrue())
	case from.floating && to.floating:
		return floatOf(kind, n.f)
	case from.floating:
		return integerFromFloat(kind, n.f)
	case to.floating:
		v := new(big.Float).SetPrec(64)
		if from.signed {
			v.SetInt64(int64(n.i))
		} else {
			v.SetUint64(n.i)
		}
		f, _ := v.SetMode(big.ToNearestEven).SetPrec(uint(to.digits)).Float64()
		return floatOf(kind, f)
	}
	return integerOf(kind, n.i)
}

func integerFromFloat(kind string, f float64) number {
	if f != f {
		return number{kind: kind}
	}
	m := scalarModels[kind]
	low, high := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(m.bits))
	if m.signed {
		high.Rsh(high, 1)
		low.Neg(high)
	}
	high.Sub(high, big.NewInt(1))
	var v *big.Int
	switch {
	case math.IsInf(f, 1):
		v = high
	case math.IsInf(f, -1):
		v = low
	default:
		v, _ = big.NewFloat(f).Int(nil)
	}
	if v.Cmp(low) < 0 {
		v = low
	}
	if v.Cmp(high) > 0 {
		v = high
	}
	if m.signed {
		return number{kind: kind, i: uint64(v.Int64())}
	}
	return number{kind: kind, i: v.Uint64()}
}

func boolNumber(b bool) number {
	if b {
		return number{kind: "bool", i: 1}
	}
	return number{kind: "bool"}
}

// commonKind is the type that the usual arithmetic conversions come to.
func commonKind(a, b string) string {
	if a == "half" && b == "bfloat" || a == "bfloat" && b == "half" {
		return "float"
	}
	if scalarModels[b].rank > scalarModels[a].rank {
		a = b
	}
	if scalarModels[a].rank < scalarModels["int"].rank {
		return "int"
	}
	return a
}

var (
	arithmeticSigns = []string{"+", "-", "*", "/"}
	integerSigns    = []string{"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"}
	compareSigns    = []string{"==", "!=", "<", "<=", ">", ">="}
)

// signsFor are the operators that two types take, and the type of the results.
func signsFor(a, b string) (signs []string, kind string) {
	if scalarModels[a].floating || scalarModels[b].floating {
		return arithmeticSigns, commonKind(a, b)
	}
	return integerSigns, commonKind(a, b)
}

// operate computes x op y of scalars. Integer divisions by zero have no result.
func operate(op string, x, y number) (number, bool) {
	if op == "<<" || op == ">>" {
		return shiftIn(commonKind(x.kind, x.kind), op, x, y), true
	}
	return operateIn(commonKind(x.kind, y.kind), op, x, y)
}

// shiftIn shifts in a type; the count is taken modulo its width.
func shiftIn(kind, op string, x, y number) number {
	x = x.to(kind)
	count := y.i % uint64(scalarModels[kind].bits)
	switch {
	case op == "<<":
		return integerOf(kind, x.i<<count)
	case scalarModels[kind].signed:
		return integerOf(kind, uint64(int64(x.i)>>count))
	}
	return integerOf(kind, x.i>>count)
}

// operateIn computes x op y in a type.
func operateIn(kind, op string, x, y number) (number, bool) {
	if op == "<<" || op == ">>" {
		return shiftIn(kind, op, x, y), true
	}
	x, y = x.to(kind), y.to(kind)
	m := scalarModels[kind]
	var less, equal bool
	switch {
	case m.floating:
		less, equal = x.f < y.f, x.f == y.f
	case m.signed:
		less, equal = int64(x.i) < int64(y.i), x.i == y.i
	default:
		less, equal = x.i < y.i, x.i == y.i
	}
	switch op {
	case "==":
		return boolNumber(equal), true
	case "!=":
		return boolNumber(!equal), true
	case "<":
		return boolNumber(less), true
	case "<=":
		return boolNumber(less || equal), true
	case ">":
		return boolNumber(!less && !equal && x.f == x.f && y.f == y.f), true
	case ">=":
		return boolNumber(!less && x.f == x.f && y.f == y.f), true
	}
	if m.floating {
		var f float64
		switch op {
		case "+":
			f = x.f + y.f
		case "-":
			f = x.f - y.f
		case "*":
			f = x.f * y.f
		case "/":
			f = x.f / y.f
		}
		// 53 digits are more than twice those of any of the types, and two
		// more: rounding twice is the same as rounding once
		return floatOf(kind, f), true
	}
	switch op {
	case "+":
		return integerOf(kind, x.i+y.i), true
	case "-":
		return integerOf(kind, x.i-y.i), true
	case "*":
		return integerOf(kind, x.i*y.i), true
	case "&":
		return integerOf(kind, x.i&y.i), true
	case "|":
		return integerOf(kind, x.i|y.i), true
	case "^":
		return integerOf(kind, x.i^y.i), true
	case "/", "%":
		if y.i == 0 {
			return number{kind: kind}, false
		}
		switch {
		case m.signed && op == "/":
			return integerOf(kind, uint64(int64(x.i)/int64(y.i))), true
		case m.signed:
			return integerOf(kind, uint64(int64(x.i)%int64(y.i))), true
		case op == "/":
			return integerOf(kind, x.i/y.i), true
		}
		return integerOf(kind, x.i%y.i), true
	}
	panic("no operator " + op)
}

// negated, inverted are -x and ~x in a type.
func negated(kind string, x number) number {
	x = x.to(kind)
	if scalarModels[kind].floating {
		return number{kind: kind, f: -x.f}
	}
	return integerOf(kind, -x.i)
}

func inverted(kind string, x number) number { return integerOf(kind, ^x.to(kind).i) }

// buffer makes numbers into the memory of a buffer of their type.
func buffer(kind string, values []number) any {
	each := func(make func(n int), put func(i int, v number)) {
		make(len(values))
		for i, v := range values {
			put(i, v.to(kind))
		}
	}
	switch scalarModels[kind].bits {
	case 1, 8:
		var b []uint8
		each(func(n int) { b = make([]uint8, n) }, func(i int, v number) { b[i] = uint8(v.i) })
		return b
	case 16:
		var b []uint16
		each(func(n int) { b = make([]uint16, n) }, func(i int, v number) { b[i] = uint16(v.i) })
		return b
	case 32:
		var b []uint32
		each(func(n int) { b = make([]uint32, n) }, func(i int, v number) { b[i] = uint32(v.i) })
		return b
	case 64:
		var b []uint64
		each(func(n int) { b = make([]uint64, n) }, func(i int, v number) { b[i] = v.i })
		return b
	}
	if kind == "float" {
		var b []float32
		each(func(n int) { b = make([]float32, n) }, func(i int, v number) { b[i] = float32(v.f) })
		return b
	}
	var b []uint16
	each(func(n int) { b = make([]uint16, n) }, func(i int, v number) { b[i] = float16Bits(kind, v.f) })
	return b
}

// float16Bits encodes a value that a half or bfloat has.
func float16Bits(kind string, f float64) uint16 {
	if kind == "bfloat" {
		return uint16(math.Float32bits(float32(f)) >> 16)
	}
	var sign uint16
	if math.Signbit(f) {
		sign, f = 1<<15, -f
	}
	switch {
	case f != f:
		return 0x7e00
	case f > 65504:
		return sign | 0x7c00
	case f < 0x1p-14:
		return sign | uint16(f*0x1p24)
	}
	fraction, exponent := math.Frexp(f)
	return sign | uint16(exponent+14)<<10 | uint16(fraction*2048)&0x3ff
}

// float16Value decodes a half or bfloat.
func float16Value(kind string, b uint16) float64 {
	if kind == "bfloat" {
		return float64(math.Float32frombits(uint32(b) << 16))
	}
	f := float64(b & 0x3ff)
	switch exponent := int(b >> 10 & 31); exponent {
	case 0:
		f = math.Ldexp(f, -24)
	case 31:
		if f != 0 {
			return math.NaN()
		}
		f = math.Inf(1)
	default:
		f = math.Ldexp(f+1024, exponent-25)
	}
	if b>>15 != 0 {
		f = -f
	}
	return f
}

// numbers reads a buffer.
func numbers(kind string, memory any) []number {
	list := make([]number, 0, reflect.ValueOf(memory).Len())
	switch memory := memory.(type) {
	case []uint8:
		for _, v := range memory {
			n := integerOf(kind, uint64(v))
			if kind == "bool" && v > 1 {
				n.i = uint64(v) // no bool: let it differ from all
			}
			list = append(list, n)
		}
	case []uint16:
		for _, v := range memory {
			if scalarModels[kind].floating {
				list = append(list, number{kind: kind, f: float16Value(kind, v)})
			} else {
				list = append(list, integerOf(kind, uint64(v)))
			}
		}
	case []uint32:
		for _, v := range memory {
			list = append(list, integerOf(kind, uint64(v)))
		}
	case []uint64:
		for _, v := range memory {
			list = append(list, integerOf(kind, v))
		}
	case []float32:
		for _, v := range memory {
			list = append(list, number{kind: kind, f: float64(v)})
		}
	}
	return list
}

// empty is a buffer for n results.
func empty(kind string, n int) any { return buffer(kind, make([]number, n)) }

// interesting are the values of a type at which mistakes show.
func interesting(kind string) []number {
	m := scalarModels[kind]
	var list []number
	if m.floating {
		for _, f := range []float64{
			0, math.Copysign(0, -1), 1, -1, 0.5, -1.5, 2.75, 3, -7, 100.25, 255.5, -129, 300, 40000, 65504,
			1e-3, -6e-8, 1e6, -3e9, 1e19, -1e20,
			math.Ldexp(1, m.least), m.most, -m.most, math.Inf(1), math.Inf(-1), math.NaN(),
		} {
			list = append(list, floatOf(kind, f))
		}
		return list
	}
	if kind == "bool" {
		return []number{{kind: kind}, {kind: kind, i: 1}}
	}
	top := uint64(1) << (m.bits - 1)
	for _, v := range []uint64{
		0, 1, 2, 3, 5, 7, 8, 31, 33, 64, 100, top - 1, top, top + 1,
		^uint64(0), ^uint64(0) - 1, ^uint64(6), ^uint64(99), 0x01010001, 0x5a5a5a5a5a5a5a5a,
	} {
		list = append(list, integerOf(kind, v))
	}
	return list
}

// check compares what a kernel left with what was expected, and reports the first
// few differences; name says what result i is.
func check(t *testing.T, kind string, memory any, want []number, name func(i int) string) {
	t.Helper()
	bad := 0
	for i, got := range numbers(kind, memory)[:len(want)] {
		if w := want[i]; !got.same(w) {
			if bad++; bad > 6 {
				t.Fatal("... and so on")
			}
			t.Errorf("%s = %v, want %v", name(i), got, w)
		}
	}
}

func TestResultsThatAreReferences(t *testing.T) {
	runClassCases(t, []classCase{
		{"auto& and const auto&", `
struct S { int a, b; };
auto& larger(thread S& s) { if (s.a > s.b) return s.a; return s.b; }
const auto& first(thread const S& s) { return s.a; }
int f(int x) {
	S s = {x, 3};
	larger(s) += 100;
	auto second = [](thread S& t) -> thread int& { return t.b; };
	auto again = [](thread S& t) -> auto& { return t.b; };
	second(s) += 1;
	again(s) += 1;
	return s.a * 1000 + s.b + first(s);
}`, func(x int32) int32 {
			a, b := x, int32(3)
			if a > b {
				a += 100
			} else {
				b += 100
			}
			b += 2
			return a*1000 + b + a
		}},
		{"a result that is what an object inherits", `
struct Base { int n; };
struct S : Base { int m; thread Base& base() { return *this; } };
struct Pair { S s; thread Base& first() { return s; } thread Base& own() { return this->s; } };
thread Base& of(thread S& s) { return s; }
int f(int x) {
	Pair p;
	p.first().n = x;
	p.own().n += 3;
	of(p.s).n *= 2;
	p.s.base().n -= 1;
	p.s.m = 5;
	Base b = p.first();
	return b.n * 10 + p.s.m;
}`, func(x int32) int32 { return (2*(x+3)-1)*10 + 5 }},
		{"const_cast writes to the variable", `
struct S { int n; int get() const { return n; } };
void set(thread const int& x, int v) { const_cast<thread int&>(x) = v; }
void put(thread const int* x, int v) { *const_cast<thread int*>(x) = v; }
int f(int x) {
	int a = 1, b = 2;
	S s = {x};
	const thread S& c = s;
	((thread S&)c).n += 5;
	set(a, x);
	put(&b, 2 * x);
	return a + 10 * b + 100 * s.get();
}`, func(x int32) int32 {
			return x + 20*x + 100*(x+5)
		}},
	})
}
