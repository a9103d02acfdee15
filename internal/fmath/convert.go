package fmath

import "math"

// Conversions to integers truncate toward zero. Out of range MSL leaves the
// result undefined; here it saturates, and NaN gives 0, which is what Apple's GPUs
// do. Go leaves it to the implementation, so every range is tested first. The
// bounds are powers of two because the greatest integers are no float32.

// IntFromFloat returns x as an int.
func IntFromFloat(x float32) int32 {
	if x >= -1<<31 && x < 1<<31 {
		return int32(x)
	}
	return int32(outOfRange(x, math.MinInt32, math.MaxInt32))
}

// UintFromFloat returns x as a uint.
func UintFromFloat(x float32) uint32 {
	if x >= 0 && x < 1<<32 {
		return uint32(int64(x))
	}
	return uint32(outOfRange(x, 0, math.MaxUint32))
}

// LongFromFloat returns x as a long.
func LongFromFloat(x float32) int64 {
	if x >= -1<<63 && x < 1<<63 {
		return int64(x)
	}
	return outOfRange(x, math.MinInt64, math.MaxInt64)
}

// UlongFromFloat returns x as a ulong.
func UlongFromFloat(x float32) uint64 {
	if x >= 0 && x < 1<<64 {
		return uint64(x)
	}
	return uint64(outOfRange(x, 0, -1))
}

func outOfRange(x float32, lo, hi int64) int64 {
	switch {
	case x > 0:
		return hi
	case x < 0:
		return lo
	}
	return 0
}
