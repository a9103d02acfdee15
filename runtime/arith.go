package runtime

import (
	"math"
	"math/bits"
)

// Shapes and grids are computed from what callers pass, so every step of them
// clamps to the range of int instead of wrapping around: what does not fit ends
// up as math.MaxInt or math.MinInt, which every check refuses.

// The package needs a 64-bit int: byte sizes and products of uint32 arguments
// are ints. On a 32-bit platform the second line does not compile, and says why.
const metalgenNeedsA64BitInt = bits.UintSize - 64
const _ uint = metalgenNeedsA64BitInt

// Add is a + b, clamped.
func Add(a, b int) int {
	sum := a + b
	if (a < 0) == (b < 0) && (sum < 0) != (a < 0) {
		return limit(a < 0)
	}
	return sum
}

// Sub is a - b, clamped.
func Sub(a, b int) int {
	diff := a - b
	if (a < 0) != (b < 0) && (diff < 0) != (a < 0) {
		return limit(a < 0)
	}
	return diff
}

// Mul is a * b, clamped.
func Mul(a, b int) int {
	negative := (a < 0) != (b < 0)
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	switch {
	case hi != 0 || lo > math.MaxInt:
		return limit(negative)
	case negative:
		return -int(lo)
	default:
		return int(lo)
	}
}

// Div is a / b rounded toward zero, clamped; a division by zero is math.MaxInt.
func Div(a, b int) int {
	if b == 0 || a == math.MinInt && b == -1 {
		return math.MaxInt
	}
	return a / b
}

// Mod is the remainder of [Div], with the sign of a; modulo zero is math.MaxInt.
func Mod(a, b int) int {
	if b == 0 {
		return math.MaxInt
	}
	return a % b
}

// CeilDiv is a / b rounded up, clamped; a division by zero is math.MaxInt.
func CeilDiv(a, b int) int {
	q := Div(a, b)
	if b != 0 && a%b != 0 && (a < 0) == (b < 0) {
		q++
	}
	return q
}

// NextPow2 is the smallest power of two that is at least a, clamped; it is 1 for
// a below 1.
func NextPow2(a int) int {
	switch {
	case a <= 1:
		return 1
	case a > 1<<62:
		return math.MaxInt
	default:
		return 1 << bits.Len(uint(a-1))
	}
}

// Int is v as an int, clamped: only a uint, uint64 or uintptr can be too large.
func Int[T Integer](v T) int {
	if v > 0 && uint64(v) > math.MaxInt {
		return math.MaxInt
	}
	return int(v)
}

// Integer is any integer type.
type Integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 |
		~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

// saturated tells whether n is what clamped arithmetic makes of a result that
// does not fit.
func saturated(n int) bool { return n == math.MaxInt || n == math.MinInt }

func limit(negative bool) int {
	if negative {
		return math.MinInt
	}
	return math.MaxInt
}

func magnitude(a int) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}
