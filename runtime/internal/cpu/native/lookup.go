package native

import (
	"math/bits"
	"slices"

	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// loadTable loads from a constant of a few numbers, which are in vectors then, or returns nil.
func loadTable(a *accesses, in *wide.Instruction, t *target, m *scalarInMemory) func(part int) reg {
	pointer, fixed := a.x.Known[in.A]
	table := a.x.Objects[t.object].Table
	size := int(m.size)
	if !fixed || t.form != wide.Varying || in.C == wide.LongIndex || len(table) == 0 || len(table) > width*size ||
		!mayPick(a.t) {
		return nil
	}
	parts := a.tableOf(t.object, table, m)
	if first, ok := a.firstEntry(in, wide.OffsetOf(pointer)+in.Imm, table, size); ok {
		kind := a.lanes.kind(in.B)
		return func(part int) reg {
			index := a.lanes.lane(in.B, kind, part)
			if first != 0 {
				index = a.op(vcode.VAdd, index, a.lanes.word32(first))
			}
			return hidden(a.lanes, picked(a.lanes, parts, index), part)
		}
	}
	n, at := a.nearIndexes(in, t)
	first := wide.OffsetOf(pointer) + at
	shift := [...]int64{1: 0, 2: 1, 4: 2}[size]
	return func(part int) reg {
		index := n.list[part]
		if first != 0 {
			index = a.op(vcode.VAdd, index, a.lanes.word32(uint32(first)))
		}
		if shift != 0 {
			index = a.opI(vcode.VShrI, index, shift)
		}
		return hidden(a.lanes, picked(a.lanes, parts, index), part)
	}
}

// loadOfBytes loads bytes by an index that is small, out of vectors if all of these are inside, or returns nil.
func loadOfBytes(
	a *accesses, in *wide.Instruction, t *target, n *near, imm int64, m *scalarInMemory,
) func(part int) reg {
	pointer, fixed := a.x.Known[in.A]
	most, bounded := a.bounds[in.B]
	at := wide.OffsetOf(pointer) + imm
	if m.size > 1 || a.t.Lacks[vcode.VTable8] || !fixed || !bounded || most > 255 || t.form != wide.Varying ||
		n.summed || in.Target != 1 || at < 0 || in.C == wide.LongIndex {
		return nil
	}
	size := max(64, int64(1)<<bits.Len32(most))
	from := a.address(n, imm)
	table := a.windows[window{n.object, at, size}]
	if table == 0 {
		room := a.field(n.object, a.layout.Bytes)
		inside := a.make(vcode.Instr{Op: vcode.GSet, Cond: vcode.GeS, A: room, Imm: at + size})
		table = a.keep(a.make(vcode.Instr{Op: vcode.GPick, A: from, C: inside}))
		a.windows[window{n.object, at, size}] = table
	}
	return func(part int) reg {
		v := a.make(vcode.Instr{
			Op: vcode.TileLoad, A: from, B: n.list[part], C: a.lanes.active(part), Args: []reg{table},
			Imm2: int64(m.each), More: int32(size),
		})
		return cut(a.lanes, hidden(a.lanes, v, part), m)
	}
}

// firstEntry returns which entry of a table an index of 0 is, so many bytes from its first one. It reports false if the
// index counts other than entries, or may be outside.
func (a *addresses) firstEntry(in *wide.Instruction, at int64, table []byte, size int) (first uint32, ok bool) {
	most, ok := a.bounds[in.B]
	each := int64(size)
	if !ok || in.C == wide.NoIndex || int64(in.Target) != each || at < 0 || at%each != 0 {
		return 0, false
	}
	return uint32(at / each), at+(int64(most)+1)*each <= int64(len(table))
}

// mayPick reports whether a machine can pick elements of several vectors.
func mayPick(t *vcode.Traits) bool { return !t.Lacks[vcode.VPermute] || !t.Lacks[vcode.VPermLanes] }

// picked returns the elements that index counts, from those of the first vector on.
func picked(l *lanes, parts []reg, index reg) reg {
	if !l.t.Lacks[vcode.VPermute] {
		return l.make(vcode.Instr{Op: vcode.VPermute, B: index, Args: slices.Clone(parts)})
	}
	l.keep(index)
	v := l.keep(l.op(vcode.VPermLanes, parts[0], index))
	for i, part := range parts[1:] {
		beyond := l.compare(vcode.VCmp, vcode.GtS, index, l.word32(uint32((i+1)*l.t.Lanes-1)))
		v = l.keep(l.op3(vcode.VBlend, l.op(vcode.VPermLanes, part, index), v, beyond))
	}
	return v
}

// tableOf returns vectors of the numbers of a table.
func (a *addresses) tableOf(object int32, table []byte, m *scalarInMemory) []reg {
	key := room{object, int32(m.one)}
	parts := a.tables[key]
	if parts == nil {
		words := make([]uint32, width+16) // a constant has 16, whatever the machine takes of them
		count := len(table) / int(m.size)
		for i := range count {
			words[i] = m.word(table[i*int(m.size):])
		}
		if !a.t.Lacks[vcode.VPermute] {
			count = width
		}
		for i := range (count + a.t.Lanes - 1) / a.t.Lanes {
			parts = append(parts, a.keep(a.make(vcode.Instr{Op: vcode.VWords, Words: words[i*a.t.Lanes:]})))
		}
		a.tables[key] = parts
	}
	return parts
}

// word returns the bits that the number at b has in a register, before it is shaped.
func (m *scalarInMemory) word(b []byte) (v uint32) {
	for i := range m.size {
		v |= uint32(b[i]) << (8 * i)
	}
	switch m.one {
	case vcode.GLoad8S:
		return uint32(int8(v))
	case vcode.GLoad16S:
		return uint32(int16(v))
	}
	return v
}
