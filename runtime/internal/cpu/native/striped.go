package native

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// Thread memory is striped: the words of all lanes at one offset are side by side.

// stripe returns the address of the words of all lanes at one offset, as a register and some bytes more.
func (l *lowering) stripe(in *wide.Instruction, t *target) (from reg, more int64) {
	if p, fixed := l.Known[in.A]; fixed && in.C == wide.NoIndex {
		at, size := wide.OffsetOf(p)+in.Imm, int64(t.size)
		if at >= 0 && at+size <= int64(l.Objects[t.object].Size) && at%min(size, 8) == 0 {
			t.offset = l.keep(l.number(uint64(at)))
			return l.field(t.object, l.layout.Object.Base), at &^ 3 * width
		}
	}
	l.locate(in, t, in.Imm)
	l.keep(t.offset)
	l.leaveIfI(vcode.LtS, t.offset, 0)
	l.leaveIf(vcode.GtS, t.offset, l.room(t, t.size))
	if t.size > 1 {
		l.emit(vcode.Instr{Op: vcode.BranchTest, A: t.offset, Imm: int64(min(t.size, 8) - 1), Exit: l.exit()})
	}
	words := t.offset
	if t.size < 4 {
		words = l.opI(vcode.GAnd, words, -4)
	}
	at := l.opI(vcode.GShl, words, 5)
	return l.keep(l.op(vcode.GAdd, at, l.field(t.object, l.layout.Object.Base))), 0
}

// loadStriped loads from thread memory.
func (l *lowering) loadStriped(in *wide.Instruction, t *target, m *scalarInMemory) {
	if t.form == wide.Uniform {
		at, more := l.stripe(in, t)
		var by reg
		if m.size < 4 {
			by = l.opI(vcode.GShl, l.opI(vcode.GAnd, t.offset, 3), 3)
			by = l.keep(l.op(vcode.VSplat32, by, 0))
		}
		l.enqueuePart(in, func(part int) (made [2]reg) {
			v := l.opI(vcode.VLoad, at, more+int64(part)*int64(l.t.VectorBytes()))
			if by != 0 {
				v = l.cut(l.op(vcode.VShr, v, by), m)
			}
			if m.shape != nil {
				v = m.shape(l, v)
			}
			return [2]reg{v}
		})
		return
	}
	if t.form != wide.Varying || m.size != 4 {
		give1(l, in)
		return
	}
	from, index := l.stripedIndexes(in, t)
	l.gather(in, m, from, index)
}

// cut makes numbers of the lowest bits of words.
func (l *lowering) cut(v reg, m *scalarInMemory) reg {
	n := int64(32 - 8*m.size)
	if m.one == vcode.GLoad8S || m.one == vcode.GLoad16S {
		return l.opI(vcode.VSarI, l.opI(vcode.VShlI, v, n), n)
	}
	return l.op(vcode.VAnd, v, l.word32(1<<(32-n)-1))
}

// loadStriped64 loads longs, whose halves are words apart.
func (l *lowering) loadStriped64(in *wide.Instruction, t *target) {
	if t.form != wide.Uniform {
		give1(l, in)
		return
	}
	at, more := l.stripe(in, t)
	l.enqueuePart(in, func(part int) (made [2]reg) {
		at1 := more + int64(part)*int64(l.t.VectorBytes())
		return l.longsOf(l.opI(vcode.VLoad, at, at1), l.opI(vcode.VLoad, at, at1+4*width))
	})
}

// stripedIndexes is indexes for words of thread memory.
func (l *lowering) stripedIndexes(in *wide.Instruction, t *target) (from reg, list []reg) {
	skewed := *t
	n, at := l.nearTo(nil, in)
	n.low, n.high = at, at+int64(t.size)
	l.scattered(in, &skewed, &n)
	list = n.list
	base := l.field(t.object, l.layout.Object.Base)
	start := l.keep(l.op(vcode.VSplat32, l.op(vcode.GSub, n.from, base), 0))
	bad := make([]reg, l.parts)
	for i := range list {
		list[i] = l.keep(l.op(vcode.VAdd, list[i], start))
		odd := l.op(vcode.VAnd, list[i], l.word32(3))
		bad[i] = l.keep(l.compare(vcode.VCmp, vcode.Ne, odd, l.word32(0)))
	}
	l.leaveIfAny(bad)
	for i := range list {
		list[i] = l.keep(l.op(vcode.VAdd, l.opI(vcode.VShlI, list[i], 5), l.countingBy(i, 4, false)))
	}
	return base, list
}

// storeStriped stores to thread memory.
func (l *lowering) storeStriped(in *wide.Instruction, t *target, m *scalarInMemory) {
	switch {
	case t.form == wide.Uniform && m.size == 4:
		at, more := l.stripe(in, t)
		l.storeStripe(at, more, l.all(in.D))
	case t.form == wide.Uniform:
		at, more := l.stripe(in, t)
		by := l.opI(vcode.GShl, l.opI(vcode.GAnd, t.offset, 3), 3)
		by = l.keep(l.op(vcode.VSplat32, by, 0))
		hole := l.keep(l.op(vcode.VShl, l.word32(1<<(8*m.size)-1), by))
		values := l.stored(in, m, false)
		for i, v := range values {
			old := l.opI(vcode.VLoad, at, more+int64(i)*int64(l.t.VectorBytes()))
			v = l.op(vcode.VAnd, l.op(vcode.VShl, v, by), hole)
			values[i] = l.keep(l.op(vcode.VOr, l.op(vcode.VAndNot, old, hole), v))
		}
		l.storeStripe(at, more, values)
	case t.form == wide.Varying && m.size == 4:
		from, index := l.stripedIndexes(in, t)
		l.scatter(from, index, l.all(in.D), 4)
	default:
		l.give()
	}
}

// storeStripe stores words of all lanes.
func (l *lowering) storeStripe(at reg, more int64, values []reg) {
	if more != 0 {
		at = l.keep(l.opI(vcode.GAdd, at, more))
	}
	l.emit(vcode.Instr{Op: vcode.RowStore, A: at, Imm: int64(vcode.VStore), Args: values})
}

// storeStriped64 stores longs, whose halves are words apart.
func (l *lowering) storeStriped64(in *wide.Instruction, t *target) {
	if t.form != wide.Uniform {
		l.give()
		return
	}
	at, more := l.stripe(in, t)
	for half := range int64(2) {
		values := make([]reg, l.parts)
		for i := range values {
			x, y := l.now(in.D, 2*i), l.now(in.D, 2*i+1)
			if half == 1 {
				x, y = l.opI(vcode.VShrQI, x, 32), l.opI(vcode.VShrQI, y, 32)
			}
			values[i] = l.keep(l.op(vcode.VNarrow, x, y))
		}
		l.storeStripe(at, more+4*width*half, values)
	}
}
