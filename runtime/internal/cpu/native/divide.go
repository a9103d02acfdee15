package native

import (
	"math"
	"math/bits"

	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// notByZero leaves what divides by 0 to the interpreter.
func notByZero(l *lanes, in *wide.Instruction) {
	if b, ok := l.x.Known[in.B]; ok && uint32(b) != 0 {
		return
	}
	parts := l.parts
	if l.once {
		parts = 1
	}
	list := make([]reg, parts)
	for i := range list {
		list[i] = l.keep(l.compare(vcode.VCmp, vcode.Eq, l.now(in.B, i), l.word32(0)))
	}
	l.leaveIfAny(list)
}

// dividedLanes is a quotient, or a remainder.
func dividedLanes(signed, remainder bool) laneFunc {
	return func(l *lanes, in *wide.Instruction, a, b, _ reg) reg {
		by, known := l.x.Known[in.B]
		l.keep(a)
		var q reg
		switch {
		case known && signed && int32(by) != math.MinInt32:
			q = quotientByInt(l, a, int32(by))
		case known && !signed:
			q = quotientByUint(l, a, uint32(by))
		case signed:
			q = quotientInDoubles(l, in, a, b, vcode.VExtLoS, vcode.VExtHiS, 0x1.8p52)
		default:
			q = quotientInDoubles(l, in, a, b, vcode.VExtLoU, vcode.VExtHiU, 0x1p52)
		}
		if remainder {
			return l.op(vcode.VSub, a, l.op(vcode.VMul, q, b))
		}
		return q
	}
}

// quotientByUint multiplies by 1<<32+m and shifts, for the least power of 2 that is no less than the divisor.
func quotientByUint(l *lanes, a reg, by uint32) reg {
	n := int64(bits.Len32(by - 1))
	switch {
	case by <= 1:
		return a
	case by&(by-1) == 0:
		return l.opI(vcode.VShrI, a, n)
	}
	m := (1<<32)*(1<<n-uint64(by))/uint64(by) + 1
	high := l.keep(l.op(vcode.VMulHiU, a, l.word32(uint32(m))))
	half := l.opI(vcode.VShrI, l.op(vcode.VSub, a, high), 1)
	return l.opI(vcode.VShrI, l.op(vcode.VAdd, half, high), n-1)
}

// quotientByInt multiplies by a number of 33 bits with a sign, shifts, and adds 1 where that is below 0.
func quotientByInt(l *lanes, a reg, by int32) reg {
	switch by {
	case 0, 1:
		return a
	case -1:
		return l.op(vcode.VSub, l.word32(0), a)
	}
	size := uint64(max(by, -by))
	n := bits.Len64(size-1) - 1
	m := int64(1<<(32+n)/size+1) - 1<<32 // the product is by 1<<32 more
	q := l.op(vcode.VAdd, l.op(vcode.VMulHiS, a, l.word32(uint32(m))), a)
	if n > 0 {
		q = l.opI(vcode.VSarI, q, int64(n))
	}
	negative := l.keep(l.opI(vcode.VSarI, a, 31))
	if by < 0 {
		return l.op(vcode.VSub, negative, l.keep(q))
	}
	return l.op(vcode.VSub, l.keep(q), negative)
}

// quotientInDoubles divides integers as doubles: next to magic, doubles have integers in their lowest bits. If the
// divisor is the same in all lanes they are multiplied with its inverse. That is the double after it, further away from
// 0: so the product is never less than the quotient, and never by so much more that there is an integer between them.
func quotientInDoubles(l *lanes, in *wide.Instruction, a, b reg, low, high vcode.Op, magic float64) reg {
	toDouble := func(extend vcode.Op, v reg) reg {
		bits := l.op(vcode.VAddQ, l.op(extend, v, 0), double(l, magic))
		return l.op(vcode.VSubD, bits, double(l, magic))
	}
	var inverse reg
	if l.alike {
		c := &l.cache.of(l.slotOf(in.B)).inverse[low-vcode.VExtLoS]
		if *c == 0 {
			one := l.op(vcode.VDivD, double(l, 1), toDouble(low, b))
			*c = l.keep(l.op(vcode.VAddQ, one, l.word64(1)))
		}
		inverse = *c
	}
	of := func(extend vcode.Op) reg {
		var q reg
		if inverse != 0 {
			q = l.op(vcode.VMulD, toDouble(extend, a), inverse)
		} else {
			q = l.op(vcode.VDivD, toDouble(extend, a), toDouble(extend, b))
		}
		return l.op(vcode.VAddD, l.op(vcode.VTruncD, q, 0), double(l, magic))
	}
	lo := of(low)
	return l.op(vcode.VNarrow, lo, of(high))
}
