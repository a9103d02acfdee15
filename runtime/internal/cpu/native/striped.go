package native

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// Thread memory is striped: the words of all lanes at one offset are side by side.

// stripe returns the address of the words of all lanes at one offset, as a register and some bytes more.
func stripe(a *accesses, in *wide.Instruction, t *target) (from reg, more int64) {
	if p, fixed := a.x.Known[in.A]; fixed && in.C == wide.NoIndex {
		at, size := wide.OffsetOf(p)+in.Imm, int64(t.size)
		if at >= 0 && at+size <= int64(a.x.Objects[t.object].Size) && at%min(size, 8) == 0 {
			t.offset = a.keep(a.number(uint64(at)))
			return a.field(t.object, a.layout.Base), at &^ 3 * width
		}
	}
	a.locate(in, t, in.Imm)
	a.keep(t.offset)
	a.leaveIfI(vcode.LtS, t.offset, 0)
	a.leaveIf(vcode.GtS, t.offset, a.room(t, t.size))
	if t.size > 1 {
		a.emit(vcode.Instr{Op: vcode.BranchTest, A: t.offset, Imm: int64(min(t.size, 8) - 1), Exit: a.exit()})
	}
	words := t.offset
	if t.size < 4 {
		words = a.opI(vcode.GAnd, words, -4)
	}
	at := a.opI(vcode.GShl, words, 5)
	return a.keep(a.op(vcode.GAdd, at, a.field(t.object, a.layout.Base))), 0
}

// loadStriped loads from thread memory.
func loadStriped(a *accesses, in *wide.Instruction, t *target, m *scalarInMemory) {
	if t.form == wide.Uniform {
		at, more := stripe(a, in, t)
		var by reg
		if m.size < 4 {
			by = a.opI(vcode.GShl, a.opI(vcode.GAnd, t.offset, 3), 3)
			by = a.keep(a.op(vcode.VSplat32, by, 0))
		}
		a.queue.addPart(in, func(part int) (made [2]reg) {
			v := a.opI(vcode.VLoad, at, more+int64(part)*int64(a.t.VectorBytes()))
			if by != 0 {
				v = cut(a.lanes, a.op(vcode.VShr, v, by), m)
			}
			if m.shape != nil {
				v = m.shape(a.lanes, v)
			}
			return [2]reg{v}
		})
		return
	}
	if t.form != wide.Varying || m.size != 4 {
		give1(a.lanes, in)
		return
	}
	from, index := stripedIndexes(a, in, t)
	loadParts(a, in, m, func(part int) reg { return a.op3(m.each, from, index[part], a.lanes.active(part)) })
}

// cut makes numbers of the lowest bits of words.
func cut(l *lanes, v reg, m *scalarInMemory) reg {
	n := int64(32 - 8*m.size)
	if m.one == vcode.GLoad8S || m.one == vcode.GLoad16S {
		return l.opI(vcode.VSarI, l.opI(vcode.VShlI, v, n), n)
	}
	return l.op(vcode.VAnd, v, l.word32(1<<(32-n)-1))
}

// loadStriped64 loads longs, whose halves are words apart.
func loadStriped64(a *accesses, in *wide.Instruction, t *target) {
	if t.form != wide.Uniform {
		give1(a.lanes, in)
		return
	}
	at, more := stripe(a, in, t)
	a.queue.addPart(in, func(part int) (made [2]reg) {
		at1 := more + int64(part)*int64(a.t.VectorBytes())
		return longsOf(a.lanes, a.opI(vcode.VLoad, at, at1), a.opI(vcode.VLoad, at, at1+4*width))
	})
}

// stripedIndexes is indexes for words of thread memory.
func stripedIndexes(a *accesses, in *wide.Instruction, t *target) (from reg, list []reg) {
	skewed := *t
	n, at := a.nearTo(nil, in)
	n.low, n.high = at, at+int64(t.size)
	a.scattered(in, &skewed, &n)
	list = n.list
	base := a.field(t.object, a.layout.Base)
	start := a.keep(a.op(vcode.VSplat32, a.op(vcode.GSub, n.from, base), 0))
	bad := make([]reg, a.parts)
	for i := range list {
		list[i] = a.keep(a.op(vcode.VAdd, list[i], start))
		odd := a.op(vcode.VAnd, list[i], a.lanes.word32(3))
		bad[i] = a.keep(a.compare(vcode.VCmp, vcode.Ne, odd, a.lanes.word32(0)))
	}
	a.lanes.leaveIfAny(bad)
	for i := range list {
		list[i] = a.keep(a.op(vcode.VAdd, a.opI(vcode.VShlI, list[i], 5), a.lanes.countingBy(i, 4, false)))
	}
	return base, list
}

// storeStriped stores to thread memory.
func storeStriped(a *accesses, in *wide.Instruction, t *target, m *scalarInMemory) {
	switch {
	case t.form == wide.Uniform && m.size == 4:
		at, more := stripe(a, in, t)
		storeStripe(a.lanes, at, more, a.lanes.all(in.D))
	case t.form == wide.Uniform:
		at, more := stripe(a, in, t)
		by := a.opI(vcode.GShl, a.opI(vcode.GAnd, t.offset, 3), 3)
		by = a.keep(a.op(vcode.VSplat32, by, 0))
		hole := a.keep(a.op(vcode.VShl, a.lanes.word32(1<<(8*m.size)-1), by))
		values := stored(a.lanes, in, m, false)
		for i, v := range values {
			old := a.opI(vcode.VLoad, at, more+int64(i)*int64(a.t.VectorBytes()))
			v = a.op(vcode.VAnd, a.op(vcode.VShl, v, by), hole)
			values[i] = a.keep(a.op(vcode.VOr, a.op(vcode.VAndNot, old, hole), v))
		}
		storeStripe(a.lanes, at, more, values)
	case t.form == wide.Varying && m.size == 4:
		from, index := stripedIndexes(a, in, t)
		scatter(a.lanes, from, index, a.lanes.all(in.D), 4)
	default:
		a.give()
	}
}

// storeStripe stores words of all lanes.
func storeStripe(l *lanes, at reg, more int64, values []reg) {
	if more != 0 {
		at = l.keep(l.opI(vcode.GAdd, at, more))
	}
	l.emit(vcode.Instr{Op: vcode.RowStore, A: at, Imm: int64(vcode.VStore), Args: values})
}

// storeStriped64 stores longs, whose halves are words apart.
func storeStriped64(a *accesses, in *wide.Instruction, t *target) {
	if t.form != wide.Uniform {
		a.give()
		return
	}
	at, more := stripe(a, in, t)
	for half := range int64(2) {
		values := make([]reg, a.parts)
		for i := range values {
			x, y := a.lanes.now(in.D, 2*i), a.lanes.now(in.D, 2*i+1)
			if half == 1 {
				x, y = a.opI(vcode.VShrQI, x, 32), a.opI(vcode.VShrQI, y, 32)
			}
			values[i] = a.keep(a.op(vcode.VNarrow, x, y))
		}
		storeStripe(a.lanes, at, more+4*width*half, values)
	}
}

// clearObject sets the memory of all lanes to zero, active or not.
func clearObject(a *accesses, in *wide.Instruction) {
	n := int32(a.lanes.kind(in.A).Object)
	if n <= 0 || !a.x.Objects[n].Striped {
		a.give()
		return
	}
	a.forgetObject(n)
	if size := int64(a.x.Objects[n].Size+7) &^ 7 * width; size > 0 {
		a.emit(vcode.Instr{Op: vcode.Fill, A: a.field(n, a.layout.Base), B: a.lanes.word32(0), Imm: size})
	}
}
