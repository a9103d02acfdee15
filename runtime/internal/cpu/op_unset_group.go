package cpu

import (
	"math"
	"math/bits"
	"strings"
)

// groupUnset makes the unset of a function of a simd-group or a quad-group, of which a lane's result
// depends on what other lanes hold.
type groupUnset struct {
	name     string // without simd_ or quad_
	size     int    // of a group
	class    class  // of the result
	operands []int32
	unsets   []int32 // of the operands; 0 for those that are set
	d        int32
}

func (g *groupUnset) run(f *frame, _ *instruction) {
	d := unsetAt(f, g.d)
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
			if u := unsetIn(f, at); u.lanes>>l&1 != 0 && !(i == 0 && g.fills()) {
				d.set(l, g.class.cut(math.MaxUint64), u.from[l])
			}
		}
		if d.lanes>>l&1 == 0 {
			g.lane(f, d, l)
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
func (g *groupUnset) fills() bool { return strings.HasPrefix(g.name, "shuffle_and_fill") }

// lane sets what is unset of the result of a lane.
func (g *groupUnset) lane(f *frame, d *unset, l int) {
	from := unsetIn(f, g.unsets[0])
	group := uint32(1<<g.size-1) << (l &^ (g.size - 1)) & f.mask
	unset := group & from.lanes
	first := from.from[bits.TrailingZeros32(unset)&(width-1)]
	move := func(to int) { d.set(l, from.of(to), from.from[to]) }
	switch source := sources[g.name]; {
	case source != nil:
		by := at[uint32](f, g.operands[1]).value(l)
		move(source(l, int(uint16(by)), g.size) & (width - 1))
	case g.fills():
		direction := 1
		if strings.HasSuffix(g.name, "up") {
			direction = -1
		}
		by, modulo := at[uint32](f, g.operands[2]).value(l), at[uint32](f, g.operands[3]).value(l)
		to, inside := filledFrom(l, int(by), int(modulo), g.size, direction)
		if !inside {
			from = unsetIn(f, g.unsets[1])
		}
		move(to)
	case g.name == "broadcast_first":
		move(bits.TrailingZeros32(group))
	case g.name == "ballot":
		if g.size != width {
			unset >>= l &^ (g.size - 1)
		}
		d.set(l, uint64(unset), first)
	case g.name == "any" && *maskAt(f, g.operands[0])&group&^unset != 0, // those that are set decide
		g.name == "all" && group&^unset&^*maskAt(f, g.operands[0]) != 0:
	case strings.HasPrefix(g.name, "prefix"):
		before := uint32(1)<<l - 1
		if strings.Contains(g.name, "inclusive") {
			before |= 1 << l
		}
		if unset &= before; unset != 0 {
			d.set(l, g.class.cut(math.MaxUint64), first)
		}
	case unset != 0:
		d.set(l, g.class.cut(math.MaxUint64), first)
	}
}
