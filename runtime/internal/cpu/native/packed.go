package native

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// Where lanes read or store numbers that lie side by side in memory, those of the next lane right after those of the
// one before, all of that memory is loaded or stored as rows. Constants say which words of the rows are whose.

// packed is such memory: what may be read of it, how far lanes are apart, and the vectors of it by where they begin.
type packed struct {
	bytes, step int32
	vectors     map[int32]reg
}

// mayPack reports whether it takes few vectors to load what lanes read that are some bytes apart.
func mayPack(t *vcode.Traits, step, bytes int32) bool {
	most := int32(3)
	if !t.Lacks[vcode.VPermute] {
		most = 6
	}
	return bytes >= t.VectorBytes() && int32(t.Lanes)*step <= most*t.VectorBytes()
}

// place is where a lane finds its number: in the word of a vector, so many bits up.
type place struct{ vector, word, shift int32 }

// places returns where a part of the lanes finds numbers of some bytes, at bytes after the first lane's, and where
// vectors begin. The last one ends where the memory does.
func (a *apart) places(part int, at, size int32) (list []place, starts []int32) {
	lanes, vector := int32(a.l.t.Lanes), a.l.t.VectorBytes()
	first := int32(part)*lanes*a.step + at/a.step*a.step
	for i := range lanes {
		here := (int32(part)*lanes+i)*a.step + at
		n := int32(len(starts)) - 1
		if n < 0 || here+size > starts[n]+vector {
			n++
			starts = append(starts, min(first+n*vector, a.bytes-vector))
		}
		here -= starts[n]
		list = append(list, place{n, here / 4, here % 4 * 8})
	}
	return list, starts
}

// pick returns the numbers of a part of the lanes that are so many bytes after the first ones.
func (a *apart) pick(part int, at int32, m *scalarInMemory) reg {
	l := a.l
	list, starts := a.places(part, at, m.size)
	if m.size == 1 && len(starts) == 1 && !l.t.Lacks[vcode.VTable8] {
		bytes := make([]uint32, 16)
		for i, p := range list {
			bytes[i] = uint32(4*p.word + p.shift/8)
		}
		v := l.make(vcode.Instr{
			Op: vcode.VTable8, A: a.from, B: l.constantWords(bytes), Imm: int64(starts[0]), Imm2: int64(l.t.VectorBytes()),
		})
		return cut(l, v, m)
	}
	load := func(n int) reg {
		start := starts[min(n, len(starts)-1)]
		v, ok := a.vectors[start]
		if !ok {
			v = l.keep(l.opI(vcode.VLoad, a.from, int64(start)))
			a.vectors[start] = v
		}
		return v
	}
	var v reg
	for n := 0; n < len(starts); n += 2 {
		words, mine := make([]uint32, 16), make([]bool, len(list))
		for i, p := range list {
			if mine[i] = int(p.vector)&^1 == n; mine[i] {
				words[i] = uint32(p.vector&1*int32(l.t.Lanes) + p.word)
			}
		}
		v = merged(l, v, pickedWords(l, load(n), load(n+1), words, n+1 < len(starts)), mine)
	}
	if m.size == 4 {
		return v
	}
	return shifted(l, v, list, m)
}

// pickedWords returns the words of two vectors that numbers count, or of the first one alone.
func pickedWords(l *lanes, x, y reg, words []uint32, both bool) reg {
	if !l.t.Lacks[vcode.VPermute] {
		index := l.constantWords(words)
		return l.keep(l.make(vcode.Instr{Op: vcode.VPermute, B: index, Args: []reg{x, y}}))
	}
	lanes := uint32(l.t.Lanes)
	mine, within := make([]bool, lanes), make([]uint32, 16)
	for i := range mine {
		within[i], mine[i] = words[i]%lanes, words[i] >= lanes
	}
	v := l.keep(l.make(vcode.Instr{Op: vcode.VPermWords, A: x, Words: within}))
	if !both {
		return v
	}
	return merged(l, v, l.keep(l.make(vcode.Instr{Op: vcode.VPermWords, A: y, Words: within})), mine)
}

// merged returns the elements of v where mine says so, and those of old elsewhere. Without an old vector it returns v.
func merged(l *lanes, old, v reg, mine []bool) reg {
	bits, all := uint64(0), true
	for i, is := range mine {
		all = all && is
		if is {
			bits |= 1 << i
		}
	}
	switch {
	case old == 0 || all:
		return v
	case bits == 0:
		return old
	}
	return l.keep(l.op3(vcode.VBlend, v, old, l.op(vcode.PFromBits, l.number(bits), 0)))
}

// shifted cuts numbers out of the words that they are in.
func shifted(l *lanes, v reg, list []place, m *scalarInMemory) reg {
	most := 32 - 8*m.size
	signed := m.one == vcode.GLoad8S || m.one == vcode.GLoad16S
	by, same := make([]uint32, 16), true
	for i, p := range list {
		if by[i] = uint32(p.shift); signed {
			by[i] = uint32(most - p.shift)
		}
		same = same && by[i] == by[0]
	}
	each, all := vcode.VShr, vcode.VShrI
	if signed {
		each, all = vcode.VShl, vcode.VShlI
	}
	switch {
	case !same:
		v = l.op(each, v, l.constantWords(by))
	case by[0] != 0:
		v = l.opI(all, v, int64(by[0]))
	}
	if signed {
		return l.opI(vcode.VSarI, v, int64(most))
	}
	return l.op(vcode.VAnd, v, l.word32(1<<(8*m.size)-1))
}

// storesRow reports whether an instruction and those after it store all that is between a lane and the next one, as
// words.
func storesRow(a *accesses, in *wide.Instruction, t *target, m *scalarInMemory) bool {
	return t.form == wide.Linear && t.step > m.size && t.step%4 == 0 && t.step <= 32 &&
		storesAll(a, in, t.step/m.size, m.size)
}

// storeRow writes such stores as one.
func storeRow(a *accesses, in *wide.Instruction, t *target, m *scalarInMemory) {
	words := int(t.step / 4)
	scratch, ok := a.lanes.scratchRow(width * t.step)
	if !ok {
		a.give()
		return
	}
	a.locate(in, t, in.Imm)
	a.keep(t.offset)
	a.checkAligned(t)
	values := make([][]reg, a.parts)
	for w := range int32(words) {
		for part, v := range storedWords(a, a.pc+w*4/m.size, m) {
			values[part] = append(values[part], v)
		}
	}
	a.written = a.pc + t.step/m.size
	var rows []reg
	for part, list := range values {
		list = woven(a.lanes, list)
		if words*a.parts <= a.t.Local[vcode.V]*2/3 {
			rows = append(rows, list...)
			continue
		}
		for i, v := range list {
			a.store(vcode.VStore, vcode.Run, scratch+int64(part*words+i)*int64(a.t.VectorBytes()), v)
		}
	}
	rowStore(a.addresses, t, t.step, vcode.Instr{
		Imm: int64(vcode.VStore), Imm2: int64(t.step), More: int32(scratch), Args: rows,
	})
}

// woven returns the first elements of all vectors, the second ones after them, and so on, as so many vectors.
func woven(l *lanes, list []reg) (rows []reg) {
	count, lanes := len(list), l.t.Lanes
	if count == 1 {
		return list
	}
	if count > 2 && count%2 == 0 { // each second one, and then the two
		var half [2][]reg
		for i, v := range list {
			half[i%2] = append(half[i%2], v)
		}
		odd := woven(l, half[1])
		for i, v := range woven(l, half[0]) {
			rows = append(rows, woven(l, []reg{v, odd[i]})...)
		}
		return rows
	}
	for row := range count {
		var v reg
		for n := 0; n < count; n += 2 {
			words, mine := make([]uint32, 16), make([]bool, lanes)
			for i := range mine {
				at := row*lanes + i
				if mine[i] = at%count&^1 == n; mine[i] {
					words[i] = uint32(at%count&1*lanes + at/count)
				}
			}
			v = merged(l, v, pickedWords(l, list[n], list[min(n+1, count-1)], words, n+1 < count), mine)
		}
		rows = append(rows, l.keep(v))
	}
	return rows
}
