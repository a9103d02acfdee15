package native

import (
	"math/bits"

	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// accesses is what loads and stores are written with.
type accesses struct {
	*addresses
	queue   *queue
	chain   *wide.Chain
	written int32 // the instructions before have been written together
}

// accessFunc writes an instruction that reads or writes memory.
type accessFunc = func(a *accesses, in *wide.Instruction)

// scalarInMemory is how a number in memory becomes one of a register, and the other way round.
type scalarInMemory struct {
	size int32
	one  vcode.Op // loads one
	row  vcode.Op // loads as many as a vector has
	each vcode.Op // loads from anywhere
	// shape changes what one, each, and row unless it is shaped, have loaded.
	shape  func(l *lanes, v reg) reg
	shaped bool
	store  vcode.Op // stores a vector of them, after unshape unless it is shaped
	// unshape makes the bits that are stored of a vector.
	unshape func(l *lanes, v reg) reg
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
		shape:   func(l *lanes, v reg) reg { return l.op(vcode.VHalfToF, v, 0) },
		unshape: func(l *lanes, v reg) reg { return l.op(vcode.VFToHalf, v, 0) },
	}
	inBFloat = scalarInMemory{
		size: 2, one: vcode.GLoad16, row: vcode.VLoad16, each: vcode.VGather16, store: vcode.VStore16,
		shape:   func(l *lanes, v reg) reg { return l.opI(vcode.VShlI, v, 16) },
		unshape: func(l *lanes, v reg) reg { return l.opI(vcode.VShrI, l.arith.BFloat(v), 16) },
	}
)

// load writes a load of words.
func load(m *scalarInMemory) accessFunc {
	return func(a *accesses, in *wide.Instruction) {
		t, ok := a.target(in, m.size)
		switch {
		case !ok:
			give1(a.lanes, in)
		case a.x.Objects[t.object].Striped:
			loadStriped(a, in, &t, m)
		case t.form == wide.Uniform:
			from, more := a.one(in, &t)
			loadOne(a.lanes, in, from, more, m)
		case t.form == wide.Linear && t.step == t.size:
			n, at := a.row(in, &t)
			if n == nil {
				loadEach(a, in, &t, m)
				return
			}
			a.queue.addPart(in, func(part int) (made [2]reg) {
				v := a.opI(m.row, n.from, at-n.low+int64(part*a.t.Lanes)*int64(m.size))
				if m.shape != nil && !m.shaped {
					v = m.shape(a.lanes, v)
				}
				return [2]reg{hidden(a.lanes, v, part)}
			})
		default:
			loadEach(a, in, &t, m)
		}
	}
}

// hidden returns 0 for lanes that are not active, where others may read them: they do not load.
func hidden(l *lanes, v reg, part int) reg {
	if !l.x.Shares {
		return v
	}
	return l.op3(vcode.VBlend, v, l.word32(0), l.active(part))
}

// loadOne loads what is the same in all lanes.
func loadOne(l *lanes, in *wide.Instruction, at reg, more int64, m *scalarInMemory) {
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
func loadEach(a *accesses, in *wide.Instruction, t *target, m *scalarInMemory) {
	if a.inStored(t) {
		loadParts(a, in, m, loadHeld(a, in, t, m))
		return
	}
	load := loadApart(a, in, t, m)
	if load == nil {
		load = loadTable(a, in, t, m)
	}
	if load == nil {
		n, at := a.nearIndexes(in, t)
		if load = narrow(a, at, n, m); load == nil {
			if n.placed && n.step == m.size {
				gatherRows(a, in, m, a.address(n, at), n.list)
				return
			}
			if n.placed && n.step == 0 {
				gatherNear(a, in, m, a.address(n, at), n)
				return
			}
			if load = paired(a, at, n, m); load == nil {
				load = loadOfBytes(a, in, t, n, at, m)
			}
			if load == nil {
				load = gathered(a, m.each, n, at)
				if n.tile.from != 0 && m.size < 4 {
					word := load
					load = func(part int) reg { return cut(a.lanes, word(part), m) }
				}
			}
		}
	}
	loadParts(a, in, m, load)
}

// loadParts has a function load the parts of numbers.
func loadParts(a *accesses, in *wide.Instruction, m *scalarInMemory, load func(part int) reg) {
	a.queue.addPart(in, func(part int) (made [2]reg) {
		v := load(part)
		if m.shape != nil {
			v = m.shape(a.lanes, v)
		}
		return [2]reg{v}
	})
}

// gatherRows is gather for lanes that may turn out to be side by side.
func gatherRows(a *accesses, in *wide.Instruction, m *scalarInMemory, from reg, index []reg) {
	row := m.row
	if m.shaped {
		row = vcode.VLoad16
	}
	loadParts(a, in, m, func(part int) reg {
		return a.make(vcode.Instr{
			Op: vcode.GatherRow, A: from, B: index[part], C: a.lanes.active(part),
			Args: []reg{a.lanes.countingBy(0, m.size, false)}, Imm: int64(m.each), Imm2: int64(row),
		})
	})
}

// gatherNear is gather for lanes that may turn out to be within a vector, or the same.
func gatherNear(a *accesses, in *wide.Instruction, m *scalarInMemory, from reg, n *near) {
	load, last := m.one, reg(0)
	if !a.t.Lacks[vcode.VPermute] {
		if load = m.row; m.shaped {
			load = vcode.VLoad16
		}
		last = a.lastVector(n)
	}
	loadParts(a, in, m, func(part int) reg {
		var args []reg
		if last != 0 {
			args = []reg{last, a.lanes.word32(uint32(m.size) * uint32(a.t.Lanes-1))}
		}
		return a.make(vcode.Instr{
			Op: vcode.GatherNear, A: from, B: n.list[part], C: a.lanes.active(part), Args: args,
			Imm: int64(m.each), Imm2: int64(load), More: int32(bits.Len32(uint32(m.size)) - 1),
		})
	})
}

// loadBool holds where the byte is not 0.
func loadBool(a *accesses, in *wide.Instruction) {
	t, ok := a.target(in, 1)
	switch {
	case !ok || a.x.Objects[t.object].Striped:
		give1(a.lanes, in)
	case t.form == wide.Uniform:
		from, more := a.one(in, &t)
		b := a.opI(vcode.GLoad8, from, more)
		a.lanes.setBits(in.D, a.make(vcode.Instr{Op: vcode.GSet, Cond: vcode.Ne, A: b}))
	default:
		from, index := a.indexes(in, &t)
		a.queue.addPart(in, func(part int) (made [2]reg) {
			v := a.op3(vcode.VGather8, from, index[part], a.lanes.active(part))
			return [2]reg{a.compare(vcode.VCmp, vcode.Ne, v, a.lanes.word32(0))}
		})
	}
}

// load64 writes a load of longs.
func load64(a *accesses, in *wide.Instruction) {
	t, ok := a.target(in, 8)
	switch {
	case !ok:
		give1(a.lanes, in)
	case a.x.Objects[t.object].Striped:
		loadStriped64(a, in, &t)
	case t.form == wide.Uniform:
		from, more := a.one(in, &t)
		a.lanes.setWhole(in, a.opI(vcode.GLoad64, from, more), 0)
	case t.form == wide.Linear && t.step == 8:
		n, at := a.row(in, &t)
		if n == nil {
			give1(a.lanes, in)
			return
		}
		bytes := int64(a.t.VectorBytes())
		a.queue.addPart(in, func(part int) (made [2]reg) {
			low := a.keep(a.opI(vcode.VLoad, n.from, at-n.low+int64(2*part)*bytes))
			return [2]reg{low, a.opI(vcode.VLoad, n.from, at-n.low+int64(2*part+1)*bytes)}
		})
	default:
		from, index := a.indexes(in, &t)
		high := a.keep(a.opI(vcode.GAdd, from, 4))
		a.queue.addPart(in, func(part int) (made [2]reg) {
			return longsOf(a.lanes,
				a.op3(vcode.VGather32, from, index[part], a.lanes.active(part)),
				a.op3(vcode.VGather32, high, index[part], a.lanes.active(part)),
			)
		})
	}
}

// longsOf returns longs of their lower and upper halves.
func longsOf(l *lanes, low, high reg) (made [2]reg) {
	for h := range 2 {
		op := operation{}
		x := l.op(op.extends(h), low, 0)
		y := l.opI(vcode.VShlQI, l.op(op.extends(h), high, 0), 32)
		made[h] = l.keep(l.op(vcode.VOr, x, y))
	}
	return made
}

// store writes a store of words.
func store(m *scalarInMemory) accessFunc {
	return func(a *accesses, in *wide.Instruction) {
		t, ok := a.target(in, m.size)
		switch {
		case !ok || a.x.Objects[t.object].Constant:
			a.give()
		case a.x.Objects[t.object].Striped:
			storeStriped(a, in, &t, m)
		case t.form == wide.Uniform:
			storeOne(a, in, &t, m)
		case storesRow(a, in, &t, m):
			storeRow(a, in, &t, m)
		case m.size < 4 && storesAll(a, in, 4/m.size, m.size) && a.wordsApart(in, &t):
			storeWord(a, in, &t, m)
		case t.form == wide.Linear && t.step == t.size:
			a.locate(in, &t, in.Imm)
			a.keep(t.offset)
			a.checkAligned(&t)
			values := stored(a.lanes, in, m, m.shaped)
			rowStore(a.addresses, &t, t.size, vcode.Instr{Imm: int64(m.store), Args: values})
		default:
			n, at := a.nearIndexes(in, &t)
			from, values := a.address(n, at), stored(a.lanes, in, m, false)
			if a.inStored(&t) {
				storeAlong(a, &t, n, from, values)
				return
			}
			if m.size != 4 || !n.placed || n.step != 4 || a.t.Lacks[vcode.VScatter32] {
				scatterTo(a, &t, from, n, values, m.size)
				return
			}
			for i, v := range values {
				a.emit(vcode.Instr{
					Op: vcode.ScatterRow, A: from, B: v, C: a.lanes.active(i),
					Args: []reg{n.list[i], a.lanes.countingBy(0, 4, false)},
				})
			}
		}
	}
}

// scatterTo stores elements where the lanes of an access are, from an address on.
func scatterTo(a *accesses, t *target, from reg, n *near, values []reg, size int32) {
	if size < 4 && t.form == wide.Linear && t.step == 4 && !a.t.Lacks[vcode.VStoreBits] {
		for i, v := range values {
			a.emit(vcode.Instr{
				Op: vcode.VStoreBits, A: from, B: v, C: a.lanes.active(i), Imm: int64(i) * int64(a.t.VectorBytes()),
				Imm2: 1<<(8*size) - 1,
			})
		}
		return
	}
	if t.form == wide.Varying || size == 4 && !a.t.Lacks[vcode.VScatter32] {
		scatter(a.lanes, from, n.list, values, size)
		return
	}
	a.emit(vcode.Instr{
		Op: vcode.ScatterAlong, A: from, C: n.by, Imm: int64(size), Imm2: int64(t.step), Args: values,
	})
}

// scatter stores elements anywhere.
func scatter(l *lanes, from reg, index, values []reg, size int32) {
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
func stored(l *lanes, in *wide.Instruction, m *scalarInMemory, shaped bool) []reg {
	values := l.all(in.D)
	if m.unshape != nil && !shaped {
		for i, v := range values {
			values[i] = l.keep(m.unshape(l, v))
		}
	}
	return values
}

// storeOne stores to one address: the last active lane wins.
func storeOne(a *accesses, in *wide.Instruction, t *target, m *scalarInMemory) {
	at, more := a.one(in, t)
	var v reg
	switch k := a.lanes.kind(in.D); {
	case k.Form != wide.Uniform:
		v = a.make(vcode.Instr{Op: vcode.LaneOf, Args: stored(a.lanes, in, m, false), Imm: 4, Imm2: vcode.LastActive})
	case m.unshape != nil:
		v = a.op(vcode.GFromV32, m.unshape(a.lanes, a.lanes.splat(in.D, k)), 0)
	default:
		v = a.lanes.base(in.D)
	}
	a.store(map[int32]vcode.Op{1: vcode.GStore8, 2: vcode.GStore16, 4: vcode.GStore32}[m.size], at, more, v)
}

// store64 writes a store of longs.
func store64(a *accesses, in *wide.Instruction) {
	t, ok := a.target(in, 8)
	switch {
	case !ok || a.x.Objects[t.object].Constant:
		a.give()
	case a.x.Objects[t.object].Striped:
		storeStriped64(a, in, &t)
	case t.form == wide.Uniform:
		at, more := a.one(in, &t)
		var v reg
		if a.lanes.kind(in.D).Form == wide.Uniform {
			v = a.lanes.base(in.D)
		} else {
			v = a.make(vcode.Instr{Op: vcode.LaneOf, Args: a.lanes.all(in.D), Imm: 8, Imm2: vcode.LastActive})
		}
		a.store(vcode.GStore64, at, more, v)
	case t.form == wide.Linear && t.step == 8 && 2*a.parts < a.t.Local[vcode.V]-2: // else there are too few registers
		a.locate(in, &t, in.Imm)
		a.keep(t.offset)
		a.checkAligned(&t)
		rowStore(a.addresses, &t, 8, vcode.Instr{Imm: int64(vcode.VStore), Imm2: 8, Args: a.lanes.all(in.D)})
	default:
		n, at := a.nearIndexes(in, &t)
		scatterTo(a, &t, a.address(n, at), n, a.lanes.all(in.D), 8)
	}
}

// storeBool stores bytes of 0 or 1.
func storeBool(a *accesses, in *wide.Instruction) {
	t, ok := a.target(in, 1)
	if !ok || a.x.Objects[t.object].Constant || a.x.Objects[t.object].Striped {
		a.give()
		return
	}
	if t.form == wide.Uniform {
		at, more := a.one(in, &t)
		last := a.opI(vcode.GXor, a.op(vcode.GClzW, vcode.Active, 0), width-1)
		a.store(vcode.GStore8, at, more, a.opI(vcode.GAnd, a.op(vcode.GShrW, a.lanes.bits(in.D), last), 1))
		return
	}
	n, at := a.nearIndexes(in, &t)
	values := make([]reg, a.parts)
	for i := range values {
		values[i] = a.keep(a.op3(vcode.VBlend, a.lanes.word32(1), a.lanes.word32(0), a.lanes.pred(in.D, i)))
	}
	scatterTo(a, &t, a.address(n, at), n, values, 1)
}
