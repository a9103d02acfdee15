package native

import (
	"cmp"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/metalgen/metalgen/internal/fmath"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
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
	op   wide.Op
	name string
	of   func(a, b uint64) uint64
}{
	{wide.AddWord, "+", on32(func(a, b uint32) uint32 { return a + b })},
	{wide.SubWord, "-", on32(func(a, b uint32) uint32 { return a - b })},
	{wide.MulWord, "*", on32(func(a, b uint32) uint32 { return a * b })},
	{wide.NegWord, "neg", on32(func(a, _ uint32) uint32 { return -a })},
	{wide.NotWord, "not", on32(func(a, _ uint32) uint32 { return ^a })},
	{wide.AndWord, "and", on32(func(a, b uint32) uint32 { return a & b })},
	{wide.OrWord, "or", on32(func(a, b uint32) uint32 { return a | b })},
	{wide.XorWord, "xor", on32(func(a, b uint32) uint32 { return a ^ b })},
	{wide.ShlWord, "<<", on32(func(a, b uint32) uint32 { return a << (b & 31) })},
	{wide.ShrInt, ">> int", on32(func(a, b int32) int32 { return a >> (b & 31) })},
	{wide.ShrUint, ">> uint", on32(func(a, b uint32) uint32 { return a >> (b & 31) })},
	{wide.DivInt, "/ int", on32(quotient[int32])},
	{wide.DivUint, "/ uint", on32(quotient[uint32])},
	{wide.ModInt, "% int", on32(remainder[int32])},
	{wide.ModUint, "% uint", on32(remainder[uint32])},
	{wide.MinInt, "min int", on32(func(a, b int32) int32 { return min(a, b) })},
	{wide.MinUint, "min uint", on32(func(a, b uint32) uint32 { return min(a, b) })},
	{wide.MaxInt, "max int", on32(func(a, b int32) int32 { return max(a, b) })},
	{wide.MaxUint, "max uint", on32(func(a, b uint32) uint32 { return max(a, b) })},
	{wide.RotateWord, "rotate", on32(func(a, b uint32) uint32 { return bits.RotateLeft32(a, int(b&31)) })},
	{wide.LeadingZeros, "clz", on32(func(a, _ uint32) uint32 { return uint32(bits.LeadingZeros32(a)) })},
	{wide.MulHighInt, "mulhi int", on32(func(a, b int32) int32 { return int32(int64(a) * int64(b) >> 32) })},
	{wide.MulHighUint, "mulhi uint", on32(func(a, b uint32) uint32 { return uint32(uint64(a) * uint64(b) >> 32) })},

	{wide.AddLong, "+ long", on64(func(a, b uint64) uint64 { return a + b })},
	{wide.SubLong, "- long", on64(func(a, b uint64) uint64 { return a - b })},
	{wide.MulLong, "* long", on64(func(a, b uint64) uint64 { return a * b })},
	{wide.NegLong, "neg long", on64(func(a, _ uint64) uint64 { return -a })},
	{wide.NotLong, "not long", on64(func(a, _ uint64) uint64 { return ^a })},
	{wide.AndLong, "and long", on64(func(a, b uint64) uint64 { return a & b })},
	{wide.OrLong, "or long", on64(func(a, b uint64) uint64 { return a | b })},
	{wide.XorLong, "xor long", on64(func(a, b uint64) uint64 { return a ^ b })},
	{wide.ShlLong, "<< long", on64(func(a, b uint64) uint64 { return a << (b & 63) })},
	{wide.ShrLong, ">> long", func(a, b uint64) uint64 { return uint64(int64(a) >> (b & 63)) }},
	{wide.ShrUlong, ">> ulong", on64(func(a, b uint64) uint64 { return a >> (b & 63) })},
	{wide.DivLong, "/ long", on64(quotient[int64])},
	{wide.DivUlong, "/ ulong", on64(quotient[uint64])},
	{wide.ModLong, "% long", on64(remainder[int64])},
	{wide.ModUlong, "% ulong", on64(remainder[uint64])},
	{wide.MinLong, "min long", on64(func(a, b int64) int64 { return min(a, b) })},
	{wide.MinUlong, "min ulong", on64(func(a, b uint64) uint64 { return min(a, b) })},
	{wide.MaxLong, "max long", on64(func(a, b int64) int64 { return max(a, b) })},
	{wide.MaxUlong, "max ulong", on64(func(a, b uint64) uint64 { return max(a, b) })},

	{wide.EqualWord, "== word", holds(asUint, equal)},
	{wide.NotEqualWord, "!= word", holds(asUint, notEqual)},
	{wide.LessInt, "< int", holds(asInt, less)},
	{wide.LessUint, "< uint", holds(asUint, less)},
	{wide.LessEqualInt, "<= int", holds(asInt, lessEqual)},
	{wide.LessEqualUint, "<= uint", holds(asUint, lessEqual)},
	{wide.EqualLong, "== long", holds(asUlong, equal)},
	{wide.NotEqualLong, "!= long", holds(asUlong, notEqual)},
	{wide.LessLong, "< long", holds(asLong, less)},
	{wide.LessUlong, "< ulong", holds(asUlong, less)},
	{wide.LessEqualLong, "<= long", holds(asLong, lessEqual)},
	{wide.LessEqualUlong, "<= ulong", holds(asUlong, lessEqual)},
	{wide.EqualFloat, "== float", holds(asFloat, equal)},
	{wide.NotEqualFloat, "!= float", holds(asFloat, notEqual)},
	{wide.LessFloat, "< float", holds(asFloat, less)},
	{wide.LessEqualFloat, "<= float", holds(asFloat, lessEqual)},

	{wide.WidenInt, "long of int", func(a, _ uint64) uint64 { return uint64(int64(int32(a))) }},
	{wide.WidenUint, "long of uint", func(a, _ uint64) uint64 { return uint64(uint32(a)) }},
	{wide.Narrow, "int of long", func(a, _ uint64) uint64 { return uint64(uint32(a)) }},
	{wide.FloatFromInt, "float of int", func(a, _ uint64) uint64 { return uint64(math.Float32bits(float32(int32(a)))) }},
	{wide.FloatFromUint, "float of uint", func(a, _ uint64) uint64 {
		return uint64(math.Float32bits(float32(uint32(a))))
	}},
	{wide.FloatToInt, "int of float", onFloat(func(v float32) uint64 { return uint64(uint32(fmath.IntFromFloat(v))) })},
	{wide.FloatToUint, "uint of float", onFloat(func(v float32) uint64 { return uint64(fmath.UintFromFloat(v)) })},
	{wide.HalfBits, "bits of half", onFloat(func(v float32) uint64 { return uint64(fmath.HalfBits(v)) })},
	{wide.BFloatBits, "bits of bfloat", onFloat(func(v float32) uint64 { return uint64(fmath.BFloatBits(v)) })},
	{wide.FloatOfHalf, "half of bits", on32(func(a, _ uint32) uint32 {
		return math.Float32bits(fmath.HalfFromBits(uint16(a)))
	})},
	{wide.FloatOfBFloat, "bfloat of bits", on32(func(a, _ uint32) uint32 {
		return math.Float32bits(fmath.BFloatFromBits(uint16(a)))
	})},
	{wide.WrapChar, "char", on32(func(a, _ int32) int32 { return int32(int8(a)) })},
	{wide.WrapUchar, "uchar", on32(func(a, _ int32) int32 { return int32(uint8(a)) })},
	{wide.WrapShort, "short", on32(func(a, _ int32) int32 { return int32(int16(a)) })},
	{wide.WrapUshort, "ushort", on32(func(a, _ int32) int32 { return int32(uint16(a)) })},
	{wide.WordIsNotZero, "bool of word", holds(asUint, notEqual)},
	{wide.LongIsNotZero, "bool of long", holds(asUlong, notEqual)},
	{wide.FloatIsNotZero, "bool of float", holds(asFloat, notEqual)},
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
func (r *testRegister) set(l int, c wide.Class, v uint64) {
	words := (*[2 * width]uint32)(unsafe.Pointer(&r.lanes))
	if c == wide.Long {
		words[2*l], words[2*l+1] = uint32(v), uint32(v>>32)
	} else {
		words[l] = uint32(v)
	}
}

func (r *testRegister) get(l int, c wide.Class) uint64 {
	words := (*[2 * width]uint32)(unsafe.Pointer(&r.lanes))
	switch c {
	case wide.Mask:
		return uint64(words[0] >> l & 1)
	case wide.Long:
		return uint64(words[2*l]) | uint64(words[2*l+1])<<32
	}
	return uint64(words[l])
}

// setBase sets what all lanes hold, and getBase returns it.
func (r *testRegister) setBase(c wide.Class, v uint64) {
	if r.long = v; c != wide.Long {
		r.base = math.Float32frombits(uint32(v))
	}
}

func (r *testRegister) getBase(c wide.Class) uint64 {
	switch c {
	case wide.Mask:
		return r.get(0, wide.Mask)
	case wide.Long:
		return r.long
	}
	return uint64(math.Float32bits(r.base))
}

func TestIntegersComparisonsAndConversionsAreThoseOfGo(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for _, in := range integers {
		classes := operations[in.op]
		divides := in.op >= wide.DivInt && in.op <= wide.ModUint || in.op >= wide.DivLong && in.op <= wide.ModUlong
		for _, uniform := range []bool{false, true} {
			o := compileOperation(t, in.op, uniform)
			regs := &o.frame.registers
			bails := 0
			for range 60 {
				active := anyMasks(r)[r.IntN(5)] | 1
				for l := range width {
					a, b := anyInteger(r), anyInteger(r)
					if classes.A == wide.Word {
						a = uint64(uint32(a))
					}
					if classes.B == wide.Word {
						b = uint64(uint32(b))
					}
					if divides && r.IntN(200) > 0 {
						b |= 1
					}
					regs[0].set(l, classes.A, a)
					regs[1].set(l, classes.B, b)
				}
				regs[0].setBase(classes.A, regs[0].get(0, classes.A))
				regs[1].setBase(classes.B, regs[1].get(0, classes.B))
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
					a, b := regs[0].get(l, classes.A), uint64(0)
					if classes.B != wide.None {
						b = regs[1].get(l, classes.B)
					}
					got := regs[3].get(l, classes.D)
					if uniform {
						got = regs[3].getBase(classes.D)
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
