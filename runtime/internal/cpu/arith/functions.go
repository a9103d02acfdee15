package arith

import (
	"math"

	"github.com/metalgen/metalgen/internal/fmath"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
)

// The functions of the library compute as package fmath does, step by step, so that their results are the same bits.

// inDoubles returns the floats of doubles: compute gets what makes doubles of the lower or the upper half of floats.
func inDoubles(w *Writer, compute func(doubles func(x reg) reg) reg) reg {
	lo := compute(func(x reg) reg { return w.op(vcode.VFToDLo, x, 0) })
	if w.Once {
		return w.op(vcode.VDToF, lo, lo)
	}
	hi := compute(func(x reg) reg { return w.op(vcode.VFToDHi, x, 0) })
	return w.op(vcode.VDToF, lo, hi)
}

// double returns a double in all elements.
func double(w *Writer, v float64) reg { return w.long(math.Float64bits(v)) }

// polynomial returns c[0] + x*(c[1] + x*(c[2] + ...)). Each step is rounded.
func polynomial(w *Writer, x reg, c []float64) reg {
	d := w.op(vcode.VMulD, x, double(w, c[len(c)-1]))
	for i := len(c) - 2; i > 0; i-- {
		d = w.op(vcode.VMulD, w.op(vcode.VAddD, d, double(w, c[i])), x)
	}
	return w.op(vcode.VAddD, d, double(w, c[0]))
}

// lookUp returns the entries of a table that the lowest five bits of index name.
func lookUp(w *Writer, index reg, table *[32]uint64) reg {
	words := make([]uint32, 0, 64)
	for _, v := range table {
		words = append(words, uint32(v), uint32(v>>32))
	}
	return w.Make(vcode.Instr{Op: vcode.VTable64, A: index, Words: words})
}

// doubles returns the bits of a table.
func doubles(table *[32]float64) *[32]uint64 {
	bits := new([32]uint64)
	for i, v := range table {
		bits[i] = math.Float64bits(v)
	}
	return bits
}

// rsqrt is 1 / sqrt(a).
func rsqrt(w *Writer, o *Operands) reg {
	return inDoubles(w, func(doubles func(reg) reg) reg {
		return w.op(vcode.VDivD, double(w, 1), w.op(vcode.VSqrtD, doubles(o.A), 0))
	})
}

// roundMagic leaves the nearest integer in the lowest bits of a double that it is added to.
const roundMagic = 0x1.8p52

// raise returns a power of 2, and what is added to it: together they are 2^(x*scale/32), of an x within a limit.
func raise(w *Writer, x reg, limit, scale float64, p []float64) (power, more reg) {
	x = w.op(vcode.VMaxD, w.op(vcode.VMinD, x, double(w, limit)), double(w, -limit))
	x = w.op(vcode.VMulD, x, double(w, scale))
	k := w.op(vcode.VAddD, x, double(w, roundMagic))
	rest := w.op(vcode.VSubD, x, w.op(vcode.VSubD, k, double(w, roundMagic)))
	power = w.op(vcode.VAddQ, lookUp(w, k, &fmath.Exp2Table), w.opI(vcode.VShlQI, k, 47))
	return power, w.op(vcode.VMulD, w.op(vcode.VMulD, power, rest), polynomial(w, rest, p))
}

// exponentialOf returns a power.
func exponentialOf(w *Writer, x reg, f *fmath.Exponential) reg {
	power, more := raise(w, x, f.Limit, f.Scale, f.P[:])
	return w.op(vcode.VAddD, power, more)
}

// orNaN returns d where a is a number, and a NaN elsewhere.
func orNaN(w *Writer, d, a reg) reg {
	return w.op3(vcode.VBlend, w.op(vcode.VAddF, a, a), d, notNumber(w, a))
}

func exp10(w *Writer, o *Operands) reg {
	d := inDoubles(w, func(doubles func(reg) reg) reg { return exponentialOf(w, doubles(o.A), &fmath.ExpTen) })
	return orNaN(w, d, o.A)
}

// power is a power in floats.
func power(f *fmath.Power) Func {
	return func(w *Writer, o *Operands) reg {
		number := func(v float64) reg { return float(w, float32(v)) }
		x := w.op(vcode.VMaxF, number(f.Low), w.op(vcode.VMinF, number(f.High), o.A))
		k := w.op3(vcode.VFma, x, number(f.Log), number(0x1.8p23))
		k = w.op(vcode.VSubF, k, number(0x1.8p23))
		for _, part := range f.Whole {
			x = w.op3(vcode.VFma, k, number(part), x)
		}
		p := number(f.P[len(f.P)-1])
		for i := len(f.P) - 2; i >= 0; i-- {
			p = w.op3(vcode.VFma, p, x, number(f.P[i]))
		}
		return w.op(vcode.VScaleF, w.op3(vcode.VFma, p, x, number(1)), k)
	}
}

func tanh(w *Writer, o *Operands) reg {
	f := &fmath.TanhOf
	d := inDoubles(w, func(doubles func(reg) reg) reg {
		power, more := raise(w, doubles(o.A), f.Limit, f.Scale, f.P[:])
		less := w.op(vcode.VAddD, w.op(vcode.VSubD, power, double(w, 1)), more)
		return w.op(vcode.VDivD, less, w.op(vcode.VAddD, less, double(w, 2)))
	})
	tiny := w.compare(vcode.VCmpF, vcode.LtS, magnitude(w, o.A), float(w, float32(f.Tiny)))
	return orNaN(w, w.op3(vcode.VBlend, o.A, d, tiny), o.A)
}

// logarithmOf returns the logarithm of what is positive and finite.
func logarithmOf(w *Writer, x reg, f *fmath.Logarithm) reg {
	const lowest = 0x3fe6400000000000
	above := w.op(vcode.VSubQ, x, w.long(lowest))
	z := w.op(vcode.VSubQ, x, w.op(vcode.VAnd, above, w.long(0xfff<<52)))
	// The exponent, as a double: next to roundMagic, doubles have integers in their lowest bits.
	k := w.op(vcode.VAddQ, w.opI(vcode.VSarQI, above, 52), double(w, roundMagic))
	k = w.op(vcode.VSubD, k, double(w, roundMagic))
	index := w.opI(vcode.VShrQI, above, 47)
	z = w.op(vcode.VSubD, w.op(vcode.VMulD, z, lookUp(w, index, doubles(&f.Inverse))), double(w, 1))
	whole := w.op(vcode.VAddD, times(w, k, f.Scale), lookUp(w, index, doubles(&f.Log)))
	p := w.op(vcode.VMulD, w.op(vcode.VMulD, z, z), polynomial(w, z, f.P[:]))
	return times(w, w.op(vcode.VAddD, whole, w.op(vcode.VAddD, times(w, z, f.Lead), p)), f.Times)
}

// times multiplies doubles by a number.
func times(w *Writer, x reg, by float64) reg {
	if by == 1 {
		return x
	}
	return w.op(vcode.VMulD, x, double(w, by))
}

func logarithm(f *fmath.Logarithm) Func {
	return func(w *Writer, o *Operands) reg {
		d := inDoubles(w, func(doubles func(reg) reg) reg { return logarithmOf(w, doubles(o.A), f) })
		zero, inf := float(w, 0), w.word(infinite)
		d = w.op3(vcode.VBlend, w.word(infinite|signBit), d, w.compare(vcode.VCmpF, vcode.Eq, o.A, zero))
		d = w.op3(vcode.VBlend, inf, d, w.compare(vcode.VCmpF, vcode.Eq, o.A, inf))
		d = w.op3(vcode.VBlend, w.word(quietNaN), d, w.compare(vcode.VCmpF, vcode.LtS, o.A, zero))
		return orNaN(w, d, o.A)
	}
}

// unusualPower says where a^b is not of a positive and finite and a finite number, or of 0 and a positive number.
func unusualPower(w *Writer, o *Operands) reg {
	a, b := o.A, o.B
	zero, inf := float(w, 0), w.word(infinite)
	both := w.op(vcode.PAnd, w.compare(vcode.VCmpF, vcode.LtS, zero, a), w.compare(vcode.VCmpF, vcode.LtS, a, inf))
	both = w.op(vcode.PAnd, both, w.compare(vcode.VCmpF, vcode.LtS, magnitude(w, b), inf))
	ofZero := w.op(vcode.PAnd, w.compare(vcode.VCmp, vcode.Eq, a, zero), w.compare(vcode.VCmpF, vcode.LtS, zero, b))
	return w.op(vcode.PNot, w.op(vcode.POr, both, ofZero), 0)
}

func pow(w *Writer, o *Operands) reg {
	d := inDoubles(w, func(doubles func(reg) reg) reg {
		x := logarithmOf(w, doubles(o.A), fmath.LogTwo)
		return exponentialOf(w, w.op(vcode.VMulD, doubles(o.B), x), &fmath.ExpTwo)
	})
	return w.op3(vcode.VBlend, w.word(0), d, w.compare(vcode.VCmp, vcode.Eq, o.A, w.word(0)))
}

// sineOf returns the sine or cosine of doubles.
func sineOf(w *Writer, x reg, f *fmath.Sine) reg {
	k := w.op(vcode.VMulD, x, double(w, f.InvPi))
	if f.Half != 0 {
		k = w.op(vcode.VSubD, k, double(w, f.Half))
	}
	k = w.op(vcode.VAddD, k, double(w, roundMagic))
	sign := w.opI(vcode.VShlQI, w.op(vcode.VXor, k, w.long(f.Flip)), 63)
	k = w.op(vcode.VSubD, k, double(w, roundMagic))
	if f.Half != 0 {
		k = w.op(vcode.VAddD, k, double(w, f.Half))
	}
	x = w.op(vcode.VSubD, x, w.op(vcode.VMulD, k, double(w, f.PiHigh)))
	x = w.op(vcode.VSubD, x, w.op(vcode.VMulD, k, double(w, f.PiLow)))
	p := polynomial(w, w.op(vcode.VMulD, x, x), f.P[:])
	return w.op(vcode.VXor, w.op(vcode.VMulD, x, p), sign)
}

// tooLarge says what is beyond the limit of the sine, and what is no number.
func tooLarge(w *Writer, o *Operands) reg {
	limit := float(w, float32(fmath.SinOf.Limit))
	return w.op(vcode.PNot, w.compare(vcode.VCmpF, vcode.LeS, magnitude(w, o.A), limit), 0)
}

func sine(f *fmath.Sine) Func {
	return func(w *Writer, o *Operands) reg {
		return inDoubles(w, func(doubles func(reg) reg) reg { return sineOf(w, doubles(o.A), f) })
	}
}

func tan(w *Writer, o *Operands) reg {
	return inDoubles(w, func(doubles func(reg) reg) reg {
		x := doubles(o.A)
		s := sineOf(w, x, &fmath.SinOf)
		return w.op(vcode.VDivD, s, sineOf(w, x, &fmath.CosOf))
	})
}

// rounded is a function that rounds to integers.
func rounded(how int64) Func {
	return func(w *Writer, o *Operands) reg { return w.opI(vcode.VRound, o.A, how) }
}

// round rounds to the nearest integer, ties away from 0.
func round(w *Writer, o *Operands) reg {
	return inDoubles(w, func(doubles func(reg) reg) reg {
		x := doubles(o.A)
		half := w.op(vcode.VOr, w.op(vcode.VAnd, x, w.long(1<<63)), double(w, 0.5))
		return w.op(vcode.VTruncD, w.op(vcode.VAddD, x, half), 0)
	})
}

// fract is a - floor(a), but below 1, and 0 of what is infinite.
func fract(w *Writer, o *Operands) reg {
	const below1 = 0x1.fffffep-1
	x := w.op(vcode.VSubF, o.A, w.opI(vcode.VRound, o.A, vcode.ToFloor))
	most := float(w, below1)
	x = w.op3(vcode.VBlend, most, x, w.compare(vcode.VCmpF, vcode.LtS, most, x))
	return w.op3(vcode.VBlend, w.word(0), x, isInfinite(w, o.A))
}

// saturate is 0 of what is no number.
func saturate(w *Writer, o *Operands) reg {
	zero, one := float(w, 0), float(w, 1)
	x := w.op3(vcode.VBlend, o.A, zero, w.compare(vcode.VCmpF, vcode.LtS, zero, o.A))
	return w.op3(vcode.VBlend, one, x, w.compare(vcode.VCmpF, vcode.LtS, one, x))
}

func sign(w *Writer, o *Operands) reg {
	one := w.op(vcode.VOr, w.op(vcode.VAnd, o.A, w.word(signBit)), float(w, 1))
	zero := float(w, 0)
	x := w.op3(vcode.VBlend, o.A, one, w.compare(vcode.VCmpF, vcode.Eq, o.A, zero))
	return w.op3(vcode.VBlend, zero, x, notNumber(w, o.A))
}

// clampFloat is fmin(fmax(a, b), c).
func clampFloat(w *Writer, o *Operands) reg {
	return w.op(vcode.VMinNum, w.op(vcode.VMaxNum, o.A, o.B), o.C)
}

// stepped is b < a ? 0 : 1.
func stepped(w *Writer, o *Operands) reg {
	return w.op3(vcode.VBlend, float(w, 0), float(w, 1), w.compare(vcode.VCmpF, vcode.LtS, o.B, o.A))
}

// fdim is a <= b ? 0 : a - b.
func fdim(w *Writer, o *Operands) reg {
	return w.op3(vcode.VBlend, float(w, 0), w.op(vcode.VSubF, o.A, o.B), w.compare(vcode.VCmpF, vcode.LeS, o.A, o.B))
}

// copysign has the magnitude of a and the sign of b.
func copysign(w *Writer, o *Operands) reg {
	return w.op(vcode.VOr, magnitude(w, o.A), w.op(vcode.VAnd, o.B, w.word(signBit)))
}
