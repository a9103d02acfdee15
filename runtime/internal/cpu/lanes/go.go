package lanes

import (
	"math"

	"github.com/metalgen/metalgen/internal/fmath"
)

// inGo is everything in Go. The conversions around products keep the compiler from fusing them
// with a sum, which it does on some processors.
func inGo() *table {
	return &table{
		float: Floats{
			Numbers: Numbers[float32]{
				Add: add[float32], Sub: sub[float32], Mul: mul[float32], Neg: each(negative), Abs: each(absolute),
				Min: both(fmath.Fmin), Max: both(fmath.Fmax), Clamp: clampFloat,
				Equal: equal[float32], Less: less[float32], LessEqual: lessEqual[float32],
				Fill: fill[float32], Select: choose[float32], FromMask: fromMask[float32],
			},
			Div: fmath.DivLanes, Fma: fmath.FmaLanes, MulAdd: mulAdd, MulSub: mulSub, SubMul: subMul,
			Floor: each(fmath.Floor), Ceil: each(fmath.Ceil), Trunc: each(fmath.Trunc), Rint: each(fmath.Rint),
			Round: each(fmath.Round), Fract: each(fmath.Fract), Saturate: each(fmath.Saturate), Sign: each(fmath.Sign),
			Sqrt: fmath.SqrtLanes, Rsqrt: fmath.RsqrtLanes,
			Exp: fmath.ExpLanes, Exp2: fmath.Exp2Lanes, Exp10: each(fmath.Exp10),
			Log: fmath.LogLanes, Log2: fmath.Log2Lanes, Log10: each(fmath.Log10),
			Sin: fmath.SinLanes, Cos: fmath.CosLanes, Tanh: fmath.TanhLanes, Pow: fmath.PowLanes,
			Sum: sum, Least: join(fmath.Fmin), Greatest: join(fmath.Fmax),
			Int: intFromFloat, Uint: each(fmath.UintFromFloat),
			Long: each(fmath.LongFromFloat), Ulong: each(fmath.UlongFromFloat),
			RoundHalf: fmath.RoundHalfLanes, RoundBFloat: fmath.RoundBFloatLanes,
			HalfBits:       each(func(v float32) uint32 { return uint32(fmath.HalfBits(v)) }),
			BFloatBits:     each(func(v float32) uint32 { return uint32(fmath.BFloatBits(v)) }),
			FromHalfBits:   each(func(v uint32) float32 { return fmath.HalfFromBits(uint16(v)) }),
			FromBFloatBits: each(func(v uint32) float32 { return fmath.BFloatFromBits(uint16(v)) }),
		},
		int: Words[int32]{
			Integers: integers[int32](),
			Long:     convert[int64, int32], Field: field[int32], Index: index[int32],
			WrapByte:  each(func(v int32) int32 { return int32(int8(v)) }),
			WrapShort: each(func(v int32) int32 { return int32(int16(v)) }),
		},
		uint: Words[uint32]{
			Integers: integers[uint32](),
			Long:     convert[int64, uint32], Field: field[uint32], Index: index[uint32],
			WrapByte:  each(func(v uint32) uint32 { return uint32(uint8(v)) }),
			WrapShort: each(func(v uint32) uint32 { return uint32(uint16(v)) }),
		},
		long: integers[int64](), ulong: integers[uint64](),
		memory: memoryInGo(),
		matrix: Matrices{
			Multiply: multiply,
			Float:    matrixMemory(func(v float32) float32 { return v }, func(v float32) float32 { return v }),
			Half:     matrixMemory(fmath.HalfFromBits, fmath.HalfBits),
			BFloat:   matrixMemory(fmath.BFloatFromBits, fmath.BFloatBits),
		},
		narrow: convert[uint32, uint64], permute: permute,
		texel: Texels{
			FromUnorm: fromUnorm, ToUnorm: toUnorm, FromHalf: fromHalf, ToHalf: toHalf,
			FromWords: fromWords, ToWords: toWords, Weigh: weigh, Blend: blend, BlendWide: blendWide,
			Locate: locate, Reach: reach,
		},
	}
}

func integers[T Integer]() Integers[T] {
	return Integers[T]{
		Numbers: Numbers[T]{
			Add: add[T], Sub: sub[T], Mul: mul[T], Neg: neg[T], Abs: each(magnitude[T]),
			Min: least[T], Max: greatest[T], Clamp: clamp[T],
			Equal: equal[T], Less: less[T], LessEqual: lessEqual[T],
			Fill: fill[T], Select: choose[T], FromMask: fromMask[T],
		},
		And: and[T], Or: or[T], Xor: xor[T], Not: not[T],
		Shl: shl[T], Shr: shr[T], Float: convert[float32, T],
	}
}

// each makes an operation of a function of one lane.
func each[T, R Word](f func(T) R) func(z *[Width]R, x *[Width]T) {
	return func(z *[Width]R, x *[Width]T) {
		for i := range z {
			z[i] = f(x[i])
		}
	}
}

// both makes an operation of a function of two.
func both[T Word](f func(x, y T) T) func(z, x, y *[Width]T) {
	return func(z, x, y *[Width]T) {
		for i := range z {
			z[i] = f(x[i], y[i])
		}
	}
}

func add[T Word](z, x, y *[Width]T) {
	for i := range z {
		z[i] = x[i] + y[i]
	}
}

func sub[T Word](z, x, y *[Width]T) {
	for i := range z {
		z[i] = x[i] - y[i]
	}
}

func mul[T Word](z, x, y *[Width]T) {
	for i := range z {
		z[i] = x[i] * y[i]
	}
}

func neg[T Integer](z, x *[Width]T) {
	for i := range z {
		z[i] = -x[i]
	}
}

func not[T Integer](z, x *[Width]T) {
	for i := range z {
		z[i] = ^x[i]
	}
}

// convert is not for floats to integers: Go leaves undefined what is out of range.
func convert[R, T Word](z *[Width]R, x *[Width]T) {
	for i := range z {
		z[i] = R(x[i])
	}
}

func least[T Integer](z, x, y *[Width]T) {
	for i := range z {
		z[i] = min(x[i], y[i])
	}
}

func greatest[T Integer](z, x, y *[Width]T) {
	for i := range z {
		z[i] = max(x[i], y[i])
	}
}

func clamp[T Integer](z, x, low, high *[Width]T) {
	for i := range z {
		z[i] = min(max(x[i], low[i]), high[i])
	}
}

func and[T Integer](z, x, y *[Width]T) {
	for i := range z {
		z[i] = x[i] & y[i]
	}
}

func or[T Integer](z, x, y *[Width]T) {
	for i := range z {
		z[i] = x[i] | y[i]
	}
}

func xor[T Integer](z, x, y *[Width]T) {
	for i := range z {
		z[i] = x[i] ^ y[i]
	}
}

func shl[T Integer](z, x *[Width]T, n *[Width]uint32) {
	for i := range z {
		z[i] = x[i] << (n[i] & lastBit[T]())
	}
}

func shr[T Integer](z, x *[Width]T, n *[Width]uint32) {
	for i := range z {
		z[i] = x[i] >> (n[i] & lastBit[T]())
	}
}

// lastBit is the number of the uppermost bit of an integer.
func lastBit[T Integer]() uint32 {
	if T(1)<<31<<1 == 0 {
		return 31
	}
	return 63
}

func magnitude[T Integer](v T) T {
	if v < 0 {
		return -v
	}
	return v
}

func equal[T Word](x, y *[Width]T) uint32 {
	var m uint32
	for i := range x {
		m |= bit(x[i] == y[i]) << i
	}
	return m
}

func less[T Word](x, y *[Width]T) uint32 {
	var m uint32
	for i := range x {
		m |= bit(x[i] < y[i]) << i
	}
	return m
}

func lessEqual[T Word](x, y *[Width]T) uint32 {
	var m uint32
	for i := range x {
		m |= bit(x[i] <= y[i]) << i
	}
	return m
}

func bit(v bool) uint32 {
	if v {
		return 1
	}
	return 0
}

func fill[T Word](z *[Width]T, base, step T) {
	if step == 0 {
		for i := range z {
			z[i] = base
		}
		return
	}
	for i := range z {
		z[i] = base
		base += step
	}
}

func choose[T Word](z, x, y *[Width]T, mask uint32) {
	for i := range z {
		v := y[i]
		if mask>>i&1 != 0 {
			v = x[i]
		}
		z[i] = v
	}
}

func fromMask[T Word](z *[Width]T, mask uint32, one T) {
	for i := range z {
		z[i] = 0
		if mask>>i&1 != 0 {
			z[i] = one
		}
	}
}

func permute(z, x *[Width]uint32, n *[Width]uint32) {
	v := *x
	for i, from := range *n { // which z may be
		z[i] = v[from%Width]
	}
}

func field[T int32 | uint32](z *[Width]float32, x *[Width]T, n *[Width]uint32, ones T) {
	for i := range z {
		z[i] = float32(int32(x[i] >> (n[i] & 31) & ones))
	}
}

func negative(v float32) float32 { return math.Float32frombits(math.Float32bits(v) ^ 1<<31) }
func absolute(v float32) float32 { return math.Float32frombits(math.Float32bits(v) &^ (1 << 31)) }

func clampFloat(z, x, low, high *[Width]float32) {
	for i := range z {
		z[i] = fmath.Clamp(x[i], low[i], high[i])
	}
}

func mulAdd(z, x, y, w *[Width]float32) {
	for i := range z {
		z[i] = float32(x[i]*y[i]) + w[i]
	}
}

func mulSub(z, x, y, w *[Width]float32) {
	for i := range z {
		z[i] = float32(x[i]*y[i]) - w[i]
	}
}

func subMul(z, x, y, w *[Width]float32) {
	for i := range z {
		z[i] = w[i] - float32(x[i]*y[i])
	}
}

func intFromFloat(z *[Width]int32, x *[Width]float32, low, high int32) {
	for i := range z {
		z[i] = min(max(fmath.IntFromFloat(x[i]), low), high)
	}
}

func index[T int32 | uint32](z, x *[Width]uint64, n *[Width]T, size, reach int64) uint64 {
	var all uint64
	for i := range z {
		z[i] = x[i] + uint64(int64(n[i])*size)
		all |= z[i] + uint64(reach)
	}
	return all
}

func sum(x *[Width]float32, mask uint32) float32 {
	v := *x
	for i := range v {
		if mask>>i&1 == 0 {
			v[i] = 0
		}
	}
	return join(func(x, y float32) float32 { return x + y })(&v)
}

// join makes an operation that joins all lanes in pairs.
func join(f func(x, y float32) float32) func(x *[Width]float32) float32 {
	return func(x *[Width]float32) float32 {
		v := *x
		for half := Width / 2; half > 0; half /= 2 {
			for i := range half {
				v[i] = f(v[i], v[i+half])
			}
		}
		return v[0]
	}
}
