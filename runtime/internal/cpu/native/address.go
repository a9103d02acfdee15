package native

import (
	mathbits "math/bits"

	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

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
func (l *lowering) field(n, field int32) reg {
	at := n*l.layout.Object.Size + field
	r, ok := l.cache.fields[at]
	if !ok {
		op := vcode.GLoad64
		if field == l.layout.Object.Skew {
			op = vcode.GLoad32
		}
		r = l.keep(l.opI(op, vcode.Objects, int64(at)))
		l.cache.fields[at] = r
	}
	return r
}

// room returns the greatest offset at which n bytes are inside. It may be negative.
func (l *lowering) room(t *target, n int32) reg {
	key := room{t.object, n}
	r, ok := l.cache.rooms[key]
	if !ok {
		r = l.keep(l.opI(vcode.GAdd, l.field(t.object, l.layout.Object.Bytes), -int64(n)))
		l.cache.rooms[key] = r
	}
	return r
}

// target finds where an access goes. It reports false where only the interpreter knows.
func (l *lowering) target(in *wide.Instruction, size int32) (t target, ok bool) {
	p := l.kind(in.A)
	n := int32(p.Object)
	if n <= 0 || int(n) >= len(l.Objects) {
		return t, false
	}
	t = target{object: n, size: size, index: in.B}
	index := wide.Kind{Form: wide.Uniform}
	if in.C != wide.NoIndex {
		index = l.kind(in.B)
	}
	k := wide.Sum(p, index, int64(in.Target))
	t.form, t.step = k.Form, k.Step
	return t, true
}

// locate finds the offset of the first lane in its object, where the pointer and the index count, for an Imm.
func (l *lowering) locate(in *wide.Instruction, t *target, imm int64) {
	start, fixed := l.Known[in.A]
	from := wide.OffsetOf(start) + imm // where fixed
	if t.form == wide.Strided {
		t.by = l.step(in.A)
	}
	size := int64(max(t.size, 1))
	t.whole = fixed && from%size == 0 && (in.C == wide.NoIndex || int64(in.Target)%size == 0) && t.form != wide.Strided
	if in.C == wide.NoIndex {
		t.offset = l.displacement(in.A, imm)
		return
	}
	k := l.kind(t.index)
	var base reg
	if k.Form == wide.Linear && in.Target >= 4 && fixed && max(from, -from) <= 1<<30 && (in.C == wide.IntIndex ||
		in.C == wide.UintIndex && from <= 0) {
		// Lanes that turn out to be inside have not wrapped around, since objects are no larger than that.
		base = l.keep(l.op(vcode.GExtS32, l.base(t.index), 0))
	} else {
		base = l.keep(l.widened(t.index, in.C))
		if k.Form != wide.Uniform {
			if in.C != wide.LongIndex {
				l.leaveIfWraps(t.index, base, in.C)
			}
			if t.form == wide.Strided {
				step := l.step(t.index)
				if in.C != wide.LongIndex {
					step = l.op(vcode.GExtS32, step, 0)
				}
				by := l.exiting(vcode.MulX, step, 0, int64(in.Target))
				t.by = l.exiting(vcode.AddX, t.by, by, 0)
			}
		}
	}
	if in.C == wide.LongIndex {
		base = l.exiting(vcode.MulX, base, 0, int64(in.Target))
	} else {
		base = l.scaled(base, int64(in.Target))
	}
	switch {
	case fixed && from == 0:
		t.offset = base
	case fixed:
		t.offset = l.opI(vcode.GAdd, base, from)
	default:
		t.offset = l.op(vcode.GAdd, l.displacement(in.A, imm), base)
	}
}

// exiting is an instruction that leaves where its result does not fit.
func (l *lowering) exiting(op vcode.Op, a, b reg, i int64) reg {
	return l.keep(l.make(vcode.Instr{Op: op, A: a, B: b, Imm: i, Exit: l.exit()}))
}

// scaled returns a number times n.
func (l *lowering) scaled(r reg, n int64) reg {
	switch {
	case n == 1:
		return r
	case n > 0 && n&(n-1) == 0:
		return l.opI(vcode.GShl, r, int64(mathbits.Len64(uint64(n))-1))
	}
	return l.opI(vcode.GMul, r, n)
}

// displacement returns where a pointer points to in its object, and some bytes more.
func (l *lowering) displacement(at int32, more int64) reg {
	if bits, ok := l.Known[at]; ok {
		return l.number(uint64(wide.OffsetOf(bits) + more))
	}
	if object := l.kind(at).Object; object > 0 {
		return l.opI(vcode.GAdd, l.base(at), more-int64(object)<<wide.OffsetBits)
	}
	r := l.opI(vcode.GShl, l.base(at), 64-wide.OffsetBits)
	r = l.opI(vcode.GSar, r, 64-wide.OffsetBits)
	if more != 0 {
		r = l.opI(vcode.GAdd, r, more)
	}
	return r
}

// one returns the address of an access that is the same in all lanes, as a register and some bytes more. It leaves the
// access to the interpreter where that is not inside, or not aligned.
func (l *lowering) one(in *wide.Instruction, t *target) (from reg, more int64) {
	n, at := l.nearOf(in)
	if n == nil {
		n = l.ahead(in)
		t.index = n.index
		l.locate(in, t, n.low)
		l.keep(t.offset)
		l.leaveIfI(vcode.LtS, t.offset, 0)
		l.leaveIf(vcode.GtS, t.offset, l.roomFor(t, n))
		l.checkAligned(t)
		n.from = l.op(vcode.GAdd, t.offset, l.field(t.object, l.layout.Object.Base))
		l.remember(n)
	}
	return n.from, at - n.low
}

// checkAligned leaves an access to the interpreter where the offset is not aligned.
func (l *lowering) checkAligned(t *target) {
	if t.size == 1 {
		return
	}
	if t.whole {
		key := room{t.object, t.size}
		if !l.cache.aligned[key] {
			l.cache.aligned[key] = true
			skew := l.field(t.object, l.layout.Object.Skew)
			l.emit(vcode.Instr{Op: vcode.BranchTest, A: skew, Imm: int64(t.size - 1), Exit: l.exit()})
		}
		return
	}
	at := l.op(vcode.GAdd, t.offset, l.field(t.object, l.layout.Object.Skew))
	l.emit(vcode.Instr{Op: vcode.BranchTest, A: at, Imm: int64(t.size - 1), Exit: l.exit()})
}

// checkEnds leaves an access to the interpreter where the first or the last active lane is not inside, or any is not
// aligned. Those between them are inside too.
func (l *lowering) checkEnds(t *target, n *near) {
	room := l.keep(l.roomFor(t, n))
	first := l.op(vcode.GCtzW, vcode.Active, 0)
	last := l.opI(vcode.GXor, l.op(vcode.GClzW, vcode.Active, 0), width-1)
	for _, lane := range [...]reg{first, last} {
		if t.form == wide.Strided {
			lane = l.op(vcode.GMul, lane, t.by)
		} else {
			lane = l.opI(vcode.GMul, lane, int64(t.step))
		}
		lane = l.op(vcode.GAdd, lane, t.offset)
		l.leaveIfI(vcode.LtS, lane, 0)
		l.leaveIf(vcode.GtS, lane, room)
	}
	l.checkAligned(t)
	switch {
	case t.form == wide.Strided && t.size > 1:
		l.emit(vcode.Instr{Op: vcode.BranchTest, A: t.by, Imm: int64(t.size - 1), Exit: l.exit()})
	case t.form == wide.Linear && t.step&(t.size-1) != 0:
		l.give()
	}
}

// indexes returns an address and how many bytes the lanes of an access are away from there, which have been checked.
func (l *lowering) indexes(in *wide.Instruction, t *target) (from reg, list []reg) {
	n, at := l.nearIndexes(in, t)
	return l.address(n, at), n.list
}

// nearIndexes is indexes for all accesses near one, which has an Imm there.
func (l *lowering) nearIndexes(in *wide.Instruction, t *target) (n *near, at int64) {
	n, at = l.nearOf(in)
	if n != nil && n.list != nil {
		return n, at
	}
	n = l.ahead(in)
	if t.form == wide.Varying {
		l.scattered(in, t, n)
	} else {
		l.countedIndexes(in, t, n)
	}
	l.remember(n)
	return n, at
}

// countedIndexes is nearIndexes for lanes that count up.
func (l *lowering) countedIndexes(in *wide.Instruction, t *target, n *near) {
	t.index = n.index
	l.locate(in, t, n.low)
	l.keep(t.offset)
	l.checkEnds(t, n)
	list := make([]reg, l.parts)
	if t.form != wide.Strided && (t.step > 1<<25 || t.step < -1<<25) {
		l.give()
	}
	var by reg
	if t.form == wide.Strided {
		last := l.exiting(vcode.MulX, t.by, 0, width)
		l.leaveIf(vcode.Ne, l.op(vcode.GExtS32, last, 0), last)
		by = l.keep(l.op(vcode.VSplat32, t.by, 0))
	}
	for i := range list {
		if t.form == wide.Strided {
			list[i] = l.keep(l.op(vcode.VMul, l.countingBy(i, 1, false), by))
		} else {
			list[i] = l.countingBy(i, t.step, false)
		}
	}
	n.from, n.list = l.op(vcode.GAdd, t.offset, l.field(t.object, l.layout.Object.Base)), list
}

// scattered is nearIndexes for lanes anywhere.
func (l *lowering) scattered(in *wide.Instruction, t *target, n *near) {
	bytes := int32(n.high - n.low)
	if p := l.kind(in.A); in.C != wide.LongIndex && in.C != wide.NoIndex && p.Form == wide.Uniform {
		l.scatteredWords(in, t, n)
		return
	}
	// Offsets of 64 bits, which are checked and then have 32.
	most := l.keep(l.room(t, bytes))
	l.leaveIfI(vcode.LtS, most, 0)
	limit := l.keep(l.number(1<<31 - 1))
	most = l.op3(vcode.GPick, limit, most, l.compare(vcode.GSet, vcode.GtS, most, limit))
	most = l.keep(l.op(vcode.VSplat64, most, 0))
	start := l.word64(uint64(n.low - int64(t.object)<<wide.OffsetBits))
	offsets, bad := make([]reg, 2*l.parts), make([]reg, 2*l.parts)
	for i := range offsets {
		at := l.op(vcode.VAddQ, l.now(in.A, i), start)
		switch in.C {
		case wide.LongIndex: // none may come round
			index := l.now(in.B, i)
			at = l.op(vcode.VAddQ, l.keep(at), l.scaledLongs(index, int64(in.Target)))
			reach := l.op(vcode.VAddQ, index, l.word64(1<<wide.ReachBits))
			bad[i] = l.keep(l.compare(vcode.VCmpQ, vcode.GeU, reach, l.word64(2<<wide.ReachBits)))
		case wide.IntIndex, wide.UintIndex:
			at = l.op(vcode.VAddQ, l.keep(at), l.scaledLongs(l.extended(in.B, in.C, i), int64(in.Target)))
		}
		offsets[i] = l.keep(at)
		outside := l.compare(vcode.VCmpQ, vcode.GtU, at, most)
		if bad[i] != 0 {
			outside = l.op(vcode.POr, bad[i], outside)
		}
		bad[i] = l.keep(outside)
	}
	list, wrong := make([]reg, l.parts), l.joined(bad)
	var skew reg
	if t.size > 1 {
		skew = l.keep(l.op(vcode.VSplat32, l.field(t.object, l.layout.Object.Skew), 0))
	}
	for i := range list {
		list[i] = l.keep(l.op(vcode.VNarrow, offsets[2*i], offsets[2*i+1]))
		if t.size > 1 {
			odd := l.op(vcode.VAnd, l.op(vcode.VAdd, list[i], skew), l.word32(uint32(t.size-1)))
			odd = l.compare(vcode.VCmp, vcode.Ne, odd, l.word32(0))
			wrong[i] = l.keep(l.op(vcode.POr, wrong[i], odd))
		}
	}
	l.leaveIfAny(wrong)
	n.from, n.list = l.field(t.object, l.layout.Object.Base), list
}

// extended returns a part of the lanes of words as longs.
func (l *lowering) extended(at, index int32, part int) reg {
	op := operation{signed: index == wide.IntIndex}
	return l.op(op.extends(part&1), l.now(at, part/2), 0)
}

func (l *lowering) scaledLongs(v reg, n int64) reg {
	switch {
	case n == 1:
		return v
	case n > 0 && n&(n-1) == 0:
		return l.opI(vcode.VShlQI, v, int64(mathbits.Len64(uint64(n))-1))
	}
	return l.op(vcode.VMulQ, v, l.word64(uint64(n)))
}

// lastIndex returns the last index at which an access is inside, in all elements. It is kept where the end is fixed.
func (l *lowering) lastIndex(room reg, e end, fixed bool) reg {
	if r, ok := l.cache.ends[e]; ok && fixed {
		return r
	}
	most := l.opI(vcode.GAdd, room, -e.at-e.least*int64(e.by))
	l.leaveIfI(vcode.LtS, most, 0)
	if e.by&(e.by-1) == 0 {
		most = l.opI(vcode.GShr, most, int64(mathbits.Len32(uint32(e.by))-1))
	} else {
		most = l.op(vcode.GDivU, most, l.number(uint64(e.by)))
	}
	limit := l.number(uint64((1<<31-1-maxSpread)/int64(e.by) - max(e.least, 0))) // as numbers of 32 bits count
	most = l.op3(vcode.GPick, limit, most, l.compare(vcode.GSet, vcode.GtS, most, limit))
	last := l.keep(l.op(vcode.VSplat32, most, 0))
	if fixed {
		l.cache.ends[e] = last
	}
	return last
}

// scatteredWords is scattered for words that index from a pointer that is the same in all lanes.
func (l *lowering) scatteredWords(in *wide.Instruction, t *target, n *near) {
	keyOfRoom := room{t.object, int32(n.high - n.low)}
	room := l.room(t, keyOfRoom.bytes)
	bits, fixed := l.Known[in.A]
	from := wide.OffsetOf(bits) + n.low
	by := n.scale
	if fixed = fixed && max(from, -from) <= 1<<30; fixed {
		t.whole = from%int64(t.size) == 0
	} else {
		t.offset = l.keep(l.displacement(in.A, n.low))
		l.leaveIfI(vcode.LtS, t.offset, 0)
		room, from = l.op(vcode.GSub, room, t.offset), 0
	}
	if by&(t.size-1) != 0 {
		l.give()
	}
	if fixed && !t.whole {
		t.offset = l.number(uint64(from))
	}
	l.checkAligned(t)
	// The indexes that are inside are least and those after it.
	least := (-from + int64(by) - 1) / int64(by)
	if from > 0 {
		least = -(from / int64(by))
	}
	if n.kind == wide.UintIndex {
		least = max(least, 0)
	}
	last := l.lastIndex(room, end{keyOfRoom, from, least, by}, fixed)
	list := make([]reg, l.parts)
	for i := range list {
		index := l.now(n.index, i)
		if least != 0 {
			index = l.op(vcode.VSub, index, l.word32(uint32(least)))
		}
		list[i] = l.keep(l.compare(vcode.VCmp, vcode.GtU, index, last))
	}
	l.leaveIfAny(list)
	for i := range list {
		index := l.now(n.index, i)
		if by&(by-1) != 0 {
			index = l.op(vcode.VMul, index, l.word32(uint32(by)))
		} else if by > 1 {
			index = l.opI(vcode.VShlI, index, int64(mathbits.Len32(uint32(by))-1))
		}
		list[i] = l.keep(index)
	}
	n.from, n.list = l.field(t.object, l.layout.Object.Base), list
	n.placed = l.kind(n.index).Placed && l.kind(n.index).Step == 1
	switch {
	case !fixed:
		n.from = l.op(vcode.GAdd, t.offset, n.from)
	case from != 0:
		n.from = l.opI(vcode.GAdd, n.from, from)
	}
}
