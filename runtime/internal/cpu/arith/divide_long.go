package arith

import (
	"math/bits"

	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
)

// zeroLong is zero for numbers of 64 bits.
func zeroLong(w *Writer, o *Operands) reg {
	if o.Known && o.Number != 0 {
		return vcode.None
	}
	return w.compare(vcode.VCmpQ, vcode.Eq, o.B, w.long(0))
}

// dividedLong is a quotient, or a remainder, of numbers of 64 bits.
func dividedLong(signed, remainder bool) Func {
	return func(w *Writer, o *Operands) reg {
		a, b := w.Keep(o.A), w.Keep(o.B)
		if o.Known && bits.OnesCount64(o.Number) == 1 && !(signed && o.Number == 1<<63) {
			return dividedByPower(w, a, int64(bits.TrailingZeros64(o.Number)), signed, remainder)
		}
		if !signed {
			return dividedUlong(w, a, b, inverseOfUlong(w, o, b), remainder)
		}
		a, sign := sizeOf(w, a)
		b, other := sizeOf(w, b)
		v := dividedUlong(w, a, b, inverseOfUlong(w, o, b), remainder)
		if !remainder {
			sign = w.Keep(w.op(vcode.VXor, sign, other))
		}
		return withSign(w, v, sign)
	}
}

// sizeOf returns the magnitudes of numbers, and ones where they are negative.
func sizeOf(w *Writer, a reg) (size, sign reg) {
	sign = w.Keep(w.opI(vcode.VSarQI, a, 63))
	return w.Keep(withSign(w, a, sign)), sign
}

// withSign negates numbers where sign has ones.
func withSign(w *Writer, a, sign reg) reg { return w.op(vcode.VSubQ, w.op(vcode.VXor, a, sign), sign) }

// dividedByPower divides by 1<<n.
func dividedByPower(w *Writer, a reg, n int64, signed, remainder bool) reg {
	switch {
	case !signed && remainder:
		return w.op(vcode.VAnd, a, w.long(1<<n-1))
	case n == 0 && remainder:
		return w.long(0)
	case n == 0:
		return a
	case !signed:
		return w.opI(vcode.VShrQI, a, n)
	}
	// What is negative is rounded up.
	up := w.op(vcode.VAddQ, a, w.opI(vcode.VShrQI, w.opI(vcode.VSarQI, a, 63), 64-n))
	if !remainder {
		return w.opI(vcode.VSarQI, up, n)
	}
	return w.op(vcode.VSubQ, a, w.op(vcode.VAnd, up, w.long(^uint64(1<<n-1))))
}

// The inverse of a divisor, as a double, is less than 1/b by 2^-50 of it, more than is lost by rounding. So the product
// with it, rounded down, is never more than the quotient. What remains is divided in the same way: it is less than
// b + 2^16, as a has 64 bits, so the second quotient is right, or less by 1. That shows in what remains then.

// inverseOfUlong returns the inverse of a divisor.
func inverseOfUlong(w *Writer, o *Operands, b reg) reg {
	inverse := func() reg { return w.Keep(w.op(vcode.VDivD, double(w, 1-0x1p-50), doubleOfUlong(w, b))) }
	switch {
	case o.Inverses == nil:
		return inverse()
	case o.Inverses[0] == 0:
		o.Inverses[0] = inverse()
	}
	return o.Inverses[0]
}

// dividedUlong returns a quotient or a remainder.
func dividedUlong(w *Writer, a, b, inverse reg, remainder bool) reg {
	first := w.Keep(ulongOfDouble(w, estimate(w, a, inverse)))
	rest := w.Keep(w.op(vcode.VSubQ, a, w.op(vcode.VMulQ, first, b)))
	second := w.op(vcode.VAddD, estimate(w, rest, inverse), double(w, roundMagic))
	second = w.Keep(w.op(vcode.VSubQ, second, double(w, roundMagic)))
	rest = w.Keep(w.op(vcode.VSubQ, rest, w.op(vcode.VMulQ, second, b)))
	again := w.compare(vcode.VCmpQ, vcode.GeU, rest, b)
	if remainder {
		return w.op3(vcode.VBlendQ, w.op(vcode.VSubQ, rest, b), rest, again)
	}
	q := w.Keep(w.op(vcode.VAddQ, first, second))
	return w.op3(vcode.VBlendQ, w.op(vcode.VAddQ, q, w.long(1)), q, again)
}

// estimate returns a double whose nearest integer is no more than a times an inverse.
func estimate(w *Writer, a, inverse reg) reg {
	return w.op(vcode.VSubD, w.op(vcode.VMulD, doubleOfUlong(w, a), inverse), double(w, 0.5))
}

// doubleOfUlong rounds numbers of 64 bits to doubles: in the lowest bits of 2^52 there are integers, and in those of
// 2^84 multiples of 2^32.
func doubleOfUlong(w *Writer, a reg) reg {
	low := w.op(vcode.VOr, w.op(vcode.VAnd, a, w.long(1<<32-1)), double(w, 0x1p52))
	high := w.op(vcode.VOr, w.opI(vcode.VShrQI, a, 32), double(w, 0x1p84))
	return w.op(vcode.VAddD, w.op(vcode.VSubD, high, double(w, 0x1p84+0x1p52)), low)
}

// ulongOfDouble rounds doubles up to 2^64 to integers, modulo 2^64.
func ulongOfDouble(w *Writer, x reg) reg {
	w.Keep(x)
	magic := double(w, roundMagic)
	high := w.Keep(w.op(vcode.VAddD, w.op(vcode.VMulD, x, double(w, 0x1p-32)), magic))
	low := w.op(vcode.VMulD, w.op(vcode.VSubD, high, magic), double(w, 0x1p32))
	low = w.op(vcode.VAddD, w.op(vcode.VSubD, x, low), magic)
	return w.op(vcode.VAddQ, w.opI(vcode.VShlQI, high, 32), w.op(vcode.VSubQ, low, magic))
}
