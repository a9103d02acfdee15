package cpu

import (
	"math"
	"math/bits"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/internal/cpu/fmath"
)

// elementwise are the functions that work on each element by itself, by the
// type of their first argument. What is held in 32 bits may be an integer of fewer:
// the instruction's imm is the width of the type.
var elementwise = map[string]*operations{
	"acos": floatOp(fmath.Acos), "asin": floatOp(fmath.Asin), "atan": floatOp(fmath.Atan),
	"acosh": floatOp(fmath.Acosh), "asinh": floatOp(fmath.Asinh), "atanh": floatOp(fmath.Atanh),
	"cosh": floatOp(fmath.Cosh), "sinh": floatOp(fmath.Sinh),
	"cospi": floatOp(fmath.CosPi), "sinpi": floatOp(fmath.SinPi), "tanpi": floatOp(fmath.TanPi),
	"tan": floatOp(fmath.Tan), "exp10": floatOp(fmath.Exp10), "log10": floatOp(fmath.Log10),
	"exp": lanesOp(fmath.Exp, fmath.ExpLanes), "exp2": lanesOp(fmath.Exp2, fmath.Exp2Lanes),
	"log": lanesOp(fmath.Log, fmath.LogLanes), "log2": lanesOp(fmath.Log2, fmath.Log2Lanes),
	"sin": lanesOp(fmath.Sin, fmath.SinLanes), "cos": lanesOp(fmath.Cos, fmath.CosLanes),
	"tanh": lanesOp(fmath.Tanh, fmath.TanhLanes),
	"sqrt": lanesOp(fmath.Sqrt, fmath.SqrtLanes), "rsqrt": lanesOp(fmath.Rsqrt, fmath.RsqrtLanes),

	"ceil": floatOp(fmath.Ceil), "floor": floatOp(fmath.Floor), "trunc": floatOp(fmath.Trunc),
	"rint": floatOp(fmath.Rint), "round": floatOp(fmath.Round), "fract": floatOp(fmath.Fract),
	"fabs": floatOp(fabs), "sign": floatOp(fmath.Sign), "saturate": floatOp(fmath.Saturate),

	"atan2": floatOp2(fmath.Atan2), "copysign": floatOp2(fmath.Copysign), "fdim": floatOp2(fmath.Fdim),
	"fmod": floatOp2(fmath.Fmod), "nextafter": floatOp2(fmath.Nextafter),
	"pow": {asFloat: powFloat}, "powr": floatOp2(fmath.Powr),
	"fmax": floatOp2(fmath.Fmax), "fmin": floatOp2(fmath.Fmin), "divide": {asFloat: divFloat}, "step": floatOp2(fmath.Step),

	"fma": {asFloat: fmaFloat},

	"max": {asInt: maxInt[int32], asUint: maxInt[uint32], asLong: maxInt[int64], asUlong: maxInt[uint64], asFloat: map2(fmath.Fmax)},
	"min": {asInt: minInt[int32], asUint: minInt[uint32], asLong: minInt[int64], asUlong: minInt[uint64], asFloat: map2(fmath.Fmin)},
	"abs": {asInt: mapFit(func(v int32) int32 { return max(v, -v) }), asUint: map1(same[uint32]), asLong: map1(func(v int64) int64 { return max(v, -v) }),
		asUlong: map1(same[uint64]), asFloat: map1(fabs)},
	"clamp": {asInt: map3(clampTo[int32]), asUint: map3(clampTo[uint32]), asLong: map3(clampTo[int64]), asUlong: map3(clampTo[uint64]),
		asFloat: map3(fmath.Clamp)},

	"absdiff": {asInt: map2to(func(a, b int32) uint32 {
		if a > b {
			return uint32(a) - uint32(b)
		}
		return uint32(b) - uint32(a)
	}), asUint: map2(func(a, b uint32) uint32 { return max(a, b) - min(a, b) }),
		asLong: map2to(func(a, b int64) uint64 {
			if a > b {
				return uint64(a) - uint64(b)
			}
			return uint64(b) - uint64(a)
		}), asUlong: map2(func(a, b uint64) uint64 { return max(a, b) - min(a, b) })},
	"addsat": {asInt: bitsOp2(addSatInt), asUint: bitsOp2(addSatUint), asLong: map2(addSatLong), asUlong: map2(addSatUlong)},
	"subsat": {asInt: bitsOp2(subSatInt), asUint: bitsOp2(subSatUint), asLong: map2(subSatLong), asUlong: map2(subSatUlong)},
	"hadd": {asInt: map2(func(a, b int32) int32 { return int32((int64(a) + int64(b)) >> 1) }), asUint: map2(func(a, b uint32) uint32 { return uint32((uint64(a) + uint64(b)) >> 1) }),
		asLong: map2(halfSum[int64]), asUlong: map2(halfSum[uint64])},
	"rhadd": {asInt: map2(func(a, b int32) int32 { return int32((int64(a) + int64(b) + 1) >> 1) }), asUint: map2(func(a, b uint32) uint32 { return uint32((uint64(a) + uint64(b) + 1) >> 1) }),
		asLong: map2(roundedHalfSum[int64]), asUlong: map2(roundedHalfSum[uint64])},
	"mulhi": {asInt: bitsOp2(mulHighInt), asUint: bitsOp2(mulHighUint), asLong: map2(mulHighLong), asUlong: map2(mulHighUlong)},
	"mul24": {asInt: map2(func(a, b int32) int32 { return a << 8 >> 8 * (b << 8 >> 8) }), asUint: map2(func(a, b uint32) uint32 { return a & 0xFFFFFF * (b & 0xFFFFFF) })},
	"mad24": {asInt: map3(func(a, b, c int32) int32 { return a<<8>>8*(b<<8>>8) + c }), asUint: map3(func(a, b, c uint32) uint32 { return a&0xFFFFFF*(b&0xFFFFFF) + c })},
	"rotate": {asInt: bitsOp2(func(n int64, a, b int32) int32 { return int32(rotate(n, uint32(a), uint32(b))) }), asUint: bitsOp2(rotate),
		asLong: map2(func(a, b int64) int64 { return int64(bits.RotateLeft64(uint64(a), int(b&63))) }), asUlong: map2(func(a, b uint64) uint64 { return bits.RotateLeft64(a, int(b&63)) })},
	"clz": {asInt: bitsOp(func(n int64, v int32) int32 {
		return int32(bits.LeadingZeros32(narrowed(n, uint32(v)))) - 32 + int32(n)
	}),
		asUint: bitsOp(func(n int64, v uint32) uint32 { return uint32(bits.LeadingZeros32(v) - 32 + int(n)) }),
		asLong: map1(func(v int64) int64 { return int64(bits.LeadingZeros64(uint64(v))) }), asUlong: map1(func(v uint64) uint64 { return uint64(bits.LeadingZeros64(v)) })},
	"ctz": {asInt: bitsOp(func(n int64, v int32) int32 { return min(int32(bits.TrailingZeros32(uint32(v))), int32(n)) }),
		asUint: bitsOp(func(n int64, v uint32) uint32 { return min(uint32(bits.TrailingZeros32(v)), uint32(n)) }),
		asLong: map1(func(v int64) int64 { return int64(bits.TrailingZeros64(uint64(v))) }), asUlong: map1(func(v uint64) uint64 { return uint64(bits.TrailingZeros64(v)) })},
	"popcount": {asInt: bitsOp(func(n int64, v int32) int32 { return int32(bits.OnesCount32(narrowed(n, uint32(v)))) }),
		asUint: bitsOp(func(n int64, v uint32) uint32 { return uint32(bits.OnesCount32(v)) }),
		asLong: map1(func(v int64) int64 { return int64(bits.OnesCount64(uint64(v))) }), asUlong: map1(func(v uint64) uint64 { return uint64(bits.OnesCount64(v)) })},
	"reverse_bits": {asInt: bitsOp(func(n int64, v int32) int32 { return int32(bits.Reverse32(uint32(v))) >> (32 - n) }),
		asUint: bitsOp(func(n int64, v uint32) uint32 { return bits.Reverse32(v) >> (32 - n) }),
		asLong: map1(func(v int64) int64 { return int64(bits.Reverse64(uint64(v))) }), asUlong: map1(bits.Reverse64)},

	"isfinite": test1(func(v float32) bool { return v-v == 0 }), "isinf": test1(func(v float32) bool { return math.IsInf(float64(v), 0) }),
	"isnan":   test1(func(v float32) bool { return v != v }),
	"signbit": test1(func(v float32) bool { return math.Signbit(float64(v)) }),
	"not":     {asBool: maskNot},
}

// narrowOps are the functions of half and bfloat that are not those of float,
// rounded.
var narrowOps = map[string]map[tree.ScalarKind]operation{
	"fma":       {tree.Half: map3(fmath.FmaHalf), tree.BFloat: map3(fmath.FmaBFloat)},
	"fract":     {tree.Half: map1(fractBelow(0x1.ffcp-1)), tree.BFloat: map1(fractBelow(0x1.fep-1))},
	"nextafter": {tree.Half: map2(fmath.NextafterHalf), tree.BFloat: map2(fmath.NextafterBFloat)},
}

// fractBelow is fract for a type whose greatest number below 1 is most.
func fractBelow(most float32) func(float32) float32 {
	return func(v float32) float32 {
		if f := fmath.Fract(v); !(f > most) {
			return f
		}
		return most
	}
}

// cheap are functions worth evaluating for lanes that do not ask for them.
var cheap = map[string]bool{"min": true, "max": true, "abs": true, "fabs": true, "clamp": true, "fma": true, "floor": true, "saturate": true}

func map1[T word](fn func(T) T) operation {
	return func(f *frame, in *instruction) {
		a, d := at[T](f, in.a), at[T](f, in.d)
		if a.uniform() {
			d.set(fn(a.base))
			return
		}
		x := a.lanes()
		z := d.vector()
		for i := range z {
			z[i] = fn(x[i])
		}
	}
}

// mapFit is map1 for integers of up to 32 bits, whose result wraps around.
func mapFit(fn func(int32) int32) operation {
	return bitsOp(func(n int64, v int32) int32 { return fn(v) << (32 - n) >> (32 - n) })
}

func map2[T word](fn func(a, b T) T) operation { return map2to(fn) }

func map2to[T, R word](fn func(a, b T) R) operation {
	return func(f *frame, in *instruction) {
		a, b, d := at[T](f, in.a), at[T](f, in.b), at[R](f, in.d)
		if a.uniform() && b.uniform() {
			d.set(fn(a.base, b.base))
			return
		}
		x, y := a.lanes(), b.lanes()
		z := d.vector()
		for i := range z {
			z[i] = fn(x[i], y[i])
		}
	}
}

func map3[T word](fn func(a, b, c T) T) operation {
	return func(f *frame, in *instruction) {
		a, b, c, d := at[T](f, in.a), at[T](f, in.b), at[T](f, in.c), at[T](f, in.d)
		if a.uniform() && b.uniform() && c.uniform() {
			d.set(fn(a.base, b.base, c.base))
			return
		}
		x, y, w := a.lanes(), b.lanes(), c.lanes()
		z := d.vector()
		for i := range z {
			z[i] = fn(x[i], y[i], w[i])
		}
	}
}

// bitsOp and bitsOp2 are for functions that must know the width of the type.
func bitsOp[T word](fn func(n int64, v T) T) operation {
	return func(f *frame, in *instruction) {
		a, d := at[T](f, in.a), at[T](f, in.d)
		x := a.lanes()
		uniform := a.uniform()
		z := d.vector()
		if uniform {
			d.set(fn(in.imm, x[0]))
			return
		}
		for i := range z {
			z[i] = fn(in.imm, x[i])
		}
	}
}

func bitsOp2[T word](fn func(n int64, a, b T) T) operation {
	return func(f *frame, in *instruction) {
		x, y := at[T](f, in.a).lanes(), at[T](f, in.b).lanes()
		z := at[T](f, in.d).vector()
		for i := range z {
			z[i] = fn(in.imm, x[i], y[i])
		}
	}
}

func floatOp(fn func(float32) float32) *operations {
	return &operations{asFloat: map1(fn)}
}

func floatOp2(fn func(a, b float32) float32) *operations {
	return &operations{asFloat: map2(fn)}
}

// lanesOp is for functions that have a loop of their own over all lanes.
func lanesOp(one func(float32) float32, all func(d, s *[width]float32)) *operations {
	return &operations{asFloat: func(f *frame, in *instruction) {
		a, d := at[float32](f, in.a), at[float32](f, in.d)
		if a.linear {
			d.set(one(a.base))
			return
		}
		d.linear = false
		all(&d.lane, &a.lane)
	}}
}

func powFloat(f *frame, in *instruction) {
	a, b, d := at[float32](f, in.a), at[float32](f, in.b), at[float32](f, in.d)
	if a.linear && b.linear {
		d.set(fmath.Pow(a.base, b.base))
		return
	}
	x, y := a.lanes(), b.lanes()
	fmath.PowLanes(d.vector(), x, y)
}

func test1(fn func(float32) bool) *operations {
	return &operations{asFloat: func(f *frame, in *instruction) {
		var m uint32
		for i, v := range at[float32](f, in.a).lanes() {
			if fn(v) {
				m |= 1 << i
			}
		}
		*maskAt(f, in.d) = m
	}}
}

func maxInt[T integer](f *frame, in *instruction) {
	a, b, d := at[T](f, in.a), at[T](f, in.b), at[T](f, in.d)
	if a.uniform() && b.uniform() {
		d.set(max(a.base, b.base))
		return
	}
	x, y := a.lanes(), b.lanes()
	z := d.vector()
	for i := range z {
		z[i] = max(x[i], y[i])
	}
}

func minInt[T integer](f *frame, in *instruction) {
	a, b, d := at[T](f, in.a), at[T](f, in.b), at[T](f, in.d)
	if a.uniform() && b.uniform() {
		d.set(min(a.base, b.base))
		return
	}
	x, y := a.lanes(), b.lanes()
	z := d.vector()
	for i := range z {
		z[i] = min(x[i], y[i])
	}
}

func fabs(v float32) float32 { return math.Float32frombits(math.Float32bits(v) &^ (1 << 31)) }

func clampTo[T integer](v, low, high T) T { return min(max(v, low), high) }

// narrowed drops the sign extension of an integer of n bits.
func narrowed(n int64, v uint32) uint32 { return v << (32 - n) >> (32 - n) }

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

func halfSum[T int64 | uint64](a, b T) T { return a&b + (a^b)>>1 }

func roundedHalfSum[T int64 | uint64](a, b T) T { return a | b - (a^b)>>1 }

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

func rotate(n int64, v, by uint32) uint32 {
	by %= uint32(n)
	v = narrowed(n, v)
	return v<<by | v>>(uint32(n)-by)
}
