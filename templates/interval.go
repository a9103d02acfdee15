package templates

import (
	"math"
	"math/bits"

	"github.com/metalgen/metalgen/internal/binding"
)

// interval is the range of values that an int expression can have. Arithmetic on
// reports, besides the range of the result, whether Go's own operator computes
// it exactly for all values; where it does not, the generated code calls the
// runtime's clamping function, and the range is that of the clamped result.
//
// The runtime's functions treat the ends of int as infinities, which stay what they
// are: an overflow must not come back into range. So an operand that may be at an
// end rules out Go's operators.
type interval struct{ min, max int64 }

// maxLen is more than any buffer has elements, and any texture in a dimension.
const maxLen = 1 << 56

var (
	anyInt      = interval{math.MinInt64, math.MaxInt64}
	nonNegative = interval{0, math.MaxInt64}
)

// rangeOf returns the range of a leaf after its conversion to int, which may clamp.
func rangeOf(l *binding.Leaf) interval {
	if l.Method != "" {
		return interval{0, maxLen}
	}
	switch l.GoType.String() {
	case "uint8":
		return interval{0, math.MaxUint8}
	case "uint16":
		return interval{0, math.MaxUint16}
	case "uint32":
		return interval{0, math.MaxUint32}
	case "uint64":
		return nonNegative
	case "int8":
		return interval{math.MinInt8, math.MaxInt8}
	case "int16":
		return interval{math.MinInt16, math.MaxInt16}
	case "int32":
		return interval{math.MinInt32, math.MaxInt32}
	default:
		return anyInt
	}
}

func constant(n int64) interval { return interval{n, n} }

// bounded reports whether x leaves out the infinities.
func (x interval) bounded() bool { return x.min > math.MinInt64 && x.max < math.MaxInt64 }

// widened returns x, computed from operands that may be infinite, with the infinities
// that then may come out.
func (x interval) widened() interval {
	x.max = math.MaxInt64
	if x.min < 0 {
		x.min = math.MinInt64
	}
	return x
}

func (x interval) has(n int64) bool { return x.min <= n && n <= x.max }

// corners returns the range of a function that is monotonic in each of two arguments.
func corners(x, y interval, f func(a, b int64) (result int64, exact bool)) (interval, bool) {
	var r interval
	allExact := true
	for i, c := range [4][2]int64{{x.min, y.min}, {x.min, y.max}, {x.max, y.min}, {x.max, y.max}} {
		n, exact := f(c[0], c[1])
		if i == 0 {
			r = constant(n)
		}
		r = interval{min(r.min, n), max(r.max, n)}
		allExact = allExact && exact
	}
	return r, allExact
}

func (x interval) add(y interval) (interval, bool) {
	return corners(x, y, func(a, b int64) (int64, bool) {
		sum := a + b
		if (a < 0) == (b < 0) && (sum < 0) != (a < 0) {
			return limit(a < 0), false
		}
		return sum, true
	})
}

func (x interval) sub(y interval) (interval, bool) {
	return corners(x, y, func(a, b int64) (int64, bool) {
		diff := a - b
		if (a < 0) != (b < 0) && (diff < 0) != (a < 0) {
			return limit(a < 0), false
		}
		return diff, true
	})
}

func (x interval) mul(y interval) (interval, bool) {
	return corners(x, y, func(a, b int64) (int64, bool) {
		product := a * b
		if a != 0 && (product/a != b || a == -1 && b == math.MinInt64) {
			return limit((a < 0) != (b < 0)), false
		}
		return product, true
	})
}

func (x interval) div(y interval) (interval, bool) {
	if y.has(0) {
		return anyInt, false
	}
	return corners(x, y, func(a, b int64) (int64, bool) {
		if a == math.MinInt64 && b == -1 {
			return math.MaxInt64, false
		}
		return a / b, true
	})
}

func (x interval) mod(y interval) (interval, bool) {
	if y.has(0) || y.min == math.MinInt64 {
		return anyInt, false
	}
	most := max(y.max, -y.min) - 1
	r := interval{-most, most}
	if x.min >= 0 {
		r = interval{0, min(x.max, most)}
	}
	return r, true
}

// ceilDiv returns the range of the runtime's CeilDiv.
func (x interval) ceilDiv(y interval) interval {
	if y.min <= 0 {
		return anyInt
	}
	r, _ := corners(x, y, func(a, b int64) (int64, bool) {
		q := a / b
		if a%b > 0 {
			q++
		}
		return q, true
	})
	if !x.bounded() || !y.bounded() {
		r = r.widened()
	}
	return r
}

// nextPow2 returns the range of the runtime's NextPow2.
func (x interval) nextPow2() interval {
	r := interval{nextPow2(x.min), nextPow2(x.max)}
	if x.min == math.MinInt64 {
		r.min = x.min
	}
	return r
}

func nextPow2(a int64) int64 {
	switch {
	case a <= 1:
		return 1
	case a > 1<<62:
		return math.MaxInt64
	default:
		return 1 << bits.Len64(uint64(a-1))
	}
}

func limit(negative bool) int64 {
	if negative {
		return math.MinInt64
	}
	return math.MaxInt64
}
