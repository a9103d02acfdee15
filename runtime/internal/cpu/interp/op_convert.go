package interp

import (
	"math"

	"github.com/metalgen/metalgen/internal/fmath"
	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// floatFromInt converts integers of 32 or 64 bits.
func floatFromInt[T integer](f *Frame, in *program.Instruction) {
	a, d := At[T](f, in.A), At[float32](f, in.D)
	if a.uniform() {
		d.Set(float32(a.Base))
		return
	}
	x := a.Lanes()
	lanes.Convert(d.vector(), x)
}

// intFromFloat converts floats by a function of one and one of all lanes.
func intFromFloat[T integer](one func(float32) T, all func(*[width]T, *[width]float32)) Operation {
	return func(f *Frame, in *program.Instruction) {
		a, d := At[float32](f, in.A), At[T](f, in.D)
		if a.Linear {
			d.Set(one(a.Base))
			return
		}
		all(d.vector(), &a.Lane)
	}
}

// intWithin converts floats to integers from low to high, which may be those of a uint too.
func intWithin(low, high int32) Operation {
	return func(f *Frame, in *program.Instruction) {
		a, d := At[float32](f, in.A), At[int32](f, in.D)
		if a.Linear {
			d.Set(min(max(fmath.IntFromFloat(a.Base), low), high))
			return
		}
		lanes.IntWithin(d.vector(), &a.Lane, low, high)
	}
}

var (
	floatToUint  = intFromFloat(fmath.UintFromFloat, lanes.Each(fmath.UintFromFloat))
	floatToLong  = intFromFloat(fmath.LongFromFloat, lanes.Each(fmath.LongFromFloat))
	floatToUlong = intFromFloat(fmath.UlongFromFloat, lanes.Each(fmath.UlongFromFloat))

	floatToInt    = intWithin(math.MinInt32, math.MaxInt32)
	floatToChar   = intWithin(math.MinInt8, math.MaxInt8)
	floatToUchar  = intWithin(0, math.MaxUint8)
	floatToShort  = intWithin(math.MinInt16, math.MaxInt16)
	floatToUshort = intWithin(0, math.MaxUint16)
)

// widen makes 32 bits 64. A linear register stays so where no lane wraps
// around in 32 bits.
func widen[T int32 | uint32](f *Frame, in *program.Instruction) {
	a, d := At[T](f, in.A), At[int64](f, in.D)
	if base, step, ok := widened(a); ok {
		d.setLinear(base, step)
		return
	}
	x := a.Lanes()
	lanes.Convert(d.vector(), x)
}

func narrow(f *Frame, in *program.Instruction) {
	a, d := At[uint64](f, in.A), At[uint32](f, in.D)
	if a.Linear {
		d.setLinear(uint32(a.Base), uint32(a.Step))
		return
	}
	lanes.Convert(d.vector(), &a.Lane)
}

// wrap makes a function that brings 32 bits into the range of a narrower
// integer, from low to high.
func wrap[T int32 | uint32](low, high T, one func(T) T) Operation {
	all := lanes.Each(one)
	return func(f *Frame, in *program.Instruction) {
		a, d := At[T](f, in.A), At[T](f, in.D)
		if first, last, ok := ends(a); ok && first >= low && last <= high {
			d.setLinear(a.Base, a.Step)
			return
		}
		if a.uniform() {
			d.Set(one(a.Base))
			return
		}
		x := a.Lanes()
		all(d.vector(), x)
	}
}

var (
	wrapChar   = wrap(-1<<7, 1<<7-1, func(v int32) int32 { return int32(int8(v)) })
	wrapUChar  = wrap(0, 1<<8-1, func(v uint32) uint32 { return uint32(uint8(v)) })
	wrapShort  = wrap(-1<<15, 1<<15-1, func(v int32) int32 { return int32(int16(v)) })
	wrapUShort = wrap(0, 1<<16-1, func(v uint32) uint32 { return uint32(uint16(v)) })
)

func roundHalf(f *Frame, in *program.Instruction) {
	a, d := At[float32](f, in.A), At[float32](f, in.D)
	if a.Linear {
		d.Set(fmath.RoundHalf(a.Base))
		return
	}
	fmath.RoundHalfLanes(&d.Lane, a.Lanes())
	d.Linear = false
}

func roundBFloat(f *Frame, in *program.Instruction) {
	a, d := At[float32](f, in.A), At[float32](f, in.D)
	if a.Linear {
		d.Set(fmath.RoundBFloat(a.Base))
		return
	}
	fmath.RoundBFloatLanes(&d.Lane, a.Lanes())
	d.Linear = false
}

// isNotZero converts to bool.
func isNotZero[T word](f *Frame, in *program.Instruction) {
	a := At[T](f, in.A)
	if a.uniform() {
		*MaskAt(f, in.D) = program.MaskOf(a.Base != 0)
		return
	}
	*MaskAt(f, in.D) = ^lanes.Equal(a.Lanes(), new([width]T))
}

// fromBool converts a bool to 0 or 1.
func fromBool[T word](f *Frame, in *program.Instruction) {
	m, d := *MaskAt(f, in.A), At[T](f, in.D)
	switch m & f.Mask {
	case 0:
		d.Set(0)
		return
	case f.Mask:
		d.Set(1)
		return
	}
	lanes.FromMask(d.vector(), m, 1)
}

// The bits of 16-bit floats, for as_type.

func halfBits(f *Frame, in *program.Instruction) {
	mapBits(f, in, fmath.HalfBits, lanes.HalfBits)
}

func bfloatBits(f *Frame, in *program.Instruction) {
	mapBits(f, in, fmath.BFloatBits, lanes.BFloatBits)
}

func mapBits(
	f *Frame, in *program.Instruction, bits func(float32) uint16, all func(*[width]uint32, *[width]float32),
) {
	a, d := At[float32](f, in.A), At[uint32](f, in.D)
	if a.Linear {
		d.Set(uint32(bits(a.Base)))
		return
	}
	all(d.vector(), &a.Lane)
}

func halfFromBits(f *Frame, in *program.Instruction) {
	mapFromBits(f, in, fmath.HalfFromBits, lanes.FromHalfBits)
}

func bfloatFromBits(f *Frame, in *program.Instruction) {
	mapFromBits(f, in, fmath.BFloatFromBits, lanes.FromBFloatBits)
}

func mapFromBits(
	f *Frame, in *program.Instruction, value func(uint16) float32, all func(*[width]float32, *[width]uint32),
) {
	a, d := At[uint32](f, in.A), At[float32](f, in.D)
	if a.uniform() {
		d.Set(value(uint16(a.Base)))
		return
	}
	x := a.Lanes()
	all(d.vector(), x)
}

// plainBits reads an integer's register as a float's: a linear one only where
// it is the same for all lanes.
func plainBits(f *Frame, in *program.Instruction) {
	a, d := At[uint32](f, in.A), At[uint32](f, in.D)
	if a.uniform() {
		d.Set(a.Base)
		return
	}
	x := a.Lanes()
	*d.vector() = *x
}
