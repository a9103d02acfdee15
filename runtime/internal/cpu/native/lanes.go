package native

import (
	"math"

	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// laneFunc writes an operation on one vector of each operand and returns the one that it makes.
type laneFunc = func(l *lanes, in *wide.Instruction, a, b, c reg) reg

// simple is what one instruction does.
func simple(op vcode.Op) laneFunc {
	return func(l *lanes, _ *wide.Instruction, a, b, _ reg) reg { return l.op(op, a, b) }
}

// same is a copy.
func unchanged(_ *lanes, _ *wide.Instruction, a, _, _ reg) reg { return a }

const signBit = 1 << 31

func negatedFloat(l *lanes, _ *wide.Instruction, a, _, _ reg) reg {
	return l.op(vcode.VXor, a, l.word32(signBit))
}

func absFloat(l *lanes, _ *wide.Instruction, a, _, _ reg) reg { return magnitude(l, a) }

// magnitude returns the magnitude of floats.
func magnitude(l *lanes, a reg) reg { return l.op(vcode.VAnd, a, l.word32(signBit-1)) }

// float returns a float in all elements.
func float(l *lanes, v float32) reg { return l.word32(math.Float32bits(v)) }

// fused returns what computes with a product that is rounded first.
func fused(op vcode.Op, productFirst bool) laneFunc {
	return func(l *lanes, _ *wide.Instruction, a, b, c reg) reg {
		p := l.op(vcode.VMulF, a, b)
		if productFirst {
			return l.op(op, p, c)
		}
		return l.op(op, c, p)
	}
}

// fma is a*b + c, rounded once.
func fma(l *lanes, _ *wide.Instruction, a, b, c reg) reg { return l.op3(vcode.VFma, a, b, c) }

// compared is a comparison.
func compared(op vcode.Op, c vcode.Cond) laneFunc {
	return func(l *lanes, _ *wide.Instruction, a, b, _ reg) reg { return l.compare(op, c, a, b) }
}

func notZero(l *lanes, _ *wide.Instruction, a, _, _ reg) reg {
	return l.compare(vcode.VCmp, vcode.Ne, a, l.word32(0))
}

func notZeroLong(l *lanes, _ *wide.Instruction, a, _, _ reg) reg {
	return l.compare(vcode.VCmpQ, vcode.Ne, a, l.word64(0))
}

func notZeroFloat(l *lanes, _ *wide.Instruction, a, _, _ reg) reg {
	return l.compare(vcode.VCmpF, vcode.Ne, a, l.word32(0))
}

func isNaN(l *lanes, _ *wide.Instruction, a, _, _ reg) reg { return notNumber(l, a) }

func notNumber(l *lanes, a reg) reg { return l.compare(vcode.VCmpF, vcode.Unordered, a, a) }

func isInf(l *lanes, _ *wide.Instruction, a, _, _ reg) reg { return isInfinite(l, a) }

func isInfinite(l *lanes, a reg) reg {
	return l.compare(vcode.VCmp, vcode.Eq, magnitude(l, a), l.word32(infinite))
}

func isFinite(l *lanes, _ *wide.Instruction, a, _, _ reg) reg {
	return l.compare(vcode.VCmp, vcode.LtS, magnitude(l, a), l.word32(infinite))
}

func isNegative(l *lanes, _ *wide.Instruction, a, _, _ reg) reg {
	return l.compare(vcode.VCmp, vcode.LtS, a, l.word32(0))
}

// infinite has the bits of an infinite float.
const infinite = 0x7f800000

// chosen is c ? a : b.
func chosenLane(l *lanes, _ *wide.Instruction, a, b, c reg) reg {
	return l.op3(vcode.VBlend, a, b, c)
}

func chosenLong(l *lanes, _ *wide.Instruction, a, b, c reg) reg {
	return l.op3(vcode.VBlendQ, a, b, c)
}

// ofBool is a number where a bool holds, and 0 elsewhere.
func ofBool(one uint32) laneFunc {
	return func(l *lanes, _ *wide.Instruction, a, _, _ reg) reg {
		return l.op3(vcode.VBlend, l.word32(one), l.word32(0), a)
	}
}

func ofBoolLong(l *lanes, _ *wide.Instruction, a, _, _ reg) reg {
	return l.op3(vcode.VBlendQ, l.word64(1), l.word64(0), a)
}

// negated is 0 - a, and inverted ^a.
func negated1(op vcode.Op) laneFunc {
	return func(l *lanes, _ *wide.Instruction, a, _, _ reg) reg { return l.op(op, l.word32(0), a) }
}

func inverted(l *lanes, _ *wide.Instruction, a, _, _ reg) reg {
	return l.op(vcode.VXor, a, l.word32(1<<32-1))
}

// shift is a shift of words by a count modulo 32.
func shift(by, fixed vcode.Op) laneFunc {
	return func(l *lanes, in *wide.Instruction, a, b, _ reg) reg {
		if n, ok := l.x.Known[in.B]; ok {
			return l.opI(fixed, a, int64(n&31))
		}
		return l.op(by, a, l.op(vcode.VAnd, b, l.word32(31)))
	}
}

// shiftLong is a shift of longs by a count modulo 64.
func shiftLong(by, fixed vcode.Op) laneFunc {
	return func(l *lanes, in *wide.Instruction, a, b, _ reg) reg {
		if n, ok := l.x.Known[in.B]; ok {
			return l.opI(fixed, a, int64(n&63))
		}
		return l.op(by, a, l.op(vcode.VAnd, b, l.word64(63)))
	}
}

// wrapped brings a word into the range of a narrower integer: two shifts.
func wrapped(right vcode.Op, n int64) laneFunc {
	return func(l *lanes, _ *wide.Instruction, a, _, _ reg) reg {
		if right == vcode.VShrI {
			return l.op(vcode.VAnd, a, l.word32(1<<(32-n)-1))
		}
		return l.opI(right, l.opI(vcode.VShlI, a, n), n)
	}
}

// field is float(a >> b & Imm).
func field(by, fixed vcode.Op) laneFunc {
	return func(l *lanes, in *wide.Instruction, a, b, _ reg) reg {
		switch n, ok := l.x.Known[in.B]; {
		case ok && n&31 == 0:
		case ok:
			a = l.opI(fixed, a, int64(n&31))
		default:
			a = l.op(by, a, l.op(vcode.VAnd, b, l.word32(31)))
		}
		return l.op(vcode.VFromS32, l.op(vcode.VAnd, a, l.word32(uint32(in.Imm))), 0)
	}
}

// leastLong is the one of two for which a comparison holds.
func leastLong(c vcode.Cond) laneFunc {
	return func(l *lanes, _ *wide.Instruction, a, b, _ reg) reg {
		return l.op3(vcode.VBlendQ, a, b, l.compare(vcode.VCmpQ, c, a, b))
	}
}

// roundHalf and roundBFloat round to 16 bits, ties to even.
func roundHalf(l *lanes, _ *wide.Instruction, a, _, _ reg) reg {
	return l.op(vcode.VHalfToF, l.op(vcode.VFToHalf, a, 0), 0)
}

func roundBFloat(l *lanes, _ *wide.Instruction, a, _, _ reg) reg { return toBFloat(l, a) }

func toBFloat(l *lanes, a reg) reg {
	odd := l.op(vcode.VAnd, l.opI(vcode.VShrI, a, 16), l.word32(1))
	r := l.op(vcode.VAdd, l.op(vcode.VAdd, odd, l.word32(0x7fff)), a)
	r = l.op3(vcode.VBlend, l.op(vcode.VOr, a, l.word32(1<<22)), r, notNumber(l, a))
	return l.op(vcode.VAnd, r, l.word32(0xffff0000))
}
