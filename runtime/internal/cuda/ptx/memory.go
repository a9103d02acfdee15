package ptx

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/abi"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/facts"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/text"
)

// place is where an access is.
type place struct {
	object  int    // that it reaches, or unknown
	number  string // of the object, where that is not known here
	at      string // a register with the offset, or "" where it is fixed
	fixed   int64  // the offset, or what is added to it
	zeros   int    // low bits of the offset that are 0
	low     int    // low bits of the register that are 0
	base    string // where the object is; "" where the register has the whole address
	index   string // an index of 32 bits, so many times which is the offset; or ""
	signed  bool
	scale   int64
	element ir.Value // the index, where it is wide
	wide    bool     // the index has 64 bits
	ahead   int64    // how much of fixed is that of a linear index
	sure    bool     // an access needs no check
	moves   bool     // in rounds that are done together, otherwise than linearly
	within  bool     // from is known
	from    uint64   // how far from the beginning of the object the place without fixed is at most
	space   string   // of the instruction: ".global"
	room    func(bytes int64) string
}

// spaces are the state spaces of objects by their kind.
var spaces = map[ir.ObjectKind]string{
	ir.Buffer: ".global", ir.PassedValue: ".param", ir.GroupArgument: ".shared", ir.GroupVariable: ".shared",
	ir.ThreadVariable: ".local", ir.Table: ".global",
}

// places writes where accesses are.
type places struct {
	*text.Writer
	e *emitter
}

// spaceOf returns the state space of an object.
func (m *places) spaceOf(object int) string {
	if m.e.Bound[object] {
		return ".global"
	}
	return spaces[m.e.Objects[object].Kind]
}

// baseOf returns where an object begins in its state space, with what is added to that.
func (m *places) baseOf(object int) string {
	o := m.e.Objects[object]
	switch {
	case m.e.isActivated(object):
		return m.e.routines.baseOf(object)
	case o.Kind == ir.Buffer || m.e.Bound[object]:
		return m.e.parameter(abi.BufferField, object, 0, "u64")
	case o.Kind == ir.PassedValue:
		return fmt.Sprintf("args+%d", m.e.fieldAt[fieldKey{abi.ValueField, object}])
	case o.Kind == ir.GroupArgument:
		if m.Begins("dynamic") {
			m.Declare(".extern .shared .align 16 .b8 dynamic[];")
		}
		begin := m.e.parameter(abi.SharedField, object, 0, "u32")
		return m.Once(fmt.Sprint("base ", object), text.Long, func(r string) {
			wide, at := m.Fresh(text.Long), m.Fresh(text.Long)
			m.First("cvt.u64.u32 %s, %s;", wide, begin)
			m.First("mov.u64 %s, dynamic;", at)
			m.First("add.s64 %s, %s, %s;", r, at, wide)
		})
	}
	return symbol(object)
}

// sizeOf returns the bytes of an object where they are known.
func (m *places) sizeOf(object int) (int64, bool) {
	o := m.e.Objects[object]
	return int64(o.Size), o.Kind != ir.Buffer && o.Kind != ir.GroupArgument && !m.e.Bound[object]
}

// lengthOfObject returns the bytes of an object as a register or a number.
func (m *places) lengthOfObject(object int) string {
	if n, ok := m.sizeOf(object); ok {
		return fmt.Sprint(n)
	}
	if m.e.Objects[object].Kind != ir.GroupArgument {
		return m.e.parameter(abi.BufferField, object, 8, "u64")
	}
	short := m.e.parameter(abi.SharedField, object, 4, "u32")
	return m.Once(fmt.Sprint("length ", object), text.Long, func(r string) {
		m.First("cvt.u64.u32 %s, %s;", r, short)
	})
}

// baseZeros returns how the address of an object is aligned.
func (m *places) baseZeros(object int) int {
	if m.spaceOf(object) == ".global" && m.e.Objects[object].Kind != ir.Table {
		return bits.TrailingZeros(uint(m.e.Align))
	}
	return 4
}

// roomIn returns one more than the greatest offset at which so many bytes of an object lie within it: a register, or a
// number where the size of the object is known.
func (m *places) roomIn(object int) func(bytes int64) string {
	return func(bytes int64) string {
		if n, ok := m.sizeOf(object); ok {
			return fmt.Sprint(max(n-bytes+1, 0))
		}
		return m.limit(abi.Limit{Object: object, Bytes: bytes})
	}
}

// limit returns a register with what the host computes of the length of an object.
func (m *places) limit(l abi.Limit) string {
	i := slices.Index(m.e.module.Limits, l)
	if i < 0 {
		i = len(m.e.module.Limits)
		m.e.module.Limits = append(m.e.module.Limits, l)
		m.e.field(abi.LimitField, i, 8, 8)
	}
	if l.Scale > 0 && !l.Wide {
		return m.e.parameter(abi.LimitField, i, 0, "u32")
	}
	return m.e.parameter(abi.LimitField, i, 0, "u64")
}

// placeOf returns where a pointer leads that has not been moved.
func (m *places) placeOf(v ir.Value) place {
	object := m.e.Origins[v]
	if object == facts.Unknown {
		return m.placeOfAny(v)
	}
	p := place{object: object, zeros: min(m.e.Zeros[v], m.baseZeros(object)), space: m.spaceOf(object)}
	root, fixed := m.e.RootOf(v)
	p.low = m.e.Zeros[root]
	p.from, p.within = m.e.MostMoved(root, 0)
	if moved, ok := m.e.several.movedLinearly(root); ok {
		p.at, p.ahead, p.fixed, p.from, p.within = moved.at, moved.ahead, moved.fixed, moved.from, moved.within
		p.low = 0
	} else if made := m.e.By[root]; made == nil || made.Op != ir.OpAddress {
		p.at = m.e.reg(root)
		p.moves = m.e.joint != nil && m.e.joint.inside[root]
	}
	p.fixed += fixed
	p.base, p.room = m.baseOf(object), m.roomIn(object)
	return p
}

// indexed moves a place by the index and the offset of an access.
func (m *places) indexed(p place, a *ir.Access, index ir.Value) place {
	p.fixed += a.Offset
	if a.Offset != 0 {
		p.zeros = min(p.zeros, bits.TrailingZeros64(uint64(a.Offset)))
	}
	if a.Index == ir.Void {
		return p
	}
	if n, ok := m.e.Bits(index); ok {
		by := facts.BytesOf(a.Index, n, int64(a.Scale))
		p.fixed += by
		if by != 0 {
			p.zeros = min(p.zeros, bits.TrailingZeros64(uint64(by)))
		}
		return p
	}
	low := m.e.ZerosOf(index, 0) + bits.TrailingZeros32(uint32(a.Scale))
	p.zeros, p.low = min(p.zeros, low), min(p.low, low)
	most := m.e.MostOf(index, 0)
	if l, ok := m.e.several.linearOf(index); ok && l.exact && uint64(l.add) <= l.most {
		most = l.most - uint64(l.add)
	}
	p.within = p.within && a.Index.Bits() == 32 && a.Scale > 0 && (a.Index == ir.U32 || most <= math.MaxInt32)
	p.from += most * uint64(a.Scale)
	if m.e.several.indexedLinearly(&p, a, index) {
		p.low = 0
		return p
	}
	if m.e.noted != "" && p.at == "" && a.Index.Bits() == 64 && a.Scale > 0 && p.fixed >= 0 && p.object != facts.Unknown {
		p.index, p.wide, p.scale = m.e.reg(index), true, int64(a.Scale) // it is compared before it can wrap around
		p.element = index
		if at, ok := m.e.several.rowByRow(index, &p, a); ok {
			p.base, p.at, p.low = "", at, 0
			return p
		}
		if shift := bits.TrailingZeros32(uint32(a.Scale)); a.Scale == 1<<shift {
			p.at = m.Make(text.Long, "shl.b64", p.index, fmt.Sprint(shift))
		} else {
			p.at = m.Make(text.Long, "mul.lo.s64", p.index, fmt.Sprint(a.Scale))
		}
		return p
	}
	if p.at == "" && a.Index.Bits() == 32 && a.Scale > 0 {
		p.index, p.signed, p.scale = m.e.reg(index), a.Index == ir.S32, int64(a.Scale)
	}
	p.at = m.scaled(p.at, a.Index, index, int64(a.Scale))
	return p
}

// scaled returns a register with an offset, "" for 0, and so many elements of so many bytes more. An index that would
// wrap around becomes one that is beyond every object.
func (m *places) scaled(at string, t ir.Type, index ir.Value, scale int64) string {
	if at == "" {
		at = "0"
	}
	i := m.e.reg(index)
	switch {
	case t.Bits() == 32:
		if scale < 1<<31 {
			return m.Again(text.Long, "mad.wide."+t.String(), i, fmt.Sprint(scale), at)
		}
		i = m.Again(text.Long, fmt.Sprintf("cvt.%s.%s", t.String()[:1]+"64", t), i)
	case m.e.LengthOf(index, 0)+bits.Len64(uint64(scale)) > 62 && scale > 0:
		limit := facts.Reach / scale
		i = m.Again(text.Long, "max.s64", i, fmt.Sprint(-limit))
		i = m.Again(text.Long, "min.s64", i, fmt.Sprint(limit))
	}
	return m.Again(text.Long, "mad.lo.s64", i, fmt.Sprint(scale), at)
}

// sum returns a register with the whole offset of a place.
func (m *places) sum(p *place) string {
	switch {
	case p.at == "":
		r := m.Fresh(text.Long)
		m.Op("mov.u64 %s, %d;", r, p.fixed)
		p.at, p.fixed = r, 0
	case p.fixed != 0:
		p.at, p.fixed = m.Again(text.Long, "add.s64", p.at, fmt.Sprint(p.fixed)), 0
	}
	return p.at
}

// address returns a register with the address of an offset in the object.
func (m *places) address(p *place, at string) string {
	if p.base == "" {
		return at
	}
	base, offset := p.base, ""
	if before, after, ok := strings.Cut(base, "+"); ok {
		base, offset = before, after
	}
	if !strings.HasPrefix(base, "%") {
		base = m.Again(text.Long, "mov.u64", base)
	}
	r := m.Again(text.Long, "add.s64", base, at)
	if offset != "" {
		r = m.Again(text.Long, "add.s64", r, offset)
	}
	return r
}

// reached returns what stands in brackets of an instruction.
func (m *places) reached(p *place) func(offset int64) string {
	if m.e.padded[p.object] {
		return m.reachedInRows(p)
	}
	if p.at == "" {
		base := p.base
		return func(offset int64) string {
			if n := p.fixed + offset; n != 0 {
				return fmt.Sprintf("[%s+%d]", base, n)
			}
			return "[" + base + "]"
		}
	}
	r := m.address(p, p.at)
	return func(offset int64) string {
		if n := p.fixed + offset; n != 0 {
			return fmt.Sprintf("[%s+%d]", r, n)
		}
		return "[" + r + "]"
	}
}
