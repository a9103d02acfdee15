package native

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// narrow returns what loads less than a word from the word that it is in, together with those beside it, or nil where
// there are none.
func narrow(a *accesses, imm int64, n *near, m *scalarInMemory) func(part int) reg {
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
		load = wordsAt(a, n, at)
		n.words[at] = load
	}
	return func(part int) reg {
		v := load(part)
		if m.one == vcode.GLoad8S || m.one == vcode.GLoad16S {
			if by < most {
				v = a.opI(vcode.VShlI, v, most-by)
			}
			return a.opI(vcode.VSarI, v, most)
		}
		if by > 0 {
			v = a.opI(vcode.VShrI, v, by)
		}
		if by < most {
			v = a.op(vcode.VAnd, v, a.lanes.word32(1<<(32-most)-1))
		}
		return v
	}
}

// wordsAt returns what loads a part of words that an Imm stands for, once.
func wordsAt(a *accesses, n *near, imm int64) func(part int) reg {
	if n.words == nil {
		n.words = map[int64]func(part int) reg{}
	}
	load := func(part int) reg { return hidden(a.lanes, n.apart.word(part, imm-n.low), part) }
	if n.apart == nil {
		load = gathered(a, vcode.VGather32, n, imm)
	}
	words := make([]reg, a.parts)
	return func(part int) reg {
		if words[part] == 0 {
			words[part] = a.keep(load(part))
		}
		return words[part]
	}
}

// paired returns what loads the words of an Imm together with their neighbours. It returns nil if they have none.
func paired(a *accesses, imm int64, n *near, m *scalarInMemory) func(part int) reg {
	first := n.low + (imm-n.low)&^7
	if m.size != 4 || first+8 > n.high || n.tile.from != 0 {
		return nil
	}
	if n.pairs == nil {
		n.pairs = map[int64][]reg{}
	}
	pairs, from := n.pairs[first], reg(0)
	if pairs == nil {
		pairs, from = make([]reg, 2*a.parts), a.address(n, first)
		n.pairs[first] = pairs
	}
	return func(part int) reg {
		for i := 2 * part; i < 2*part+2; i++ {
			if pairs[i] == 0 {
				pairs[i] = a.keep(a.make(vcode.Instr{
					Op: vcode.VGather64, A: from, B: n.list[part], C: a.lanes.activeLongs(i), Imm: int64(i & 1),
				}))
			}
		}
		return a.make(vcode.Instr{Op: vcode.VNarrow, A: pairs[2*part], B: pairs[2*part+1], Imm: (imm - first) / 4})
	}
}

// storesAll reports whether an instruction and those after it store so many numbers in a row, the first one first.
func storesAll(a *accesses, in *wide.Instruction, count, size int32) bool {
	same := func(o *wide.Instruction) bool {
		return o.Op == in.Op && o.A == in.A && o.C == in.C && (o.C == wide.NoIndex || o.B == in.B && o.Target == in.Target)
	}
	for i := range count {
		pc := a.pc + i
		if pc >= a.end {
			return false
		}
		other := &a.x.Code[pc]
		if !same(other) || other.Imm != in.Imm+int64(i*size) {
			return false
		}
	}
	return true
}

// wordsApart reports whether the words of an access do not overlap from lane to lane, unless they are the same.
func (a *addresses) wordsApart(in *wide.Instruction, t *target) bool {
	if t.form == wide.Linear {
		return max(t.step, -t.step) >= 4
	}
	at, fixed := in.A, a.lanes.kind(in.A).Form == wide.Uniform
	whole := in.C == wide.NoIndex || in.Target%4 == 0
	for pc := a.pc - 1; whole && !fixed; pc-- {
		if pc < 0 || a.x.BlockAt[pc+1] != 0 {
			return false
		}
		move := &a.x.Code[pc]
		for made := range wide.Infos[move.Op].Results(move) {
			if made.At == at {
				whole = move.Op >= wide.AddPointerInt && move.Op <= wide.AddPointerLong && move.Imm%4 == 0
				whole = whole && (!move.Masked || a.x.Plain[pc])
				at = move.A
				_, fixed = a.x.Known[at]
			}
		}
	}
	return whole
}

// storeWord writes the stores of all parts of a word as one.
func storeWord(a *accesses, in *wide.Instruction, t *target, m *scalarInMemory) {
	values := storedWords(a, a.pc, m)
	a.written = a.pc + 4/m.size
	if n, at := a.nearOf(in); n != nil && at+4 > n.high { // only a part of the word has been checked
		a.near = a.near[:0]
	}
	n, at := a.nearIndexes(in, t)
	scatterTo(a, t, a.address(n, at), n, values, 4)
}

// storedWords returns words of what an instruction and those after it store.
func storedWords(a *accesses, pc int32, m *scalarInMemory) []reg {
	count := 4 / m.size
	values := make([]reg, a.parts)
	for i := range count {
		for part, v := range stored(a.lanes, &a.x.Code[pc+i], m, false) {
			if i+1 < count && m.unshape == nil {
				v = a.op(vcode.VAnd, v, a.lanes.word32(1<<(8*m.size)-1))
			}
			if i > 0 {
				v = a.op(vcode.VOr, values[part], a.opI(vcode.VShlI, v, int64(8*i*m.size)))
			}
			values[part] = a.keep(v)
		}
	}
	return values
}
