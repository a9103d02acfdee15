package bind

import (
	"math"
	"math/bits"
)

// The package needs a 64-bit int: byte sizes and products of uint32 arguments are ints. On a 32-bit platform the second
// line does not compile, and says why.
const metalgenNeedsA64BitInt = bits.UintSize - 64
const _ uint = metalgenNeedsA64BitInt

// Add returns a + b, clamped. Of two infinities it returns the positive one.
func Add(a, b int) int {
	sum := a + b
	switch {
	case Saturated(a) || Saturated(b):
		return limit(a != math.MaxInt && b != math.MaxInt)
	case (a < 0) == (b < 0) && (sum < 0) != (a < 0):
		return limit(a < 0)
	}
	return sum
}

// Sub returns a - b, clamped. Of two infinities it returns the first.
func Sub(a, b int) int {
	diff := a - b
	switch {
	case Saturated(a):
		return a
	case Saturated(b):
		return limit(b > 0)
	case (a < 0) != (b < 0) && (diff < 0) != (a < 0):
		return limit(a < 0)
	}
	return diff
}

// Mul returns a * b, clamped. Infinity times 0 is 0.
func Mul(a, b int) int {
	if uint(a|b) < 1<<31 {
		return a * b
	}
	return mul(a, b)
}

func mul(a, b int) int {
	if a == 0 || b == 0 {
		return 0
	}
	negative := (a < 0) != (b < 0)
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	switch {
	case hi != 0 || lo > math.MaxInt || Saturated(a) || Saturated(b):
		return limit(negative)
	case negative:
		return -int(lo)
	default:
		return int(lo)
	}
}

// Div returns a / b rounded toward zero. A division by zero or by an infinity is [math.MaxInt].
func Div(a, b int) int {
	switch {
	case b == 0 || Saturated(b):
		return math.MaxInt
	case Saturated(a):
		return limit((a < 0) != (b < 0))
	}
	return a / b
}

// Mod returns the remainder of [Div], with the sign of a. It is [math.MaxInt] modulo zero, and if a or b is an
// infinity.
func Mod(a, b int) int {
	if b == 0 || Saturated(a) || Saturated(b) {
		return math.MaxInt
	}
	return a % b
}

// CeilDiv returns a / b rounded up, and is otherwise like [Div], but 0 / 0 is 0: no elements need no groups, whatever
// their size.
func CeilDiv(a, b int) int {
	if a|b == 0 {
		return 0
	}
	q := Div(a, b)
	if !Saturated(q) && a%b != 0 && (a < 0) == (b < 0) {
		q++
	}
	return q
}

// NextPow2 returns the smallest power of two that is at least a, clamped. It is 1 for a below 1 that is not an
// infinity.
func NextPow2(a int) int {
	switch {
	case Saturated(a):
		return a
	case a <= 1:
		return 1
	case a > 1<<62:
		return math.MaxInt
	default:
		return 1 << bits.Len(uint(a-1))
	}
}

// Int returns v as an int, clamped: only a uint, uint64 or uintptr can be too large.
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

// Saturated reports whether n is one of the two infinities.
func Saturated(n int) bool { return n == math.MaxInt || n == math.MinInt }

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
