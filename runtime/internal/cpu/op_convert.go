package cpu

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/metalgen/metalgen/internal/fmath"
	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
)

// floatFromInt converts integers of 32 or 64 bits.
func floatFromInt[T integer](f *frame, in *instruction) {
	a, d := at[T](f, in.a), at[float32](f, in.d)
	if a.uniform() {
		d.set(float32(a.base))
		return
	}
	x := a.lanes()
	lanes.OnIntegers[T]().Float(d.vector(), x)
}

// oddInt rounds integers to the digits of a float, to odd: the last digit becomes 1
// where others than 0 are dropped. The float of the result rounds to a narrower type
// as the integer itself would.
func oddInt[T integer](f *frame, in *instruction) {
	a, d := at[T](f, in.a), at[T](f, in.d)
	if a.uniform() {
		d.set(toOdd(a.base))
		return
	}
	x, z := a.lanes(), d.vector()
	for i := range z {
		z[i] = toOdd(x[i])
	}
}

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

// intFromFloat converts floats by a function of one and one of all lanes.
func intFromFloat[T integer](one func(float32) T, all *func(*[width]T, *[width]float32)) operation {
	return func(f *frame, in *instruction) {
		a, d := at[float32](f, in.a), at[T](f, in.d)
		if a.linear {
			d.set(one(a.base))
			return
		}
		(*all)(d.vector(), &a.lane)
	}
}

// intWithin converts floats to integers from low to high, which may be those of a uint too.
func intWithin(low, high int32) operation {
	return func(f *frame, in *instruction) {
		a, d := at[float32](f, in.a), at[int32](f, in.d)
		if a.linear {
			d.set(min(max(fmath.IntFromFloat(a.base), low), high))
			return
		}
		lanes.Float.Int(d.vector(), &a.lane, low, high)
	}
}

var (
	floatToUint  = intFromFloat(fmath.UintFromFloat, &lanes.Float.Uint)
	floatToLong  = intFromFloat(fmath.LongFromFloat, &lanes.Float.Long)
	floatToUlong = intFromFloat(fmath.UlongFromFloat, &lanes.Float.Ulong)

	floatToInt    = intWithin(math.MinInt32, math.MaxInt32)
	floatToChar   = intWithin(math.MinInt8, math.MaxInt8)
	floatToUchar  = intWithin(0, math.MaxUint8)
	floatToShort  = intWithin(math.MinInt16, math.MaxInt16)
	floatToUshort = intWithin(0, math.MaxUint16)
)

// widen makes 32 bits 64. A linear register stays so where no lane wraps
// around in 32 bits.
func widen[T int32 | uint32](f *frame, in *instruction) {
	a, d := at[T](f, in.a), at[int64](f, in.d)
	if base, step, ok := widened(a); ok {
		d.setLinear(base, step)
		return
	}
	x := a.lanes()
	lanes.OnWords[T]().Long(d.vector(), x)
}

func narrow(f *frame, in *instruction) {
	a, d := at[uint64](f, in.a), at[uint32](f, in.d)
	if a.linear {
		d.setLinear(uint32(a.base), uint32(a.step))
		return
	}
	lanes.Narrow(d.vector(), &a.lane)
}

// wrap makes a function that brings 32 bits into the range of a narrower
// integer, from low to high.
func wrap[T int32 | uint32](low, high T, one func(T) T, all *func(z, x *[width]T)) operation {
	return func(f *frame, in *instruction) {
		a, d := at[T](f, in.a), at[T](f, in.d)
		if first, last, ok := ends(a); ok && first >= low && last <= high {
			d.setLinear(a.base, a.step)
			return
		}
		if a.uniform() {
			d.set(one(a.base))
			return
		}
		x := a.lanes()
		(*all)(d.vector(), x)
	}
}

var (
	wrapChar   = wrap(-1<<7, 1<<7-1, func(v int32) int32 { return int32(int8(v)) }, &lanes.Int.WrapByte)
	wrapUChar  = wrap(0, 1<<8-1, func(v uint32) uint32 { return uint32(uint8(v)) }, &lanes.Uint.WrapByte)
	wrapShort  = wrap(-1<<15, 1<<15-1, func(v int32) int32 { return int32(int16(v)) }, &lanes.Int.WrapShort)
	wrapUShort = wrap(0, 1<<16-1, func(v uint32) uint32 { return uint32(uint16(v)) }, &lanes.Uint.WrapShort)
)

func roundHalf(f *frame, in *instruction) {
	a, d := at[float32](f, in.a), at[float32](f, in.d)
	if a.linear {
		d.set(fmath.RoundHalf(a.base))
		return
	}
	lanes.Float.RoundHalf(&d.lane, a.lanes())
	d.linear = false
}

func roundBFloat(f *frame, in *instruction) {
	a, d := at[float32](f, in.a), at[float32](f, in.d)
	if a.linear {
		d.set(fmath.RoundBFloat(a.base))
		return
	}
	lanes.Float.RoundBFloat(&d.lane, a.lanes())
	d.linear = false
}

// zeros are lanes of any type.
var zeros [width]uint64

// isNotZero converts to bool.
func isNotZero[T word](f *frame, in *instruction) {
	a := at[T](f, in.a)
	if a.uniform() {
		*maskAt(f, in.d) = maskOf(a.base != 0)
		return
	}
	*maskAt(f, in.d) = ^lanes.On[T]().Equal(a.lanes(), (*[width]T)(unsafe.Pointer(&zeros)))
}

// fromBool converts a bool to 0 or 1.
func fromBool[T word](f *frame, in *instruction) {
	m, d := *maskAt(f, in.a), at[T](f, in.d)
	switch m & f.mask {
	case 0:
		d.set(0)
		return
	case f.mask:
		d.set(1)
		return
	}
	lanes.On[T]().FromMask(d.vector(), m, 1)
}

// The bits of 16-bit floats, for as_type.

func halfBits(f *frame, in *instruction) {
	mapBits(f, in, fmath.HalfBits, lanes.Float.HalfBits)
}

func bfloatBits(f *frame, in *instruction) {
	mapBits(f, in, fmath.BFloatBits, lanes.Float.BFloatBits)
}

func mapBits(
	f *frame, in *instruction, bits func(float32) uint16, all func(*[width]uint32, *[width]float32),
) {
	a, d := at[float32](f, in.a), at[uint32](f, in.d)
	if a.linear {
		d.set(uint32(bits(a.base)))
		return
	}
	all(d.vector(), &a.lane)
}

func halfFromBits(f *frame, in *instruction) {
	mapFromBits(f, in, fmath.HalfFromBits, lanes.Float.FromHalfBits)
}

func bfloatFromBits(f *frame, in *instruction) {
	mapFromBits(f, in, fmath.BFloatFromBits, lanes.Float.FromBFloatBits)
}

func mapFromBits(
	f *frame, in *instruction, value func(uint16) float32, all func(*[width]float32, *[width]uint32),
) {
	a, d := at[uint32](f, in.a), at[float32](f, in.d)
	if a.uniform() {
		d.set(value(uint16(a.base)))
		return
	}
	x := a.lanes()
	all(d.vector(), x)
}

// plainBits reads an integer's register as a float's: a linear one only where
// it is the same for all lanes.
func plainBits(f *frame, in *instruction) {
	a, d := at[uint32](f, in.a), at[uint32](f, in.d)
	if a.uniform() {
		d.set(a.base)
		return
	}
	x := a.lanes()
	*d.vector() = *x
}
