package vcode

// below makes the bits of the lanes that are less than a number, or as large at most, where they count up by one:
// mostly all of them, some of the first ones, or none.
func (a *Allocator) below(in Instr) {
	some, none, rare, back := a.m.Label(), a.m.Label(), a.m.Label(), a.m.Label()
	last, more, wraps := in.T[G][0], int64(0), LtU
	if in.Cond == LeS || in.Cond == LeU {
		more = 1
	}
	if in.Cond == LtS || in.Cond == LeS {
		wraps = LtS
	}
	branch := func(c Cond, x, y Reg, to Label) { a.put(Instr{Op: BranchW, Cond: c, A: x, B: y, Target: to}) }
	a.opI(GAddW, last, in.A, 31)
	branch(wraps, last, in.A, rare)
	branch(in.Cond.Not(), last, in.B, some)
	a.opI(GConst, in.D, None, 1<<32-1)
	a.bind(back)
	a.Later(func() {
		a.bind(some)
		branch(in.Cond.Not(), in.A, in.B, none)
		a.op(GSubW, last, in.B, in.A)
		a.opI(GAddW, last, last, more)
		a.opI(GConst, in.D, None, 1)
		a.op(GShlW, in.D, in.D, last)
		a.opI(GSub, in.D, in.D, 1)
		a.jump(back)
		a.bind(none)
		a.opI(GConst, in.D, None, 0)
		a.jump(back)

		a.bind(rare)
		r, restore := a.borrow(in.A, in.B, in.D, last)
		value, bit, bits, again, not := r[0], r[1], r[2], a.m.Label(), a.m.Label()
		a.opI(GMove, value, in.A, 0)
		a.opI(GConst, bit, None, 1)
		a.opI(GConst, bits, None, 0)
		a.bind(again)
		branch(in.Cond.Not(), value, in.B, not)
		a.op(GOr, bits, bits, bit)
		a.bind(not)
		a.opI(GAddW, value, value, 1)
		a.opI(GShlW, bit, bit, 1)
		a.branchI(Ne, bit, 0, again)
		a.opI(GMove, last, bits, 0)
		restore()
		a.opI(GMove, in.D, last, 0)
		a.jump(back)
	})
}
