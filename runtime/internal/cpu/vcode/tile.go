package vcode

// A tile is a stretch of memory of each lane, a fixed number of bytes after that of the lane before, as words in
// another order: the first words of all lanes side by side, then the second ones, and so on. Lanes that read along
// their stretches find their words there as a row. Tiles are in the Run, by their number.
//
//	TileAddress  D = the address of the words of all lanes at A, the offset of the first lane in an object, and C or Imm
//	             bytes more for each lane after it, less TileWordsAt of the tile. It is 0 where they are in no tile.
//	             Words are a TileWords. It may be an exit, if they are not in a tile and not inside.
//	TileLoad     D = the words of a part of the lanes at Args[0], the address, and Imm; where that is 0 what the gather
//	             Imm2 makes of A, B and C, or of Words times Args[1] in the place of B. If that reads bytes, all but the
//	             lowest byte of an element may be anything. If More is not 0, D are bytes of the table at Args[0]
//	             instead, as VTable8 looks them up.

// What there is of tiles.
const (
	MaxTiles  = 8
	TileBytes = 64 // of each lane
	TilesSize = storedFirst + MaxStored*storedSize + 64

	tileSize = 32 * TileBytes

	// Where a tile has the offset of the first lane's stretch, from where on the next one may begin, and the bytes from
	// lane to lane.
	tileStarts = 0
	tileNexts  = 8 * MaxTiles
	tileSteps  = 16 * MaxTiles
	tileSaved  = 24 * MaxTiles
	tileFirst  = tileSaved + 6*64

	tilesLoaded = tileFirst + MaxTiles*tileSize
)

// TileWords says what a TileAddress is about.
type TileWords struct {
	Tile    int      // its number
	Bytes   int64    // that each lane reads from the address on
	Aligned bool     // in whole words of the tile
	Extent           // of the object
	Apart   []Extent // of objects that the tile must not have memory of

	// If Most is not 0 the lanes are yet to be checked, where they do not find their words in the tile. From Least to
	// Most an offset is what an index means. What is read has Size bytes; Skew is a field of its object.
	Least, Most int64
	Skew, Size  int32
	// GoesOn is set where each round of a loop is known to read what follows.
	GoesOn bool
	// Moved is set where offsets need not be multiples of Size, nor what is from lane to lane.
	Moved bool
}

// NoTile are the words of the start of a tile that has nothing: no offset is near it.
const NoTile = 0xc0c0c0c0

// TileStarts returns where the starts of so many tiles are, in the memory for tiles, and how many vectors they take.
func TileStarts(t *Traits, tiles int) (at int64, vectors int) {
	size := int(t.VectorBytes())
	return tileStarts, (8*tiles + size - 1) / size
}

// TileWordsAt returns how far the words of a tile are from what TileAddress makes.
func (a *Allocator) TileWordsAt(tile int) int64 {
	return int64(a.layout.Tiles + tileFirst + int32(tile)*tileSize)
}

// TileStep is how much further on the words are that are a word after others of the same lanes.
const TileStep = 32

func (a *Allocator) tileField(field int32, tile int) int64 {
	return int64(a.layout.Tiles + field + 8*int32(tile))
}

func (a *Allocator) tileAddress(in Instr) {
	w := in.Tile
	cold, none, found, back := a.m.Label(), a.m.Label(), a.m.Label(), a.m.Label()
	t := in.T[G][0]
	a.opI(GLoad64, t, Run, a.tileField(tileStarts, w.Tile))
	a.op(GSub, t, in.A, t)
	a.branchI(GtU, t, TileBytes-w.Bytes, cold)
	if in.C != None {
		a.opI(GLoad64, in.T[G][1], Run, a.tileField(tileSteps, w.Tile))
		a.branch(Ne, in.T[G][1], in.C, cold)
	}
	a.bind(found)
	if w.Aligned {
		apart := none
		if w.Moved { // what is there is aligned, and so are all that are words from there
			apart = in.Target
		}
		a.put(Instr{Op: BranchTest, A: t, Imm: 3, Target: apart})
		a.opI(GShl, t, t, 5)
	} else { // what is less than a word begins at its first byte
		a.opI(GAnd, in.T[G][1], t, 3)
		a.op(GSub, t, t, in.T[G][1])
		a.opI(GShl, t, t, 5)
		a.op(GAdd, t, t, in.T[G][1])
	}
	a.op(GAdd, in.D, t, Run)
	a.bind(back)
	a.Later(func() {
		miss := a.m.Label()
		a.bind(cold)
		r, restore := a.borrow(in.A, in.C, t, in.T[G][1])
		p, from, step := r[0], r[1], r[2]
		if in.C != None {
			a.opI(GMove, step, in.C, 0)
		} else {
			a.opI(GConst, step, None, in.Imm)
		}
		if w.Most != 0 {
			bad := a.m.Label()
			tileEnds(a, &in, p, from, step, bad)
			a.Later(func() {
				a.bind(bad)
				restore()
				a.jump(in.Target)
			})
		}
		a.tileRange(&in, p, from, step, miss)
		a.fillTile(t, p, from, step, w)
		restore()
		a.opI(GLoad64, t, Run, a.tileField(tileStarts, w.Tile))
		a.op(GSub, t, in.A, t)
		a.jump(found)

		a.bind(miss)
		for i, v := range [...]Reg{in.A, step} {
			a.put(Instr{Op: GStore64, A: Run, B: v, Imm: a.tileField([...]int32{tileNexts, tileSteps}[i], w.Tile)})
		}
		a.opI(GConst, t, None, -1<<62)
		a.put(Instr{Op: GStore64, A: Run, B: t, Imm: a.tileField(tileStarts, w.Tile)})
		restore()
		a.bind(none)
		a.opI(GConst, in.D, None, 0)
		a.jump(back)
	})
}

// tileStepBits are the bits of a number that times 32 has 32 bits.
const tileStepBits = 27

// tileEnds goes to a label unless the first and the last active lane are inside, all are aligned, and all are within 32
// bits of the first.
func tileEnds(a *Allocator, in *Instr, least, most, step Reg, bad Label) {
	w, lane := in.Tile, in.T[G][0]
	tileBounds(a, in, least, most, w.Bytes)
	for i, op := range [...]Op{GCtzW, GClzW} {
		a.opI(op, lane, Active, 0)
		if i > 0 {
			a.opI(GXor, lane, lane, 31)
		}
		a.op(GMul, lane, lane, step)
		a.op(GAdd, lane, lane, in.A)
		a.branch(LtS, lane, least, bad)
		a.branch(GtS, lane, most, bad)
	}
	if w.Size > 1 {
		a.opI(GLoad32, lane, Objects, int64(w.Skew))
		if w.Moved {
			a.op(GAdd, lane, lane, in.A)
			a.op(GOr, lane, lane, step)
		}
		a.put(Instr{Op: BranchTest, A: lane, Imm: int64(w.Size - 1), Target: bad})
	}
	a.opI(GShl, lane, step, 64-tileStepBits)
	a.opI(GSar, lane, lane, 64-tileStepBits)
	a.branch(Ne, lane, step, bad)
}

// tileBounds makes least and most the first and the last place at which some bytes are inside, as A counts places.
func tileBounds(a *Allocator, in *Instr, least, most Reg, bytes int64) {
	w, spare := in.Tile, in.T[G][1]
	tileMost(a, most, spare, w, bytes)
	a.opI(GConst, least, None, w.Least)
	if in.Op == TileStore {
		a.opI(GLoad64, spare, Objects, int64(w.Extent.Base))
		a.op(GAdd, least, least, spare)
		a.op(GAdd, most, most, spare)
	}
}

// tileMost makes a register the greatest offset at which there are some bytes.
func tileMost(a *Allocator, most, spare Reg, w *TileWords, bytes int64) {
	a.opI(GLoad64, most, Objects, int64(w.Extent.Bytes))
	a.opI(GSub, most, most, bytes)
	if w.Most == 0 {
		return
	}
	less := a.m.Label()
	a.opI(GConst, spare, None, w.Most)
	a.branch(LeS, most, spare, less)
	a.opI(GMove, most, spare, 0)
	a.bind(less)
}

// tileRange makes from the offset of the first lane's stretch, if the lanes may go on from there. It goes to miss if
// they have not come along their stretches, or if these are not inside of the object.
func (a *Allocator) tileRange(in *Instr, p, from, step Reg, miss Label) {
	offset, t, w := in.A, in.T[G][0], in.Tile
	begins := a.m.Label()
	if w.GoesOn { // the first round since the tile was emptied is where the lanes begin
		a.opI(GLoad64, t, Run, a.tileField(tileStarts, w.Tile))
		a.opI(GConst, p, None, NoTile<<32|NoTile-1<<64)
		a.branch(Eq, t, p, begins)
	}
	a.opI(GLoad64, t, Run, a.tileField(tileSteps, w.Tile))
	a.branch(Ne, t, step, miss)
	a.opI(GLoad64, t, Run, a.tileField(tileNexts, w.Tile))
	a.op(GSub, t, offset, t)
	a.branchI(GtU, t, min(TileBytes, 4*(w.Bytes+3)&^3), miss)
	a.bind(begins)
	for _, other := range w.Apart {
		disjoint(a, w.Extent, other, t, p, miss)
	}
	as, is := a.m.Label(), a.m.Label()
	a.opI(GLoad64, p, Objects, int64(w.Extent.Base))
	a.op(GAdd, p, p, offset)
	a.opI(GAnd, t, p, TileBytes-4) // lines of the cache, if the lanes are whole ones apart
	a.op(GSub, from, offset, t)
	a.branchI(GtU, t, TileBytes-w.Bytes, as)
	a.branchI(GeS, from, w.Least, is)
	a.bind(as)
	a.opI(GMove, from, offset, 0)
	a.bind(is)
	a.opI(GMul, t, step, 31)
	a.op(GAdd, t, t, from)
	tileMost(a, p, in.T[G][1], w, TileBytes)
	for _, end := range [...]Reg{from, t} {
		a.branchI(LtS, end, w.Least, miss)
		a.branch(GtS, end, p, miss)
	}
}

// fillTile fills a tile, four lanes at a time.
func (a *Allocator) fillTile(t, p, from, step Reg, w *TileWords) {
	bytes := int64(a.t.VectorBytes())
	a.put(Instr{Op: GStore64, A: Run, B: from, Imm: a.tileField(tileStarts, w.Tile)})
	a.opI(GAdd, t, from, TileBytes+1-w.Bytes)
	a.put(Instr{Op: GStore64, A: Run, B: t, Imm: a.tileField(tileNexts, w.Tile)})
	a.opI(GLoad64, p, Objects, int64(w.Extent.Base))
	a.op(GAdd, p, p, from)
	const lanes = 4
	v := tileVectors
	moveVectors(a, VStore)
	again := a.m.Label()
	to, end := t, from
	a.opI(GAdd, to, Run, a.TileWordsAt(w.Tile))
	a.opI(GAdd, end, to, 4*32)
	a.bind(again)
	for at := int64(0); at < TileBytes; at += bytes {
		for i := range lanes {
			a.opI(VLoad, v[i], p, at)
			if at == 0 {
				a.opI(GPrefetch, None, p, TileBytes)
			}
			a.op(GAdd, p, p, step)
		}
		for word, r := range transposed(a) {
			for quad := range bytes / 16 {
				a.put(Instr{
					Op: VStoreQuad, A: to, B: r, Imm: (at/4 + 4*quad + int64(word)) * 4 * 32, Imm2: quad,
				})
			}
		}
		if at+bytes < TileBytes {
			for range lanes {
				a.op(GSub, p, p, step)
			}
		}
	}
	a.opI(GAdd, to, to, 4*lanes)
	a.branch(LtU, to, end, again)
	moveVectors(a, VLoad)
}

// tileVectors are what rows and columns are made with.
var tileVectors = [6]Reg{1, 2, 3, 4, 5, 6}

// moveVectors stores them, or loads them again.
func moveVectors(a *Allocator, op Op) {
	for i, r := range tileVectors {
		at := int64(a.layout.Tiles+tileSaved) + int64(int32(i)*a.t.VectorBytes())
		a.put(Instr{Op: op, D: r, A: Run, B: r, Imm: at})
	}
}

// transposed makes rows of columns within the quads of the first four of the vectors, and returns where they are.
func transposed(a *Allocator) [4]Reg {
	v := tileVectors
	a.op(VEven, v[4], v[0], v[1])
	a.op(VOdd, v[0], v[0], v[1])
	a.op(VEven, v[5], v[2], v[3])
	a.op(VOdd, v[2], v[2], v[3])
	a.op(VEven, v[1], v[4], v[5])
	a.op(VOdd, v[4], v[4], v[5])
	a.op(VEven, v[3], v[0], v[2])
	a.op(VOdd, v[0], v[0], v[2])
	return [4]Reg{v[1], v[3], v[4], v[0]}
}

func (a *Allocator) tileLoad(in Instr) {
	apart, back := a.m.Label(), a.m.Label()
	from := in.Args[0]
	a.branchI(Eq, from, 0, apart)
	if in.More != 0 {
		a.put(Instr{Op: VTable8, D: in.D, A: from, B: in.B, Imm: in.Imm, Imm2: int64(in.More)})
	} else {
		a.opI(VLoad, in.D, from, in.Imm)
	}
	a.bind(back)
	a.Later(func() {
		a.bind(apart)
		index := in.B
		if in.Words != nil {
			index = in.T[V][0]
			a.put(Instr{Op: VWords, D: index, Words: in.Words})
			a.op(VSplat32, in.T[V][1], in.Args[1], None)
			a.op(VMul, index, index, in.T[V][1])
		}
		a.put(Instr{Op: Op(in.Imm2), D: in.D, A: in.A, B: index, C: in.C})
		a.jump(back)
	})
}
