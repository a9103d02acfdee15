package cpu

import (
	"math"
	"math/bits"
	"unsafe"
)

// unset says which bits of a register nothing has set: those that come of memory, or of a
// variable, that nothing has written. Where there are none, as nearly always, lanes is 0.
type unset struct {
	lanes uint32        // that have such bits; of the others the rest means nothing
	bits  [width]uint64 // as the register holds them; of a mask 1
	from  [width]origin // what was not written
}

var _ [sizeUnset - int32(unsafe.Sizeof(unset{}))]byte

func unsetAt(f *frame, offset int32) *unset { return (*unset)(unsafe.Add(f.memory, offset)) }

// set makes bits of a lane unset.
func (u *unset) set(lane int, v uint64, from origin) {
	if v == 0 {
		u.lanes &^= 1 << lane
		return
	}
	u.lanes |= 1 << lane
	u.bits[lane], u.from[lane] = v, from
}

// of returns the unset bits of a lane.
func (u *unset) of(lane int) uint64 {
	if u.lanes>>lane&1 == 0 {
		return 0
	}
	return u.bits[lane]
}

// unsetRule returns the unset bits of a lane of a result, from those of the operands.
type unsetRule func(f *frame, d *derivedUnset, lane int, u *[4]uint64) uint64

// deriveUnset makes the unset bits of the result of an operation, from those of its operands.
func deriveUnset(f *frame, in *instruction) {
	d := &f.program.derived[in.imm]
	var lanes uint32
	for _, u := range d.unsets {
		if u != 0 {
			lanes |= unsetAt(f, u).lanes
		}
	}
	to := unsetAt(f, in.d)
	to.lanes = 0
	if lanes == 0 {
		return
	}
	rule := unsetRules()[d.op]
	for ; lanes != 0; lanes &= lanes - 1 {
		l := bits.TrailingZeros32(lanes)
		var u [4]uint64
		var from origin
		for i, at := range d.unsets {
			if at == 0 {
				continue
			}
			operand := unsetAt(f, at)
			if u[i] = operand.of(l); u[i] != 0 && from == 0 {
				from = operand.from[l]
			}
		}
		to.set(l, d.class.cut(rule(f, d, l, &u)), from)
	}
}

// valueOf returns what a lane of an operand holds, for the class of the result.
func valueOf(f *frame, d *derivedUnset, i, lane int) uint64 {
	switch d.class {
	case maskClass:
		return uint64(*maskAt(f, d.operands[i]) >> lane & 1)
	case wordClass:
		return uint64(at[uint32](f, d.operands[i]).value(lane))
	}
	return at[uint64](f, d.operands[i]).value(lane)
}

// unsetAny is the rule of operations of which every bit may depend on every bit of the operands.
func unsetAny(_ *frame, _ *derivedUnset, _ int, u *[4]uint64) uint64 {
	if u[0]|u[1]|u[2]|u[3] != 0 {
		return math.MaxUint64
	}
	return 0
}

// unsetUp is the rule of sums and products: a bit depends on the same and lower ones.
func unsetUp(_ *frame, _ *derivedUnset, _ int, u *[4]uint64) uint64 {
	v := u[0] | u[1]
	return v | -v
}

// unsetEach is the rule of operations of which each bit depends on the same bits of operands.
func unsetEach(_ *frame, _ *derivedUnset, _ int, u *[4]uint64) uint64 { return u[0] | u[1] }

// unsetAnd is the rule of a & b: where one has a 0, the other does not matter.
func unsetAnd(f *frame, d *derivedUnset, lane int, u *[4]uint64) uint64 {
	return (u[0] | u[1]) & (u[0] | valueOf(f, d, 0, lane)) & (u[1] | valueOf(f, d, 1, lane))
}

// unsetOr is the rule of a | b: where one has a 1, the other does not matter.
func unsetOr(f *frame, d *derivedUnset, lane int, u *[4]uint64) uint64 {
	return (u[0] | u[1]) & (u[0] | ^valueOf(f, d, 0, lane)) & (u[1] | ^valueOf(f, d, 1, lane))
}

// unsetFrom returns the rule of what moves the bits of its first operand, as move does.
func unsetFrom(move func(v uint64) uint64) unsetRule {
	return func(_ *frame, _ *derivedUnset, _ int, u *[4]uint64) uint64 { return move(u[0]) }
}

// unsetShift returns the rule of shifts, whose second operand says how far.
func unsetShift(shift func(v uint64, by uint32) uint64) unsetRule {
	return func(f *frame, d *derivedUnset, lane int, u *[4]uint64) uint64 {
		if u[1] != 0 {
			return math.MaxUint64
		}
		return shift(u[0], at[uint32](f, d.operands[1]).value(lane)&uint32(8*d.class.bytes()-1))
	}
}

var (
	unsetShl     = unsetShift(func(v uint64, by uint32) uint64 { return v << by })
	unsetShr     = unsetShift(func(v uint64, by uint32) uint64 { return v >> by })
	unsetShrInt  = unsetShift(func(v uint64, by uint32) uint64 { return uint64(int64(int32(v)) >> by) })
	unsetShrLong = unsetShift(func(v uint64, by uint32) uint64 { return uint64(int64(v) >> by) })

	unsetSame   = unsetFrom(func(v uint64) uint64 { return v })
	unsetBit    = unsetFrom(func(v uint64) uint64 { return v & 1 })
	unsetChar   = unsetFrom(func(v uint64) uint64 { return uint64(int8(v)) })
	unsetUChar  = unsetFrom(func(v uint64) uint64 { return uint64(uint8(v)) })
	unsetShort  = unsetFrom(func(v uint64) uint64 { return uint64(int16(v)) })
	unsetUShort = unsetFrom(func(v uint64) uint64 { return uint64(uint16(v)) })
	unsetInt    = unsetFrom(func(v uint64) uint64 { return uint64(int32(v)) })
)

// unsetField is the rule of fieldToFloat.
func unsetField(f *frame, d *derivedUnset, lane int, u *[4]uint64) uint64 {
	n := at[uint32](f, d.operands[1]).value(lane) & 31
	if u[1] != 0 || u[0]>>n&uint64(d.imm) != 0 {
		return math.MaxUint64
	}
	return 0
}

// unsetExtract returns the rule of extract.
func unsetExtract(take func(v uint64, n uint32) uint64) unsetRule {
	return func(f *frame, d *derivedUnset, lane int, u *[4]uint64) uint64 {
		if u[1]|u[2] != 0 {
			return math.MaxUint64
		}
		return extracted(u[0], at[uint32](f, d.operands[1]).value(lane), at[uint32](f, d.operands[2]).value(lane), take)
	}
}

// unsetChoice is the rule of c ? a : b, where all that c may choose matters.
func unsetChoice(f *frame, d *derivedUnset, lane int, u *[4]uint64) uint64 {
	switch {
	case u[2] != 0:
		return math.MaxUint64
	case *maskAt(f, d.operands[2])>>lane&1 != 0:
		return u[0]
	}
	return u[1]
}

// pickUnset copies what is unset of one of several registers: of that whose number register a holds.
func pickUnset(f *frame, in *instruction) {
	from := f.program.picks[in.imm]
	u, index := unsetAt(f, in.d), at[uint32](f, in.a)
	u.lanes = 0
	for m := f.mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		if n := index.value(l); n < uint32(len(from)) && from[n] != 0 {
			s := unsetAt(f, from[n])
			u.set(l, s.of(l), s.from[l])
		}
	}
}

// clearUnset makes all of a register set.
func clearUnset(f *frame, in *instruction) { unsetAt(f, in.d).lanes = 0 }

// copyUnset copies what is unset, in all lanes.
func copyUnset(f *frame, in *instruction) { unsetAt(f, in.d).blend(unsetAt(f, in.a), full) }

// blendUnset copies what is unset, in the active lanes. Register a may have no unset bits: 0.
func blendUnset(f *frame, in *instruction) {
	d := unsetAt(f, in.d)
	if in.a == 0 {
		d.lanes &^= f.mask
		return
	}
	d.blend(unsetAt(f, in.a), f.mask)
}

func (u *unset) blend(from *unset, mask uint32) {
	u.lanes = u.lanes&^mask | from.lanes&mask
	for m := from.lanes & mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		u.bits[l], u.from[l] = from.bits[l], from.from[l]
	}
}

// declareUnset makes a register unset, as that of a variable without a value is. What inactive lanes hold counts as set.
func declareUnset(f *frame, in *instruction) {
	u := unsetAt(f, in.d)
	u.lanes = 0
	for m := f.mask; m != 0; m &= m - 1 {
		u.set(bits.TrailingZeros32(m), class(in.c).cut(math.MaxUint64), origin(in.imm))
	}
}
