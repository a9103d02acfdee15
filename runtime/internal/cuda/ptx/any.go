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
func (e *emitter) objectOf(full string) named {
	e.objectTable()
	number, at, entry := e.Fresh(text.Long), e.Fresh(text.Long), e.Fresh(text.Long)
	base, length := e.Fresh(text.Long), e.Fresh(text.Long)
	e.Op("add.s64 %s, %s, %d;", number, full, int64(1)<<(facts.OffsetBits-1))
	e.Op("shr.u64 %s, %s, %d;", number, number, facts.OffsetBits)
	e.Op("shl.b64 %s, %s, %d;", at, number, facts.OffsetBits)
	e.Op("sub.s64 %s, %s, %s;", at, full, at)
	own := e.routines.live(number)
	e.Op("min.u64 %s, %s, %d;", entry, own, e.objectEntries())
	e.Op("shl.b64 %s, %s, 4;", entry, entry)
	e.Op("mov.u64 %s, objects;", base)
	e.Op("add.s64 %s, %s, %s;", entry, base, entry)
	space := ".local"
	if e.resources.used {
		isRow := ""
		entry, isRow = e.resources.row(number, entry)
		own, space = e.Make(text.Long, "selp.b64", number, own, isRow), ""
	}
	e.Op("ld%s.v2.u64 {%s, %s}, [%s];", space, base, length, entry)
	return named{own, at, base, length}
}

// placeOfAny returns where a pointer leads.
func (e *emitter) placeOfAny(v ir.Value) place {
	o, ok := e.resources.foundBy(v)
	if !ok {
		o = e.objectOf(e.reg(v))
	}
	return place{number: o.number, at: o.at, base: o.base, room: func(bytes int64) string {
		r := e.Fresh(text.Long)
		e.Op("sub.s64 %s, %s, %d;", r, o.length, bytes-1)
		e.Op("max.s64 %s, %s, 0;", r, r)
		return r
	}}
}

// objectEntries returns how many entries the table of objects has, but for the last, to which numbers lead that are
// none: one for each object, and each that an activation may make.
func (e *emitter) objectEntries() int { return len(e.Objects) + maxCalls*len(e.routines.named) }

// objectTable has each thread keep the address and the length of each object, generic ones. The last has neither.
func (e *emitter) objectTable() {
	if !e.Begins("objects") {
		return
	}
	e.Private = append(e.Private, fmt.Sprintf(".local .align 16 .b8 objects[%d];", 16*(e.objectEntries()+1)))
	zero := e.Fresh(text.Long)
	e.First("mov.u64 %s, 0;", zero)
	for i := range len(e.Objects) + 1 {
		base, length := zero, zero
		if i > 0 && i < len(e.Objects) && e.Objects[i] != nil && spaces[e.Objects[i].Kind] != "" &&
			(e.addressed[i] && !e.isActivated(i) || e.Objects[i].Kind != ir.ThreadVariable) {
			base, length = e.Fresh(text.Long), e.Fresh(text.Long)
			at, n, space := e.baseOf(i), e.lengthOfObject(i), e.spaceOf(i)
			if before, offset, ok := strings.Cut(at, "+"); ok {
				e.First("mov.u64 %s, %s;", base, before)
				e.First("add.s64 %s, %s, %s;", base, base, offset)
			} else {
				e.First("mov.u64 %s, %s;", base, at)
			}
			if space != ".global" || !strings.HasPrefix(at, "%") {
				e.First("cvta%s.u64 %s, %s;", space, base, base)
			}
			e.First("mov.u64 %s, %s;", length, n)
		}
		if i == len(e.Objects) {
			i = e.objectEntries()
		}
		e.First("st.local.v2.u64 [objects+%d], {%s, %s};", 16*i, base, length)
	}
}

// difference writes the distance of two pointers.
func (e *emitter) difference(in *ir.Instr) {
	x, y := e.comparable(in)
	e.Op("div.s64 %s, %s, %d;", e.reg(in.Result()), e.Make(text.Long, "sub.s64", x, y), in.Imm)
}

// beside writes the second of two pointers, as one that can be compared with the first.
func (e *emitter) beside(in *ir.Instr) {
	_, y := e.comparable(in)
	if o := e.Origins[in.Args[0]]; e.inOne(in) {
		e.Op("add.s64 %s, %s, %d;", e.reg(in.Result()), y, int64(o)<<facts.OffsetBits)
		return
	}
	e.Op("mov.b64 %s, %s;", e.reg(in.Result()), y)
}

// inOne reports whether two pointers are known to lead to the same object.
func (e *emitter) inOne(in *ir.Instr) bool {
	o := e.Origins[in.Args[0]]
	return o == e.Origins[in.Args[1]] && o != facts.Unknown && !e.isActivated(o)
}

// comparable returns registers with two pointers, or their offsets in the object that they lead to. Where two buffers
// show the same memory, the second pointer becomes one into the object of the first: kernels compare arguments to find
// that out. Elsewhere the numbers of the objects decide.
func (e *emitter) comparable(in *ir.Instr) (x, y string) {
	if e.inOne(in) {
		return e.reg(in.Args[0]), e.reg(in.Args[1])
	}
	x, y = e.full(in.Args[0]), e.full(in.Args[1])
	mask := e.resources.deviceObjects()
	for _, v := range in.Args {
		if _, null := e.Bits(v); null || e.Origins[v] != facts.Unknown && mask>>e.Origins[v]&1 == 0 {
			return x, y
		}
	}
	if mask&(mask-1) == 0 && !e.resources.used { // less than two
		return x, y
	}
	a, b := e.objectOf(x), e.objectOf(y)
	distance := e.Make(text.Long, "sub.s64", b.base, a.base)
	near := e.Test("le.s64", distance, a.length)
	near = e.Both(near, e.Test("le.s64", e.Make(text.Long, "neg.s64", distance), b.length))
	for _, o := range []named{a, b} {
		near = e.Both(near, e.resources.showsDevice(in, mask, o))
	}
	moved := e.Make(text.Long, "sub.s64", a.number, b.number)
	moved = e.Make(text.Long, "mad.lo.s64", moved, fmt.Sprint(int64(1)<<facts.OffsetBits), distance)
	return x, e.Make(text.Long, "selp.b64", e.Make(text.Long, "add.s64", y, moved), y, near)
}
