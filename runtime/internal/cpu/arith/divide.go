package arith

import (
	"math"
	"math/bits"

	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
)

// zero says where a division is by 0.
func zero(w *Writer, o *Operands) reg {
	if o.Known && uint32(o.Number) != 0 {
		return vcode.None
	}
	return w.compare(vcode.VCmp, vcode.Eq, o.B, w.word(0))
}

// divided is a quotient, or a remainder.
func divided(signed, remainder bool) Func {
	return func(w *Writer, o *Operands) reg {
		w.Keep(o.A)
		var q reg
		switch {
		case o.Known && signed && int32(o.Number) != math.MinInt32:
			q = quotientByInt(w, o.A, int32(o.Number))
		case o.Known && !signed:
			q = quotientByUint(w, o.A, uint32(o.Number))
		case signed:
			q = quotientInDoubles(w, o, &doublesOfInts)
		default:
			q = quotientInDoubles(w, o, &doublesOfUints)
		}
		if remainder {
			return w.op(vcode.VSub, o.A, w.op(vcode.VMul, q, o.B))
		}
		return q
	}
}

// quotientByUint multiplies by 1<<32+m and shifts, for the least power of 2 that is no less than the divisor.
func quotientByUint(w *Writer, a reg, by uint32) reg {
	n := int64(bits.Len32(by - 1))
	switch {
	case by <= 1:
		return a
	case by&(by-1) == 0:
		return w.opI(vcode.VShrI, a, n)
	}
	m := (1<<32)*(1<<n-uint64(by))/uint64(by) + 1
	high := w.Keep(w.op(vcode.VMulHiU, a, w.word(uint32(m))))
	half := w.opI(vcode.VShrI, w.op(vcode.VSub, a, high), 1)
	return w.opI(vcode.VShrI, w.op(vcode.VAdd, half, high), n-1)
}

// quotientByInt multiplies by a number of 33 bits with a sign, shifts, and adds 1 where that is below 0.
func quotientByInt(w *Writer, a reg, by int32) reg {
	switch by {
	case 0, 1:
		return a
	case -1:
		return w.op(vcode.VSub, w.word(0), a)
	}
	size := uint64(max(by, -by))
	n := bits.Len64(size-1) - 1
	m := int64(1<<(32+n)/size+1) - 1<<32 // the product is by 1<<32 more
	q := w.op(vcode.VAdd, w.op(vcode.VMulHiS, a, w.word(uint32(m))), a)
	if n > 0 {
		q = w.opI(vcode.VSarI, q, int64(n))
	}
	negative := w.Keep(w.opI(vcode.VSarI, a, 31))
	if by < 0 {
		return w.op(vcode.VSub, negative, w.Keep(q))
	}
	return w.op(vcode.VSub, w.Keep(q), negative)
}

// asDoubles says how words become doubles.
type asDoubles struct {
	low, high vcode.Op // 64 bits of the halves of a vector
	magic     float64  // next to it, doubles have integers in their lowest bits
	inverse   int      // of Operands.Inverses
}

var (
	doublesOfInts  = asDoubles{vcode.VExtLoS, vcode.VExtHiS, 0x1.8p52, 0}
	doublesOfUints = asDoubles{vcode.VExtLoU, vcode.VExtHiU, 0x1p52, 1}
)

// quotientInDoubles divides integers as doubles. If the divisor is the same in all lanes they are multiplied with its
// inverse. That is the double after it, further away from 0: so the product is never less than the quotient, and never
// by so much more that there is an integer between them.
func quotientInDoubles(w *Writer, o *Operands, d *asDoubles) reg {
	magic := double(w, d.magic)
	toDouble := func(extend vcode.Op, v reg) reg {
		return w.op(vcode.VSubD, w.op(vcode.VAddQ, w.op(extend, v, 0), magic), magic)
	}
	var inverse reg
	if o.Inverses != nil {
		c := &o.Inverses[d.inverse]
		if *c == 0 {
			one := w.op(vcode.VDivD, double(w, 1), toDouble(d.low, o.B))
			*c = w.Keep(w.op(vcode.VAddQ, one, w.long(1)))
		}
		inverse = *c
	}
	of := func(extend vcode.Op) reg {
		var q reg
		if inverse != 0 {
			q = w.op(vcode.VMulD, toDouble(extend, o.A), inverse)
		} else {
			q = w.op(vcode.VDivD, toDouble(extend, o.A), toDouble(extend, o.B))
		}
		return w.op(vcode.VAddD, w.op(vcode.VTruncD, q, 0), magic)
	}
	low := of(d.low)
	return w.op(vcode.VNarrow, low, of(d.high))
}
