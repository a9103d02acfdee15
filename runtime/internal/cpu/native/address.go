package native

import (
	mathbits "math/bits"

	"github.com/metalgen/metalgen/runtime/internal/cpu/abi"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// addresses finds where accesses are, and checks that they are inside of their objects, for the active lanes. It keeps
// what has been checked, in the blocks that are written.
type addresses struct {
	*writer
	x      *wide.Analysis
	layout *abi.ObjectLayout
	lanes  *lanes

	end     int32         // of the block that is written
	fields  map[int32]reg // of objects
	rooms   map[room]reg
	ends    map[end]reg
	windows map[window]reg
	aligned map[room]bool // of objects that begin at a multiple of a number of bytes
	tables  map[room][]reg
	near    []*near
	moving  []*near // that go on by what is written
	sums    wide.Sums
	bounds  wide.Bounds

	plan    *plan
	loops   bool           // the block that is written is in a loop
	loop    *wide.LoopBody // the innermost one, or nil
	mayTile bool           // the block that is written is in a loop that stores nothing, or in rows
	rows    *wide.LoopBody // that only stores words to rows, or nil
	tiles   int            // that are in use
	turns   bool           // the block that is written is in a loop that simd-groups go through by turns
	fetches int            // rows that are fetched ahead, in all of the program
	swept   bool           // the last store was that of a row, in a sweep
}

// end is where the last index of an access is: at bytes in an object, by bytes each, counted from least.
type end struct {
	room      room
	at, least int64
	by        int32
}

// room is how far from the beginning of an object there may be so many bytes.
type room struct{ object, bytes int32 }

// window is memory of an object, if that is so large.
type window struct {
	object    int32
	at, bytes int64
}

// reset forgets everything.
func (a *addresses) reset() {
	a.fields, a.rooms, a.aligned = map[int32]reg{}, map[room]reg{}, map[room]bool{}
	a.ends, a.tables, a.windows = map[end]reg{}, map[room][]reg{}, map[window]reg{}
	a.forget()
}

// forget forgets what is known of accesses.
func (a *addresses) forget() { a.near, a.sums, a.bounds = a.near[:0], wide.Sums{}, wide.Bounds{} }

// target is where the lanes of an access are: at an offset in an object, and from lane to lane step bytes further on.
type target struct {
	object int32
	form   wide.Form
	step   int32
	size   int32 // bytes of an access
	index  int32 // a register
	offset reg   // of the first lane, when it is located
	by     reg   // the step, where it is not known
	whole  bool  // the offset of each lane is a multiple of size
}

// field returns a field of an object.
func (a *addresses) field(n, field int32) reg {
	at := n*a.layout.Size + field
	r, ok := a.fields[at]
	if !ok {
		op := vcode.GLoad64
		if field == a.layout.Skew {
			op = vcode.GLoad32
		}
		r = a.keep(a.opI(op, vcode.Objects, int64(at)))
		a.fields[at] = r
	}
	return r
}

// room returns the greatest offset at which n bytes are inside. It may be negative.
func (a *addresses) room(t *target, n int32) reg {
	key := room{t.object, n}
	r, ok := a.rooms[key]
	if !ok {
		r = a.keep(a.opI(vcode.GAdd, a.field(t.object, a.layout.Bytes), -int64(n)))
		a.rooms[key] = r
		if a.bare != nil {
			a.leaveIf(vcode.GtS, r, a.number(1<<31)) // see wide.Sweep
		}
	}
	return r
}

// target finds where an access goes. It reports false where only the interpreter knows.
func (a *addresses) target(in *wide.Instruction, size int32) (t target, ok bool) {
	p := a.lanes.kind(in.A)
	n := int32(p.Object)
	if n <= 0 || int(n) >= len(a.x.Objects) {
		return t, false
	}
	t = target{object: n, size: size, index: in.B}
	k := wide.AccessKind(a.x, &a.lanes.state, in)
	t.form, t.step = k.Form, k.Step
	return t, true
}

// locate finds the offset of the first lane in its object, where the pointer and the index count, for an Imm.
func (a *addresses) locate(in *wide.Instruction, t *target, imm int64) {
	start, fixed := a.x.Known[in.A]
	from := wide.OffsetOf(start) + imm // where fixed
	if t.form == wide.Strided {
		t.by = a.lanes.step(in.A)
	}
	size := int64(max(t.size, 1))
	t.whole = fixed && from%size == 0 && (in.C == wide.NoIndex || int64(in.Target)%size == 0) && t.form != wide.Strided
	if in.C == wide.NoIndex {
		t.offset = displacement(a.lanes, in.A, imm)
		return
	}
	k := a.lanes.kind(t.index)
	var base reg
	if k.Form == wide.Linear && in.Target >= 4 && fixed && max(from, -from) <= 1<<30 && (in.C == wide.IntIndex ||
		in.C == wide.UintIndex && from <= 0) {
		// Lanes that turn out to be inside have not wrapped around, since objects are no larger than that.
		c := a.lanes.cache.of(a.lanes.slotOf(t.index))
		if c.scaled == 0 || c.by != in.Target {
			base = scaled(a.lanes, a.keep(a.op(vcode.GExtS32, a.lanes.base(t.index), 0)), int64(in.Target))
			c.scaled, c.by = a.keep(base), in.Target
		}
		base = c.scaled
	} else {
		base = a.keep(widened(a.lanes, t.index, in.C))
		if k.Form != wide.Uniform {
			if in.C != wide.LongIndex {
				leaveIfWraps(a.lanes, t.index, base, in.C)
			}
			if t.form == wide.Strided {
				step := a.lanes.step(t.index)
				if in.C != wide.LongIndex {
					step = a.op(vcode.GExtS32, step, 0)
				}
				by := a.exiting(vcode.MulX, step, 0, int64(in.Target))
				t.by = a.exiting(vcode.AddX, t.by, by, 0)
			}
		}
		if in.C == wide.LongIndex {
			base = a.exiting(vcode.MulX, base, 0, int64(in.Target))
		} else {
			base = scaled(a.lanes, base, int64(in.Target))
		}
	}
	switch {
	case fixed && from == 0:
		t.offset = base
	case fixed:
		t.offset = a.opI(vcode.GAdd, base, from)
	default:
		t.offset = a.op(vcode.GAdd, displacement(a.lanes, in.A, imm), base)
	}
}

// one returns the address of an access that is the same in all lanes, as a register and some bytes more. It leaves the
// access to the interpreter where that is not inside, or not aligned.
func (a *addresses) one(in *wide.Instruction, t *target) (from reg, more int64) {
	n, at := a.nearOf(in)
	if n == nil {
		n, at = a.ahead(in, farAhead)
		t.index = n.index
		a.locate(in, t, n.low)
		a.keep(t.offset)
		a.leaveIfI(vcode.LtS, t.offset, 0)
		a.leaveIf(vcode.GtS, t.offset, a.roomFor(t, n))
		a.checkAligned(t)
		n.from = a.op(vcode.GAdd, t.offset, a.field(t.object, a.layout.Base))
		a.remember(n)
	}
	return n.from, at - n.low
}

// checkAligned leaves an access to the interpreter where the offset is not aligned.
func (a *addresses) checkAligned(t *target) {
	if t.size == 1 {
		return
	}
	if t.whole {
		key := room{t.object, t.size}
		if !a.aligned[key] {
			a.aligned[key] = true
			skew := a.field(t.object, a.layout.Skew)
			a.emit(vcode.Instr{Op: vcode.BranchTest, A: skew, Imm: int64(t.size - 1), Exit: a.exit()})
		}
		return
	}
	at := a.op(vcode.GAdd, t.offset, a.field(t.object, a.layout.Skew))
	a.emit(vcode.Instr{Op: vcode.BranchTest, A: at, Imm: int64(t.size - 1), Exit: a.exit()})
}

// checkEnds leaves an access to the interpreter where the first or the last active lane is not inside, or any is not
// aligned. Those between them are inside too.
func (a *addresses) checkEnds(t *target, n *near) {
	room := a.keep(a.roomFor(t, n))
	first := a.op(vcode.GCtzW, vcode.Active, 0)
	last := a.opI(vcode.GXor, a.op(vcode.GClzW, vcode.Active, 0), width-1)
	for _, lane := range [...]reg{first, last} {
		if t.form == wide.Strided {
			lane = a.op(vcode.GMul, lane, t.by)
		} else {
			lane = a.opI(vcode.GMul, lane, int64(t.step))
		}
		lane = a.op(vcode.GAdd, lane, t.offset)
		a.leaveIfI(vcode.LtS, lane, 0)
		a.leaveIf(vcode.GtS, lane, room)
	}
	a.checkAligned(t)
	switch {
	case t.form == wide.Strided && t.size > 1:
		a.emit(vcode.Instr{Op: vcode.BranchTest, A: t.by, Imm: int64(t.size - 1), Exit: a.exit()})
	case t.form == wide.Linear && t.step&(t.size-1) != 0:
		a.give()
	}
}

// indexes returns an address and how many bytes the lanes of an access are away from there, which have been checked.
func (a *addresses) indexes(in *wide.Instruction, t *target) (from reg, list []reg) {
	n, at := a.nearIndexes(in, t)
	return a.address(n, at), n.list
}

// nearIndexes is indexes for all accesses near one, which has an Imm there.
func (a *addresses) nearIndexes(in *wide.Instruction, t *target) (n *near, at int64) {
	n, at = a.nearOf(in)
	if n != nil && n.list != nil {
		return n, at
	}
	n, at = a.ahead(in, a.reachOf(t))
	if t.form == wide.Varying {
		a.scattered(in, t, n)
	} else {
		a.countedIndexes(in, t, n)
	}
	a.remember(n)
	return n, at
}

// countedIndexes is nearIndexes for lanes that count up.
func (a *addresses) countedIndexes(in *wide.Instruction, t *target, n *near) {
	t.index = n.index
	words := loadedIn(a, in, t, n)
	late := checkedByTile(a, in, t, n, words)
	if wide.Infos[in.Op].Stores != wide.None && n.high-n.low == 4 && a.inStored(t) {
		stored := storedIn(a, t)
		if late = checkedByTile(a, in, t, n, stored); late {
			n.stored = stored
		}
	}
	if !late {
		a.locate(in, t, n.low)
		a.keep(t.offset)
		a.checkEnds(t, n)
	}
	list := make([]reg, a.parts)
	if t.form != wide.Strided && (t.step > 1<<25 || t.step < -1<<25) {
		a.give()
	}
	var by reg
	if t.form == wide.Strided {
		if !late {
			last := a.exiting(vcode.MulX, t.by, 0, width)
			a.leaveIf(vcode.Ne, a.op(vcode.GExtS32, last, 0), last)
		}
		by = a.keep(a.op(vcode.VSplat32, t.by, 0))
	}
	for i := range list {
		if t.form == wide.Strided {
			list[i] = a.keep(a.op(vcode.VMul, a.lanes.countingBy(i, 1, false), by))
		} else {
			list[i] = a.lanes.countingBy(i, t.step, false)
		}
	}
	n.from, n.list, n.by = a.op(vcode.GAdd, t.offset, a.field(t.object, a.layout.Base)), list, t.by
	n.tile = tileOf(a, t, words)
}

// scattered is nearIndexes for lanes anywhere.
func (a *addresses) scattered(in *wide.Instruction, t *target, n *near) {
	bytes := int32(n.high - n.low)
	if p := a.lanes.kind(in.A); in.C != wide.LongIndex && in.C != wide.NoIndex && p.Form == wide.Uniform {
		a.scatteredWords(in, t, n)
		return
	}
	// Offsets of 64 bits, which are checked and then have 32.
	most := a.keep(a.room(t, bytes))
	a.leaveIfI(vcode.LtS, most, 0)
	limit := a.keep(a.number(1<<31 - 1))
	most = a.op3(vcode.GPick, limit, most, a.compare(vcode.GSet, vcode.GtS, most, limit))
	n.most = a.keep(most)
	most = a.keep(a.op(vcode.VSplat64, most, 0))
	start := a.lanes.word64(uint64(n.low - int64(t.object)<<wide.OffsetBits))
	offsets, bad := make([]reg, 2*a.parts), make([]reg, 2*a.parts)
	for i := range offsets {
		at := a.op(vcode.VAddQ, a.lanes.now(in.A, i), start)
		switch in.C {
		case wide.LongIndex: // none may come round
			index := a.lanes.now(in.B, i)
			at = a.op(vcode.VAddQ, a.keep(at), scaledLongs(a.lanes, index, int64(in.Target)))
			reach := a.op(vcode.VAddQ, index, a.lanes.word64(1<<wide.ReachBits))
			bad[i] = a.keep(a.compare(vcode.VCmpQ, vcode.GeU, reach, a.lanes.word64(2<<wide.ReachBits)))
		case wide.IntIndex, wide.UintIndex:
			index := extendedPart(a.lanes, in.B, in.C, i)
			at = a.op(vcode.VAddQ, a.keep(at), scaledLongs(a.lanes, index, int64(in.Target)))
		}
		offsets[i] = a.keep(at)
		outside := a.compare(vcode.VCmpQ, vcode.GtU, at, most)
		if bad[i] != 0 {
			outside = a.op(vcode.POr, bad[i], outside)
		}
		bad[i] = a.keep(outside)
	}
	list, wrong := make([]reg, a.parts), joined(a.lanes, bad)
	var skew reg
	if t.size > 1 {
		skew = a.keep(a.op(vcode.VSplat32, a.field(t.object, a.layout.Skew), 0))
	}
	for i := range list {
		list[i] = a.keep(a.op(vcode.VNarrow, offsets[2*i], offsets[2*i+1]))
		if t.size > 1 {
			odd := a.op(vcode.VAnd, a.op(vcode.VAdd, list[i], skew), a.lanes.word32(uint32(t.size-1)))
			odd = a.compare(vcode.VCmp, vcode.Ne, odd, a.lanes.word32(0))
			wrong[i] = a.keep(a.op(vcode.POr, wrong[i], odd))
		}
	}
	a.lanes.leaveIfAny(wrong)
	n.from, n.list = a.field(t.object, a.layout.Base), list
	index := wide.Kind{Form: wide.Uniform}
	if in.C != wide.NoIndex {
		index = a.lanes.kind(in.B)
	}
	n.step, n.placed = wide.Apart(a.lanes.kind(in.A), index, int64(in.Target))
}

// lastIndex returns the last index at which an access is inside, in all elements. It is kept where the end is fixed.
func (a *addresses) lastIndex(room reg, e end, fixed bool) reg {
	if r, ok := a.ends[e]; ok && fixed {
		return r
	}
	most := a.opI(vcode.GAdd, room, -e.at-e.least*int64(e.by))
	a.leaveIfI(vcode.LtS, most, 0)
	if e.by&(e.by-1) == 0 {
		most = a.opI(vcode.GShr, most, int64(mathbits.Len32(uint32(e.by))-1))
	} else {
		most = a.op(vcode.GDivU, most, a.number(uint64(e.by)))
	}
	limit := a.number(uint64((1<<31-1-maxSpread)/int64(e.by) - max(e.least, 0))) // as numbers of 32 bits count
	most = a.op3(vcode.GPick, limit, most, a.compare(vcode.GSet, vcode.GtS, most, limit))
	last := a.keep(a.op(vcode.VSplat32, most, 0))
	if fixed {
		a.ends[e] = last
	}
	return last
}

// scatteredWords is scattered for words that index from a pointer that is the same in all lanes.
func (a *addresses) scatteredWords(in *wide.Instruction, t *target, n *near) {
	keyOfRoom := room{t.object, int32(n.high - n.low)}
	room := a.room(t, keyOfRoom.bytes)
	bits, fixed := a.x.Known[in.A]
	from := wide.OffsetOf(bits) + n.low
	by := n.scale
	if fixed = fixed && max(from, -from) <= 1<<30; fixed {
		t.whole = from%int64(t.size) == 0
	} else {
		t.offset = a.keep(displacement(a.lanes, in.A, n.low))
		a.leaveIfI(vcode.LtS, t.offset, 0)
		room, from = a.keep(a.op(vcode.GSub, room, t.offset)), 0
	}
	if by&(t.size-1) != 0 {
		a.give()
	}
	if fixed && !t.whole {
		t.offset = a.number(uint64(from))
	}
	a.checkAligned(t)
	// The indexes that are inside are least and those after it.
	least := (-from + int64(by) - 1) / int64(by)
	if from > 0 {
		least = -(from / int64(by))
	}
	if n.kind == wide.UintIndex {
		least = max(least, 0)
	}
	last := a.lastIndex(room, end{keyOfRoom, from, least, by}, fixed)
	list := make([]reg, a.parts)
	for i := range list {
		index := a.lanes.now(n.index, i)
		if least != 0 {
			index = a.op(vcode.VSub, index, a.lanes.word32(uint32(least)))
		}
		list[i] = a.keep(a.make(vcode.Instr{
			Op: vcode.VCmpP, Cond: vcode.GtU, A: index, B: last, C: a.lanes.active(i),
		}))
	}
	a.lanes.leaveIfAnyOf(list)
	for i := range list {
		index := a.lanes.now(n.index, i)
		if by&(by-1) != 0 {
			index = a.op(vcode.VMul, index, a.lanes.word32(uint32(by)))
		} else if by > 1 {
			index = a.opI(vcode.VShlI, index, int64(mathbits.Len32(uint32(by))-1))
		}
		list[i] = a.keep(index)
	}
	n.from, n.list = a.field(t.object, a.layout.Base), list
	if n.step, n.placed = wide.Apart(wide.Kind{Form: wide.Uniform}, a.lanes.kind(n.index), int64(by)); n.placed {
		n.most = a.keep(a.opI(vcode.GAdd, room, -from))
	}
	switch {
	case !fixed:
		n.from = a.op(vcode.GAdd, t.offset, n.from)
	case from != 0:
		n.from = a.opI(vcode.GAdd, n.from, from)
	}
}
