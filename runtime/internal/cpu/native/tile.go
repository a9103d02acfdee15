package native

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/abi"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// Where each lane reads along its own row of a matrix, lanes are far apart, and what they read in one round of a loop
// is next to what they read in the round before. So the code keeps tiles: 64 bytes of each row, in the order in which
// the lanes read them (vcode/tile.go). A tile holds as long as nothing is stored: it is of use in loops without stores.

// tiles says which accesses may be in tiles.
type tiles struct {
	quiet []bool // by block: it is in a loop that stores nothing
	count int    // tiles, at most
}

// findQuiet finds the blocks whose innermost loop stores nothing, and only ends where the code knows it.
func (t *tiles) findQuiet(x *wide.Analysis) {
	t.quiet = make([]bool, len(x.Blocks))
	stores := make([]int32, len(x.Code)+1) // instructions before that may store
	for pc := range x.Code {
		in := &x.Code[pc]
		op := &wide.Infos[in.Op]
		stores[pc+1] = stores[pc]
		if op.Foreign || in.Op == wide.Barrier || op.Access && op.Stores != wide.None || in.Matrices != nil ||
			in.Op == wide.WriteTexels || in.Op >= wide.AtomicSwap && in.Op <= wide.AtomicCompare {
			stores[pc+1]++
		}
	}
	seen := make([]bool, len(x.Blocks))
	for pc := range x.Code {
		in := &x.Code[pc]
		if in.Op != wide.Loop {
			continue
		}
		for b := x.BlockAt[in.Target] - 1; int(b) < len(x.Blocks) && x.Blocks[b].First <= int32(pc); b++ {
			if !seen[b] {
				seen[b], t.quiet[b] = true, stores[pc+1] == stores[in.Target]
			}
		}
	}
}

// note counts an access that may be in a tile.
func (t *tiles) note(l *lanes, s *wide.State, in *wide.Instruction, block int) {
	op := &wide.Infos[in.Op]
	if t.count == vcode.MaxTiles || !t.quiet[block] || !op.Access || op.D != wide.Word {
		return
	}
	if k := wide.AccessKind(l.x, s, in); isFarApart(k.Form, k.Step) {
		t.count++
	}
}

// isFarApart reports whether lanes are so far apart that a tile may be of use.
func isFarApart(form wide.Form, step int32) bool {
	return form == wide.Strided || form == wide.Linear && (step >= vcode.TileBytes || step <= -vcode.TileBytes)
}

// reachOf returns where to look for accesses near one.
func (a *addresses) reachOf(t *target) reach {
	if a.tilesLeft() && isFarApart(t.form, t.step) {
		return inTile
	}
	return farAhead
}

// tilesLeft reports whether the block that is written may have one more tile.
func (a *addresses) tilesLeft() bool { return a.mayTile && a.tiles < a.plan.tiles.count }

// tileOf returns where the words of lanes are in a tile, or the zero tile if they are in no tile.
func (a *addresses) tileOf(t *target, n *near) (tile tile) {
	if !a.tilesLeft() || t.size > 4 || n.high-n.low > vcode.TileBytes ||
		!isFarApart(t.form, t.step) {
		return tile
	}
	number := a.tiles
	a.tiles++
	field := func(f int32) int32 { return t.object*a.layout.Size + f }
	in := vcode.Instr{Op: vcode.TileAddress, A: t.offset, C: t.by, Imm: int64(t.step), Tile: &vcode.TileWords{
		Tile: number, Bytes: n.high - n.low, Aligned: n.high-n.low >= 4,
		Base: field(a.layout.Base), Limit: field(a.layout.Bytes),
	}}
	tile.from, tile.at = a.keep(a.make(in)), a.alloc.TileWordsAt(number)
	return tile
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
	at := n.tile.at + (imm-n.low)*vcode.TileStep
	return func(part int) reg {
		v := a.make(vcode.Instr{
			Op: vcode.TileLoad, A: from, B: n.list[part], C: a.lanes.active(part), Args: []reg{n.tile.from},
			Imm: at + int64(part)*int64(a.t.VectorBytes()), Imm2: int64(op),
		})
		return hidden(a.lanes, v, part)
	}
}
