package sanitize

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// unset says which bits of a register nothing has set: those that come of memory, or of a
// variable, that nothing has written. Where there are none, as nearly always, lanes is 0.
type unset struct {
	lanes uint32                // that have such bits; of the others the rest means nothing
	bits  [width]uint64         // as the register holds them; of a mask 1
	from  [width]program.Origin // what was not written
}

var _ [program.UnsetBytes - int32(unsafe.Sizeof(unset{}))]byte

func unsetAt(f *interp.Frame, offset int32) *unset { return (*unset)(unsafe.Add(f.Memory, offset)) }

// set makes bits of a lane unset.
func (u *unset) set(lane int, v uint64, from program.Origin) {
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
type unsetRule func(f *interp.Frame, d *program.DerivedUnset, lane int, u *[4]uint64) uint64

// deriveUnset makes the unset bits of the result of an operation, from those of its operands.
func deriveUnset(f *interp.Frame, in *program.Instruction) {
	d := &f.Code.Derived[in.Imm]
	var lanes uint32
	for _, u := range d.Unsets {
		if u != 0 {
			lanes |= unsetAt(f, u).lanes
		}
	}
	to := unsetAt(f, in.D)
	to.lanes = 0
	if lanes == 0 {
		return
	}
	rule := unsetRules()[d.Op]
	for ; lanes != 0; lanes &= lanes - 1 {
		l := bits.TrailingZeros32(lanes)
		var u [4]uint64
		var from program.Origin
		for i, at := range d.Unsets {
			if at == 0 {
				continue
			}
			operand := unsetAt(f, at)
			if u[i] = operand.of(l); u[i] != 0 && from == 0 {
				from = operand.from[l]
			}
		}
		to.set(l, d.Class.Cut(rule(f, d, l, &u)), from)
	}
}

// valueOf returns what a lane of an operand holds, for the class of the result.
func valueOf(f *interp.Frame, d *program.DerivedUnset, i, lane int) uint64 {
	switch d.Class {
	case program.MaskClass:
		return uint64(*interp.MaskAt(f, d.Operands[i]) >> lane & 1)
	case program.WordClass:
		return uint64(interp.At[uint32](f, d.Operands[i]).Value(lane))
	}
	return interp.At[uint64](f, d.Operands[i]).Value(lane)
}

// unsetAny is the rule of operations where every bit may depend on every bit of the operands.
func unsetAny(_ *interp.Frame, _ *program.DerivedUnset, _ int, u *[4]uint64) uint64 {
	if u[0]|u[1]|u[2]|u[3] != 0 {
		return math.MaxUint64
	}
	return 0
}

// unsetUp is the rule of sums and products: a bit depends on the same and lower ones.
func unsetUp(_ *interp.Frame, _ *program.DerivedUnset, _ int, u *[4]uint64) uint64 {
	v := u[0] | u[1]
	return v | -v
}

// unsetEach is the rule of operations where each bit depends on the same bits of operands.
func unsetEach(_ *interp.Frame, _ *program.DerivedUnset, _ int, u *[4]uint64) uint64 {
	return u[0] | u[1]
}

// unsetAnd is the rule of a & b: where one has a 0, the other does not matter.
func unsetAnd(f *interp.Frame, d *program.DerivedUnset, lane int, u *[4]uint64) uint64 {
	return (u[0] | u[1]) & (u[0] | valueOf(f, d, 0, lane)) & (u[1] | valueOf(f, d, 1, lane))
}

// unsetOr is the rule of a | b: where one has a 1, the other does not matter.
func unsetOr(f *interp.Frame, d *program.DerivedUnset, lane int, u *[4]uint64) uint64 {
	return (u[0] | u[1]) & (u[0] | ^valueOf(f, d, 0, lane)) & (u[1] | ^valueOf(f, d, 1, lane))
}

// unsetFrom returns the rule of what moves the bits of its first operand, as move does.
func unsetFrom(move func(v uint64) uint64) unsetRule {
	return func(_ *interp.Frame, _ *program.DerivedUnset, _ int, u *[4]uint64) uint64 { return move(u[0]) }
}

// unsetShift returns the rule of shifts, whose second operand says how far.
func unsetShift(shift func(v uint64, by uint32) uint64) unsetRule {
	return func(f *interp.Frame, d *program.DerivedUnset, lane int, u *[4]uint64) uint64 {
		if u[1] != 0 {
			return math.MaxUint64
		}
		return shift(u[0], interp.At[uint32](f, d.Operands[1]).Value(lane)&uint32(8*d.Class.Bytes()-1))
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
func unsetField(f *interp.Frame, d *program.DerivedUnset, lane int, u *[4]uint64) uint64 {
	n := interp.At[uint32](f, d.Operands[1]).Value(lane) & 31
	if u[1] != 0 || u[0]>>n&uint64(d.Imm) != 0 {
		return math.MaxUint64
	}
	return 0
}

// unsetExtract returns the rule of extract; take returns the lowest n bits as an integer.
func unsetExtract(take func(v uint64, n uint32) uint64) unsetRule {
	return func(f *interp.Frame, d *program.DerivedUnset, lane int, u *[4]uint64) uint64 {
		if u[1]|u[2] != 0 {
			return math.MaxUint64
		}
		offset, n := interp.At[uint32](f, d.Operands[1]).Value(lane), interp.At[uint32](f, d.Operands[2]).Value(lane)
		if n == 0 {
			return 0
		}
		return take(u[0]>>min(offset, 64), min(n, 64))
	}
}

func unsignedBits(v uint64, n uint32) uint64 { return v << (64 - n) >> (64 - n) }

func signedBits(v uint64, n uint32) uint64 { return uint64(int64(v<<(64-n)) >> (64 - n)) }

// unsetChoice is the rule of c ? a : b, where all that c may choose matters.
func unsetChoice(f *interp.Frame, d *program.DerivedUnset, lane int, u *[4]uint64) uint64 {
	switch {
	case u[2] != 0:
		return math.MaxUint64
	case *interp.MaskAt(f, d.Operands[2])>>lane&1 != 0:
		return u[0]
	}
	return u[1]
}

// pickUnset copies what is unset of one of several registers: of that whose number register a holds.
func pickUnset(f *interp.Frame, in *program.Instruction) {
	from := f.Code.Picks[in.Imm]
	u, index := unsetAt(f, in.D), interp.At[uint32](f, in.A)
	u.lanes = 0
	for m := f.Mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		if n := index.Value(l); n < uint32(len(from)) && from[n] != 0 {
			s := unsetAt(f, from[n])
			u.set(l, s.of(l), s.from[l])
		}
	}
}

// clearUnset makes all of a register set.
func clearUnset(f *interp.Frame, in *program.Instruction) { unsetAt(f, in.D).lanes = 0 }

// copyUnset copies what is unset, in all lanes.
func copyUnset(f *interp.Frame, in *program.Instruction) {
	unsetAt(f, in.D).blend(unsetAt(f, in.A), full)
}

// blendUnset copies what is unset, in the active lanes. Register a may have no unset bits: 0.
func blendUnset(f *interp.Frame, in *program.Instruction) {
	d := unsetAt(f, in.D)
	if in.A == 0 {
		d.lanes &^= f.Mask
		return
	}
	d.blend(unsetAt(f, in.A), f.Mask)
}

func (u *unset) blend(from *unset, mask uint32) {
	u.lanes = u.lanes&^mask | from.lanes&mask
	for m := from.lanes & mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		u.bits[l], u.from[l] = from.bits[l], from.from[l]
	}
}

// declareUnset makes a register unset, as that of a variable without a value is. What inactive lanes hold counts as
// set.
func declareUnset(f *interp.Frame, in *program.Instruction) {
	u := unsetAt(f, in.D)
	u.lanes = 0
	for m := f.Mask; m != 0; m &= m - 1 {
		u.set(bits.TrailingZeros32(m), program.Class(in.C).Cut(math.MaxUint64), program.Origin(in.Imm))
	}
}
