package cpu

import (
	"math/bits"

	"github.com/metalgen/metalgen/runtime/internal/cpu/fmath"
)

// floatFromInt converts integers of 32 or 64 bits.
func floatFromInt[T integer](f *frame, in *instruction) {
	a, d := at[T](f, in.a), at[float32](f, in.d)
	if a.uniform() {
		d.set(float32(a.base))
		return
	}
	x, z := a.lanes(), d.vector()
	for i := range z {
		z[i] = float32(x[i])
	}
}

func floatFromUint(f *frame, in *instruction) {
	a, d := at[uint32](f, in.a), at[float32](f, in.d)
	if a.uniform() {
		d.set(float32(a.base))
		return
	}
	x, z := a.lanes(), d.vector()
	for i := range z {
		z[i] = float32(int64(x[i]))
	}
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

func intFromFloat[T integer](convert func(float32) T) func(f *frame, in *instruction) {
	return func(f *frame, in *instruction) {
		a, d := at[float32](f, in.a), at[T](f, in.d)
		if a.linear {
			d.set(convert(a.base))
			return
		}
		x, z := a.lanes(), d.vector()
		for i := range z {
			z[i] = convert(x[i])
		}
	}
}

var (
	floatToInt   = intFromFloat(fmath.IntFromFloat)
	floatToUint  = intFromFloat(fmath.UintFromFloat)
	floatToLong  = intFromFloat(fmath.LongFromFloat)
	floatToUlong = intFromFloat(fmath.UlongFromFloat)

	floatToChar   = intFromFloat(func(v float32) int32 { return int32(fmath.CharFromFloat(v)) })
	floatToUchar  = intFromFloat(func(v float32) uint32 { return uint32(fmath.UcharFromFloat(v)) })
	floatToShort  = intFromFloat(func(v float32) int32 { return int32(fmath.ShortFromFloat(v)) })
	floatToUshort = intFromFloat(func(v float32) uint32 { return uint32(fmath.UshortFromFloat(v)) })
)

// widen makes 32 bits 64. A linear register stays so where no lane wraps
// around in 32 bits.
func widen[T int32 | uint32](f *frame, in *instruction) {
	a, d := at[T](f, in.a), at[int64](f, in.d)
	if base, step, ok := widened(a); ok {
		d.setLinear(base, step)
		return
	}
	x, z := a.lanes(), d.vector()
	for i := range z {
		z[i] = int64(x[i])
	}
}

func narrow(f *frame, in *instruction) {
	a, d := at[uint64](f, in.a), at[uint32](f, in.d)
	if a.linear {
		d.setLinear(uint32(a.base), uint32(a.step))
		return
	}
	x, z := a.lanes(), d.vector()
	for i := range z {
		z[i] = uint32(x[i])
	}
}

// wrap makes a function that brings 32 bits into the range of a narrower
// integer, from low to high.
func wrap[T int32 | uint32](low, high T, to func(T) T) func(f *frame, in *instruction) {
	return func(f *frame, in *instruction) {
		a, d := at[T](f, in.a), at[T](f, in.d)
		if first, last, ok := ends(a); ok && first >= low && last <= high {
			d.setLinear(a.base, a.step)
			return
		}
		if a.uniform() {
			d.set(to(a.base))
			return
		}
		x, z := a.lanes(), d.vector()
		for i := range z {
			z[i] = to(x[i])
		}
	}
}

var (
	wrapChar   = wrap(-1<<7, 1<<7-1, func(v int32) int32 { return int32(int8(v)) })
	wrapUChar  = wrap(0, 1<<8-1, func(v uint32) uint32 { return uint32(uint8(v)) })
	wrapShort  = wrap(-1<<15, 1<<15-1, func(v int32) int32 { return int32(int16(v)) })
	wrapUShort = wrap(0, 1<<16-1, func(v uint32) uint32 { return uint32(uint16(v)) })
)

func roundHalf(f *frame, in *instruction) {
	a, d := at[float32](f, in.a), at[float32](f, in.d)
	if a.linear {
		d.set(fmath.RoundHalf(a.base))
		return
	}
	fmath.RoundHalfLanes(&d.lane, a.lanes())
	d.linear = false
}

func roundBFloat(f *frame, in *instruction) {
	a, d := at[float32](f, in.a), at[float32](f, in.d)
	if a.linear {
		d.set(fmath.RoundBFloat(a.base))
		return
	}
	fmath.RoundBFloatLanes(&d.lane, a.lanes())
	d.linear = false
}

// isNotZero converts to bool.
func isNotZero[T word](f *frame, in *instruction) {
	a := at[T](f, in.a)
	var m uint32
	if a.uniform() {
		if a.base != 0 {
			m = full
		}
		*maskAt(f, in.d) = m
		return
	}
	for i, v := range a.lanes() {
		var bit uint32
		if v != 0 {
			bit = 1
		}
		m |= bit << i
	}
	*maskAt(f, in.d) = m
}

// numberOf converts a bool to 0 or 1.
func numberOf[T word](f *frame, in *instruction) {
	m, d := *maskAt(f, in.a), at[T](f, in.d)
	switch m & f.mask {
	case 0:
		d.set(0)
		return
	case f.mask:
		d.set(1)
		return
	}
	z := d.vector()
	for i := range z {
		z[i] = T(m >> i & 1)
	}
}

// The bits of 16-bit floats, for as_type.

func halfBits(f *frame, in *instruction) {
	mapBits(f, in, fmath.HalfBits)
}

func bfloatBits(f *frame, in *instruction) {
	mapBits(f, in, fmath.BFloatBits)
}

func mapBits(f *frame, in *instruction, bits func(float32) uint16) {
	a, d := at[float32](f, in.a), at[uint32](f, in.d)
	if a.linear {
		d.set(uint32(bits(a.base)))
		return
	}
	x, z := a.lanes(), d.vector()
	for i := range z {
		z[i] = uint32(bits(x[i]))
	}
}

func halfFromBits(f *frame, in *instruction) {
	mapFromBits(f, in, fmath.HalfFromBits)
}

func bfloatFromBits(f *frame, in *instruction) {
	mapFromBits(f, in, fmath.BFloatFromBits)
}

func mapFromBits(f *frame, in *instruction, value func(uint16) float32) {
	a, d := at[uint32](f, in.a), at[float32](f, in.d)
	if a.uniform() {
		d.set(value(uint16(a.base)))
		return
	}
	x, z := a.lanes(), d.vector()
	for i := range z {
		z[i] = value(uint16(x[i]))
	}
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
