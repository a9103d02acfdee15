package native

import (
	"math"
	"slices"

	"github.com/metalgen/metalgen/runtime/internal/cpu/abi"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// Where each lane reads along its own row of a matrix, lanes are far apart, and what they read in one round of a loop
// is next to what they read in the round before. So the code keeps tiles: 64 bytes of each row, in the order in which
// the lanes read them (vcode/tile.go). A tile holds as long as nothing is stored: it is of use in loops without stores.
// It is also in loops that store along rows alone: these words wait in tiles as well (vcode/stored.go), until one is
// full, or such a loop ends, or the code leaves for the interpreter. The loop may load words along the same rows: from
// the tile, if they wait there. Objects that share memory have no such tiles: the code looks at where they are before
// it begins one.

// tiles says which accesses may be in tiles.
type tiles struct {
	loops  []*wide.LoopBody       // by block: the innermost one
	far    []int32                // objects that loops read which simd-groups go through by turns
	first  map[*wide.LoopBody]int // of those that store along rows: the first of their tiles
	drains map[int32]bool         // blocks that come after these
	count  int                    // tiles that are loaded, at most
	stored int                    // tiles that are stored
}

// choose finds the loops that store along rows, when all accesses are noted, and counts tiles.
func (t *tiles) choose(x *wide.Analysis) {
	t.first, t.drains = map[*wide.LoopBody]int{}, map[int32]bool{}
	var last *wide.LoopBody
	for _, loop := range t.loops {
		if loop == nil {
			continue
		}
		rows := loop.StoresRows()
		if _, ok := t.first[rows]; rows != nil && !ok && t.stored+len(rows.Writes) <= vcode.MaxStored {
			t.first[rows] = t.stored
			t.stored += len(rows.Writes)
			for b := rows.First; b <= rows.Last; b++ {
				if in := &x.Code[x.Blocks[b].End-1]; wide.Infos[in.Op].Jumps {
					if to := x.BlockAt[in.Target] - 1; to < rows.First || to > rows.Last {
						t.drains[to] = true
					}
				}
			}
		}
		if loop != last && (t.rowsOf(loop) != nil || loop.StoresNothing()) {
			t.count = min(t.count+loop.Loads, vcode.MaxTiles)
		}
		if loop != last && loop.Turns() {
			t.far = append(t.far, loop.Far...)
		}
		last = loop
	}
}

// rowsOf returns the loop around one, or itself, that stores into tiles, or nil.
func (t *tiles) rowsOf(loop *wide.LoopBody) *wide.LoopBody {
	rows := loop.StoresRows()
	if _, ok := t.first[rows]; ok {
		return rows
	}
	return nil
}

// enter notes the block that is written.
func (a *addresses) enter(block int32) {
	t := &a.plan.tiles
	a.rows, a.mayTile, a.turns, a.loops, a.loop = nil, false, false, t.loops[block] != nil, t.loops[block]
	if loop := a.loop; loop != nil {
		a.turns = loop.Turns()
		a.rows = t.rowsOf(loop)
		a.mayTile = a.rows != nil || loop.StoresNothing()
	}
	if t.drains[block] {
		a.emit(vcode.Instr{Op: vcode.TileDrain, Imm: int64(t.stored)})
	}
}

// extents returns where some objects are that may have memory of one.
func (a *addresses) extents(object int32, of ...[]int32) (list []vcode.Extent) {
	for _, other := range slices.Concat(of...) {
		if other != object && a.mayShare(object, other) {
			list = append(list, a.extent(other))
		}
	}
	return list
}

func (a *addresses) extent(object int32) vcode.Extent {
	at := object * a.layout.Size
	return vcode.Extent{Base: at + a.layout.Base, Bytes: at + a.layout.Bytes}
}

// storeAlong stores words into a tile.
func storeAlong(a *accesses, t *target, n *near, from reg, values []reg) {
	in := vcode.Instr{Op: vcode.TileStore, A: from, C: n.by, Imm: int64(t.step), Args: values, Tile: n.stored}
	if in.Tile == nil {
		in.Tile = storedIn(a.addresses, t)
	} else {
		in.Exit = a.exit()
	}
	a.emit(in)
}

// storedIn returns what a tile has of words that lanes store.
func storedIn(a *addresses, t *target) *vcode.TileWords {
	return &vcode.TileWords{
		Tile: a.storedTile(t), Bytes: 4, Extent: a.extent(t.object),
		Apart: a.extents(t.object, a.rows.Reads, a.rows.Writes),
	}
}

func (a *addresses) storedTile(t *target) int {
	return a.plan.tiles.first[a.rows] + slices.Index(a.rows.Writes, t.object)
}

// loadHeld loads words that may wait in a tile to be stored.
func loadHeld(a *accesses, in *wide.Instruction, t *target, m *scalarInMemory) func(part int) reg {
	n, at := a.nearIndexes(in, t)
	from, number := a.address(n, at), a.storedTile(t)
	held := a.keep(a.make(vcode.Instr{
		Op: vcode.TileHeld, A: from, C: n.by, Imm: int64(t.step), Tile: &vcode.TileWords{Tile: number},
	}))
	return tileLoads(a, m.each, from, n, held, a.alloc.StoredWordsAt(number))
}

// farApart reports whether lanes are so far apart that a tile may be of use.
func (t *target) farApart() bool {
	return wide.Kind{Form: t.form, Step: t.step}.FarApart(vcode.TileBytes)
}

// inStored reports whether an access is to words that may wait in a tile to be stored.
func (a *addresses) inStored(t *target) bool {
	return a.rows != nil && t.farApart() && slices.Contains(a.rows.Writes, t.object) &&
		!slices.Contains(a.rows.Elsewhere, t.object)
}

// reachOf returns where to look for accesses near one.
func (a *addresses) reachOf(t *target) reach {
	if a.tilesLeft() && t.farApart() {
		return inTile
	}
	return farAhead
}

// tilesLeft reports whether the block that is written may have one more tile.
func (a *addresses) tilesLeft() bool { return a.mayTile && a.tiles < a.plan.tiles.count }

// loadedIn returns what a tile has for lanes, or nil if they are in no tile.
func loadedIn(a *addresses, in *wide.Instruction, t *target, n *near) *vcode.TileWords {
	if !a.tilesLeft() || !t.farApart() || t.size > 4 || n.high-n.low > vcode.TileBytes {
		return nil
	}
	words := &vcode.TileWords{
		Tile: a.tiles, Bytes: n.high - n.low, Aligned: n.high-n.low >= 4, Extent: a.extent(t.object),
		GoesOn: a.loop.GoesOn(a.x, in),
	}
	if a.rows != nil {
		if slices.Contains(a.rows.Writes, t.object) {
			return nil
		}
		words.Apart = a.extents(t.object, a.rows.Writes)
	}
	a.tiles++
	return words
}

// tileOf returns where the words of lanes are in a tile, or the zero tile if they are in no tile.
func tileOf(a *addresses, t *target, words *vcode.TileWords) (tile tile) {
	if words == nil {
		return tile
	}
	in := vcode.Instr{Op: vcode.TileAddress, A: t.offset, C: t.by, Imm: int64(t.step), Tile: words}
	if words.Most != 0 {
		in.Exit = a.exit()
	}
	tile.from, tile.at = a.keep(a.make(in)), a.alloc.TileWordsAt(words.Tile)
	return tile
}

// checkedByTile locates what may be in a tile. What is found there needs no check, because the tile's memory has been
// checked, and all else is checked when it is not found. It reports false where such a check would not suffice.
func checkedByTile(a *addresses, in *wide.Instruction, t *target, n *near, words *vcode.TileWords) bool {
	start, fixed := a.x.Known[in.A]
	from, size := wide.OffsetOf(start)+n.low, int64(t.size)
	if words == nil {
		return false
	}
	words.Skew, words.Size = t.object*a.layout.Size+a.layout.Skew, t.size
	if !fixed || in.C != wide.IntIndex && in.C != wide.UintIndex || max(from, -from) > 1<<30 ||
		from%size != 0 || int64(in.Target)%size != 0 || in.Target <= 0 {
		if t.size != 4 || !words.Aligned {
			return false
		}
		a.locate(in, t, n.low)
		a.keep(t.offset)
		words.Most, words.Moved = math.MaxInt64, true
		return true
	}
	t.whole = true
	t.offset = scaled(a.lanes, a.keep(widened(a.lanes, t.index, in.C)), int64(in.Target))
	if from != 0 {
		t.offset = a.opI(vcode.GAdd, t.offset, from)
	}
	a.keep(t.offset)
	if t.form == wide.Strided {
		t.by = a.keep(scaled(a.lanes, a.keep(a.op(vcode.GExtS32, a.lanes.step(t.index), 0)), int64(in.Target)))
	}
	// An index is a number of 32 bits, and so is what some of those near it are more.
	most := uint64(1<<32 - 1 - maxSpread)
	if in.C == wide.IntIndex {
		most = 1<<31 - 1 - maxSpread
	} else {
		words.Least = max(from, 0)
	}
	words.Most = int64(most)*int64(in.Target) + min(from, 0)
	return true
}

// tile is where words are in one: at bytes from an address, if that is not 0.
type tile struct {
	from reg
	at   int64
}

// forgetTiles makes all tiles empty.
func (a *addresses) forgetTiles() {
	if a.plan.tiles.count == 0 {
		return
	}
	at, vectors := vcode.TileStarts(a.t, a.plan.tiles.count)
	for i := range vectors {
		none := a.lanes.word32(vcode.NoTile)
		a.store(vcode.VStore, vcode.Run, abi.RunTiles+at+int64(i)*int64(a.t.VectorBytes()), none)
	}
}

// gathered returns what gathers a part of the numbers of an Imm: from a tile, if they are in one.
func gathered(a *accesses, op vcode.Op, n *near, imm int64) func(part int) reg {
	from := a.address(n, imm)
	if n.tile.from == 0 || (imm-n.low)%4 != 0 {
		return func(part int) reg { return a.op3(op, from, n.list[part], a.lanes.active(part)) }
	}
	return tileLoads(a, op, from, n, n.tile.from, n.tile.at+(imm-n.low)*vcode.TileStep)
}

// tileLoads returns what loads a part of the words at bytes from where a tile has them, or gathers it. How far lanes
// are away is computed for the gather alone, where no number says it.
func tileLoads(a *accesses, op vcode.Op, from reg, n *near, tile reg, at int64) func(part int) reg {
	return func(part int) reg {
		in := vcode.Instr{
			Op: vcode.TileLoad, A: from, B: n.list[part], C: a.lanes.active(part), Args: []reg{tile},
			Imm: at + int64(part)*int64(a.t.VectorBytes()), Imm2: int64(op),
		}
		if n.by != 0 {
			in.B, in.Args, in.Words = 0, []reg{tile, n.by}, vcode.CountingWords(int64(part*a.t.Lanes), 1, false)
		}
		return hidden(a.lanes, a.make(in), part)
	}
}
