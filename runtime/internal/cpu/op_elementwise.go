package cpu

import (
	"math"
	"math/bits"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/internal/cpu/fmath"
	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
)

// elementwise are the functions that work on each element by itself, by the type of
// their first argument. An operand of 32 bits may be an integer of fewer: the
// instruction's imm is the width of its type.
var elementwise = map[string]operations{
	"acos": floatOp(fmath.Acos), "asin": floatOp(fmath.Asin), "atan": floatOp(fmath.Atan),
	"acosh": floatOp(fmath.Acosh), "asinh": floatOp(fmath.Asinh), "atanh": floatOp(fmath.Atanh),
	"cosh": floatOp(fmath.Cosh), "sinh": floatOp(fmath.Sinh),
	"cospi": floatOp(fmath.CosPi), "sinpi": floatOp(fmath.SinPi), "tanpi": floatOp(fmath.TanPi),
	"tan": floatOp(fmath.Tan),
	"exp": lanesOp(fmath.Exp, &lanes.Float.Exp), "exp2": lanesOp(fmath.Exp2, &lanes.Float.Exp2),
	"exp10": lanesOp(fmath.Exp10, &lanes.Float.Exp10), "log10": lanesOp(fmath.Log10, &lanes.Float.Log10),
	"log": lanesOp(fmath.Log, &lanes.Float.Log), "log2": lanesOp(fmath.Log2, &lanes.Float.Log2),
	"sin": lanesOp(fmath.Sin, &lanes.Float.Sin), "cos": lanesOp(fmath.Cos, &lanes.Float.Cos),
	"tanh": lanesOp(fmath.Tanh, &lanes.Float.Tanh),
	"sqrt": lanesOp(fmath.Sqrt, &lanes.Float.Sqrt), "rsqrt": lanesOp(fmath.Rsqrt, &lanes.Float.Rsqrt),

	"ceil": lanesOp(fmath.Ceil, &lanes.Float.Ceil), "floor": lanesOp(fmath.Floor, &lanes.Float.Floor),
	"trunc": lanesOp(fmath.Trunc, &lanes.Float.Trunc), "rint": lanesOp(fmath.Rint, &lanes.Float.Rint),
	"fabs": lanesOp(fabs, &lanes.Float.Abs), "round": lanesOp(fmath.Round, &lanes.Float.Round),
	"fract": lanesOp(fmath.Fract, &lanes.Float.Fract), "sign": lanesOp(fmath.Sign, &lanes.Float.Sign),
	"saturate": lanesOp(fmath.Saturate, &lanes.Float.Saturate),

	"atan2": floatOp2(fmath.Atan2), "copysign": floatOp2(fmath.Copysign), "fdim": floatOp2(fmath.Fdim),
	"fmod": floatOp2(fmath.Fmod), "nextafter": floatOp2(fmath.Nextafter),
	"pow": {asFloat: lanes2(fmath.Pow, &lanes.Float.Pow)}, "powr": floatOp2(fmath.Powr),
	"fmax": {asFloat: maxFloat}, "fmin": {asFloat: minFloat}, "step": floatOp2(fmath.Step),
	"divide": {asFloat: divFloat},

	"fma": {asFloat: fmaFloat},

	"max": onNumbers(bound2(maxOf[int32], &lanes.Int.Max), bound2(maxOf[uint32], &lanes.Uint.Max),
		bound2(maxOf[int64], &lanes.Long.Max), bound2(maxOf[uint64], &lanes.Ulong.Max), maxFloat),
	"min": onNumbers(bound2(minOf[int32], &lanes.Int.Min), bound2(minOf[uint32], &lanes.Uint.Min),
		bound2(minOf[int64], &lanes.Long.Min), bound2(minOf[uint64], &lanes.Ulong.Min), minFloat),
	"abs": onNumbers(mapFit(absolute[int32]), map1(same[uint32]), map1(absolute[int64]), map1(same[uint64]),
		lanes1(fabs, &lanes.Float.Abs)),
	"clamp": onNumbers(bound3(clampTo[int32], &lanes.Int.Clamp), bound3(clampTo[uint32], &lanes.Uint.Clamp),
		bound3(clampTo[int64], &lanes.Long.Clamp), bound3(clampTo[uint64], &lanes.Ulong.Clamp),
		lanes3(fmath.Clamp, &lanes.Float.Clamp)),

	"absdiff": onIntegers(map2to(distance[int32, uint32]), map2to(distance[uint32, uint32]),
		map2to(distance[int64, uint64]), map2to(distance[uint64, uint64])),
	"addsat": onIntegers(bitsOp2(addSatInt), bitsOp2(addSatUint), map2(addSatLong), map2(addSatUlong)),
	"subsat": onIntegers(bitsOp2(subSatInt), bitsOp2(subSatUint), map2(subSatLong), map2(subSatUlong)),
	"hadd": onIntegers(map2(halfSum[int32]), map2(halfSum[uint32]),
		map2(halfSum[int64]), map2(halfSum[uint64])),
	"rhadd": onIntegers(map2(roundedHalfSum[int32]), map2(roundedHalfSum[uint32]),
		map2(roundedHalfSum[int64]), map2(roundedHalfSum[uint64])),
	"mulhi": onIntegers(bitsOp2(mulHighInt), bitsOp2(mulHighUint), map2(mulHighLong), map2(mulHighUlong)),
	"mul24": {asInt: map2(mul24Int), asUint: map2(mul24Uint)},
	"mad24": {
		asInt:  map3(func(a, b, c int32) int32 { return mul24Int(a, b) + c }),
		asUint: map3(func(a, b, c uint32) uint32 { return mul24Uint(a, b) + c }),
	},
	"rotate": onIntegers(bitsOp2(rotate[int32]), bitsOp2(rotate[uint32]), map2(rotate64[int64]), map2(rotate64[uint64])),
	"clz": onIntegers(bitsOp(leadingZeros[int32]), bitsOp(leadingZeros[uint32]),
		map1(leadingZeros64[int64]), map1(leadingZeros64[uint64])),
	"ctz": onIntegers(bitsOp(trailingZeros[int32]), bitsOp(trailingZeros[uint32]),
		map1(trailingZeros64[int64]), map1(trailingZeros64[uint64])),
	"popcount": onIntegers(bitsOp(onesCount[int32]), bitsOp(onesCount[uint32]),
		map1(onesCount64[int64]), map1(onesCount64[uint64])),
	"reverse_bits": onIntegers(bitsOp(reverse[int32]), bitsOp(reverse[uint32]),
		map1(reverse64[int64]), map1(reverse64[uint64])),

	"isfinite": test1(func(v float32) bool { return v-v == 0 }),
	"isinf":    test1(func(v float32) bool { return math.IsInf(float64(v), 0) }),
	"isnan":    test1(func(v float32) bool { return v != v }),
	"signbit":  test1(func(v float32) bool { return math.Signbit(float64(v)) }),
	"not":      {asBool: maskNot},
}

// narrowOps are the functions of half and bfloat that are more than those of float,
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

// cheap are the functions that cost less than a branch around them.
var cheap = map[string]bool{
	"min": true, "max": true, "abs": true, "fabs": true, "clamp": true, "fma": true, "floor": true, "saturate": true,
}

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

func floatOp(fn func(float32) float32) operations {
	return operations{asFloat: map1(fn)}
}

func floatOp2(fn func(a, b float32) float32) operations {
	return operations{asFloat: map2(fn)}
}

// lanesOp is for functions that package lanes has.
func lanesOp(one func(float32) float32, all *func(z, x *[width]float32)) operations {
	return operations{asFloat: lanes1(one, all)}
}

// lanes1, lanes2 and lanes3 make an operation of a function of one lane and one of all. They are
// not inlined for the reason of store.
//
//go:noinline
func lanes1[T word](one func(T) T, all *func(z, x *[width]T)) operation {
	return func(f *frame, in *instruction) {
		a, d := at[T](f, in.a), at[T](f, in.d)
		if a.uniform() {
			d.set(one(a.base))
			return
		}
		x := a.lanes()
		(*all)(d.vector(), x)
	}
}

//go:noinline
func lanes2[T word](one func(x, y T) T, all *func(z, x, y *[width]T)) operation {
	return func(f *frame, in *instruction) {
		a, b, d := at[T](f, in.a), at[T](f, in.b), at[T](f, in.d)
		if a.uniform() && b.uniform() {
			d.set(one(a.base, b.base))
			return
		}
		x, y := a.lanes(), b.lanes()
		(*all)(d.vector(), x, y)
	}
}

//go:noinline
func lanes3[T word](one func(x, y, w T) T, all *func(z, x, y, w *[width]T)) operation {
	return func(f *frame, in *instruction) {
		a, b, c, d := at[T](f, in.a), at[T](f, in.b), at[T](f, in.c), at[T](f, in.d)
		if a.uniform() && b.uniform() && c.uniform() {
			d.set(one(a.base, b.base, c.base))
			return
		}
		x, y, w := a.lanes(), b.lanes(), c.lanes()
		(*all)(d.vector(), x, y, w)
	}
}

// bound2 and bound3 are lanes2 and lanes3 for functions that keep their first operand between
// bounds: min, max and clamp. Where that counts up and the bounds are the same in all lanes, so
// that a function decides alike for the first lane and the last, it decides for those between.

//go:noinline
func bound2[T integer](one func(x, y T) T, all *func(z, x, y *[width]T)) operation {
	each := lanes2(one, all)
	return func(f *frame, in *instruction) {
		a, b := at[T](f, in.a), at[T](f, in.b)
		if a.uniform() {
			a, b = b, a
		}
		if first, last, ok := ends(a); ok && b.uniform() && at[T](f, in.d).bound(a, one(first, b.base), one(last, b.base)) {
			return
		}
		each(f, in)
	}
}

//go:noinline
func bound3[T integer](one func(x, y, w T) T, all *func(z, x, y, w *[width]T)) operation {
	each := lanes3(one, all)
	return func(f *frame, in *instruction) {
		a, b, c := at[T](f, in.a), at[T](f, in.b), at[T](f, in.c)
		if first, last, ok := ends(a); ok && b.uniform() && c.uniform() &&
			at[T](f, in.d).bound(a, one(first, b.base, c.base), one(last, b.base, c.base)) {
			return
		}
		each(f, in)
	}
}

// bound sets r to what counts up in a, if its ends stay as they are, or to one bound. It reports
// false where neither is so.
func (r *register[T]) bound(a *register[T], first, last T) bool {
	switch {
	case first == last:
		r.set(first)
	case first == a.base && last == a.base+(width-1)*a.step:
		r.setLinear(a.base, a.step)
	default:
		return false
	}
	return true
}

func test1(fn func(float32) bool) operations {
	return operations{asFloat: func(f *frame, in *instruction) {
		var m uint32
		for i, v := range at[float32](f, in.a).lanes() {
			if fn(v) {
				m |= 1 << i
			}
		}
		*maskAt(f, in.d) = m
	}}
}

var (
	maxFloat = lanes2(fmath.Fmax, &lanes.Float.Max)
	minFloat = lanes2(fmath.Fmin, &lanes.Float.Min)
)

func fabs(v float32) float32 { return math.Float32frombits(math.Float32bits(v) &^ (1 << 31)) }

func absolute[T int32 | int64](v T) T { return max(v, -v) }

// distance is |a - b|, in the unsigned type of the same size.
func distance[T integer, U uint32 | uint64](a, b T) U {
	if a > b {
		return U(a) - U(b)
	}
	return U(b) - U(a)
}

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
