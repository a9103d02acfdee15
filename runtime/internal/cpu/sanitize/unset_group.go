package sanitize

import (
	"math"
	"math/bits"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// deriveGroupUnset makes the unset of a function of a simd-group or a quad-group.
func deriveGroupUnset(f *interp.Frame, in *program.Instruction) {
	g, d := &f.Code.Groups[in.Imm], unsetAt(f, in.D)
	d.lanes = 0
	var lanes uint32
	for _, u := range g.Unsets {
		if u != 0 {
			lanes |= unsetAt(f, u).lanes
		}
	}
	if lanes == 0 {
		return
	}
	for l := range width {
		if f.Mask>>l&1 == 0 {
			continue
		}
		for i, at := range g.Unsets[1:] { // what says which lane to read
			if u := unsetIn(f, at); u.lanes>>l&1 != 0 && !(i == 0 && fills(g.Op)) {
				d.set(l, g.Class.Cut(math.MaxUint64), u.from[l])
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
func unsetIn(f *interp.Frame, at int32) *unset {
	if at == 0 {
		return &nothingUnset
	}
	return unsetAt(f, at)
}

// fills reports whether the second operand is data too.
func fills(op ir.Op) bool { return op == ir.OpShuffleFillDown || op == ir.OpShuffleFillUp }

// groupUnsetOf sets what is unset of the result of a lane.
func groupUnsetOf(f *interp.Frame, g *program.GroupUnset, d *unset, l int) {
	from := unsetIn(f, g.Unsets[0])
	group := uint32(1<<g.Size-1) << (l &^ (g.Size - 1)) & f.Mask
	unset := group & from.lanes
	first := from.from[bits.TrailingZeros32(unset)&(width-1)]
	move := func(to int) { d.set(l, from.of(to), from.from[to]) }
	switch source := interp.LaneSources[g.Op]; {
	case source != nil:
		by := interp.At[uint32](f, g.Operands[1]).Value(l)
		move(source(l, int(uint16(by)), g.Size) & (width - 1))
	case fills(g.Op):
		direction := 1
		if g.Op == ir.OpShuffleFillUp {
			direction = -1
		}
		by, modulo := interp.At[uint32](f, g.Operands[2]).Value(l), interp.At[uint32](f, g.Operands[3]).Value(l)
		to, inside := interp.FilledFrom(l, int(by), int(modulo), g.Size, direction)
		if !inside {
			from = unsetIn(f, g.Unsets[1])
		}
		move(to)
	case g.Op == ir.OpBroadcastFirst:
		move(bits.TrailingZeros32(group))
	case g.Op == ir.OpBallot:
		if g.Size != width {
			unset >>= l &^ (g.Size - 1)
		}
		d.set(l, uint64(unset), first)
	case g.Op == ir.OpGroupAny && *interp.MaskAt(f, g.Operands[0])&group&^unset != 0, // those that are set decide
		g.Op == ir.OpGroupAll && group&^unset&^*interp.MaskAt(f, g.Operands[0]) != 0:
	case g.Op >= ir.OpPrefixExclusiveSum && g.Op <= ir.OpPrefixInclusiveProduct:
		before := uint32(1)<<l - 1
		if g.Op == ir.OpPrefixInclusiveSum || g.Op == ir.OpPrefixInclusiveProduct {
			before |= 1 << l
		}
		if unset &= before; unset != 0 {
			d.set(l, g.Class.Cut(math.MaxUint64), first)
		}
	case unset != 0:
		d.set(l, g.Class.Cut(math.MaxUint64), first)
	}
}
