package vcode

// Rows, which all or some of the lanes read or store: RowAddress and RowStore.

// RowBytes returns how many bytes are read of a row whose lanes read some bytes each, so far apart: whole steps.
func RowBytes(step, each int32) int32 { return 31*step + (each+step-1)/step*step }

// ends makes first and last the offsets of the first and the last active lane of a row, and jumps where one of them is
// outside. Room is where the last one may be, but for so many bytes.
func (a *Allocator) ends(first, last, spare, offset, room Reg, step, more int64, bad Label) {
	a.opI(GCtzW, first, Active, 0)
	a.opI(GClzW, last, Active, 0)
	a.opI(GXor, last, last, 31)
	for _, r := range [...]Reg{first, last} {
		a.opI(GMul, r, r, step)
		a.op(GAdd, r, r, offset)
	}
	a.branchI(LtS, first, 0, bad)
	a.opI(GAdd, spare, room, more)
	a.branch(GtS, last, spare, bad)
}

func (a *Allocator) rowAddress(in Instr) {
	cold, back := a.m.Label(), a.m.Label()
	a.branchI(LtS, in.A, 0, cold)
	a.branch(GtS, in.A, in.C, cold)
	a.op(GAdd, in.D, in.A, in.B)
	a.bind(back)
	a.Later(func() {
		a.bind(cold)
		r, restore := a.borrow(in.A, in.B, in.C, in.D)
		bad, again := a.m.Label(), a.m.Label()
		at, last, value := r[0], r[1], r[2]
		all := RowBytes(int32(in.Imm), in.More)
		a.ends(at, last, value, in.A, in.C, in.Imm, int64(all-in.More), bad)
		// From the first to the last active lane: those between them are inside. Where that is a vector or more, the
		// last vector ends where it ends.
		copied := func(load, store Op, v Reg) {
			a.op(GAdd, at, at, in.B)
			a.put(Instr{Op: load, D: v, A: at})
			for _, r := range [...]Reg{in.B, in.A} {
				a.op(GSub, at, at, r)
			}
			a.op(GAdd, at, at, Run)
			a.put(Instr{Op: store, A: at, B: v, Imm: in.Imm2})
			a.op(GSub, at, at, Run)
			a.op(GAdd, at, at, in.A)
		}
		few, rest, done := a.m.Label(), a.m.Label(), a.m.Label()
		bytes, vector, saved := int64(a.t.VectorBytes()), Reg(1), int64(a.layout.At+macroValues)
		a.opI(GAdd, last, last, int64(in.More)-bytes)
		a.branch(GtS, at, last, few)
		a.put(Instr{Op: VStore, A: Run, B: vector, Imm: saved})
		a.bind(rest)
		copied(VLoad, VStore, vector)
		a.opI(GAdd, at, at, bytes)
		a.branch(LeS, at, last, rest)
		a.opI(GSub, at, at, bytes)
		a.opI(GMove, value, at, 0)
		a.opI(GMove, at, last, 0)
		a.branch(Ne, at, value, rest)
		a.opI(VLoad, vector, Run, saved)
		a.jump(done)
		a.bind(few)
		unit := (in.Imm | int64(in.More) | 8) & -(in.Imm | int64(in.More) | 8)
		load, store := elementOps(unit)
		a.opI(GAdd, last, last, bytes-unit)
		a.bind(again)
		copied(load, store, value)
		a.opI(GAdd, at, at, unit)
		a.branch(LeS, at, last, again)
		a.bind(done)
		restore()
		a.opI(GAdd, in.D, Run, in.Imm2)
		a.jump(back)
		a.bind(bad)
		restore()
		a.jump(in.Target)
	})
}

func fetch(a *Allocator, in Instr) {
	times, to, none := in.T[G][0], in.T[G][1], a.m.Label()
	a.opI(GLoad64, times, Run, in.Imm2)
	a.branchI(Eq, times, 0, none)
	a.opI(GLoad64, to, Run, in.Imm)
	a.put(Instr{Op: GStore64, A: Run, B: in.A, Imm: in.Imm})
	a.op(GSub, to, in.A, to)
	a.op(GMul, to, to, times)
	a.op(GAdd, to, to, in.A)
	for at := int64(0); at < int64(in.More); at += 64 {
		a.opI(GPrefetch, None, to, at)
	}
	a.bind(none)
}

// elementOps are the instructions that move a number of bytes.
func elementOps(size int64) (load, store Op) {
	switch size {
	case 1:
		return GLoad8, GStore8
	case 2:
		return GLoad16, GStore16
	case 4:
		return GLoad32, GStore32
	}
	return GLoad64, GStore64
}

// StoredBytes returns how many bytes an element takes that a vector store writes.
func StoredBytes(op Op) int64 {
	switch op {
	case VStore8, VStore8P:
		return 1
	case VStore16, VStore16P, VStoreHalf:
		return 2
	}
	return 4
}

// masked are the stores of some elements.
var masked = map[Op]Op{VStore: VStoreP, VStore8: VStore8P, VStore16: VStore16P}

func (a *Allocator) rowStore(in Instr) {
	op := Op(in.Imm)
	size := max(StoredBytes(op), in.Imm2)
	some, back := a.m.Label(), a.m.Label()
	to := in.T[G][0]
	checked := in.B == None
	step := StoredBytes(op) * int64(a.t.Lanes)
	args := append([]Reg(nil), in.Args...)
	a.put(Instr{Op: BranchW, Cond: Ne, A: Active, Imm: 1<<32 - 1, Target: some})
	if checked {
		to = in.A
	} else {
		a.branchI(LtS, in.A, 0, in.Target)
		a.branch(GtS, in.A, in.C, in.Target)
		a.op(GAdd, to, in.A, in.B)
	}
	for i, v := range args {
		a.put(Instr{Op: op, A: to, B: v, Imm: int64(i) * step})
	}
	if len(args) == 0 {
		v := in.T[V][0]
		for at := int64(0); at < 32*size; at += step {
			a.opI(VLoad, v, Run, int64(in.More)+at)
			a.put(Instr{Op: VStore, A: to, B: v, Imm: at})
		}
	}
	a.bind(back)
	a.Later(func() {
		a.bind(some)
		r, restore := a.borrow(in.A, in.B, in.C, to)
		if !checked {
			bad := a.m.Label()
			a.ends(r[0], r[1], r[2], in.A, in.C, size, 31*size, bad)
			a.op(GAdd, to, in.A, in.B)
			a.Later(func() {
				a.bind(bad)
				restore()
				a.jump(in.Target)
			})
		}
		if p, ok := masked[op]; ok && !a.t.Lacks[p] && size < 8 {
			restore()
			k := in.T[P][0]
			for i, v := range args {
				a.put(Instr{Op: PFromBits, D: k, A: Active, Imm: int64(i)})
				a.put(Instr{Op: p, A: to, B: v, C: k, Imm: int64(i) * step, T: Temps{V: {in.T[V][0]}}})
			}
			a.jump(back)
			return
		}
		values := int64(a.layout.At + macroValues)
		if size > 8 || len(args) == 0 {
			values = int64(in.More)
		}
		for i, v := range args {
			a.put(Instr{Op: op, A: Run, B: v, Imm: values + int64(i)*step})
		}
		unit := (size | 8) & -(size | 8)
		load, store := elementOps(unit)
		rest, from, value := r[0], r[1], r[2]
		again := a.m.Label()
		a.opI(GMove, rest, Active, 0)
		a.bind(again)
		a.opI(GCtzW, from, rest, 0)
		a.opI(GMul, from, from, size)
		for at := int64(0); at < size; at += unit {
			a.op(GAdd, from, from, Run)
			a.put(Instr{Op: load, D: value, A: from, Imm: values + at})
			a.op(GSub, from, from, Run)
			a.op(GAdd, from, from, to)
			a.put(Instr{Op: store, A: from, B: value, Imm: at})
			a.op(GSub, from, from, to)
		}
		a.opI(GSub, value, rest, 1)
		a.op(GAnd, rest, rest, value)
		a.branchI(Ne, rest, 0, again)
		restore()
		a.jump(back)
	})
}
