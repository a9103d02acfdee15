package native

import (
	"maps"
	"slices"

	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// near is what is known of accesses that differ in their Imm alone, in one block: the first one checks for all, and
// those of less than a word share the words that they are in.
type near struct {
	pointer, index int32 // registers
	kind, scale    int32
	size           int32
	summed         bool     // the index may be a part of that of an access
	slots          [2]int32 // of pointer and index

	low, high int64  // bytes that have been checked, as an Imm counts them
	from      reg    // the address of low, for the first lane or all
	list      []reg  // how many bytes the lanes are away from there, by part
	placed    bool   // they may turn out to be side by side
	rows      bool   // from is that of a row, or of a copy
	apart     *apart // where the lanes have some words each, one after the other
	words     map[int64]func(part int) reg
	pairs     map[int64][]reg // two words of each lane, in vectors of longs
}

// What bounds the search for accesses that share a check.
const (
	maxAhead  = 64   // instructions
	maxSpread = 4096 // bytes
)

// sums says which registers are others and a number, at a point of a block.
type sums map[int32]sumOf

type sumOf struct {
	at     int32 // a register
	number int64
}

// step notes what an instruction does.
func (s sums) step(l *lowering, in *wide.Instruction) {
	sum, ok := sumOf{}, false
	if c, known := l.Known[in.B]; known && (in.Op == wide.AddWord || in.Op == wide.SubWord) {
		sum, ok = sumOf{in.A, int64(int32(c))}, in.D != in.A
		if in.Op == wide.SubWord {
			sum.number = -sum.number
		}
		if of, more := s[in.A]; more {
			sum, ok = sumOf{of.at, sum.number + of.number}, in.D != of.at
		}
	}
	for made := range operations[in.Op].Results(in) {
		delete(s, made.At)
		for other, of := range s {
			if of.at == made.At {
				delete(s, other)
			}
		}
	}
	if ok && max(sum.number, -sum.number) < maxSpread && len(s) < maxAhead {
		s[in.D] = sum
	}
}

// nearTo returns what an access is near to, and the bytes that it is away from there. The index may be the sum of a
// register and a number: where it wraps around, the access is not inside.
func (l *lowering) nearTo(s sums, in *wide.Instruction) (n near, at int64) {
	n = near{pointer: in.A, kind: in.C, size: in.Op.Bytes(), slots: [2]int32{l.slotOf(in.A), -1}}
	at = in.Imm
	if in.C == wide.NoIndex {
		return n, at
	}
	n.index, n.scale = in.B, in.Target
	if p, fixed := l.Known[in.A]; fixed && in.C != wide.LongIndex {
		from := wide.OffsetOf(p) + in.Imm
		if of, ok := s[in.B]; ok && (in.C == wide.IntIndex || from >= 0 && from < int64(in.Target)) {
			n.index, n.summed = of.at, true
			at += of.number * int64(in.Target)
		}
	}
	n.slots[1] = l.slotOf(n.index)
	return n, at
}

// isLike reports whether accesses are near to the same.
func (n *near) isLike(o *near) bool {
	return n.pointer == o.pointer && n.index == o.index && n.kind == o.kind && n.scale == o.scale && n.size == o.size
}

// nearOf returns what has been checked for an access and those near it, or nil, and which Imm it has there.
func (l *lowering) nearOf(in *wide.Instruction) (n *near, at int64) {
	like, at := l.nearTo(l.cache.sums, in)
	for _, n := range l.cache.near {
		size := int64(n.size)
		if n.isLike(&like) && (n.summed || !like.summed) && at >= n.low && at+size <= n.high && (at-n.low)%size == 0 {
			return n, at
		}
	}
	return nil, at
}

// ahead returns which bytes an access and those near it reach, that come in the same block.
func (l *lowering) ahead(in *wide.Instruction) *near {
	n, at := l.nearTo(l.cache.sums, in)
	n.low, n.high = at, at+int64(n.size)
	s := maps.Clone(l.cache.sums)
	for pc := l.pc; pc < min(l.pc+maxAhead, l.end); pc++ {
		other := &l.Code[pc]
		op := &operations[other.Op]
		if op.Flow || op.Foreign {
			break
		}
		if op.Access && other.Op.Bytes() == n.size {
			if like, there := l.nearTo(s, other); n.isLike(&like) && (there-at)%int64(n.size) == 0 {
				low, high := min(n.low, there), max(n.high, there+int64(n.size))
				if high-low <= maxSpread {
					n.low, n.high, n.summed = low, high, n.summed || like.summed
				}
			}
		}
		for made := range op.Results(other) {
			if made.At == n.pointer || made.At == n.index && n.kind != wide.NoIndex {
				return &n
			}
		}
		s.step(l, other)
	}
	return &n
}

// remember keeps what has been checked as long as it holds.
func (l *lowering) remember(n *near) {
	l.cache.near = append(l.cache.near, n)
	l.keep(n.from)
}

// farFrom forgets what has been checked for a register that changes.
func (c *caches) farFrom(slot int32) {
	c.near = slices.DeleteFunc(c.near, func(n *near) bool { return n.slots[0] == slot || n.slots[1] == slot })
}

// forgetWords forgets what has been loaded from memory.
func (c *caches) forgetWords() {
	rest := c.near[:0]
	for _, n := range c.near {
		if n.words, n.pairs = nil, nil; !n.rows {
			rest = append(rest, n)
		}
	}
	c.near = rest
}

// address returns the address that an Imm stands for.
func (l *lowering) address(n *near, imm int64) reg {
	if imm == n.low {
		return n.from
	}
	return l.keep(l.opI(vcode.GAdd, n.from, imm-n.low))
}

// narrow returns what loads less than a word from the word that it is in, together with those beside it, or nil where
// there are none.
func (l *lowering) narrow(imm int64, n *near, m *scalarInMemory) func(part int) reg {
	if m.size >= 4 || n.high-n.low < 4 && n.apart == nil {
		return nil
	}
	at := n.low + (imm-n.low)&^3
	if n.apart == nil {
		at = min(at, n.high-4) // the last word ends where the last access does
	}
	by, most := 8*(imm-at), int64(32-8*m.size)
	load := n.words[at]
	if load == nil {
		load = l.wordsAt(n, at)
		n.words[at] = load
	}
	return func(part int) reg {
		v := load(part)
		if m.one == vcode.GLoad8S || m.one == vcode.GLoad16S {
			if by < most {
				v = l.opI(vcode.VShlI, v, most-by)
			}
			return l.opI(vcode.VSarI, v, most)
		}
		if by > 0 {
			v = l.opI(vcode.VShrI, v, by)
		}
		if by < most {
			v = l.op(vcode.VAnd, v, l.word32(1<<(32-most)-1))
		}
		return v
	}
}

// wordsAt returns what loads a part of words that an Imm stands for, once.
func (l *lowering) wordsAt(n *near, imm int64) func(part int) reg {
	if n.words == nil {
		n.words = map[int64]func(part int) reg{}
	}
	load := func(part int) reg { return l.hidden(n.apart.word(part, imm-n.low), part) }
	if n.apart == nil {
		from := l.address(n, imm)
		load = func(part int) reg { return l.op3(vcode.VGather32, from, n.list[part], l.active(part)) }
	}
	words := make([]reg, l.parts)
	return func(part int) reg {
		if words[part] == 0 {
			words[part] = l.keep(load(part))
		}
		return words[part]
	}
}

// paired returns what loads words that an Imm stands for together with those beside them, or nil where there are none.
func (l *lowering) paired(imm int64, n *near, m *scalarInMemory) func(part int) reg {
	first := n.low + (imm-n.low)&^7
	if m.size != 4 || first+8 > n.high {
		return nil
	}
	if n.pairs == nil {
		n.pairs = map[int64][]reg{}
	}
	pairs, from := n.pairs[first], reg(0)
	if pairs == nil {
		pairs, from = make([]reg, 2*l.parts), l.address(n, first)
		n.pairs[first] = pairs
	}
	return func(part int) reg {
		for i := 2 * part; i < 2*part+2; i++ {
			if pairs[i] == 0 {
				pairs[i] = l.keep(l.make(vcode.Instr{
					Op: vcode.VGather64, A: from, B: n.list[part], C: l.activeLongs(i), Imm: int64(i & 1),
				}))
			}
		}
		return l.make(vcode.Instr{Op: vcode.VNarrow, A: pairs[2*part], B: pairs[2*part+1], Imm: (imm - first) / 4})
	}
}

// storesWord reports whether an instruction and those after it store all parts of a word, the first one first.
func (l *lowering) storesWord(in *wide.Instruction, m *scalarInMemory) bool {
	same := func(o *wide.Instruction) bool {
		return o.Op == in.Op && o.A == in.A && o.C == in.C && (o.C == wide.NoIndex || o.B == in.B && o.Target == in.Target)
	}
	for i := range 4 / m.size {
		pc := l.pc + i
		if pc >= l.end {
			return false
		}
		other := &l.Code[pc]
		if !same(other) || other.Imm != in.Imm+int64(i*m.size) {
			return false
		}
	}
	return true
}

// storeWord writes the stores of all parts of a word as one.
func (l *lowering) storeWord(in *wide.Instruction, t *target, m *scalarInMemory) {
	count := 4 / m.size
	values := make([]reg, l.parts)
	for i := range count {
		for part, v := range l.stored(&l.Code[l.pc+i], m, false) {
			if i+1 < count && m.unshape == nil {
				v = l.op(vcode.VAnd, v, l.word32(1<<(8*m.size)-1))
			}
			if i > 0 {
				v = l.op(vcode.VOr, values[part], l.opI(vcode.VShlI, v, int64(8*i*m.size)))
			}
			values[part] = l.keep(v)
		}
	}
	l.written = l.pc + count
	if t.form == wide.Linear && t.step == 4 {
		l.locate(in, t, in.Imm)
		l.keep(t.offset)
		l.checkAligned(t)
		l.emit(vcode.Instr{
			Op: vcode.RowStore, A: t.offset, B: l.field(t.object, l.layout.Object.Base), C: l.room(t, width*4),
			Imm: int64(vcode.VStore), Args: values, Exit: l.exit(),
		})
		return
	}
	n, at := l.nearIndexes(in, t)
	l.scatter(l.address(n, at), n.list, values, 4)
}

// roomFor returns the greatest offset at which all of the accesses are inside. Indexes that are sums have not wrapped
// around there.
func (l *lowering) roomFor(t *target, n *near) reg {
	r := l.room(t, int32(n.high-n.low))
	if !n.summed || n.scale >= 4 {
		return r
	}
	limit := l.number(1<<31 - 1 - maxSpread)
	return l.op3(vcode.GPick, limit, r, l.compare(vcode.GSet, vcode.GtS, r, limit))
}
