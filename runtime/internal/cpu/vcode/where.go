package vcode

// LanesWhere compares numbers that count up from lane to lane with one number. Mostly all lanes hold, or none is equal.

const allLanes = 1<<32 - 1

func lanesWhere(a *Allocator, in Instr) {
	if in.Cond == Eq {
		laneThatIs(a, in)
		return
	}
	cold, back := a.m.Label(), a.m.Label()
	x, n := in.T[G][0], in.T[G][1]
	extend, end := GExtU32, int64(1<<32)
	if in.Cond == LtS || in.Cond == LeS {
		extend, end = GExtS32, 1<<31
	}
	a.op(extend, x, in.A, None)
	a.op(extend, n, in.B, None)
	a.op(GSub, n, n, x)
	if in.Cond == LeS || in.Cond == LeU {
		a.opI(GAdd, n, n, 1)
	}
	a.branchI(LtS, n, 32, cold)
	a.opI(GConst, in.D, None, allLanes^in.Imm)
	a.bind(back)
	a.Later(func() {
		a.bind(cold)
		r, restore := a.borrow(x, n)
		lanes, wrapped, number := r[0], r[1], r[2]
		none := a.m.Label()
		firstLanes(a, lanes, n, number)
		a.opI(GConst, number, None, end)
		a.op(GSub, x, number, x)
		a.branchI(GeS, x, 32, none)
		// The last lanes wrap around. Their numbers are 1<<32 less.
		a.opI(GConst, number, None, 1<<32)
		a.op(GAdd, n, n, number)
		firstLanes(a, wrapped, n, number)
		firstLanes(a, n, x, number)
		a.op(GAndNot, wrapped, wrapped, n)
		a.op(GOr, lanes, lanes, wrapped)
		a.bind(none)
		a.opI(GXor, x, lanes, in.Imm)
		restore()
		a.opI(GMove, in.D, x, 0)
		a.jump(back)
	})
}

// firstLanes makes d the bits of the first n lanes.
func firstLanes(a *Allocator, d, n, one Reg) {
	done := a.m.Label()
	a.opI(GConst, d, None, 0)
	a.branchI(LeS, n, 0, done)
	a.opI(GConst, d, None, allLanes)
	a.branchI(GeS, n, 32, done)
	a.opI(GConst, one, None, 1)
	a.op(GShl, d, one, n)
	a.opI(GSub, d, d, 1)
	a.bind(done)
}

func laneThatIs(a *Allocator, in Instr) {
	cold, back := a.m.Label(), a.m.Label()
	bit, n := in.T[G][0], in.T[G][1]
	a.op(GSubW, n, in.B, in.A)
	a.branchI(LtU, n, 32, cold)
	a.opI(GConst, in.D, None, in.Imm)
	a.bind(back)
	a.Later(func() {
		a.bind(cold)
		a.opI(GConst, bit, None, 1)
		a.op(GShl, bit, bit, n)
		a.opI(GXor, in.D, bit, in.Imm)
		a.jump(back)
	})
}
