package ir

import (
	"math"
	"math/bits"

	"github.com/metalgen/metalgen/internal/fmath"
)

// What the functions of the library come to that work on each element by itself (section 6). n is the bits of the type:
// integers of fewer than 32 are held in 32. Those of half and bfloat that are more than the function of float, rounded,
// are told apart by [OfHalf] and [OfBFloat].

// What Imm says of the type of floats.
const (
	OfFloat  = 0
	OfHalf   = 16
	OfBFloat = 17
)

var (
	maxEval = numbers(eval2(maxOf[int32]), eval2(maxOf[uint32]), eval2(maxOf[int64]), eval2(maxOf[uint64]),
		eval2(fmath.Fmax))
	minEval = numbers(eval2(minOf[int32]), eval2(minOf[uint32]), eval2(minOf[int64]), eval2(minOf[uint64]),
		eval2(fmath.Fmin))
	absEval = numbers(
		wide1(func(n int64, v int32) int32 { return wrapInt(n, max(v, -v)) }), eval1(same[uint32]),
		eval1(func(v int64) int64 { return max(v, -v) }), eval1(same[uint64]), eval1(fabs))
	clampEval = numbers(eval3(clampTo[int32]), eval3(clampTo[uint32]), eval3(clampTo[int64]), eval3(clampTo[uint64]),
		eval3(fmath.Clamp))
	absDiffEval = integers(eval2(distance[int32, uint32]), eval2(distance[uint32, uint32]),
		eval2(distance[int64, uint64]), eval2(distance[uint64, uint64]))
	addSatEval  = integers(wide2(addSatInt), wide2(addSatUint), eval2(addSatLong), eval2(addSatUlong))
	subSatEval  = integers(wide2(subSatInt), wide2(subSatUint), eval2(subSatLong), eval2(subSatUlong))
	halfSumEval = integers(eval2(halfSum[int32]), eval2(halfSum[uint32]), eval2(halfSum[int64]),
		eval2(halfSum[uint64]))
	roundedHalfSumEval = integers(eval2(roundedHalfSum[int32]), eval2(roundedHalfSum[uint32]),
		eval2(roundedHalfSum[int64]), eval2(roundedHalfSum[uint64]))
	mulHighEval = integers(wide2(mulHighInt), wide2(mulHighUint), eval2(mulHighLong), eval2(mulHighUlong))
	madSatEval  = evals{{S64, eval3(madSatLong)}, {U64, eval3(madSatUlong)}}
	mul24Eval   = evals{{S32, eval2(mul24Int)}, {U32, eval2(mul24Uint)}}
	rotateEval  = integers(wide2(rotate[int32]), wide2(rotate[uint32]), eval2(rotate64[int64]), eval2(rotate64[uint64]))
	clzEval     = integers(wide1(leadingZeros[int32]), wide1(leadingZeros[uint32]),
		eval1(leadingZeros64[int64]), eval1(leadingZeros64[uint64]))
	ctzEval = integers(wide1(trailingZeros[int32]), wide1(trailingZeros[uint32]),
		eval1(trailingZeros64[int64]), eval1(trailingZeros64[uint64]))
	popcountEval = integers(wide1(onesCount[int32]), wide1(onesCount[uint32]),
		eval1(onesCount64[int64]), eval1(onesCount64[uint64]))
	reverseEval = integers(wide1(reverse[int32]), wide1(reverse[uint32]),
		eval1(reverse64[int64]), eval1(reverse64[uint64]))
	extractEval = evals{{S64, extracts(signedBits)}, {U64, extracts(unsignedBits)}}
)

func same[T integer](v T) T { return v }

func maxOf[T integer](a, b T) T { return max(a, b) }
func minOf[T integer](a, b T) T { return min(a, b) }

func clampTo[T integer](v, low, high T) T { return min(max(v, low), high) }

func fabs(v float32) float32 { return math.Float32frombits(math.Float32bits(v) &^ (1 << 31)) }

// fract is below 1: the greatest number below it where rounding would make it 1.
func fract(n int64, v float32) float32 {
	f := fmath.Fract(v)
	switch {
	case n == OfHalf && f > 0x1.ffcp-1:
		return 0x1.ffcp-1
	case n == OfBFloat && f > 0x1.fep-1:
		return 0x1.fep-1
	}
	return f
}

func nextafter(n int64, v, to float32) float32 {
	switch n {
	case OfHalf:
		return fmath.NextafterHalf(v, to)
	case OfBFloat:
		return fmath.NextafterBFloat(v, to)
	}
	return fmath.Nextafter(v, to)
}

func fma(n int64, a, b, c float32) float32 {
	switch n {
	case OfHalf:
		return fmath.FmaHalf(a, b, c)
	case OfBFloat:
		return fmath.FmaBFloat(a, b, c)
	}
	return fmath.Fma(a, b, c)
}

func frexpFraction(v float32) float32 { m, _ := fmath.Frexp(v); return m }
func frexpExponent(v float32) int32   { _, n := fmath.Frexp(v); return n }
func modfWhole(v float32) float32     { _, whole := fmath.Modf(v); return whole }
func modfFraction(v float32) float32  { fraction, _ := fmath.Modf(v); return fraction }

func isFinite(v float32) bool { return v-v == 0 }
func isInf(v float32) bool    { return math.IsInf(float64(v), 0) }
func isNaN(v float32) bool    { return v != v }
func signBit(v float32) bool  { return math.Signbit(float64(v)) }

// distance is |a - b|, in the unsigned type of the same size.
func distance[T integer, U uint32 | uint64](a, b T) U {
	if a > b {
		return U(a) - U(b)
	}
	return U(b) - U(a)
}

func addSatInt(n int64, a, b int32) int32 {
	return int32(min(max(int64(a)+int64(b), -1<<(n-1)), 1<<(n-1)-1))
}

func subSatInt(n int64, a, b int32) int32 {
	return int32(min(max(int64(a)-int64(b), -1<<(n-1)), 1<<(n-1)-1))
}

func addSatUint(n int64, a, b uint32) uint32 { return uint32(min(uint64(a)+uint64(b), 1<<n-1)) }

func subSatUint(_ int64, a, b uint32) uint32 { return a - min(a, b) }

func addSatLong(a, b int64) int64 {
	s := a + b
	if (a^s)&(b^s) < 0 {
		return a>>63 ^ math.MaxInt64
	}
	return s
}

func subSatLong(a, b int64) int64 {
	s := a - b
	if (a^b)&(a^s) < 0 {
		return a>>63 ^ math.MaxInt64
	}
	return s
}

func addSatUlong(a, b uint64) uint64 {
	s, carry := bits.Add64(a, b, 0)
	return s | -carry
}

func subSatUlong(a, b uint64) uint64 { return a - min(a, b) }

func halfSum[T integer](a, b T) T { return a&b + (a^b)>>1 }

func roundedHalfSum[T integer](a, b T) T { return a | b - (a^b)>>1 }

func mul24Int(a, b int32) int32 { return a << 8 >> 8 * (b << 8 >> 8) }

func mul24Uint(a, b uint32) uint32 { return a & 0xFFFFFF * (b & 0xFFFFFF) }

func mulHighInt(n int64, a, b int32) int32 { return int32(int64(a) * int64(b) >> n) }

func mulHighUint(n int64, a, b uint32) uint32 { return uint32(uint64(a) * uint64(b) >> n) }

func mulHighUlong(a, b uint64) uint64 {
	high, _ := bits.Mul64(a, b)
	return high
}

func mulHighLong(a, b int64) int64 {
	high, _ := bits.Mul64(uint64(a), uint64(b))
	return int64(high) - a>>63&b - b>>63&a
}

func rotate[T int32 | uint32](n int64, a, b T) T {
	v, by := narrowed(n, uint32(a)), uint32(b)%uint32(n)
	return T(v<<by | v>>(uint32(n)-by))
}

func rotate64[T int64 | uint64](a, b T) T { return T(bits.RotateLeft64(uint64(a), int(b&63))) }

func leadingZeros[T int32 | uint32](n int64, v T) T {
	return T(int64(bits.LeadingZeros32(narrowed(n, uint32(v)))) - 32 + n)
}

func leadingZeros64[T int64 | uint64](v T) T { return T(bits.LeadingZeros64(uint64(v))) }

func trailingZeros[T int32 | uint32](n int64, v T) T {
	return T(min(int64(bits.TrailingZeros32(uint32(v))), n))
}

func trailingZeros64[T int64 | uint64](v T) T { return T(bits.TrailingZeros64(uint64(v))) }

func onesCount[T int32 | uint32](n int64, v T) T { return T(bits.OnesCount32(narrowed(n, uint32(v)))) }

func onesCount64[T int64 | uint64](v T) T { return T(bits.OnesCount64(uint64(v))) }

func reverse[T int32 | uint32](n int64, v T) T { return T(bits.Reverse32(uint32(v))) >> (32 - n) }

func reverse64[T int64 | uint64](v T) T { return T(bits.Reverse64(uint64(v))) }

// unsignedBits and signedBits return the lowest n bits as an integer.
func unsignedBits(v uint64, n uint32) uint64 { return v << (64 - n) >> (64 - n) }

func signedBits(v uint64, n uint32) uint64 { return uint64(int64(v<<(64-n)) >> (64 - n)) }

// extracts returns the function that takes n bits from offset on; with n = 0 none.
func extracts(take func(v uint64, n uint32) uint64) eval {
	fn := func(v uint64, offset, n uint32) uint64 {
		if n == 0 {
			return 0
		}
		return take(v>>min(offset, 64), min(n, 64))
	}
	return eval{fn, func(_ int64, x operandBits) uint64 { return fn(x[0], uint32(x[1]), uint32(x[2])) }}
}

// madSatLong and madSatUlong compute in 128 bits.

func madSatLong(a, b, c int64) int64 {
	high, low := bits.Mul64(uint64(a), uint64(b))
	high += uint64(-(a >> 63 & b)) + uint64(-(b >> 63 & a))
	low, carry := bits.Add64(low, uint64(c), 0)
	high += uint64(c>>63) + carry
	if high == uint64(int64(low)>>63) {
		return int64(low)
	}
	return int64(high)>>63 ^ math.MaxInt64
}

func madSatUlong(a, b, c uint64) uint64 {
	high, low := bits.Mul64(a, b)
	low, carry := bits.Add64(low, c, 0)
	if high+carry != 0 {
		return math.MaxUint64
	}
	return low
}
