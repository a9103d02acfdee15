package vcode

import "slices"

// What lanes store along their stretches goes the other way round: words wait in a tile, a row of all lanes for each
// step along the stretches, and are stored when the tile is full, 64 bytes of a lane at a time, or four times as many.
//
//	TileStore  Args, the parts of a value, to A, and C or Imm bytes more for each lane after the first, for the active
//	           lanes. Words may wait if all lanes are active and no memory in Apart is that of the object. What waits
//	           is stored before a word that does not follow it. It may be an exit, as TileAddress.
//	TileHeld   D = the address of the words of all lanes at A, and C or Imm bytes more for each lane after the first,
//	           less StoredWordsAt of the tile. It is 0 where they do not wait there: a TileLoad gathers them then. If
//	           some of them wait, the tile is emptied first.
//	TileDrain  has the words stored that wait in the first Imm tiles.

// What there is of tiles that are stored.
const (
	MaxStored = 4

	// Where the tiles have the address of the first lane's stretch, and of the word that comes next there: they are
	// the same where nothing waits. Hints are where a stretch would begin, steps the bytes from lane to lane.
	storedStarts = tilesLoaded
	storedNexts  = storedStarts + 8*MaxStored
	storedHints  = storedNexts + 8*MaxStored
	storedSteps  = storedHints + 8*MaxStored
	storedFirst  = storedSteps + 8*MaxStored

	// Where lanes are a multiple of so many bytes apart, their lines are in one or two sets of the cache, and push each
	// other out of it. So several lines of a lane, which lie in as many sets, are stored one after the other.
	conflicting = 2048
	longBytes   = 4 * TileBytes
	storedSize  = 32 * longBytes

	lastRow, lastLongRow = (TileBytes - 4) * TileStep, (longBytes - 4) * TileStep
)

// Extent is where among the objects there are the address of one and its bytes.
type Extent struct{ Base, Bytes int32 }

// StoredStarts returns where there is what NoTile empties of the tiles that are stored, and how many vectors it takes.
func StoredStarts(t *Traits) (at int64, vectors int) {
	size := int(t.VectorBytes())
	return storedStarts, (3*8*MaxStored + size - 1) / size
}

// StoredWordsAt returns how far the words of a tile are from what TileHeld makes, and its first ones from the Run.
func (a *Allocator) StoredWordsAt(tile int) int64 {
	return int64(a.layout.Tiles + storedFirst + int32(tile)*storedSize)
}

func loadField(a *Allocator, r Reg, field int32, tile int) {
	a.opI(GLoad64, r, Run, a.tileField(field, tile))
}

func storeField(a *Allocator, field int32, tile int, r Reg) {
	a.put(Instr{Op: GStore64, A: Run, B: r, Imm: a.tileField(field, tile)})
}

func tileStore(a *Allocator, in Instr) {
	tile, at, more, args := in.Tile.Tile, in.T[G][0], in.T[G][1], slices.Clone(in.Args)
	cold, last, back := a.m.Label(), a.m.Label(), a.m.Label()
	row := func() { // of the tile, at bytes after the first one
		a.op(GAdd, at, at, Run)
		for i, v := range args {
			a.put(Instr{Op: VStore, A: at, B: v, Imm: a.StoredWordsAt(tile) + int64(int32(i)*a.t.VectorBytes())})
		}
		a.opI(GAdd, at, in.A, 4)
		storeField(a, storedNexts, tile, at)
	}
	a.put(Instr{Op: BranchW, Cond: Ne, A: Active, Imm: 1<<32 - 1, Target: cold})
	loadField(a, at, storedNexts, tile)
	a.branch(Ne, in.A, at, cold)
	if in.C != None {
		loadField(a, at, storedSteps, tile)
		a.branch(Ne, in.C, at, cold)
	}
	loadField(a, at, storedStarts, tile)
	a.op(GSub, at, in.A, at)
	a.opI(GShl, at, at, 5)
	a.branchI(GeU, at, lastRow, last)
	row()
	a.bind(back)
	a.Later(func() {
		full := a.m.Label()
		a.bind(last)
		loadField(a, more, storedSteps, tile)
		a.put(Instr{Op: BranchTest, A: more, Imm: conflicting - 1, Target: full})
		a.branchI(GeU, at, lastLongRow, full)
		row()
		a.jump(back)
		a.bind(full)
		r, restore := a.borrow(in.A, in.C, at, more)
		row()
		loadField(a, more, storedStarts, tile)
		storeField(a, storedStarts, tile, at)
		storeRows(a, tile, more, at, r)
		if in.Tile.Most != 0 {
			outside, inside := a.m.Label(), a.m.Label()
			loadField(a, at, storedStarts, tile)
			loadField(a, r[2], storedSteps, tile)
			stretchInside(a, &in, at, r, outside)
			a.jump(inside)
			a.bind(outside)
			nothingWaits(a, tile, at)
			a.bind(inside)
		}
		restore()
		a.jump(back)

		apart, done := a.m.Label(), a.m.Label()
		a.bind(cold)
		r, restore = a.borrow(in.A, in.C, at, more)
		drain(a, tile, at, more, r)
		step := r[2]
		tileStep(a, &in, step)
		if in.Tile.Most != 0 {
			bad := a.m.Label()
			tileEnds(a, &in, r[0], r[1], step, bad)
			a.Later(func() {
				a.bind(bad)
				restore()
				a.jump(in.Target)
			})
		}
		loadField(a, at, storedHints, tile)
		loadField(a, more, storedSteps, tile)
		a.opI(GAdd, r[0], in.A, 4)
		storeField(a, storedHints, tile, r[0])
		storeField(a, storedSteps, tile, step)
		a.put(Instr{Op: BranchW, Cond: Ne, A: Active, Imm: 1<<32 - 1, Target: apart})
		comes, begins := a.m.Label(), a.m.Label()
		a.put(Instr{Op: BranchTest, A: in.A, Imm: TileBytes - 1, Target: comes})
		a.jump(begins) // a line does, so this is likely the first of its words, and lines are stored whole from here
		a.bind(comes)
		a.branch(Ne, in.A, at, apart)
		a.branch(Ne, step, more, apart)
		a.bind(begins)
		a.opI(GAdd, at, step, TileBytes-1)
		a.branchI(LtU, at, 2*TileBytes-1, apart)
		for _, other := range in.Tile.Apart {
			disjoint(a, in.Tile.Extent, other, at, more, apart)
		}
		if in.Tile.Most != 0 {
			stretchInside(a, &in, in.A, r, apart)
		}
		storeField(a, storedStarts, tile, in.A)
		a.opI(GConst, at, None, 0)
		row()
		a.jump(done)
		a.bind(apart)
		storeEach(a, args, in.A, at, r)
		a.bind(done)
		restore()
		a.jump(back)
	})
}

// tileStep makes r the bytes from lane to lane.
func tileStep(a *Allocator, in *Instr, r Reg) {
	if in.C != None {
		a.opI(GMove, r, in.C, 0)
	} else {
		a.opI(GConst, r, None, in.Imm)
	}
}

func tileHeld(a *Allocator, in Instr) {
	tile, t, bytes := in.Tile.Tile, in.T[G][0], in.T[G][1]
	none, elsewhere, back := a.m.Label(), a.m.Label(), a.m.Label()
	loadField(a, t, storedStarts, tile)
	loadField(a, bytes, storedNexts, tile)
	a.op(GSub, bytes, bytes, t)
	a.branchI(Eq, bytes, 0, none)
	a.op(GSub, t, in.A, t)
	a.branch(GeU, t, bytes, elsewhere)
	loadField(a, bytes, storedSteps, tile)
	if in.C != None {
		a.branch(Ne, bytes, in.C, elsewhere)
	} else {
		a.branchI(Ne, bytes, in.Imm, elsewhere)
	}
	a.opI(GShl, t, t, 5)
	a.op(GAdd, in.D, t, Run)
	a.bind(back)
	a.Later(func() {
		a.bind(elsewhere)
		r, restore := a.borrow(in.A, in.C, t, bytes)
		start, next, step := t, bytes, r[0]
		up, before, waits, apart := a.m.Label(), a.m.Label(), a.m.Label(), a.m.Label()
		tileStep(a, &in, step)
		loadField(a, next, storedSteps, tile)
		a.branch(Ne, step, next, waits)
		a.branchI(GeS, step, 0, up)
		a.opI(GConst, next, None, 0)
		a.op(GSub, step, next, step)
		a.bind(up) // words are apart where they are between those of a lane and the next one
		loadField(a, start, storedStarts, tile)
		loadField(a, next, storedNexts, tile)
		a.opI(GAdd, r[1], in.A, 4)
		a.branch(LtU, in.A, next, before)
		a.op(GSub, r[1], r[1], start)
		a.branch(LeU, r[1], step, apart)
		a.jump(waits)
		a.bind(before)
		a.branch(GtU, r[1], start, waits)
		a.op(GSub, r[1], next, in.A)
		a.branch(LeU, r[1], step, apart)
		a.bind(waits)
		drain(a, tile, t, bytes, r)
		a.bind(apart)
		restore()
		a.bind(none)
		a.opI(GConst, in.D, None, 0)
		a.jump(back)
	})
}

// disjoint goes to a label if two objects have memory in common.
func disjoint(a *Allocator, x, y Extent, p, q Reg, shared Label) {
	apart := a.m.Label()
	end := func(e Extent) {
		a.opI(GLoad64, p, Objects, int64(e.Base))
		a.opI(GLoad64, q, Objects, int64(e.Bytes))
		a.op(GAdd, p, p, q)
	}
	end(x)
	a.opI(GLoad64, q, Objects, int64(y.Base))
	a.branch(LeU, p, q, apart)
	end(y)
	a.opI(GLoad64, q, Objects, int64(x.Base))
	a.branch(GtU, p, q, shared)
	a.bind(apart)
}

// storeEach stores the elements of the active lanes to an address, and r[2] bytes more for each lane.
func storeEach(a *Allocator, values []Reg, address, at Reg, r [3]Reg) {
	saved := int64(a.layout.At + macroValues)
	for i, v := range values {
		a.put(Instr{Op: VStore, A: Run, B: v, Imm: saved + int64(int32(i)*a.t.VectorBytes())})
	}
	activeAlong(a, &Instr{A: address, C: r[2], Imm: 4, T: Temps{G: {r[0], r[1], at}}})
}

// storeRows stores the words of a full tile, four lanes at a time, to an address, and a step more for each lane. The
// words that wait end at another address.
func storeRows(a *Allocator, tile int, to, from Reg, r [3]Reg) {
	bytes, last, step, more := int64(a.t.VectorBytes()), r[0], r[1], r[2]
	const lanes = 4
	v := tileVectors
	moveVectors(a, VStore)
	again, line, done := a.m.Label(), a.m.Label(), a.m.Label()
	a.op(GSub, more, from, to)
	a.opI(GSub, more, more, TileBytes)
	a.opI(GShl, more, more, 5)
	loadField(a, step, storedSteps, tile)
	a.opI(GAdd, from, Run, a.StoredWordsAt(tile))
	a.bind(again)
	a.op(GAdd, last, from, more)
	a.bind(line)
	for at := int64(0); at < TileBytes; at += bytes {
		for word := range int64(lanes) {
			for quad := range bytes / 16 {
				a.put(Instr{
					Op: VLoadQuad, D: v[word], A: from, B: v[word], Imm: (at/4 + 4*quad + word) * 4 * 32, Imm2: quad,
				})
			}
		}
		for _, row := range transposed(a) {
			a.put(Instr{Op: VStore, A: to, B: row, Imm: at})
			a.op(GAdd, to, to, step)
		}
		if at+bytes < TileBytes {
			for range lanes {
				a.op(GSub, to, to, step)
			}
		}
	}
	a.branch(Eq, from, last, done)
	for range lanes {
		a.op(GSub, to, to, step)
	}
	a.opI(GAdd, to, to, TileBytes)
	a.opI(GAdd, from, from, tileSize)
	a.jump(line)
	a.bind(done)
	a.op(GSub, from, from, more)
	a.opI(GAdd, from, from, 4*lanes)
	a.opI(GShr, last, more, 5)
	a.op(GSub, to, to, last)
	a.opI(GAdd, last, Run, a.StoredWordsAt(tile)+4*32)
	a.branch(LtU, from, last, again)
	moveVectors(a, VLoad)
}

// drain stores the words that wait in a tile, lane by lane, and empties it.
func drain(a *Allocator, tile int, to, from Reg, r [3]Reg) {
	end, value, step := r[0], r[1], r[2]
	words, done := a.m.Label(), a.m.Label()
	loadField(a, to, storedStarts, tile)
	loadField(a, end, storedNexts, tile)
	a.branch(Eq, to, end, done)
	loadField(a, step, storedSteps, tile)
	a.opI(GAdd, from, Run, a.StoredWordsAt(tile))
	a.bind(words)
	a.opI(GLoad32, value, from, 0)
	a.put(Instr{Op: GStore32, A: to, B: value})
	a.opI(GAdd, to, to, 4)
	a.opI(GAdd, from, from, 4*TileStep)
	a.branch(Ne, to, end, words)
	loadField(a, to, storedStarts, tile)
	a.op(GSub, value, end, to)
	a.opI(GShl, value, value, 5)
	a.op(GSub, from, from, value)
	a.opI(GAdd, from, from, 4)
	a.op(GAdd, to, to, step)
	a.op(GAdd, end, end, step)
	storeField(a, storedStarts, tile, to)
	a.opI(GAdd, value, Run, a.StoredWordsAt(tile)+4*32)
	a.branch(LtU, from, value, words)
	a.bind(done)
	nothingWaits(a, tile, to)
}

// nothingWaits empties a tile.
func nothingWaits(a *Allocator, tile int, spare Reg) {
	a.opI(GConst, spare, None, -1<<62)
	storeField(a, storedStarts, tile, spare)
	storeField(a, storedNexts, tile, spare)
}

// stretchInside goes to a label unless the stretches of all lanes are inside, so that words that follow there need not
// be checked. The first one begins at a register, and the others r[2] bytes apart.
func stretchInside(a *Allocator, in *Instr, start Reg, r [3]Reg, outside Label) {
	tileBounds(a, in, r[0], r[1], TileBytes)
	short := a.m.Label()
	a.put(Instr{Op: BranchTest, A: r[2], Imm: conflicting - 1, Target: short})
	a.opI(GSub, r[1], r[1], longBytes-TileBytes)
	a.bind(short)
	last := in.T[G][1]
	a.opI(GMul, last, r[2], 31)
	a.op(GAdd, last, last, start)
	for _, end := range [...]Reg{start, last} {
		a.branch(LtS, end, r[0], outside)
		a.branch(GtS, end, r[1], outside)
	}
}

// Drain stores the words that wait in some tiles. It changes two general registers.
func Drain(a *Allocator, tiles int, p, q Reg, not ...Reg) {
	for tile := range tiles {
		waits, back := a.m.Label(), a.m.Label()
		loadField(a, p, storedStarts, tile)
		loadField(a, q, storedNexts, tile)
		a.branch(Ne, p, q, waits)
		a.bind(back)
		a.Later(func() {
			a.bind(waits)
			r, restore := a.borrow(append(not, p, q)...)
			drain(a, tile, p, q, r)
			restore()
			a.jump(back)
		})
	}
}
