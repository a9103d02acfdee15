package ptx

import (
	"fmt"
	"strings"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/facts"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/text"
)

// Pointers whose object is not known before the kernel runs.

// named is an object that a pointer leads to, as registers: its number, the offset of the pointer, and where the object
// is and how long.
type named struct{ number, at, base, length string }

// objectOf finds the object of a pointer while the kernel runs, in a table of each thread.
func (m *places) objectOf(full string) named {
	m.objectTable()
	number, at, entry := m.Fresh(text.Long), m.Fresh(text.Long), m.Fresh(text.Long)
	base, length := m.Fresh(text.Long), m.Fresh(text.Long)
	m.Op("add.s64 %s, %s, %d;", number, full, int64(1)<<(facts.OffsetBits-1))
	m.Op("shr.u64 %s, %s, %d;", number, number, facts.OffsetBits)
	m.Op("shl.b64 %s, %s, %d;", at, number, facts.OffsetBits)
	m.Op("sub.s64 %s, %s, %s;", at, full, at)
	own := m.e.routines.live(number)
	m.Op("min.u64 %s, %s, %d;", entry, own, m.objectEntries())
	m.Op("shl.b64 %s, %s, 4;", entry, entry)
	m.Op("mov.u64 %s, objects;", base)
	m.Op("add.s64 %s, %s, %s;", entry, base, entry)
	space := ".local"
	if m.e.resources.used {
		isRow := ""
		entry, isRow = m.e.resources.row(number, entry)
		own, space = m.Make(text.Long, "selp.b64", number, own, isRow), ""
	}
	m.Op("ld%s.v2.u64 {%s, %s}, [%s];", space, base, length, entry)
	return named{own, at, base, length}
}

// placeOfAny returns where a pointer leads.
func (m *places) placeOfAny(v ir.Value) place {
	o, ok := m.e.resources.foundBy(v)
	if !ok {
		o = m.objectOf(m.e.reg(v))
	}
	return place{number: o.number, at: o.at, base: o.base, room: func(bytes int64) string {
		r := m.Fresh(text.Long)
		m.Op("sub.s64 %s, %s, %d;", r, o.length, bytes-1)
		m.Op("max.s64 %s, %s, 0;", r, r)
		return r
	}}
}

// objectEntries returns how many entries the table of objects has, but for the last, to which numbers lead that are
// none: one for each object, and each that an activation may make.
func (m *places) objectEntries() int { return len(m.e.Objects) + maxCalls*len(m.e.routines.named) }

// objectTable has each thread keep the address and the length of each object, generic ones. The last has neither.
func (m *places) objectTable() {
	if !m.Begins("objects") {
		return
	}
	m.Private = append(m.Private, fmt.Sprintf(".local .align 16 .b8 objects[%d];", 16*(m.objectEntries()+1)))
	zero := m.Fresh(text.Long)
	m.First("mov.u64 %s, 0;", zero)
	for i := range len(m.e.Objects) + 1 {
		base, length := zero, zero
		if i > 0 && i < len(m.e.Objects) && m.e.Objects[i] != nil && spaces[m.e.Objects[i].Kind] != "" &&
			(m.e.addressed[i] && !m.e.isActivated(i) || m.e.Objects[i].Kind != ir.ThreadVariable) {
			base, length = m.Fresh(text.Long), m.Fresh(text.Long)
			at, n, space := m.baseOf(i), m.lengthOfObject(i), m.spaceOf(i)
			if before, offset, ok := strings.Cut(at, "+"); ok {
				m.First("mov.u64 %s, %s;", base, before)
				m.First("add.s64 %s, %s, %s;", base, base, offset)
			} else {
				m.First("mov.u64 %s, %s;", base, at)
			}
			if space != ".global" || !strings.HasPrefix(at, "%") {
				m.First("cvta%s.u64 %s, %s;", space, base, base)
			}
			m.First("mov.u64 %s, %s;", length, n)
		}
		if i == len(m.e.Objects) {
			i = m.objectEntries()
		}
		m.First("st.local.v2.u64 [objects+%d], {%s, %s};", 16*i, base, length)
	}
}

// difference writes the distance of two pointers.
func (m *places) difference(in *ir.Instr) {
	x, y := m.comparable(in)
	m.Op("div.s64 %s, %s, %d;", m.e.reg(in.Result()), m.Make(text.Long, "sub.s64", x, y), in.Imm)
}

// beside writes the second of two pointers, as one that can be compared with the first.
func (m *places) beside(in *ir.Instr) {
	_, y := m.comparable(in)
	if o := m.e.Origins[in.Args[0]]; m.inOne(in) {
		m.Op("add.s64 %s, %s, %d;", m.e.reg(in.Result()), y, int64(o)<<facts.OffsetBits)
		return
	}
	m.Op("mov.b64 %s, %s;", m.e.reg(in.Result()), y)
}

// inOne reports whether two pointers are known to lead to the same object.
func (m *places) inOne(in *ir.Instr) bool {
	o := m.e.Origins[in.Args[0]]
	return o == m.e.Origins[in.Args[1]] && o != facts.Unknown && !m.e.isActivated(o)
}

// comparable returns registers with two pointers, or their offsets in the object that they lead to. Where two buffers
// show the same memory, the second pointer becomes one into the object of the first: kernels compare arguments to find
// that out. Elsewhere the numbers of the objects decide.
func (m *places) comparable(in *ir.Instr) (x, y string) {
	if m.inOne(in) {
		return m.e.reg(in.Args[0]), m.e.reg(in.Args[1])
	}
	x, y = m.full(in.Args[0]), m.full(in.Args[1])
	mask := m.e.resources.deviceObjects()
	for _, v := range in.Args {
		if _, null := m.e.Bits(v); null || m.e.Origins[v] != facts.Unknown && mask>>m.e.Origins[v]&1 == 0 {
			return x, y
		}
	}
	if mask&(mask-1) == 0 && !m.e.resources.used { // less than two
		return x, y
	}
	a, b := m.objectOf(x), m.objectOf(y)
	distance := m.Make(text.Long, "sub.s64", b.base, a.base)
	near := m.Test("le.s64", distance, a.length)
	near = m.Both(near, m.Test("le.s64", m.Make(text.Long, "neg.s64", distance), b.length))
	for _, o := range []named{a, b} {
		near = m.Both(near, m.e.resources.showsDevice(in, mask, o))
	}
	moved := m.Make(text.Long, "sub.s64", a.number, b.number)
	moved = m.Make(text.Long, "mad.lo.s64", moved, fmt.Sprint(int64(1)<<facts.OffsetBits), distance)
	return x, m.Make(text.Long, "selp.b64", m.Make(text.Long, "add.s64", y, moved), y, near)
}
