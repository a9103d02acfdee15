package ptx

import (
	"fmt"
	"strings"

	"github.com/metalgen/metalgen/internal/ir"
)

// Pointers whose object is not known before the kernel runs.

// placeOfAny finds the object of a pointer while the kernel runs, in a table of each thread.
func (e *emitter) placeOfAny(v ir.Value) place {
	e.objectTable()
	full := e.reg(v)
	number, at, entry := e.fresh(longClass), e.fresh(longClass), e.fresh(longClass)
	base, length := e.fresh(longClass), e.fresh(longClass)
	e.op("add.s64 %s, %s, %d;", number, full, int64(1)<<(offsetBits-1))
	e.op("shr.u64 %s, %s, %d;", number, number, offsetBits)
	e.op("shl.b64 %s, %s, %d;", at, number, offsetBits)
	e.op("sub.s64 %s, %s, %s;", at, full, at)
	e.op("min.u64 %s, %s, %d;", entry, number, len(e.Objects))
	e.op("shl.b64 %s, %s, 4;", entry, entry)
	e.op("mov.u64 %s, objects;", base)
	e.op("add.s64 %s, %s, %s;", entry, base, entry)
	e.op("ld.local.v2.u64 {%s, %s}, [%s];", base, length, entry)
	return place{number: number, at: at, base: base, room: func(bytes int64) string {
		r := e.fresh(longClass)
		e.op("sub.s64 %s, %s, %d;", r, length, bytes-1)
		e.op("max.s64 %s, %s, 0;", r, r)
		return r
	}}
}

// objectTable has each thread keep the address and the length of each object, generic ones. The last has neither.
func (e *emitter) objectTable() {
	if e.symbols["objects"] {
		return
	}
	e.symbols["objects"] = true
	e.locals = append(e.locals, fmt.Sprintf(".local .align 16 .b8 objects[%d];", 16*(len(e.Objects)+1)))
	zero := e.fresh(longClass)
	e.first("mov.u64 %s, 0;", zero)
	for i := range len(e.Objects) + 1 {
		base, length := zero, zero
		if i > 0 && i < len(e.Objects) && e.Objects[i] != nil && spaces[e.Objects[i].Kind] != "" &&
			(e.addressed[i] || e.Objects[i].Kind != ir.ThreadVariable) {
			base, length = e.fresh(longClass), e.fresh(longClass)
			at, n, space := e.baseOf(i), e.lengthOfObject(i), e.spaceOf(i)
			if before, offset, ok := strings.Cut(at, "+"); ok {
				e.first("mov.u64 %s, %s;", base, before)
				e.first("add.s64 %s, %s, %s;", base, base, offset)
			} else {
				e.first("mov.u64 %s, %s;", base, at)
			}
			if space != ".global" || !strings.HasPrefix(at, "%") {
				e.first("cvta%s.u64 %s, %s;", space, base, base)
			}
			e.first("mov.u64 %s, %s;", length, n)
		}
		e.first("st.local.v2.u64 [objects+%d], {%s, %s};", 16*i, base, length)
	}
}
