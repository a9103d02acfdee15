package cpu

import (
	"math"
	"math/bits"

	"github.com/metalgen/metalgen/internal/ir"
)

// deriveGroupUnset makes the unset of a function of a simd-group or a quad-group.
func deriveGroupUnset(f *frame, in *instruction) {
	g, d := &f.program.groups[in.imm], unsetAt(f, in.d)
	d.lanes = 0
	var lanes uint32
	for _, u := range g.unsets {
		if u != 0 {
			lanes |= unsetAt(f, u).lanes
		}
	}
	if lanes == 0 {
		return
	}
	for l := range width {
		if f.mask>>l&1 == 0 {
			continue
		}
		for i, at := range g.unsets[1:] { // what says which lane to read
			if u := unsetIn(f, at); u.lanes>>l&1 != 0 && !(i == 0 && fills(g.op)) {
				d.set(l, g.class.cut(math.MaxUint64), u.from[l])
			}
		}
		if d.lanes>>l&1 == 0 {
			groupUnsetOf(f, g, d, l)
		}
	}
}

// nothingUnset is the unset of a register that has none.
var nothingUnset unset

// unsetIn returns the unset at an offset of the frame; 0 is that of a register that has none.
func unsetIn(f *frame, at int32) *unset {
	if at == 0 {
		return &nothingUnset
	}
	return unsetAt(f, at)
}

// fills reports whether the second operand is data too.
func fills(op ir.Op) bool { return op == ir.OpShuffleFillDown || op == ir.OpShuffleFillUp }

// groupUnsetOf sets what is unset of the result of a lane.
func groupUnsetOf(f *frame, g *groupUnset, d *unset, l int) {
	from := unsetIn(f, g.unsets[0])
	group := uint32(1<<g.size-1) << (l &^ (g.size - 1)) & f.mask
	unset := group & from.lanes
	first := from.from[bits.TrailingZeros32(unset)&(width-1)]
	move := func(to int) { d.set(l, from.of(to), from.from[to]) }
	switch source := laneSources[g.op]; {
	case source != nil:
		by := at[uint32](f, g.operands[1]).value(l)
		move(source(l, int(uint16(by)), g.size) & (width - 1))
	case fills(g.op):
		direction := 1
		if g.op == ir.OpShuffleFillUp {
			direction = -1
		}
		by, modulo := at[uint32](f, g.operands[2]).value(l), at[uint32](f, g.operands[3]).value(l)
		to, inside := filledFrom(l, int(by), int(modulo), g.size, direction)
		if !inside {
			from = unsetIn(f, g.unsets[1])
		}
		move(to)
	case g.op == ir.OpBroadcastFirst:
		move(bits.TrailingZeros32(group))
	case g.op == ir.OpBallot:
		if g.size != width {
			unset >>= l &^ (g.size - 1)
		}
		d.set(l, uint64(unset), first)
	case g.op == ir.OpGroupAny && *maskAt(f, g.operands[0])&group&^unset != 0, // those that are set decide
		g.op == ir.OpGroupAll && group&^unset&^*maskAt(f, g.operands[0]) != 0:
	case g.op >= ir.OpPrefixExclusiveSum && g.op <= ir.OpPrefixInclusiveProduct:
		before := uint32(1)<<l - 1
		if g.op == ir.OpPrefixInclusiveSum || g.op == ir.OpPrefixInclusiveProduct {
			before |= 1 << l
		}
		if unset &= before; unset != 0 {
			d.set(l, g.class.cut(math.MaxUint64), first)
		}
	case unset != 0:
		d.set(l, g.class.cut(math.MaxUint64), first)
	}
}
