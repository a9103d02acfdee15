package arith

import (
	"math"

	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
)

// simple is what one instruction does.
func simple(op vcode.Op) Func {
	return func(w *Writer, o *Operands) reg { return w.op(op, o.A, o.B) }
}

// unchanged is a copy.
func unchanged(_ *Writer, o *Operands) reg { return o.A }

// Bits of floats.
const (
	signBit  = 1 << 31
	infinite = 0x7f800000
	quietNaN = 0x7fc00000
)

func negatedFloat(w *Writer, o *Operands) reg {
	return w.op(vcode.VXor, o.A, w.word(signBit))
}

func absFloat(w *Writer, o *Operands) reg { return magnitude(w, o.A) }

// magnitude returns the magnitude of floats.
func magnitude(w *Writer, a reg) reg { return w.op(vcode.VAnd, a, w.word(signBit-1)) }

// float returns a float in all elements.
func float(w *Writer, v float32) reg { return w.word(math.Float32bits(v)) }

// fused returns what computes with a product that is rounded first.
func fused(op vcode.Op, productFirst bool) Func {
	return func(w *Writer, o *Operands) reg {
		p := w.op(vcode.VMulF, o.A, o.B)
		if productFirst {
			return w.op(op, p, o.C)
		}
		return w.op(op, o.C, p)
	}
}

// fma is a*b + c, rounded once.
func fma(w *Writer, o *Operands) reg { return w.op3(vcode.VFma, o.A, o.B, o.C) }

// compared is a comparison.
func compared(op vcode.Op, c vcode.Cond) Func {
	return func(w *Writer, o *Operands) reg { return w.compare(op, c, o.A, o.B) }
}

func notZero(w *Writer, o *Operands) reg {
	return w.compare(vcode.VCmp, vcode.Ne, o.A, w.word(0))
}

func notZeroLong(w *Writer, o *Operands) reg {
	return w.compare(vcode.VCmpQ, vcode.Ne, o.A, w.long(0))
}

func notZeroFloat(w *Writer, o *Operands) reg {
	return w.compare(vcode.VCmpF, vcode.Ne, o.A, w.word(0))
}

func isNaN(w *Writer, o *Operands) reg { return notNumber(w, o.A) }

func notNumber(w *Writer, a reg) reg { return w.compare(vcode.VCmpF, vcode.Unordered, a, a) }

func isInf(w *Writer, o *Operands) reg { return isInfinite(w, o.A) }

func isInfinite(w *Writer, a reg) reg {
	return w.compare(vcode.VCmp, vcode.Eq, magnitude(w, a), w.word(infinite))
}

func isFinite(w *Writer, o *Operands) reg {
	return w.compare(vcode.VCmp, vcode.LtS, magnitude(w, o.A), w.word(infinite))
}

func isNegative(w *Writer, o *Operands) reg {
	return w.compare(vcode.VCmp, vcode.LtS, o.A, w.word(0))
}

// chosen is c ? a : b.
func chosenWord(w *Writer, o *Operands) reg {
	return w.op3(vcode.VBlend, o.A, o.B, o.C)
}

func chosenLong(w *Writer, o *Operands) reg {
	return w.op3(vcode.VBlendQ, o.A, o.B, o.C)
}

// ofBool is a number where a bool holds, and 0 elsewhere.
func ofBool(one uint32) Func {
	return func(w *Writer, o *Operands) reg {
		return w.op3(vcode.VBlend, w.word(one), w.word(0), o.A)
	}
}

func ofBoolLong(w *Writer, o *Operands) reg {
	return w.op3(vcode.VBlendQ, w.long(1), w.long(0), o.A)
}

// negated is 0 - a, and inverted ^a.
func negated(op vcode.Op) Func {
	return func(w *Writer, o *Operands) reg { return w.op(op, w.word(0), o.A) }
}

func inverted(w *Writer, o *Operands) reg {
	return w.op(vcode.VXor, o.A, w.word(1<<32-1))
}

// shift is a shift of words by a count modulo 32.
func shift(by, fixed vcode.Op) Func {
	return func(w *Writer, o *Operands) reg {
		if o.Known {
			return w.opI(fixed, o.A, int64(o.Number&31))
		}
		return w.op(by, o.A, w.op(vcode.VAnd, o.B, w.word(31)))
	}
}

// rotated rotates words to the left, by a count modulo 32.
func rotated(w *Writer, o *Operands) reg {
	n := int64(o.Number & 31)
	switch {
	case w.Traits.Lacks[vcode.VRotl] && o.Known:
		return w.op(vcode.VOr, w.opI(vcode.VShlI, o.A, n), w.opI(vcode.VShrI, o.A, -n&31))
	case w.Traits.Lacks[vcode.VRotl]:
		left := w.Keep(w.op(vcode.VAnd, o.B, w.word(31)))
		right := w.op(vcode.VAnd, w.op(vcode.VSub, w.word(0), left), w.word(31))
		return w.op(vcode.VOr, w.op(vcode.VShl, o.A, left), w.op(vcode.VShr, o.A, right))
	case o.Known:
		return w.opI(vcode.VRotlI, o.A, n)
	}
	return w.op(vcode.VRotl, o.A, o.B)
}

// leadingZeros counts the zeros before the first one. A machine that cannot do so finds them in the exponents of
// floats, which are not rounded up, since the bit after the first one has been cleared.
func leadingZeros(w *Writer, o *Operands) reg {
	if !w.Traits.Lacks[vcode.VClz] {
		return w.op(vcode.VClz, o.A, 0)
	}
	const first = 127 + 31 // the exponent of 1<<31
	a := w.Keep(o.A)
	a = w.op(vcode.VFromS32, w.op(vcode.VAndNot, a, w.opI(vcode.VShrI, a, 1)), 0)
	n := w.op(vcode.VSub, w.word(first), w.opI(vcode.VShrI, a, 23))
	// It is more of 0, and less than 0 of what has a sign.
	return w.op(vcode.VMaxS, w.op(vcode.VMinS, n, w.word(32)), w.word(0))
}

// shiftLong is a shift of longs by a count modulo 64.
func shiftLong(by, fixed vcode.Op) Func {
	return func(w *Writer, o *Operands) reg {
		if o.Known {
			return w.opI(fixed, o.A, int64(o.Number&63))
		}
		return w.op(by, o.A, w.op(vcode.VAnd, o.B, w.long(63)))
	}
}

// wrapped brings a word into the range of a narrower integer: two shifts.
func wrapped(right vcode.Op, n int64) Func {
	return func(w *Writer, o *Operands) reg {
		if right == vcode.VShrI {
			return w.op(vcode.VAnd, o.A, w.word(1<<(32-n)-1))
		}
		return w.opI(right, w.opI(vcode.VShlI, o.A, n), n)
	}
}

// field is float(a >> b & Imm).
func field(by, fixed vcode.Op) Func {
	return func(w *Writer, o *Operands) reg {
		a := o.A
		switch {
		case o.Known && o.Number&31 == 0:
		case o.Known:
			a = w.opI(fixed, a, int64(o.Number&31))
		default:
			a = w.op(by, a, w.op(vcode.VAnd, o.B, w.word(31)))
		}
		return w.op(vcode.VFromS32, w.op(vcode.VAnd, a, w.word(uint32(o.Imm))), 0)
	}
}

// leastLong is the one of two for which a comparison holds.
func leastLong(c vcode.Cond) Func {
	return func(w *Writer, o *Operands) reg {
		return w.op3(vcode.VBlendQ, o.A, o.B, w.compare(vcode.VCmpQ, c, o.A, o.B))
	}
}

// roundHalf and roundBFloat round to 16 bits, ties to even.
func roundHalf(w *Writer, o *Operands) reg {
	return w.op(vcode.VHalfToF, w.op(vcode.VFToHalf, o.A, 0), 0)
}

func roundBFloat(w *Writer, o *Operands) reg { return w.BFloat(o.A) }

// A float of 16 bits is those bits in a word: the upper ones of the float, or a half. There may be anything above them.

func bfloatBits(w *Writer, o *Operands) reg { return w.opI(vcode.VShrI, w.BFloat(o.A), 16) }

func floatOfBFloat(w *Writer, o *Operands) reg { return w.opI(vcode.VShlI, o.A, 16) }

func floatOfHalf(w *Writer, o *Operands) reg {
	return w.op(vcode.VHalfToF, w.op(vcode.VAnd, o.A, w.word(1<<16-1)), 0)
}

// BFloat rounds floats to bfloats.
func (w *Writer) BFloat(a vcode.Reg) vcode.Reg {
	odd := w.op(vcode.VAnd, w.opI(vcode.VShrI, a, 16), w.word(1))
	r := w.op(vcode.VAdd, w.op(vcode.VAdd, odd, w.word(0x7fff)), a)
	r = w.op3(vcode.VBlend, w.op(vcode.VOr, a, w.word(1<<22)), r, notNumber(w, a))
	return w.op(vcode.VAnd, r, w.word(0xffff0000))
}
