package native

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// scalarInMemory is how a number in memory becomes one of a register, and the other way round.
type scalarInMemory struct {
	size int32
	one  vcode.Op // loads one
	row  vcode.Op // loads as many as a vector has
	each vcode.Op // loads from anywhere
	// shape changes what one, each, and row unless it is shaped, have loaded.
	shape  func(l *lowering, v reg) reg
	shaped bool
	store  vcode.Op // stores a vector of them, after unshape unless it is shaped
	// unshape makes the bits that are stored of a vector.
	unshape func(l *lowering, v reg) reg
}

var (
	inWords = scalarInMemory{
		size: 4, one: vcode.GLoad32, row: vcode.VLoad, each: vcode.VGather32, store: vcode.VStore,
	}
	inUint8 = scalarInMemory{
		size: 1, one: vcode.GLoad8, row: vcode.VLoad8, each: vcode.VGather8, store: vcode.VStore8,
	}
	inInt8 = scalarInMemory{
		size: 1, one: vcode.GLoad8S, row: vcode.VLoad8S, each: vcode.VGather8S, store: vcode.VStore8,
	}
	inUint16 = scalarInMemory{
		size: 2, one: vcode.GLoad16, row: vcode.VLoad16, each: vcode.VGather16, store: vcode.VStore16,
	}
	inInt16 = scalarInMemory{
		size: 2, one: vcode.GLoad16S, row: vcode.VLoad16S, each: vcode.VGather16S, store: vcode.VStore16,
	}
	inHalf = scalarInMemory{
		size: 2, one: vcode.GLoad16, row: vcode.VLoadHalf, each: vcode.VGather16, shaped: true,
		store:   vcode.VStoreHalf,
		shape:   func(l *lowering, v reg) reg { return l.op(vcode.VHalfToF, v, 0) },
		unshape: func(l *lowering, v reg) reg { return l.op(vcode.VFToHalf, v, 0) },
	}
	inBFloat = scalarInMemory{
		size: 2, one: vcode.GLoad16, row: vcode.VLoad16, each: vcode.VGather16, store: vcode.VStore16,
		shape:   func(l *lowering, v reg) reg { return l.opI(vcode.VShlI, v, 16) },
		unshape: func(l *lowering, v reg) reg { return l.opI(vcode.VShrI, l.toBFloat(v), 16) },
	}
)

// scratchRow returns where in the Run there is memory for a row, or false where there is no more.
func (l *lowering) scratchRow(bytes int32) (at int64, ok bool) {
	end := l.cache.rows + (bytes+63)&^63
	if end > rowBytes {
		return 0, false
	}
	at = int64(runScratch + scratchBytes + l.cache.rows)
	l.cache.rows = end
	return at, true
}

// maxRowSpread bounds how far apart rows are that share a check: at the end of a buffer, all that is between them is
// copied.
const maxRowSpread = 256

// row returns what is known of rows of elements, one for each lane, and the Imm of one of them, or nil where there is
// no memory for what may have to be copied.
func (l *lowering) row(in *wide.Instruction, t *target) (n *near, at int64) {
	n, at = l.nearOf(in)
	if n != nil && n.rows {
		return n, at
	}
	n = l.ahead(in)
	if n.high-n.low > maxRowSpread {
		n.low, n.high = at, at+int64(t.size)
	}
	t.index = n.index
	l.locate(in, t, n.low)
	l.keep(t.offset)
	l.checkAligned(t)
	from, ok := l.rowAt(t, t.size, int32(n.high-n.low))
	if !ok {
		return nil, 0
	}
	n.from, n.rows = from, true
	l.remember(n)
	return n, at
}

// rowAt returns the address of a row whose lanes read some bytes each, step bytes apart. All steps may be read whole.
func (l *lowering) rowAt(t *target, step, each int32) (reg, bool) {
	all := vcode.RowBytes(step, each)
	at, ok := l.scratchRow(all)
	if !ok {
		return 0, false
	}
	return l.keep(l.make(vcode.Instr{
		Op: vcode.RowAddress, A: t.offset, B: l.field(t.object, l.layout.Object.Base), C: l.room(t, all),
		Imm: int64(step), Imm2: at, More: each, Exit: l.exit(),
	})), true
}

// load writes a load of words.
func load(m *scalarInMemory) scalarFunc {
	return func(l *lowering, in *wide.Instruction) {
		t, ok := l.target(in, m.size)
		switch {
		case !ok:
			give1(l, in)
		case l.Objects[t.object].Striped:
			l.loadStriped(in, &t, m)
		case t.form == wide.Uniform:
			from, more := l.one(in, &t)
			l.loadOne(in, from, more, m)
		case t.form == wide.Linear && t.step == t.size:
			n, at := l.row(in, &t)
			if n == nil {
				l.loadEach(in, &t, m)
				return
			}
			l.enqueuePart(in, func(part int) (made [2]reg) {
				v := l.opI(m.row, n.from, at-n.low+int64(part*l.t.Lanes)*int64(m.size))
				if m.shape != nil && !m.shaped {
					v = m.shape(l, v)
				}
				return [2]reg{l.hidden(v, part)}
			})
		default:
			l.loadEach(in, &t, m)
		}
	}
}

// hidden returns 0 for lanes that are not active, where others may read them: they do not load.
func (l *lowering) hidden(v reg, part int) reg {
	if !l.Shares {
		return v
	}
	return l.op3(vcode.VBlend, v, l.word32(0), l.active(part))
}

// loadOne loads what is the same in all lanes.
func (l *lowering) loadOne(in *wide.Instruction, at reg, more int64, m *scalarInMemory) {
	kept := l.keptKind(&l.state, in, l.pc)
	if m.size == 4 && (!kept.Scalar() || l.vectors[l.slotOf(in.D)]) {
		l.setWhole(in, 0, l.opI(vcode.VLoadSplat32, at, more))
		return
	}
	r := l.opI(m.one, at, more)
	if m.shape == nil {
		l.setWhole(in, r, 0)
		return
	}
	l.setWhole(in, 0, m.shape(l, l.op(vcode.VSplat32, r, 0)))
}

// loadEach loads from anywhere.
func (l *lowering) loadEach(in *wide.Instruction, t *target, m *scalarInMemory) {
	load := l.loadApart(in, t, m)
	if load == nil {
		n, at := l.nearIndexes(in, t)
		if load = l.narrow(at, n, m); load == nil {
			if n.placed && by(n, m.size) {
				l.gatherRows(in, m, l.address(n, at), n.list)
				return
			}
			if load = l.paired(at, n, m); load == nil {
				l.gather(in, m, l.address(n, at), n.list)
				return
			}
		}
	}
	l.enqueuePart(in, func(part int) (made [2]reg) {
		v := load(part)
		if m.shape != nil {
			v = m.shape(l, v)
		}
		return [2]reg{v}
	})
}

func (l *lowering) gather(in *wide.Instruction, m *scalarInMemory, from reg, index []reg) {
	l.enqueuePart(in, func(part int) (made [2]reg) {
		v := l.op3(m.each, from, index[part], l.active(part))
		if m.shape != nil {
			v = m.shape(l, v)
		}
		return [2]reg{v}
	})
}

// by reports whether lanes that have numbers side by side are so many bytes apart.
func by(n *near, size int32) bool { return n.scale == size }

// gatherRows is gather for lanes that may turn out to be side by side.
func (l *lowering) gatherRows(in *wide.Instruction, m *scalarInMemory, from reg, index []reg) {
	l.enqueuePart(in, func(part int) (made [2]reg) {
		row := m.row
		if m.shaped {
			row = vcode.VLoad16
		}
		v := l.make(vcode.Instr{
			Op: vcode.GatherRow, A: from, B: index[part], C: l.active(part), Args: []reg{l.countingBy(0, m.size, false)},
			Imm: int64(m.each), Imm2: int64(row),
		})
		if m.shape != nil {
			v = m.shape(l, v)
		}
		return [2]reg{v}
	})
}

// loadBool holds where the byte is not 0.
func loadBool(l *lowering, in *wide.Instruction) {
	t, ok := l.target(in, 1)
	switch {
	case !ok || l.Objects[t.object].Striped:
		give1(l, in)
	case t.form == wide.Uniform:
		from, more := l.one(in, &t)
		b := l.opI(vcode.GLoad8, from, more)
		l.setBits(in.D, l.make(vcode.Instr{Op: vcode.GSet, Cond: vcode.Ne, A: b}))
	default:
		from, index := l.indexes(in, &t)
		l.enqueuePart(in, func(part int) (made [2]reg) {
			v := l.op3(vcode.VGather8, from, index[part], l.active(part))
			return [2]reg{l.compare(vcode.VCmp, vcode.Ne, v, l.word32(0))}
		})
	}
}

// load64 writes a load of longs.
func load64(l *lowering, in *wide.Instruction) {
	t, ok := l.target(in, 8)
	switch {
	case !ok:
		give1(l, in)
	case l.Objects[t.object].Striped:
		l.loadStriped64(in, &t)
	case t.form == wide.Uniform:
		from, more := l.one(in, &t)
		l.setWhole(in, l.opI(vcode.GLoad64, from, more), 0)
	case t.form == wide.Linear && t.step == 8:
		n, at := l.row(in, &t)
		if n == nil {
			give1(l, in)
			return
		}
		bytes := int64(l.t.VectorBytes())
		l.enqueuePart(in, func(part int) (made [2]reg) {
			low := l.keep(l.opI(vcode.VLoad, n.from, at-n.low+int64(2*part)*bytes))
			return [2]reg{low, l.opI(vcode.VLoad, n.from, at-n.low+int64(2*part+1)*bytes)}
		})
	default:
		from, index := l.indexes(in, &t)
		high := l.keep(l.opI(vcode.GAdd, from, 4))
		l.enqueuePart(in, func(part int) (made [2]reg) {
			return l.longsOf(
				l.op3(vcode.VGather32, from, index[part], l.active(part)),
				l.op3(vcode.VGather32, high, index[part], l.active(part)),
			)
		})
	}
}

// longsOf returns longs of their lower and upper halves.
func (l *lowering) longsOf(low, high reg) (made [2]reg) {
	for h := range 2 {
		op := operation{}
		x := l.op(op.extends(h), low, 0)
		y := l.opI(vcode.VShlQI, l.op(op.extends(h), high, 0), 32)
		made[h] = l.keep(l.op(vcode.VOr, x, y))
	}
	return made
}

// store writes a store of words.
func store(m *scalarInMemory) scalarFunc {
	return func(l *lowering, in *wide.Instruction) {
		t, ok := l.target(in, m.size)
		switch {
		case !ok || l.Objects[t.object].Constant:
			l.give()
		case l.Objects[t.object].Striped:
			l.storeStriped(in, &t, m)
		case t.form == wide.Uniform:
			l.storeOne(in, &t, m)
		case m.size < 4 && l.storesWord(in, m):
			l.storeWord(in, &t, m)
		case t.form == wide.Linear && t.step == t.size:
			l.locate(in, &t, in.Imm)
			l.keep(t.offset)
			l.checkAligned(&t)
			values := l.stored(in, m, m.shaped)
			l.emit(vcode.Instr{
				Op: vcode.RowStore, A: t.offset, B: l.field(t.object, l.layout.Object.Base),
				C: l.room(&t, width*t.size), Imm: int64(m.store), Args: values, Exit: l.exit(),
			})
		default:
			n, at := l.nearIndexes(in, &t)
			from, values := l.address(n, at), l.stored(in, m, false)
			if m.size != 4 || !n.placed || !by(n, 4) || l.t.Lacks[vcode.VScatter32] {
				l.scatter(from, n.list, values, m.size)
				return
			}
			for i, v := range values {
				l.emit(vcode.Instr{
					Op: vcode.ScatterRow, A: from, B: v, C: l.active(i), Args: []reg{n.list[i], l.countingBy(0, 4, false)},
				})
			}
		}
	}
}

// scatter stores elements anywhere.
func (l *lowering) scatter(from reg, index, values []reg, size int32) {
	if size == 4 && !l.t.Lacks[vcode.VScatter32] {
		for i, v := range values {
			l.emit(vcode.Instr{
				Op: vcode.VScatter32, A: from, B: v, C: l.active(i), Args: []reg{index[i]},
			})
		}
		return
	}
	l.emit(vcode.Instr{Op: vcode.Scatter, A: from, Args: append(append([]reg{}, index...), values...), Imm: int64(size)})
}

// stored returns the vectors that a store stores.
func (l *lowering) stored(in *wide.Instruction, m *scalarInMemory, shaped bool) []reg {
	values := l.all(in.D)
	if m.unshape != nil && !shaped {
		for i, v := range values {
			values[i] = l.keep(m.unshape(l, v))
		}
	}
	return values
}

// storeOne stores to one address: the last active lane wins.
func (l *lowering) storeOne(in *wide.Instruction, t *target, m *scalarInMemory) {
	at, more := l.one(in, t)
	var v reg
	switch k := l.kind(in.D); {
	case k.Form != wide.Uniform:
		v = l.make(vcode.Instr{Op: vcode.LaneOf, Args: l.stored(in, m, false), Imm: 4, Imm2: vcode.LastActive})
	case m.unshape != nil:
		v = l.op(vcode.GFromV32, m.unshape(l, l.splat(in.D, k)), 0)
	default:
		v = l.base(in.D)
	}
	l.store(map[int32]vcode.Op{1: vcode.GStore8, 2: vcode.GStore16, 4: vcode.GStore32}[m.size], at, more, v)
}

// store64 writes a store of longs.
func store64(l *lowering, in *wide.Instruction) {
	t, ok := l.target(in, 8)
	switch {
	case !ok || l.Objects[t.object].Constant:
		l.give()
	case l.Objects[t.object].Striped:
		l.storeStriped64(in, &t)
	case t.form == wide.Uniform:
		at, more := l.one(in, &t)
		var v reg
		if l.kind(in.D).Form == wide.Uniform {
			v = l.base(in.D)
		} else {
			v = l.make(vcode.Instr{Op: vcode.LaneOf, Args: l.all(in.D), Imm: 8, Imm2: vcode.LastActive})
		}
		l.store(vcode.GStore64, at, more, v)
	case t.form == wide.Linear && t.step == 8 && 2*l.parts < l.t.Local[vcode.V]-2: // else there are too few registers
		l.locate(in, &t, in.Imm)
		l.keep(t.offset)
		l.checkAligned(&t)
		l.emit(vcode.Instr{
			Op: vcode.RowStore, A: t.offset, B: l.field(t.object, l.layout.Object.Base),
			C: l.room(&t, width*8), Imm: int64(vcode.VStore), Imm2: 8, Args: l.all(in.D), Exit: l.exit(),
		})
	default:
		from, index := l.indexes(in, &t)
		l.scatter(from, index, l.all(in.D), 8)
	}
}

// storeBool stores bytes of 0 or 1.
func storeBool(l *lowering, in *wide.Instruction) {
	t, ok := l.target(in, 1)
	if !ok || l.Objects[t.object].Constant || l.Objects[t.object].Striped {
		l.give()
		return
	}
	if t.form == wide.Uniform {
		at, more := l.one(in, &t)
		last := l.opI(vcode.GXor, l.op(vcode.GClzW, vcode.Active, 0), width-1)
		l.store(vcode.GStore8, at, more, l.opI(vcode.GAnd, l.op(vcode.GShrW, l.bits(in.D), last), 1))
		return
	}
	from, index := l.indexes(in, &t)
	values := make([]reg, l.parts)
	for i := range values {
		values[i] = l.keep(l.op3(vcode.VBlend, l.word32(1), l.word32(0), l.pred(in.D, i)))
	}
	l.scatter(from, index, values, 1)
}
