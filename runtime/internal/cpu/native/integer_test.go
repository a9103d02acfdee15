package native

import (
	"cmp"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/metalgen/metalgen/internal/fmath"
)

// on32 and on64 make references of functions on integers of a type, which get and return their bits.
func on32[T int32 | uint32](f func(a, b T) T) func(a, b uint64) uint64 {
	return func(a, b uint64) uint64 { return uint64(uint32(f(T(a), T(b)))) }
}

func on64[T int64 | uint64](f func(a, b T) T) func(a, b uint64) uint64 {
	return func(a, b uint64) uint64 { return uint64(f(T(a), T(b))) }
}

func onFloat(f func(v float32) uint64) func(a, b uint64) uint64 {
	return func(a, _ uint64) uint64 { return f(math.Float32frombits(uint32(a))) }
}

// holds makes references of comparisons of a type.
func holds[T cmp.Ordered](of func(v uint64) T, f func(order int) bool) func(a, b uint64) uint64 {
	return func(a, b uint64) uint64 {
		x, y := of(a), of(b)
		result := f(cmp.Compare(x, y))
		if x != x || y != y {
			result = f(-1) && f(1) // of NaNs, only "not equal" holds
		}
		if result {
			return 1
		}
		return 0
	}
}

func asInt(v uint64) int32     { return int32(v) }
func asUint(v uint64) uint32   { return uint32(v) }
func asLong(v uint64) int64    { return int64(v) }
func asUlong(v uint64) uint64  { return v }
func asFloat(v uint64) float32 { return math.Float32frombits(uint32(v)) }

func equal(order int) bool     { return order == 0 }
func notEqual(order int) bool  { return order != 0 }
func less(order int) bool      { return order < 0 }
func lessEqual(order int) bool { return order <= 0 }

// quotient and remainder leave out what has none.
func quotient[T int32 | uint32 | int64 | uint64](a, b T) T {
	if b == 0 {
		return 0
	}
	return a / b
}

func remainder[T int32 | uint32 | int64 | uint64](a, b T) T {
	if b == 0 {
		return 0
	}
	return a % b
}

// integers are the operations on integers, the comparisons and the conversions, with what computes one lane.
var integers = []struct {
	op   Op
	name string
	of   func(a, b uint64) uint64
}{
	{AddWord, "+", on32(func(a, b uint32) uint32 { return a + b })},
	{SubWord, "-", on32(func(a, b uint32) uint32 { return a - b })},
	{MulWord, "*", on32(func(a, b uint32) uint32 { return a * b })},
	{NegWord, "neg", on32(func(a, _ uint32) uint32 { return -a })},
	{NotWord, "not", on32(func(a, _ uint32) uint32 { return ^a })},
	{AndWord, "and", on32(func(a, b uint32) uint32 { return a & b })},
	{OrWord, "or", on32(func(a, b uint32) uint32 { return a | b })},
	{XorWord, "xor", on32(func(a, b uint32) uint32 { return a ^ b })},
	{ShlWord, "<<", on32(func(a, b uint32) uint32 { return a << (b & 31) })},
	{ShrInt, ">> int", on32(func(a, b int32) int32 { return a >> (b & 31) })},
	{ShrUint, ">> uint", on32(func(a, b uint32) uint32 { return a >> (b & 31) })},
	{DivInt, "/ int", on32(quotient[int32])},
	{DivUint, "/ uint", on32(quotient[uint32])},
	{ModInt, "% int", on32(remainder[int32])},
	{ModUint, "% uint", on32(remainder[uint32])},
	{MinInt, "min int", on32(func(a, b int32) int32 { return min(a, b) })},
	{MinUint, "min uint", on32(func(a, b uint32) uint32 { return min(a, b) })},
	{MaxInt, "max int", on32(func(a, b int32) int32 { return max(a, b) })},
	{MaxUint, "max uint", on32(func(a, b uint32) uint32 { return max(a, b) })},

	{AddLong, "+ long", on64(func(a, b uint64) uint64 { return a + b })},
	{SubLong, "- long", on64(func(a, b uint64) uint64 { return a - b })},
	{MulLong, "* long", on64(func(a, b uint64) uint64 { return a * b })},
	{NegLong, "neg long", on64(func(a, _ uint64) uint64 { return -a })},
	{NotLong, "not long", on64(func(a, _ uint64) uint64 { return ^a })},
	{AndLong, "and long", on64(func(a, b uint64) uint64 { return a & b })},
	{OrLong, "or long", on64(func(a, b uint64) uint64 { return a | b })},
	{XorLong, "xor long", on64(func(a, b uint64) uint64 { return a ^ b })},
	{ShlLong, "<< long", on64(func(a, b uint64) uint64 { return a << (b & 63) })},
	{ShrLong, ">> long", func(a, b uint64) uint64 { return uint64(int64(a) >> (b & 63)) }},
	{ShrUlong, ">> ulong", on64(func(a, b uint64) uint64 { return a >> (b & 63) })},
	{DivLong, "/ long", on64(quotient[int64])},
	{DivUlong, "/ ulong", on64(quotient[uint64])},
	{ModLong, "% long", on64(remainder[int64])},
	{ModUlong, "% ulong", on64(remainder[uint64])},
	{MinLong, "min long", on64(func(a, b int64) int64 { return min(a, b) })},
	{MinUlong, "min ulong", on64(func(a, b uint64) uint64 { return min(a, b) })},
	{MaxLong, "max long", on64(func(a, b int64) int64 { return max(a, b) })},
	{MaxUlong, "max ulong", on64(func(a, b uint64) uint64 { return max(a, b) })},

	{EqualWord, "== word", holds(asUint, equal)},
	{NotEqualWord, "!= word", holds(asUint, notEqual)},
	{LessInt, "< int", holds(asInt, less)},
	{LessUint, "< uint", holds(asUint, less)},
	{LessEqualInt, "<= int", holds(asInt, lessEqual)},
	{LessEqualUint, "<= uint", holds(asUint, lessEqual)},
	{EqualLong, "== long", holds(asUlong, equal)},
	{NotEqualLong, "!= long", holds(asUlong, notEqual)},
	{LessLong, "< long", holds(asLong, less)},
	{LessUlong, "< ulong", holds(asUlong, less)},
	{LessEqualLong, "<= long", holds(asLong, lessEqual)},
	{LessEqualUlong, "<= ulong", holds(asUlong, lessEqual)},
	{EqualFloat, "== float", holds(asFloat, equal)},
	{NotEqualFloat, "!= float", holds(asFloat, notEqual)},
	{LessFloat, "< float", holds(asFloat, less)},
	{LessEqualFloat, "<= float", holds(asFloat, lessEqual)},

	{WidenInt, "long of int", func(a, _ uint64) uint64 { return uint64(int64(int32(a))) }},
	{WidenUint, "long of uint", func(a, _ uint64) uint64 { return uint64(uint32(a)) }},
	{Narrow, "int of long", func(a, _ uint64) uint64 { return uint64(uint32(a)) }},
	{FloatFromInt, "float of int", func(a, _ uint64) uint64 { return uint64(math.Float32bits(float32(int32(a)))) }},
	{FloatFromUint, "float of uint", func(a, _ uint64) uint64 { return uint64(math.Float32bits(float32(uint32(a)))) }},
	{FloatToInt, "int of float", onFloat(func(v float32) uint64 { return uint64(uint32(fmath.IntFromFloat(v))) })},
	{FloatToUint, "uint of float", onFloat(func(v float32) uint64 { return uint64(fmath.UintFromFloat(v)) })},
	{WrapChar, "char", on32(func(a, _ int32) int32 { return int32(int8(a)) })},
	{WrapUchar, "uchar", on32(func(a, _ int32) int32 { return int32(uint8(a)) })},
	{WrapShort, "short", on32(func(a, _ int32) int32 { return int32(int16(a)) })},
	{WrapUshort, "ushort", on32(func(a, _ int32) int32 { return int32(uint16(a)) })},
	{WordIsNotZero, "bool of word", holds(asUint, notEqual)},
	{LongIsNotZero, "bool of long", holds(asUlong, notEqual)},
	{FloatIsNotZero, "bool of float", holds(asFloat, notEqual)},
}

// integerEdges are numbers where integers, and floats with their bits, do something else.
var integerEdges = []uint64{
	0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 127, 128, 255, 256, 1<<15 - 1, 1 << 15, 1<<16 - 1, 1 << 24, 1<<24 + 1,
	1<<31 - 1, 1 << 31, 1<<31 + 1, 1<<32 - 1, 1 << 32, 1<<32 + 1, 1<<63 - 1, 1 << 63, 1<<64 - 1, 1<<64 - 2,
	0x4f000000, 0x4effffff, 0xcf000000, 0xcf000001, 0x4f800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x80000001, 0xbf800000,
}

func anyInteger(r *rand.Rand) uint64 {
	if r.IntN(2) == 0 {
		return integerEdges[r.IntN(len(integerEdges))]
	}
	return r.Uint64() >> r.IntN(64)
}

// set sets lane l of a register that holds values of a class, and get returns it.
func (r *testRegister) set(l int, c class, v uint64) {
	words := (*[2 * width]uint32)(unsafe.Pointer(&r.lanes))
	if c == long {
		words[2*l], words[2*l+1] = uint32(v), uint32(v>>32)
	} else {
		words[l] = uint32(v)
	}
}

func (r *testRegister) get(l int, c class) uint64 {
	words := (*[2 * width]uint32)(unsafe.Pointer(&r.lanes))
	switch c {
	case mask:
		return uint64(words[0] >> l & 1)
	case long:
		return uint64(words[2*l]) | uint64(words[2*l+1])<<32
	}
	return uint64(words[l])
}

// setBase sets what all lanes hold, and getBase returns it.
func (r *testRegister) setBase(c class, v uint64) {
	if r.long = v; c != long {
		r.base = math.Float32frombits(uint32(v))
	}
}

func (r *testRegister) getBase(c class) uint64 {
	switch c {
	case mask:
		return r.get(0, mask)
	case long:
		return r.long
	}
	return uint64(math.Float32bits(r.base))
}

func TestIntegersComparisonsAndConversionsAreThoseOfGo(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for _, in := range integers {
		classes := operations[in.op]
		divides := in.op >= DivInt && in.op <= ModUint || in.op >= DivLong && in.op <= ModUlong
		for _, uniform := range []bool{false, true} {
			if !uniform && in.op >= DivLong && in.op <= ModUlong {
				continue // the interpreter's
			}
			o := compileOperation(t, in.op, uniform)
			regs := &o.frame.registers
			bails := 0
			for range 60 {
				active := anyMasks(r)[r.IntN(5)] | 1
				for l := range width {
					a, b := anyInteger(r), anyInteger(r)
					if classes.a == word {
						a = uint64(uint32(a))
					}
					if classes.b == word {
						b = uint64(uint32(b))
					}
					if divides && r.IntN(200) > 0 {
						b |= 1
					}
					regs[0].set(l, classes.a, a)
					regs[1].set(l, classes.b, b)
				}
				regs[0].setBase(classes.a, regs[0].get(0, classes.a))
				regs[1].setBase(classes.b, regs[1].get(0, classes.b))
				if !o.run(t, active) {
					if bails++; !divides {
						t.Fatalf("%s is left to the interpreter", in.name)
					}
					continue
				}
				for l := range width {
					if active>>l&1 == 0 || uniform && l > 0 {
						continue
					}
					a, b := regs[0].get(l, classes.a), uint64(0)
					if classes.b != none {
						b = regs[1].get(l, classes.b)
					}
					got := regs[3].get(l, classes.d)
					if uniform {
						got = regs[3].getBase(classes.d)
					}
					if want := in.of(a, b); got != want {
						t.Fatalf("%s of %#x and %#x, uniform %t: %#x, want %#x", in.name, a, b, uniform, got, want)
					}
				}
			}
			if bails > 50 {
				t.Errorf("%s is left to the interpreter %d times", in.name, bails)
			}
		}
	}
}
