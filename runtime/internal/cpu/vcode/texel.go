package vcode

import "math/bits"

// Texels of a row of a texture, one for each lane, are read and written where they are, if the texture has all of them,
// and else by way of a copy.
//
//	TexelRow      D = the address of texels of Imm bytes: A, that of the first lane's. B is its number in the row, and C
//	              how many texels the row has. If it lacks those of some lanes, D is Imm2 of the Run, where there is a
//	              copy, with zeros for texels that are not in the row. To write, where More is set, D is A only if all
//	              lanes are active, and nothing is copied.
//	TexelsOut     what has been written to Args[0], of a TexelRow with the same operands, is copied to the row if that is
//	              a copy: for the active lanes with a texel in the row.
//	TexelScatter  texels of Imm bytes, side by side at Imm2 of the Run, to A + the words at More of the Run, for the
//	              lanes whose bits B has, the last one last.

// maxPiece bounds the bytes that are moved at once.
const maxPiece = 8

func texelRow(a *Allocator, in Instr) {
	cold, back := a.m.Label(), a.m.Label()
	last := in.T[G][0]
	a.opI(GAdd, last, in.C, -32)
	a.branch(GtS, in.B, last, cold)
	if in.More != 0 {
		a.put(Instr{Op: BranchW, Cond: Ne, A: Active, Imm: 1<<32 - 1, Target: cold})
	}
	if in.D != in.A {
		a.opI(GMove, in.D, in.A, 0)
	}
	a.bind(back)
	a.Later(func() {
		a.bind(cold)
		if in.More == 0 {
			copyTexels(a, in)
		}
		a.opI(GAdd, in.D, Run, in.Imm2)
		a.jump(back)
	})
}

// copyTexels copies what there is of a row.
func copyTexels(a *Allocator, in Instr) {
	r, restore := a.borrow(in.A, in.B, in.C, in.D)
	at, number, value := r[0], r[1], r[2]
	piece := min(in.Imm, maxPiece)
	load, store := elementOps(piece)
	again, outside := a.m.Label(), a.m.Label()
	a.opI(GConst, at, None, 0)
	a.bind(again)
	a.opI(GShr, number, at, shiftOf(in.Imm))
	a.op(GAddW, number, number, in.B)
	a.opI(GConst, value, None, 0)
	a.branch(GeU, number, in.C, outside)
	a.op(GAdd, value, at, in.A)
	a.put(Instr{Op: load, D: value, A: value})
	a.bind(outside)
	a.op(GAdd, at, at, Run)
	a.put(Instr{Op: store, A: at, B: value, Imm: in.Imm2})
	a.op(GSub, at, at, Run)
	a.opI(GAdd, at, at, piece)
	a.branchI(LtS, at, 32*in.Imm, again)
	restore()
}

// shiftOf returns by how much a power of 2 shifts.
func shiftOf(n int64) int64 { return int64(bits.TrailingZeros64(uint64(n))) }

func texelsOut(a *Allocator, in Instr) {
	cold, back := a.m.Label(), a.m.Label()
	a.branch(Ne, in.A, in.Args[0], cold)
	a.bind(back)
	a.Later(func() {
		a.bind(cold)
		r, restore := a.borrow(in.A, in.B, in.C)
		rest, at, value := r[0], r[1], r[2]
		again, outside := a.m.Label(), a.m.Label()
		a.opI(GMove, rest, Active, 0)
		a.bind(again)
		a.opI(GCtzW, at, rest, 0)
		a.op(GAddW, value, at, in.B)
		a.branch(GeU, value, in.C, outside)
		a.opI(GShl, at, at, shiftOf(in.Imm))
		moveTexel(a, &in, at, at, value)
		a.bind(outside)
		a.opI(GSub, value, rest, 1)
		a.op(GAnd, rest, rest, value)
		a.branchI(Ne, rest, 0, again)
		restore()
		a.jump(back)
	})
}

// moveTexel moves a texel that is at Imm2 of the Run and some bytes more to A and some more. Both may be the same
// register.
func moveTexel(a *Allocator, in *Instr, from, to, value Reg) {
	piece := min(in.Imm, maxPiece)
	load, store := elementOps(piece)
	for at := int64(0); at < in.Imm; at += piece {
		a.op(GAdd, from, from, Run)
		a.put(Instr{Op: load, D: value, A: from, Imm: in.Imm2 + at})
		a.op(GSub, from, from, Run)
		a.op(GAdd, to, to, in.A)
		a.put(Instr{Op: store, A: to, B: value, Imm: at})
		a.op(GSub, to, to, in.A)
	}
}

func texelScatter(a *Allocator, in Instr) {
	rest, from, to := in.T[G][0], in.T[G][1], in.T[G][2]
	again, done := a.m.Label(), a.m.Label()
	a.opI(GMove, rest, in.B, 0)
	a.branchI(Eq, rest, 0, done)
	r, restore := a.borrow(in.A, rest, from, to)
	value := r[0]
	a.bind(again)
	a.opI(GCtzW, from, rest, 0)
	a.opI(GShl, from, from, 2)
	a.op(GAdd, from, from, Run)
	a.put(Instr{Op: GLoad32, D: to, A: from, Imm: int64(in.More)})
	a.op(GSub, from, from, Run)
	a.opI(GShl, from, from, shiftOf(in.Imm))
	a.opI(GShr, from, from, 2)
	moveTexel(a, &in, from, to, value)
	a.opI(GSub, value, rest, 1)
	a.op(GAnd, rest, rest, value)
	a.branchI(Ne, rest, 0, again)
	restore()
	a.bind(done)
}
