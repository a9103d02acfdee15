package ptxtest

import (
	"math"

	"github.com/metalgen/metalgen/internal/fmath"
)

// convert returns a conversion: the rounding, if any, and the type of the result; and the type of the operand.
func convert(to []string, from string) func(x []uint64) uint64 {
	typ := to[len(to)-1]
	switch {
	case typ == "f16":
		return func(x []uint64) uint64 { return halfOf(f32(x[0])) }
	case typ == "f16x2": // the first operand is the upper half
		return func(x []uint64) uint64 {
			return halfOf(f32(x[0]))<<16 | halfOf(f32(x[1]))
		}
	case typ == "bf16x2":
		return func(x []uint64) uint64 {
			return uint64(fmath.BFloatBits(f32(x[0])))<<16 | uint64(fmath.BFloatBits(f32(x[1])))
		}
	case typ == "tf32": // ties away from zero
		return func(x []uint64) uint64 { return (x[0] + 0x1000) &^ 0x1fff }
	case from == "f16":
		return func(x []uint64) uint64 { return of32(half(x[0])) }
	case typ == "f64" && from == "f32":
		return func(x []uint64) uint64 { return of64(float64(f32(x[0]))) }
	case typ == "f64" && from == "s64":
		return func(x []uint64) uint64 { return of64(float64(int64(x[0]))) }
	case typ == "f64" && from == "u32":
		return func(x []uint64) uint64 { return of64(float64(uint32(x[0]))) }
	case typ == "f64":
		return func(x []uint64) uint64 { return of64(roundings[to[0]](f64(x[0]))) }
	case typ == "s32" && from == "f64":
		return func(x []uint64) uint64 { return word(int32(math.Trunc(f64(x[0])))) }
	case typ == "f32" && from == "f32":
		return func(x []uint64) uint64 { return of32(float32(roundings[to[0]](float64(f32(x[0]))))) }
	case typ == "f32":
		return map[string]func(x []uint64) uint64{
			"f64": func(x []uint64) uint64 { return of32(float32(f64(x[0]))) },
			"s32": func(x []uint64) uint64 { return of32(float32(int32(x[0]))) },
			"u32": func(x []uint64) uint64 { return of32(float32(uint32(x[0]))) },
			"s64": func(x []uint64) uint64 { return of32(float32(int64(x[0]))) },
			"u64": func(x []uint64) uint64 { return of32(float32(x[0])) },
		}[from]
	case from == "f32":
		return map[string]func(x []uint64) uint64{
			"s32": func(x []uint64) uint64 { return word(fmath.IntFromFloat(f32(x[0]))) },
			"u32": func(x []uint64) uint64 { return uint64(fmath.UintFromFloat(f32(x[0]))) },
			"s64": func(x []uint64) uint64 { return longOr(f32(x[0]), uint64(fmath.LongFromFloat(f32(x[0])))) },
			"u64": func(x []uint64) uint64 { return longOr(f32(x[0]), fmath.UlongFromFloat(f32(x[0]))) },
		}[typ]
	}
	narrow := func(v uint64) uint64 { return cut(v, sizeOf(typ)) }
	switch from {
	case "s32":
		return func(x []uint64) uint64 { return narrow(uint64(int64(int32(x[0])))) }
	case "u32":
		return func(x []uint64) uint64 { return narrow(uint64(uint32(x[0]))) }
	case "u16":
		return func(x []uint64) uint64 { return uint64(uint16(x[0])) }
	}
	return func(x []uint64) uint64 { return narrow(x[0]) }
}

// roundings are those to integers.
var roundings = map[string]func(float64) float64{
	"rpi": math.Ceil, "rmi": math.Floor, "rzi": math.Trunc, "rni": math.RoundToEven,
}

// longOr is what a card makes of what is no number, where the result has 64 bits.
func longOr(v float32, n uint64) uint64 {
	if isNaN32(v) {
		return 1 << 63
	}
	return n
}
