package ir

import (
	"math"
	"math/bits"

	"github.com/metalgen/metalgen/internal/fmath"
)

type integer interface {
	int32 | uint32 | int64 | uint64
}

// integers and numbers are rows of functions for the types with a sign and those without one.

func integers(i, u, l, ul eval) evals { return evals{{S32, i}, {U32, u}, {S64, l}, {U64, ul}} }

func numbers(i, u, l, ul, f eval) evals { return append(integers(i, u, l, ul), evals{{F32, f}}...) }

// The operators (section 3.1). Products and sums of floats are rounded one by one: the conversions keep Go from
// fusing the two.
var (
	addEval = evals{{I32, eval2(add[uint32])}, {I64, eval2(add[uint64])}, {F32, eval2(add[float32])}}
	subEval = evals{{I32, eval2(sub[uint32])}, {I64, eval2(sub[uint64])}, {F32, eval2(sub[float32])}}
	mulEval = evals{{I32, eval2(mul[uint32])}, {I64, eval2(mul[uint64])}, {F32, eval2(mul[float32])}}
	divEval = numbers(eval2(quotient[int32]), eval2(quotient[uint32]), eval2(quotient[int64]), eval2(quotient[uint64]),
		eval2(func(a, b float32) float32 { return a / b }))
	remEval = integers(eval2(remainder[int32]), eval2(remainder[uint32]), eval2(remainder[int64]),
		eval2(remainder[uint64]))
	negEval = evals{{I32, eval1(neg[uint32])}, {I64, eval1(neg[uint64])}, {F32, eval1(neg[float32])}}
	andEval = evals{{I32, eval2(and[uint32])}, {I64, eval2(and[uint64])},
		{Bool, eval2(func(a, b bool) bool { return a && b })}}
	orEval = evals{{I32, eval2(or[uint32])}, {I64, eval2(or[uint64])},
		{Bool, eval2(func(a, b bool) bool { return a || b })}}
	xorEval = evals{{I32, eval2(xor[uint32])}, {I64, eval2(xor[uint64])},
		{Bool, eval2(func(a, b bool) bool { return a != b })}}
	notEval = evals{{I32, eval1(not[uint32])}, {I64, eval1(not[uint64])}, {Bool, eval1(func(a bool) bool { return !a })}}
	shlEval = evals{{I32, mixed2(func(a, n uint32) uint32 { return a << (n & 31) })},
		{I64, mixed2(func(a uint64, n uint32) uint64 { return a << (n & 63) })}}
	shrEval = integers(mixed2(func(a int32, n uint32) int32 { return a >> (n & 31) }),
		mixed2(func(a, n uint32) uint32 { return a >> (n & 31) }),
		mixed2(func(a int64, n uint32) int64 { return a >> (n & 63) }),
		mixed2(func(a uint64, n uint32) uint64 { return a >> (n & 63) }))
	eqEval = evals{{I32, eval2(eq[uint32])}, {I64, eval2(eq[uint64])}, {Ptr, eval2(eq[uint64])}, {F32, eval2(eq[float32])},
		{Bool, eval2(eq[bool])}}
	neEval = evals{{I32, eval2(ne[uint32])}, {I64, eval2(ne[uint64])}, {Ptr, eval2(ne[uint64])}, {F32, eval2(ne[float32])},
		{Bool, eval2(ne[bool])}}
	ltEval = append(numbers(eval2(lt[int32]), eval2(lt[uint32]), eval2(lt[int64]), eval2(lt[uint64]), eval2(lt[float32])),
		evals{{Ptr, eval2(lt[uint64])}}...)
	leEval = append(numbers(eval2(le[int32]), eval2(le[uint32]), eval2(le[int64]), eval2(le[uint64]), eval2(le[float32])),
		evals{{Ptr, eval2(le[uint64])}}...)
)

type number interface {
	integer | float32
}

func add[T number](a, b T) T { return a + b }
func sub[T number](a, b T) T { return a - b }
func mul[T number](a, b T) T { return T(a * b) }
func neg[T number](a T) T    { return -a }

func and[T integer](a, b T) T { return a & b }
func or[T integer](a, b T) T  { return a | b }
func xor[T integer](a, b T) T { return a ^ b }
func not[T integer](a T) T    { return ^a }

func quotient[T integer](a, b T) T  { return a / b }
func remainder[T integer](a, b T) T { return a % b }

func eq[T comparable](a, b T) bool { return a == b }
func ne[T comparable](a, b T) bool { return a != b }
func lt[T number](a, b T) bool     { return a < b }
func le[T number](a, b T) bool     { return a <= b }

// The conversions (section 2.17).
var (
	wrapEval        = evals{{S32, wide1(wrapInt)}, {U32, wide1(narrowed)}}
	roundHalfEval   = evals{{F32, eval1(fmath.RoundHalf)}}
	roundBFloatEval = evals{{F32, eval1(fmath.RoundBFloat)}}
	roundOddEval    = integers(eval1(toOdd[int32]), eval1(toOdd[uint32]), eval1(toOdd[int64]), eval1(toOdd[uint64]))
	widenEval       = evals{{S32, eval1(func(a int32) int64 { return int64(a) })},
		{U32, eval1(func(a uint32) uint64 { return uint64(a) })}}
	narrowEval  = evals{{I64, eval1(func(a uint64) uint32 { return uint32(a) })}}
	toFloatEval = integers(eval1(toFloat[int32]), eval1(toFloat[uint32]), eval1(toFloat[int64]), eval1(toFloat[uint64]))

	fromFloatEval = integers(wide1(intFromFloat), wide1(uintFromFloat),
		eval1(fmath.LongFromFloat), eval1(fmath.UlongFromFloat))
	fromBoolEval = evals{{I32, eval1(fromBool[uint32])}, {I64, eval1(fromBool[uint64])}, {F32, eval1(fromBool[float32])}}
	toBoolEval   = evals{{I32, eval1(toBool[uint32])}, {I64, eval1(toBool[uint64])}, {Ptr, eval1(toBool[uint64])},
		{F32, eval1(toBool[float32])}}
	floatBitsEval  = evals{{F32, eval1(math.Float32bits)}}
	bitsFloatEval  = evals{{F32, eval1(math.Float32frombits)}}
	halfBitsEval   = evals{{F32, eval1(func(v float32) uint32 { return uint32(fmath.HalfBits(v)) })}}
	bitsHalfEval   = evals{{F32, eval1(func(v uint32) float32 { return fmath.HalfFromBits(uint16(v)) })}}
	bfloatBitsEval = evals{{F32, eval1(func(v float32) uint32 { return uint32(fmath.BFloatBits(v)) })}}
	bitsBFloatEval = evals{{F32, eval1(func(v uint32) float32 { return fmath.BFloatFromBits(uint16(v)) })}}
)

// narrowed drops the sign extension of an integer of n bits.
func narrowed(n int64, v uint32) uint32 { return v << (32 - n) >> (32 - n) }

func wrapInt(n int64, v int32) int32 { return v << (32 - n) >> (32 - n) }

// toOdd rounds an integer to the digits of a float, to odd: the last digit becomes 1 where others than 0 are
// dropped. The float of the result rounds to a narrower type as the integer itself would.
func toOdd[T integer](v T) T {
	size := v
	if v < 0 {
		if size = -v; size < 0 { // the least integer: a power of two
			return v
		}
	}
	extra := bits.Len64(uint64(size)) - 24
	if extra <= 0 {
		return v
	}
	dropped := T(1)<<extra - 1
	if v&dropped == 0 {
		return v
	}
	return v&^dropped | T(1)<<extra
}

func toFloat[T integer](v T) float32 { return float32(v) }

func intFromFloat(n int64, v float32) int32 {
	return min(max(fmath.IntFromFloat(v), -1<<(n-1)), 1<<(n-1)-1)
}

func uintFromFloat(n int64, v float32) uint32 {
	if n == 32 {
		return fmath.UintFromFloat(v)
	}
	return uint32(min(max(fmath.IntFromFloat(v), 0), 1<<n-1))
}

func fromBool[T number](v bool) T {
	if v {
		return 1
	}
	return 0
}

func toBool[T number](v T) bool { return v != 0 }

// nestedIndex is part*n + element, or, where part*n could wrap around, beyond all parts.
func nestedIndex(n int64, part, element int32) int32 {
	return min(max(part, -1), 1<<16)*int32(n) + element
}
