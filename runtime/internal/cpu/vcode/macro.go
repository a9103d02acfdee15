package vcode

import "math/bits"

// Macros become several instructions, with jumps between them, when registers are chosen. What is rare in them comes
// after all blocks.
//
//	RowAddress  D = the address of what lanes read, More bytes each, Imm bytes from one lane to the next: B + A, if as
//	            many steps as RowBytes says are in the object, whose room for them is C. Else what the active lanes read
//	            is copied to Imm2 of the Run, and that is the address. An exit, if it is outside.
//	RowStore    Args, the parts of a value, to B + A, for the active lanes, as by the Op Imm. C is the room. Without B
//	            and C, A is the address, which has been checked. An element takes Imm2 bytes, if that is not 0: several
//	            of the vectors'. If it takes more than 8, More of the Run has memory for all of them, and has them
//	            already where there are no Args.
//	GatherNear  what the gather Imm makes. Where all lanes are active, and in a vector from the first one's on, which is
//	            inside as Args[0] says, that is loaded with Imm2 and permuted. Args[1] is how far the last element is
//	            from the first, and 1<<More the bytes of one. A machine without VPermute loads an element where all
//	            lanes want the same one.
//	Scatter     elements of Imm bytes: the second half of Args to A + the first half, which are words, for the active
//	            lanes, the last one last.
//	ScatterAlong elements of Imm bytes, the parts Args, to A, and C or Imm2 bytes more for each lane after the first,
//	            for the active lanes, the last one last.
//	Exchange    the active lanes, one after the other, replace words: that at A + an index becomes what the Op Imm makes
//	            of it and a value. Args are the indexes, the values, and for GPick what the word has to be. Imm2 says
//	            more.
//	Fetch       More bytes come to the cache that are some times as far from A as that is from what it was the last time,
//	            which Imm of the Run has: as many times as Imm2 of it says. Nothing, where that is 0.
//	Fill        Imm bytes at A, of all lanes, become the vector B.
//	LanesWhere  D = a bit for each lane that is Cond B: Eq, LtS, LeS, LtU or LeU. The first lane is the word A, and each
//	            one after it is 1 more. Bits of Imm are changed.
//	LaneOf      the element of Imm bytes of one lane, of the parts Args: lane A, or the first or last active one.

// What LaneOf takes where A is None: its Imm2.
const (
	LastActive = iota
	FirstActive
)

// What Exchange may be told in Imm2.
const (
	Apart  = 1 << iota // nobody else works on the words
	Silent             // what they were is not wanted; else it is where Old says
)

// Old returns where in the Run an Exchange leaves a part of what words were.
func (a *Allocator) Old(part int) int64 {
	return int64(a.layout.At + macroValues + int32(part)*a.t.VectorBytes())
}

// Later has something written after all blocks.
func (a *Allocator) Later(write func()) { a.later = append(a.later, write) }

// Finish writes what was left for later, as long as more may be written.
func (a *Allocator) Finish(more func() bool) {
	for len(a.later) > 0 && !a.failed && more() {
		write := a.later[0]
		a.later = a.later[1:]
		write()
	}
}

// emit hands an instruction to the machine.
func (a *Allocator) emit(in *Instr) {
	switch in.Op {
	case RowAddress:
		a.rowAddress(*in)
	case RowStore:
		a.rowStore(*in)
	case GatherRow:
		a.gatherRow(*in)
	case GatherNear:
		a.gatherNear(*in)
	case ScatterRow:
		a.scatterRow(*in)
	case Scatter:
		a.scatter(in)
	case ScatterAlong:
		scatterAlong(a, *in)
	case Exchange:
		a.exchange(in)
	case LaneOf:
		a.laneOf(in)
	case Fill:
		fill(a, in)
	case LanesWhere:
		lanesWhere(a, *in)
	case TileAddress:
		a.tileAddress(*in)
	case TileLoad:
		a.tileLoad(*in)
	case TileStore:
		tileStore(a, *in)
	case TileHeld:
		tileHeld(a, *in)
	case TileDrain:
		Drain(a, int(in.Imm), in.T[G][0], in.T[G][1])
	case TexelRow:
		texelRow(a, *in)
	case TexelsOut:
		texelsOut(a, *in)
	case TexelScatter:
		texelScatter(a, *in)
	case Fetch:
		fetch(a, *in)
	case GMove, VMove, PMove:
		if in.D != in.A {
			a.m.Emit(in)
		}
	default:
		a.m.Emit(in)
	}
}

// put hands an instruction of the allocator's own to the machine.
func (a *Allocator) put(in Instr) {
	a.one = in
	a.m.Emit(&a.one)
}

func (a *Allocator) op(op Op, d, x, y Reg)        { a.put(Instr{Op: op, D: d, A: x, B: y}) }
func (a *Allocator) opI(op Op, d, x Reg, i int64) { a.put(Instr{Op: op, D: d, A: x, Imm: i}) }
func (a *Allocator) bind(l Label)                 { a.put(Instr{Op: Bind, Target: l}) }
func (a *Allocator) jump(l Label)                 { a.put(Instr{Op: Jump, Target: l}) }
func (a *Allocator) branch(c Cond, x, y Reg, to Label) {
	a.put(Instr{Op: Branch, Cond: c, A: x, B: y, Target: to})
}
func (a *Allocator) branchI(c Cond, x Reg, i int64, l Label) {
	a.put(Instr{Op: Branch, Cond: c, A: x, Imm: i, Target: l})
}

// borrow saves three registers other than the given ones for the code between it and what it returns.
func (a *Allocator) borrow(not ...Reg) (list [3]Reg, restore func()) {
	n := 0
next:
	for r := Reg(1); n < 3; r++ {
		for _, o := range not {
			if o == r {
				continue next
			}
		}
		list[n] = r
		n++
	}
	at := int64(a.layout.At + macroSaved)
	for i, r := range list {
		a.put(Instr{Op: GStore64, A: Run, B: r, Imm: at + 8*int64(i)})
	}
	return list, func() {
		for i, r := range list {
			a.put(Instr{Op: GLoad64, D: r, A: Run, Imm: at + 8*int64(i)})
		}
	}
}

// together makes a general register the address of the first of some elements, and jumps where they are not side by
// side, or not all active.
func (a *Allocator) together(in *Instr, index, counts Reg, apart Label) Reg {
	first, away, all, same := in.T[G][0], in.T[V][0], in.T[V][1], in.T[P][0]
	a.op(VSub, away, index, counts)
	a.opI(GFromV32, first, away, 0)
	a.opI(VFirst32, all, away, 0)
	a.put(Instr{Op: VCmpP, Cond: Eq, D: same, A: away, B: all, C: in.C})
	a.put(Instr{Op: BranchUnless, A: same, Target: apart})
	a.opI(GExtS32, first, first, 0)
	a.op(GAdd, first, first, in.A)
	return first
}

func (a *Allocator) gatherRow(in Instr) {
	apart, back := a.m.Label(), a.m.Label()
	first := a.together(&in, in.B, in.Args[0], apart)
	a.opI(Op(in.Imm2), in.D, first, 0)
	a.bind(back)
	a.Later(func() {
		a.bind(apart)
		a.put(Instr{Op: Op(in.Imm), D: in.D, A: in.A, B: in.B, C: in.C})
		a.jump(back)
	})
}

func (a *Allocator) gatherNear(in Instr) {
	apart, back := a.m.Label(), a.m.Label()
	first, row, away, near := in.T[G][0], in.T[V][0], in.T[V][1], in.T[P][0]
	permutes := !a.t.Lacks[VPermute]
	a.opI(GFromV32, first, in.B, 0)
	a.opI(VFirst32, row, in.B, 0)
	if permutes {
		inside := in.T[P][1]
		a.op(VSub, away, in.B, row)
		a.put(Instr{Op: VCmpP, Cond: LeS, D: inside, A: row, B: in.Args[0], C: in.C})
		a.put(Instr{Op: VCmpP, Cond: LeU, D: near, A: away, B: in.Args[1], C: inside})
	} else {
		a.put(Instr{Op: VCmpP, Cond: Eq, D: near, A: row, B: in.B, C: in.C})
	}
	a.put(Instr{Op: BranchUnless, A: near, Target: apart})
	a.opI(GExtS32, first, first, 0)
	a.op(GAdd, first, first, in.A)
	if permutes {
		a.opI(Op(in.Imm2), row, first, 0)
		a.opI(VShrI, in.D, away, int64(in.More))
		a.put(Instr{Op: VPermute, D: in.D, B: in.D, Args: []Reg{row, row}})
	} else {
		a.opI(Op(in.Imm2), first, first, 0)
		a.opI(VSplat32, in.D, first, 0)
	}
	a.bind(back)
	a.Later(func() {
		a.bind(apart)
		a.put(Instr{Op: Op(in.Imm), D: in.D, A: in.A, B: in.B, C: in.C})
		a.jump(back)
	})
}

func (a *Allocator) scatterRow(in Instr) {
	apart, back := a.m.Label(), a.m.Label()
	args := append([]Reg(nil), in.Args...)
	first := a.together(&in, args[0], args[1], apart)
	a.put(Instr{Op: VStore, A: first, B: in.B})
	a.bind(back)
	a.Later(func() {
		a.bind(apart)
		a.put(Instr{Op: VScatter32, A: in.A, B: in.B, C: in.C, Args: args[:1]})
		a.jump(back)
	})
}

// placeOfArg is where macros have their arguments: indexes, if there are any, and values.
func (a *Allocator) placeOfArg(op Op, i int) int64 {
	if op == LaneOf || op == ScatterAlong {
		i += a.t.Parts()
	}
	return int64(a.layout.At + macroIndexes + int32(i)*a.t.VectorBytes())
}

func (a *Allocator) scatter(in *Instr) {
	indexes, values := int64(a.layout.At+macroIndexes), int64(a.layout.At+macroValues)
	load, store := movesOf(in.Imm)
	rest, from, to := in.T[G][0], in.T[G][1], in.T[G][2]
	eachActive(a, rest, from, func() {
		a.opI(GShl, from, from, 2)
		a.op(GAdd, from, from, Run)
		a.put(Instr{Op: GLoad32, D: to, A: from, Imm: indexes})
		a.opI(GExtS32, to, to, 0)
		a.op(GAdd, to, to, in.A)
		if in.Imm == 8 {
			a.opI(GCtzW, from, rest, 0)
			a.opI(GShl, from, from, 3)
			a.op(GAdd, from, from, Run)
		}
		a.put(Instr{Op: load, D: from, A: from, Imm: values})
		a.put(Instr{Op: store, A: to, B: from})
	})
}

// eachActive writes a loop over the active lanes with a body, in which lane holds the number of a lane, and rest a bit
// for this lane and for each that comes later.
func eachActive(a *Allocator, rest, lane Reg, do func()) {
	again := a.m.Label()
	a.opI(GMove, rest, Active, 0)
	a.bind(again)
	a.opI(GCtzW, lane, rest, 0)
	do()
	a.opI(GSub, lane, rest, 1)
	a.op(GAnd, rest, rest, lane)
	a.branchI(Ne, rest, 0, again)
}

func (a *Allocator) exchange(in *Instr) {
	values := int64(a.layout.At + macroValues)
	rest, from, to := in.T[G][0], in.T[G][1], in.T[G][2]
	r, restore := a.borrow(in.A, rest, from, to)
	old, value, next := r[0], r[1], r[2]
	eachActive(a, rest, from, func() {
		again := a.m.Label()
		a.opI(GShl, from, from, 2)
		a.op(GAdd, from, from, Run)
		a.put(Instr{Op: GLoad32, D: to, A: from, Imm: int64(a.layout.At + macroIndexes)})
		a.opI(GExtS32, to, to, 0)
		a.op(GAdd, to, to, in.A)
		a.put(Instr{Op: GLoad32, D: value, A: from, Imm: values})
		a.bind(again)
		a.put(Instr{Op: GLoad32, D: old, A: to})
		switch op := Op(in.Imm); op {
		case GMove:
			a.opI(GMove, next, value, 0)
		case GPick:
			a.put(Instr{Op: GLoad32, D: next, A: from, Imm: values + 4*32})
			a.put(Instr{Op: GSetW, Cond: Eq, D: next, A: old, B: next})
			a.put(Instr{Op: GPick, D: next, A: value, B: old, C: next})
		case GSetW:
			a.put(Instr{Op: GSetW, Cond: in.Cond, D: next, A: old, B: value})
			a.put(Instr{Op: GPick, D: next, A: old, B: value, C: next})
		default:
			a.op(op, next, old, value)
		}
		if in.Imm2&Apart != 0 {
			a.put(Instr{Op: GStore32, A: to, B: next})
		} else {
			a.put(Instr{Op: GSwapIf32, D: next, A: to, B: next, C: old})
			a.branchI(Eq, next, 0, again)
		}
		if in.Imm2&Silent == 0 {
			a.put(Instr{Op: GStore32, A: from, B: old, Imm: values})
		}
	})
	restore()
}

func (a *Allocator) laneOf(in *Instr) {
	values := int64(a.layout.At + macroValues)
	lane := in.A
	t := in.T[G][0]
	switch {
	case lane != None:
	case in.Imm2 == FirstActive:
		a.opI(GCtzW, t, Active, 0)
		lane = t
	default:
		a.opI(GClzW, t, Active, 0)
		a.opI(GXor, t, t, 31)
		lane = t
	}
	load, _ := elementOps(in.Imm)
	a.opI(GShl, t, lane, int64(bits.Len64(uint64(in.Imm))-1))
	a.op(GAdd, t, t, Run)
	a.put(Instr{Op: load, D: in.D, A: t, Imm: values})
}

func fill(a *Allocator, in *Instr) {
	const piece = 2 * 4 * 32
	to, end := in.T[G][0], in.T[G][1]
	again := a.m.Label()
	a.opI(GMove, to, in.A, 0)
	a.opI(GAdd, end, in.A, in.Imm)
	a.bind(again)
	for at := int64(0); at < piece; at += int64(a.t.VectorBytes()) {
		a.put(Instr{Op: VStore, A: to, B: in.B, Imm: at})
	}
	a.opI(GAdd, to, to, piece)
	a.branch(Ne, to, end, again)
}

// MacroTemps adds to a machine's what the macros need.
func (t *Traits) MacroTemps() {
	t.Temps[RowStore] = [Classes]uint8{G: 1, V: 1, P: 1}
	if t.Lacks[VStoreP] {
		t.Temps[RowStore] = [Classes]uint8{G: 1, V: 1}
	}
	t.Temps[Fill] = [Classes]uint8{G: 2}
	t.Temps[Scatter] = [Classes]uint8{G: 3}
	t.Temps[ScatterAlong], t.Temps[Exchange] = t.Temps[Scatter], t.Temps[Scatter]
	t.Temps[GatherRow] = [Classes]uint8{G: 1, V: 2, P: 1}
	t.Temps[ScatterRow] = t.Temps[GatherRow]
	t.Temps[GatherNear] = [Classes]uint8{G: 1, V: 2, P: 2}
	if t.Lacks[VPermute] {
		t.Temps[GatherNear] = [Classes]uint8{G: 1, V: 1, P: 1}
	}
	t.Temps[LaneOf] = [Classes]uint8{G: 1}
	t.Temps[TileAddress], t.Temps[TileLoad] = [Classes]uint8{G: 2}, [Classes]uint8{V: 2}
	for _, op := range [...]Op{LanesWhere, TileStore, TileHeld, TileDrain} {
		t.Temps[op] = t.Temps[TileAddress]
	}
	t.Temps[TexelRow], t.Temps[Fetch] = [Classes]uint8{G: 1}, [Classes]uint8{G: 2}
	t.Temps[TexelScatter] = [Classes]uint8{G: 3}
}
