package native

import (
	"math/bits"

	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// Lanes that read the elements of a struct, or some numbers in a row, are a few words apart. All words are loaded as
// rows. Two vectors become one with every second word, two of these become one again, and so on.

// maxApart bounds how many words lanes are apart.
const maxApart = 16

// apart is memory where each lane reads some words. Those of the next lane are a fixed number of words later.
type apart struct {
	l     *lanes
	from  reg // the address of the first lane
	words int // a power of 2, or 0
	made  map[node]reg
	packed
}

// node is a vector of the words of a part which, divided by 1<<level, leave a remainder: the j-th of them, some steps
// after the first lane. Those at level 0 are in memory, and the last level has one.
type node struct{ part, steps, level, remainder, j int }

// loadApart returns what loads a part of the lanes, or nil where they are not a few words apart.
func loadApart(a *accesses, in *wide.Instruction, t *target, m *scalarInMemory) func(part int) reg {
	if m.size > 4 || t.form != wide.Linear || t.step <= m.size || t.step > 4*maxApart || t.step%m.size != 0 {
		return nil
	}
	packs := t.step < 4 || t.step&(t.step-1) != 0
	n, at := a.nearOf(in)
	if n == nil || n.apart == nil {
		n, at = a.ahead(in, farAhead)
		if n.high-n.low > maxRowSpread {
			n.low, n.high = at, at+int64(t.size)
		}
		if int64(t.step) > 4*(n.high-n.low+3)&^3 {
			return nil // most of what is loaded would be of no use
		}
		if packs && !mayPack(a.t, t.step, vcode.RowBytes(t.step, int32(n.high-n.low))) {
			return nil
		}
		t.index = n.index
		a.locate(in, t, n.low)
		a.keep(t.offset)
		a.checkAligned(t)
		from, ok := a.rowAt(t, t.step, int32(n.high-n.low))
		if !ok {
			return nil
		}
		n.from, n.rows = from, true
		n.apart = &apart{l: a.lanes, from: from, words: int(t.step / 4), made: map[node]reg{}}
		n.apart.packed = packed{vcode.RowBytes(t.step, int32(n.high-n.low)), t.step, map[int32]reg{}}
		a.remember(n)
	}
	if packs {
		return func(part int) reg { return hidden(a.lanes, n.apart.pick(part, int32(at-n.low), m), part) }
	}
	if m.size < 4 {
		return narrow(a, at, n, m)
	}
	return func(part int) reg { return hidden(a.lanes, n.apart.word(part, at-n.low), part) }
}

// word returns the words of a part of the lanes that are so many bytes after the first ones.
func (a *apart) word(part int, at int64) reg {
	word := int(at / 4)
	return a.vector(node{part, word / a.words, bits.Len(uint(a.words)) - 1, word % a.words, 0})
}

func (a *apart) vector(n node) reg {
	if v, ok := a.made[n]; ok {
		return v
	}
	var v reg
	if n.level == 0 {
		v = a.l.keep(a.load(&n))
		if a.words > a.l.t.Registers[vcode.V]/3 {
			return v // it is better to load it again than to keep it
		}
	} else {
		half := 1 << (n.level - 1)
		x := a.vector(node{n.part, n.steps, n.level - 1, n.remainder % half, 2 * n.j})
		y := a.vector(node{n.part, n.steps, n.level - 1, n.remainder % half, 2*n.j + 1})
		v = a.l.keep(everySecond(a.l, x, y, n.remainder/half))
	}
	a.made[n] = v
	return v
}

// load loads a vector. Where everySecond works on each four elements, they are of four lanes.
func (a *apart) load(n *node) reg {
	l, step := a.l, int64(4*a.words)
	at := int64(n.steps+n.part*l.t.Lanes) * step
	if !l.t.Lacks[vcode.VPermute] {
		return l.opI(vcode.VLoad, a.from, at+int64(n.j)*int64(l.t.VectorBytes()))
	}
	at += int64(16 * n.j)
	if l.t.Lanes == 4 {
		return l.opI(vcode.VLoad, a.from, at)
	}
	low := l.keep(l.opI(vcode.VLoadLow, a.from, at))
	return l.make(vcode.Instr{Op: vcode.VLoadHigh, A: a.from, B: low, Imm: at + 4*step})
}

// everySecond returns every second element of two vectors, from one of the first two on.
func everySecond(l *lanes, x, y reg, first int) reg {
	if !l.t.Lacks[vcode.VPermute] {
		index := l.countingFrom(int64(first), 2, false)
		return l.make(vcode.Instr{Op: vcode.VPermute, B: index, Args: []reg{x, y}})
	}
	return l.op([...]vcode.Op{vcode.VEven, vcode.VOdd}[first], x, y)
}
