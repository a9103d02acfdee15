package native

import (
	"math"

	"github.com/metalgen/metalgen/internal/fmath"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// The functions of the library compute as package fmath does, step by step, so that their results are the same bits.

// inDoubles returns the floats of doubles: compute gets what makes doubles of the lower or the upper half of floats.
func inDoubles(l *lanes, compute func(doubles func(x reg) reg) reg) reg {
	lo := compute(func(x reg) reg { return l.op(vcode.VFToDLo, x, 0) })
	if l.once {
		return l.op(vcode.VDToF, lo, lo)
	}
	hi := compute(func(x reg) reg { return l.op(vcode.VFToDHi, x, 0) })
	return l.op(vcode.VDToF, lo, hi)
}

// double returns a double in all elements.
func double(l *lanes, v float64) reg { return l.word64(math.Float64bits(v)) }

// polynomial returns c[0] + x*(c[1] + x*(c[2] + ...)). Each step is rounded.
func polynomial(l *lanes, x reg, c []float64) reg {
	d := l.op(vcode.VMulD, x, double(l, c[len(c)-1]))
	for i := len(c) - 2; i > 0; i-- {
		d = l.op(vcode.VMulD, l.op(vcode.VAddD, d, double(l, c[i])), x)
	}
	return l.op(vcode.VAddD, d, double(l, c[0]))
}

// lookUp returns the entries of a table that the lowest five bits of index name.
func lookUp(l *lanes, index reg, table *[32]uint64) reg {
	words := make([]uint32, 0, 64)
	for _, v := range table {
		words = append(words, uint32(v), uint32(v>>32))
	}
	return l.make(vcode.Instr{Op: vcode.VTable64, A: index, Words: words})
}

// doubles returns the bits of a table.
func doubles(table *[32]float64) *[32]uint64 {
	bits := new([32]uint64)
	for i, v := range table {
		bits[i] = math.Float64bits(v)
	}
	return bits
}

// leaveWhere leaves to the interpreter what rare says of the parts of operands.
func leaveWhere(rare func(l *lanes, a, b reg) reg) scalarFunc {
	return func(l *lanes, in *wide.Instruction) {
		parts := l.parts
		if l.once {
			parts = 1
		}
		list := make([]reg, parts)
		for i := range list {
			var b reg
			if wide.Infos[in.Op].B != wide.None {
				b = l.now(in.B, i)
			}
			list[i] = l.keep(rare(l, l.now(in.A, i), b))
		}
		l.leaveIfAny(list)
	}
}

// rsqrt is 1 / sqrt(a).
func rsqrt(l *lanes, _ *wide.Instruction, a, _, _ reg) reg {
	return inDoubles(l, func(doubles func(reg) reg) reg {
		return l.op(vcode.VDivD, double(l, 1), l.op(vcode.VSqrtD, doubles(a), 0))
	})
}

// roundMagic leaves the nearest integer in the lowest bits of a double that it is added to.
const roundMagic = 0x1.8p52

// raise returns a power of 2, and what is added to it: together they are 2^(x*scale/32), of an x within a limit.
func raise(l *lanes, x reg, limit, scale float64, p []float64) (power, more reg) {
	x = l.op(vcode.VMaxD, l.op(vcode.VMinD, x, double(l, limit)), double(l, -limit))
	x = l.op(vcode.VMulD, x, double(l, scale))
	k := l.op(vcode.VAddD, x, double(l, roundMagic))
	rest := l.op(vcode.VSubD, x, l.op(vcode.VSubD, k, double(l, roundMagic)))
	power = l.op(vcode.VAddQ, lookUp(l, k, &fmath.Exp2Table), l.opI(vcode.VShlQI, k, 47))
	return power, l.op(vcode.VMulD, l.op(vcode.VMulD, power, rest), polynomial(l, rest, p))
}

// exponentialOf returns a power.
func exponentialOf(l *lanes, x reg, f *fmath.Exponential) reg {
	power, more := raise(l, x, f.Limit, f.Scale, f.P[:])
	return l.op(vcode.VAddD, power, more)
}

// orNaN returns d where a is a number, and a NaN elsewhere.
func orNaN(l *lanes, d, a reg) reg {
	return l.op3(vcode.VBlend, l.op(vcode.VAddF, a, a), d, notNumber(l, a))
}

func exp10(l *lanes, _ *wide.Instruction, a, _, _ reg) reg {
	d := inDoubles(l, func(doubles func(reg) reg) reg { return exponentialOf(l, doubles(a), &fmath.ExpTen) })
	return orNaN(l, d, a)
}

// power is a power in floats.
func power(f *fmath.Power) laneFunc {
	return func(l *lanes, _ *wide.Instruction, a, _, _ reg) reg {
		number := func(v float64) reg { return float(l, float32(v)) }
		x := l.op(vcode.VMaxF, number(f.Low), l.op(vcode.VMinF, number(f.High), a))
		k := l.op3(vcode.VFma, x, number(f.Log), number(0x1.8p23))
		k = l.op(vcode.VSubF, k, number(0x1.8p23))
		for _, part := range f.Whole {
			x = l.op3(vcode.VFma, k, number(part), x)
		}
		p := number(f.P[len(f.P)-1])
		for i := len(f.P) - 2; i >= 0; i-- {
			p = l.op3(vcode.VFma, p, x, number(f.P[i]))
		}
		return l.op(vcode.VScaleF, l.op3(vcode.VFma, p, x, number(1)), k)
	}
}

func tanh(l *lanes, _ *wide.Instruction, a, _, _ reg) reg {
	f := &fmath.TanhOf
	d := inDoubles(l, func(doubles func(reg) reg) reg {
		power, more := raise(l, doubles(a), f.Limit, f.Scale, f.P[:])
		less := l.op(vcode.VAddD, l.op(vcode.VSubD, power, double(l, 1)), more)
		return l.op(vcode.VDivD, less, l.op(vcode.VAddD, less, double(l, 2)))
	})
	tiny := l.compare(vcode.VCmpF, vcode.LtS, magnitude(l, a), float(l, float32(f.Tiny)))
	return orNaN(l, l.op3(vcode.VBlend, a, d, tiny), a)
}

// logarithmOf returns the logarithm of what is positive and finite.
func logarithmOf(l *lanes, x reg, f *fmath.Logarithm) reg {
	const lowest = 0x3fe6400000000000
	above := l.op(vcode.VSubQ, x, l.word64(lowest))
	z := l.op(vcode.VSubQ, x, l.op(vcode.VAnd, above, l.word64(0xfff<<52)))
	// The exponent, as a double: next to roundMagic, doubles have integers in their lowest bits.
	k := l.op(vcode.VAddQ, l.opI(vcode.VSarQI, above, 52), double(l, roundMagic))
	k = l.op(vcode.VSubD, k, double(l, roundMagic))
	index := l.opI(vcode.VShrQI, above, 47)
	z = l.op(vcode.VSubD, l.op(vcode.VMulD, z, lookUp(l, index, doubles(&f.Inverse))), double(l, 1))
	whole := l.op(vcode.VAddD, times(l, k, f.Scale), lookUp(l, index, doubles(&f.Log)))
	p := l.op(vcode.VMulD, l.op(vcode.VMulD, z, z), polynomial(l, z, f.P[:]))
	return times(l, l.op(vcode.VAddD, whole, l.op(vcode.VAddD, times(l, z, f.Lead), p)), f.Times)
}

// times multiplies doubles by a number.
func times(l *lanes, x reg, by float64) reg {
	if by == 1 {
		return x
	}
	return l.op(vcode.VMulD, x, double(l, by))
}

func logarithm(f *fmath.Logarithm) laneFunc {
	return func(l *lanes, _ *wide.Instruction, a, _, _ reg) reg {
		d := inDoubles(l, func(doubles func(reg) reg) reg { return logarithmOf(l, doubles(a), f) })
		zero, inf := float(l, 0), l.word32(infinite)
		d = l.op3(vcode.VBlend, l.word32(infinite|signBit), d, l.compare(vcode.VCmpF, vcode.Eq, a, zero))
		d = l.op3(vcode.VBlend, inf, d, l.compare(vcode.VCmpF, vcode.Eq, a, inf))
		d = l.op3(vcode.VBlend, l.word32(quietNaN), d, l.compare(vcode.VCmpF, vcode.LtS, a, zero))
		return orNaN(l, d, a)
	}
}

// unusualPower says where a^b is not of a positive and finite and a finite number, or of 0 and a positive number.
func unusualPower(l *lanes, a, b reg) reg {
	zero, inf := float(l, 0), l.word32(infinite)
	both := l.op(vcode.PAnd, l.compare(vcode.VCmpF, vcode.LtS, zero, a), l.compare(vcode.VCmpF, vcode.LtS, a, inf))
	both = l.op(vcode.PAnd, both, l.compare(vcode.VCmpF, vcode.LtS, magnitude(l, b), inf))
	ofZero := l.op(vcode.PAnd, l.compare(vcode.VCmp, vcode.Eq, a, zero), l.compare(vcode.VCmpF, vcode.LtS, zero, b))
	return l.op(vcode.PNot, l.op(vcode.POr, both, ofZero), 0)
}

func pow(l *lanes, _ *wide.Instruction, a, b, _ reg) reg {
	d := inDoubles(l, func(doubles func(reg) reg) reg {
		x := logarithmOf(l, doubles(a), fmath.LogTwo)
		return exponentialOf(l, l.op(vcode.VMulD, doubles(b), x), &fmath.ExpTwo)
	})
	return l.op3(vcode.VBlend, l.word32(0), d, l.compare(vcode.VCmp, vcode.Eq, a, l.word32(0)))
}

// sineOf returns the sine or cosine of doubles.
func sineOf(l *lanes, x reg, f *fmath.Sine) reg {
	k := l.op(vcode.VMulD, x, double(l, f.InvPi))
	if f.Half != 0 {
		k = l.op(vcode.VSubD, k, double(l, f.Half))
	}
	k = l.op(vcode.VAddD, k, double(l, roundMagic))
	sign := l.opI(vcode.VShlQI, l.op(vcode.VXor, k, l.word64(f.Flip)), 63)
	k = l.op(vcode.VSubD, k, double(l, roundMagic))
	if f.Half != 0 {
		k = l.op(vcode.VAddD, k, double(l, f.Half))
	}
	x = l.op(vcode.VSubD, x, l.op(vcode.VMulD, k, double(l, f.PiHigh)))
	x = l.op(vcode.VSubD, x, l.op(vcode.VMulD, k, double(l, f.PiLow)))
	p := polynomial(l, l.op(vcode.VMulD, x, x), f.P[:])
	return l.op(vcode.VXor, l.op(vcode.VMulD, x, p), sign)
}

// tooLarge says what is beyond the limit of the sine, and what is no number.
func tooLarge(l *lanes, a, _ reg) reg {
	limit := float(l, float32(fmath.SinOf.Limit))
	return l.op(vcode.PNot, l.compare(vcode.VCmpF, vcode.LeS, magnitude(l, a), limit), 0)
}

func sine(f *fmath.Sine) laneFunc {
	return func(l *lanes, _ *wide.Instruction, a, _, _ reg) reg {
		return inDoubles(l, func(doubles func(reg) reg) reg { return sineOf(l, doubles(a), f) })
	}
}

func tan(l *lanes, _ *wide.Instruction, a, _, _ reg) reg {
	return inDoubles(l, func(doubles func(reg) reg) reg {
		x := doubles(a)
		s := sineOf(l, x, &fmath.SinOf)
		return l.op(vcode.VDivD, s, sineOf(l, x, &fmath.CosOf))
	})
}

// rounded is a function that rounds to integers.
func rounded(how int64) laneFunc {
	return func(l *lanes, _ *wide.Instruction, a, _, _ reg) reg { return l.opI(vcode.VRound, a, how) }
}

// round rounds to the nearest integer, ties away from 0.
func round(l *lanes, _ *wide.Instruction, a, _, _ reg) reg {
	return inDoubles(l, func(doubles func(reg) reg) reg {
		x := doubles(a)
		half := l.op(vcode.VOr, l.op(vcode.VAnd, x, l.word64(1<<63)), double(l, 0.5))
		return l.op(vcode.VTruncD, l.op(vcode.VAddD, x, half), 0)
	})
}

// fract is a - floor(a), but below 1, and 0 of what is infinite.
func fract(l *lanes, _ *wide.Instruction, a, _, _ reg) reg {
	const below1 = 0x1.fffffep-1
	x := l.op(vcode.VSubF, a, l.opI(vcode.VRound, a, vcode.ToFloor))
	most := float(l, below1)
	x = l.op3(vcode.VBlend, most, x, l.compare(vcode.VCmpF, vcode.LtS, most, x))
	return l.op3(vcode.VBlend, l.word32(0), x, isInfinite(l, a))
}

// saturate is 0 of what is no number.
func saturate(l *lanes, _ *wide.Instruction, a, _, _ reg) reg {
	zero, one := float(l, 0), float(l, 1)
	x := l.op3(vcode.VBlend, a, zero, l.compare(vcode.VCmpF, vcode.LtS, zero, a))
	return l.op3(vcode.VBlend, one, x, l.compare(vcode.VCmpF, vcode.LtS, one, x))
}

func sign(l *lanes, _ *wide.Instruction, a, _, _ reg) reg {
	one := l.op(vcode.VOr, l.op(vcode.VAnd, a, l.word32(signBit)), float(l, 1))
	zero := float(l, 0)
	x := l.op3(vcode.VBlend, a, one, l.compare(vcode.VCmpF, vcode.Eq, a, zero))
	return l.op3(vcode.VBlend, zero, x, notNumber(l, a))
}

// clampFloat is fmin(fmax(a, b), c).
func clampFloat(l *lanes, _ *wide.Instruction, a, b, c reg) reg {
	return l.op(vcode.VMinNum, l.op(vcode.VMaxNum, a, b), c)
}

// stepped is b < a ? 0 : 1.
func stepped(l *lanes, _ *wide.Instruction, a, b, _ reg) reg {
	return l.op3(vcode.VBlend, float(l, 0), float(l, 1), l.compare(vcode.VCmpF, vcode.LtS, b, a))
}

// fdim is a <= b ? 0 : a - b.
func fdim(l *lanes, _ *wide.Instruction, a, b, _ reg) reg {
	return l.op3(vcode.VBlend, float(l, 0), l.op(vcode.VSubF, a, b), l.compare(vcode.VCmpF, vcode.LeS, a, b))
}

// copysign has the magnitude of a and the sign of b.
func copysign(l *lanes, _ *wide.Instruction, a, b, _ reg) reg {
	return l.op(vcode.VOr, magnitude(l, a), l.op(vcode.VAnd, b, l.word32(signBit)))
}
