package native

import (
	"maps"
	"slices"

	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// near is what is known of accesses that differ in their Imm alone, in one block: the first one checks for all, and
// those of less than a word share the words that they are in.
type near struct {
	pointer, index int32 // registers
	object         int32
	kind, scale    int32
	size           int32
	summed         bool     // the index may be a part of that of an access
	slots          [2]int32 // of pointer and index
	changes        [2]int32 // of these, when it was remembered

	low, high int64            // bytes that have been checked, as an Imm counts them
	moved     int64            // what has been added to that since, by way of the index
	from      reg              // the address of low, for the first lane or all
	list      []reg            // how many bytes the lanes are away from there, by part
	by        reg              // the step from lane to lane, if no number says it
	tile      tile             // that the lanes may be in
	stored    *vcode.TileWords // that checks what lanes store, where nothing else does
	placed    bool             // step says how many bytes they mostly are apart, from one to the next
	step      int32
	most      reg    // what may be in the list at most, if they are placed
	last      reg    // in all elements, where vectors may begin at most, as list counts; or 0
	rows      bool   // from is that of a row, or of a copy
	apart     *apart // where the lanes have some words each, one after the other
	words     map[int64]func(part int) reg
	pairs     map[int64][]reg // two words of each lane, in vectors of longs
}

// reach bounds the search for accesses that share a check, by instructions and by the bytes that they spread over.
type reach struct {
	ahead  int32
	spread int64
}

var (
	farAhead = reach{maxAhead, maxSpread}
	inTile   = reach{4 * maxAhead, vcode.TileBytes}
)

const (
	maxAhead  = wide.MaxKnown
	maxSpread = wide.MaxSpread
)

// nearTo returns what an access is near to, and the bytes that it is away from there. The index may be the sum of a
// register and a number: where it wraps around, the access is not inside.
func (a *addresses) nearTo(s wide.Sums, in *wide.Instruction) (n near, at int64) {
	n = near{pointer: in.A, kind: in.C, size: in.Op.Bytes(), slots: [2]int32{a.lanes.slotOf(in.A), -1}}
	n.object = int32(a.lanes.kind(in.A).Object)
	at = in.Imm
	if in.C == wide.NoIndex {
		return n, at
	}
	n.index, n.scale = in.B, in.Target
	if of, ok := s[in.B]; ok && a.maySum(in) {
		n.index, n.summed = of.At, true
		at += of.Number * int64(in.Target)
	}
	n.slots[1] = a.lanes.slotOf(n.index)
	return n, at
}

// maySum reports whether the index of an access may be taken for a sum.
func (a *addresses) maySum(in *wide.Instruction) bool {
	p, fixed := a.x.Known[in.A]
	from := wide.OffsetOf(p) + in.Imm
	return fixed && (in.C == wide.IntIndex || in.C == wide.UintIndex && from >= 0 && from < int64(in.Target))
}

// moves returns by how many bytes an instruction moves accesses on, whose index it adds a number to.
func (a *addresses) moves(in *wide.Instruction, n *near) (by int64, ok bool) {
	c, known := a.x.Known[in.B]
	if in.Op != wide.AddWord || in.D != in.A || in.D != n.index || n.kind == wide.NoIndex || !known {
		return 0, false
	}
	by = int64(int32(c)) * int64(n.scale)
	return by, max(by, -by) < maxSpread
}

// beforeMove and afterMove are told of an instruction before and after it is written.
func (a *addresses) beforeMove(in *wide.Instruction) {
	a.moving = a.moving[:0]
	for _, n := range a.near {
		if _, ok := a.moves(in, n); ok && n.summed && !a.isOld(n) {
			a.moving = append(a.moving, n)
		}
	}
}

func (a *addresses) afterMove(in *wide.Instruction) {
	for _, n := range a.moving {
		by, _ := a.moves(in, n)
		n.moved += by
		n.changes = a.changes(n)
	}
}

// isLike reports whether accesses are near to the same.
func (n *near) isLike(o *near) bool {
	return n.pointer == o.pointer && n.index == o.index && n.kind == o.kind && n.scale == o.scale && n.size == o.size
}

// nearOf returns what has been checked for an access and those near it, or nil, and which Imm it has there.
func (a *addresses) nearOf(in *wide.Instruction) (n *near, at int64) {
	like, at := a.nearTo(a.sums, in)
	for _, n := range a.near {
		size, at := int64(n.size), at+n.moved
		reaches := at >= n.low && at+size <= n.high && (at-n.low)%size == 0
		sums := like.summed || n.moved != 0
		if reaches && n.isLike(&like) && (!sums || n.summed && a.maySum(in)) && !a.isOld(n) {
			return n, at
		}
	}
	return nil, at
}

// ahead returns which bytes an access and those near it reach, that come in the same block, and the Imm of the access.
func (a *addresses) ahead(in *wide.Instruction, r reach) (of *near, at int64) {
	n, at := a.nearTo(a.sums, in)
	n.low, n.high = at, at+int64(n.size)
	s := maps.Clone(a.sums)
	moved := int64(0)
	for pc := a.pc; pc < min(a.pc+r.ahead, a.end); pc++ {
		other := &a.x.Code[pc]
		op := &wide.Infos[other.Op]
		if op.Flow || op.Foreign {
			break
		}
		if op.Access && other.Op.Bytes() == n.size {
			like, there := a.nearTo(s, other)
			if there += moved; n.isLike(&like) && (there-at)%int64(n.size) == 0 && (moved == 0 || a.maySum(other)) {
				low, high := min(n.low, there), max(n.high, there+int64(n.size))
				if high-low <= r.spread {
					n.low, n.high, n.summed = low, high, n.summed || like.summed || moved != 0
				}
			}
		}
		for made := range op.Results(other) {
			if by, ok := a.moves(other, &n); ok && max(moved, -moved) < maxSpread {
				moved += by
			} else if made.At == n.pointer || made.At == n.index && n.kind != wide.NoIndex {
				return &n, at
			}
		}
		s.Step(a.x, other)
	}
	return &n, at
}

// remember keeps what has been checked as long as it holds.
func (a *addresses) remember(n *near) {
	n.changes = a.changes(n)
	a.near = append(slices.DeleteFunc(a.near, a.isOld), n)
	a.keep(n.from)
}

// changes returns how often the pointer and the index have changed.
func (a *addresses) changes(n *near) (list [2]int32) {
	for i, slot := range n.slots {
		if slot >= 0 {
			list[i] = a.lanes.cache.changes[slot]
		}
	}
	return list
}

// isOld reports whether what has been checked is of a register that has changed since.
func (a *addresses) isOld(n *near) bool { return n.changes != a.changes(n) }

// forgetWords forgets what has been loaded that a store by a pointer may change.
func (a *addresses) forgetWords(pointer int32) { a.forgetObject(int32(a.lanes.kind(pointer).Object)) }

// forgetObject is forgetWords for a store to an object, or to any where that is 0.
func (a *addresses) forgetObject(object int32) {
	rest := a.near[:0]
	for _, n := range a.near {
		shares := a.mayShare(n.object, object)
		if shares {
			n.words, n.pairs = nil, nil
		}
		if a.rows == nil {
			n.tile.from = 0
		}
		if !n.rows || !shares {
			rest = append(rest, n)
		}
	}
	a.near = rest
	if a.rows == nil { // else tiles have nothing that is stored
		a.forgetTiles()
	}
}

// mayShare reports whether two objects may have memory in common, as two arguments may.
func (a *addresses) mayShare(x, y int32) bool {
	private := func(n int32) bool { return int(n) < len(a.x.Objects) && (a.x.Objects[n].Striped || a.x.Objects[n].Own) }
	return x <= 0 || y <= 0 || x == y || !private(x) && !private(y)
}

// lastVector returns where vectors of elements that are inside begin at most, as the list counts, in all elements.
func (a *addresses) lastVector(n *near) reg {
	if n.last == 0 {
		limit := a.number(1<<31 - 1)
		most := a.op3(vcode.GPick, limit, n.most, a.compare(vcode.GSet, vcode.GtS, n.most, limit))
		n.last = a.keep(a.op(vcode.VSplat32, a.opI(vcode.GAdd, most, -int64(n.size)*int64(a.t.Lanes-1)), 0))
	}
	return n.last
}

// address returns the address that an Imm stands for.
func (a *addresses) address(n *near, imm int64) reg {
	if imm == n.low {
		return n.from
	}
	return a.keep(a.opI(vcode.GAdd, n.from, imm-n.low))
}

// roomFor returns the greatest offset at which all of the accesses are inside. Indexes that are sums have not wrapped
// around there.
func (a *addresses) roomFor(t *target, n *near) reg {
	r := a.room(t, int32(n.high-n.low))
	if !n.summed || n.scale >= 4 {
		return r
	}
	limit := a.number(1<<31 - 1 - maxSpread)
	return a.op3(vcode.GPick, limit, r, a.compare(vcode.GSet, vcode.GtS, r, limit))
}
