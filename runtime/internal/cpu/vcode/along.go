package vcode

import "math/bits"

// Lanes that store along a line, each some bytes after the one before: ScatterAlong.

// movesOf are the instructions that move an element of a vector to memory, where it has so many bytes.
func movesOf(size int64) (load, store Op) {
	load, _ = elementOps(max(size, 4))
	_, store = elementOps(size)
	return load, store
}

func scatterAlong(a *Allocator, in Instr) {
	const together = 8 // lanes
	each := max(in.Imm, 4)
	load, store := movesOf(in.Imm)
	from, to, value := in.T[G][0], in.T[G][1], in.T[G][2]
	some, again, back := a.m.Label(), a.m.Label(), a.m.Label()
	a.put(Instr{Op: BranchW, Cond: Ne, A: Active, Imm: 1<<32 - 1, Target: some})
	a.opI(GMove, from, Run, 0)
	a.opI(GMove, to, in.A, 0)
	a.bind(again)
	for lane := range int64(together) {
		a.opI(load, value, from, a.placeOfArg(in.Op, 0)+lane*each)
		if in.C == None {
			a.put(Instr{Op: store, A: to, B: value, Imm: lane * in.Imm2})
			continue
		}
		a.put(Instr{Op: store, A: to, B: value})
		a.op(GAdd, to, to, in.C)
	}
	if in.C == None {
		a.opI(GAdd, to, to, together*in.Imm2)
	}
	a.opI(GAdd, from, from, together*each)
	a.op(GSub, value, from, Run)
	a.branchI(LtU, value, 32*each, again)
	a.bind(back)
	a.Later(func() {
		a.bind(some)
		activeAlong(a, &in)
		a.jump(back)
	})
}

// activeAlong is ScatterAlong for the active lanes, one after the other.
func activeAlong(a *Allocator, in *Instr) {
	load, store := movesOf(in.Imm)
	rest, from, to := in.T[G][0], in.T[G][1], in.T[G][2]
	eachActive(a, rest, from, func() {
		if in.C == None {
			a.opI(GMul, to, from, in.Imm2)
		} else {
			a.op(GMul, to, from, in.C)
		}
		a.op(GAdd, to, to, in.A)
		a.opI(GShl, from, from, int64(bits.Len64(uint64(max(in.Imm, 4)))-1))
		a.op(GAdd, from, from, Run)
		a.opI(load, from, from, int64(a.layout.At+macroValues))
		a.put(Instr{Op: store, A: to, B: from})
	})
}
