package ptx

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/facts"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/text"
)

// In rounds that are done together a number that counts is a register that stays the same, and a constant: so is what
// is made of it by sums, products, and divisions by powers of two. What the rounds have in common is computed once, and
// where a round reaches is often a constant in its instruction.

// linear is what a number is in a round.
type linear struct {
	register string
	add      int64  // to that
	step     int64  // that add grows by from round to round
	most     uint64 // in all of these rounds, where exact
	exact    bool   // it is the sum, which does not wrap around
}

// make returns the register of an instruction that is the same in all rounds.
func (g *rounds) make(e *emitter, op string, operands ...any) string {
	name := fmt.Sprintln(append([]any{op}, operands...)...)
	if r, ok := g.made[name]; ok {
		return r
	}
	texts := make([]string, len(operands))
	for i, o := range operands {
		texts[i] = fmt.Sprint(o)
	}
	g.made[name] = e.out.Make(text.Word, op, texts...)
	return g.made[name]
}

// linearOf returns what a number is in this round, if it is linear there.
func (h *several) linearOf(v ir.Value) (linear, bool) {
	if h.e.joint == nil {
		return linear{}, false
	}
	l, ok := h.e.joint.now.linear[v]
	return l, ok
}

// linearly writes an instruction that makes a linear number of others, and reports whether it is one.
func (h *several) linearly(in *ir.Instr) bool {
	if h.e.joint == nil || len(in.Args) != 2 || in.Type.Held() != ir.I32 {
		return false
	}
	x, y := in.Args[0], in.Args[1]
	if _, ok := h.e.Bits(x); ok && (in.Op == ir.OpAdd || in.Op == ir.OpMul) {
		x, y = y, x
	}
	if _, ok := h.linearOf(x); !ok && in.Op == ir.OpAdd {
		x, y = y, x
	}
	l, ok := h.linearOf(x)
	if !ok {
		return false
	}
	n, constant := h.e.Bits(y)
	switch {
	case constant:
		l, ok = h.withConstant(in, l, n)
	case in.Op == ir.OpAdd && !h.e.joint.inside[y]:
		l.register, l.exact, ok = h.e.joint.make(h.e, "add.s32", l.register, h.e.reg(y)), false, true
	default:
		ok = false
	}
	if !ok {
		return false
	}
	h.e.joint.now.linear[in.Result()] = l
	h.Op("add.s32 %s, %s, %d;", h.e.reg(in.Result()), l.register, int32(l.add))
	return true
}

// withConstant returns what an operation with a constant makes of a linear number.
func (h *several) withConstant(in *ir.Instr, l linear, n uint64) (linear, bool) {
	g, c := h.e.joint, int64(int32(n))
	n &= facts.AnyWord
	fits := func(most uint64) { l.exact = l.exact && c >= 0 && most <= math.MaxInt32; l.most = most }
	switch in.Op {
	case ir.OpAdd:
		l.add += c
		fits(l.most + uint64(c))
		return l, true
	case ir.OpShl:
		c = 1 << (n & 31)
		fallthrough
	case ir.OpMul:
		if c <= 0 || c > 1<<20 || l.add > 1<<30 || l.step > 1<<30 {
			return l, false
		}
		l.register, l.add, l.step = g.make(h.e, "mul.lo.s32", l.register, c), l.add*c, l.step*c
		fits(l.most * uint64(c))
		return l, true
	}
	shift := bits.TrailingZeros64(n)
	switch in.Op {
	case ir.OpShr:
		shift = int(n & 31)
	case ir.OpAnd:
		if shift = bits.TrailingZeros64(n + 1); n != 1<<shift-1 || shift > 30 {
			return l, false
		}
	case ir.OpDiv, ir.OpRem:
		if c <= 0 || n != 1<<shift {
			return l, false
		}
	default:
		return l, false
	}
	if low := int64(1)<<shift - 1; !l.exact || l.add&low != 0 || l.step&low != 0 {
		return l, false
	}
	if in.Op == ir.OpAnd || in.Op == ir.OpRem {
		l.register, l.add, l.step = g.make(h.e, "and.b32", l.register, int64(1)<<shift-1), 0, 0
		l.most = min(l.most, 1<<shift-1)
		return l, true
	}
	l.register, l.add, l.step = g.make(h.e, "shr.u32", l.register, shift), l.add>>shift, l.step>>shift
	l.most >>= shift
	return l, true
}

// indexedLinearly moves a place by an index that is linear in these rounds, and reports whether it is.
func (h *several) indexedLinearly(p *place, a *ir.Access, index ir.Value) bool {
	l, ok := h.linearOf(index)
	if !ok || !l.exact || a.Scale <= 0 || p.moves {
		return false
	}
	if p.at == "" {
		p.index, p.signed, p.scale = h.e.reg(index), a.Index == ir.S32, int64(a.Scale)
	}
	h.moveLinearly(p, l, int64(a.Scale))
	return true
}

// moveLinearly moves a place that is the same in all rounds by so many bytes for each of a linear number.
func (h *several) moveLinearly(p *place, l linear, scale int64) {
	at := p.at
	if at == "" {
		at = "0"
	}
	name := fmt.Sprintln("place", at, l.register, scale)
	if h.e.joint.made[name] == "" {
		h.e.joint.made[name] = h.Make(text.Long, "mad.wide.u32", l.register, fmt.Sprint(scale), at)
	}
	p.at = h.e.joint.made[name]
	p.ahead += l.add * scale
	p.fixed += l.add * scale
}

// movedLinearly returns the place of a pointer that has been moved by a linear number, if this one has.
func (h *several) movedLinearly(root ir.Value) (p place, ok bool) {
	in := h.e.By[root]
	if h.e.joint == nil || in == nil || in.Op != ir.OpMove || in.Imm <= 0 || h.e.joint.inside[in.Args[0]] {
		return p, false
	}
	l, ok := h.linearOf(in.Args[1])
	if !ok || !l.exact || h.e.Origins[in.Args[0]] == facts.Unknown {
		return p, false
	}
	p = h.e.places.placeOf(in.Args[0])
	p.within = p.within && uint64(l.add) <= l.most
	p.from += (l.most - uint64(l.add)) * uint64(in.Imm)
	p.ahead = p.fixed
	h.moveLinearly(&p, l, in.Imm)
	return p, true
}

// rowByRow returns a register with the address of an element of a table, in whose index the row is linear and the
// column the same in all rounds: from round to round it is so many rows further on.
func (h *several) rowByRow(index ir.Value, p *place, a *ir.Access) (at string, ok bool) {
	in, g := h.e.By[index], h.e.joint
	if g == nil || in == nil || in.Op != ir.OpAdd {
		return "", false
	}
	for i, v := range in.Args {
		x, y, ok := h.e.Widened(v)
		column := h.e.By[in.Args[1-i]]
		if !ok || column == nil || column.Op != ir.OpWiden || column.Type != ir.U32 {
			continue
		}
		for _, of := range [][2]ir.Value{{x, y}, {y, x}} {
			row, isRow := h.linearOf(of[0])
			step, isStep := h.linearOf(column.Args[0])
			last := row.add + int64(len(g.list)-1)*row.step
			if !isRow || !isStep || step.step != 0 || row.add < 0 || last*int64(a.Scale) > math.MaxInt32 || g.inside[of[1]] {
				continue
			}
			return h.atRow(row, last, of[1], step, p, a), true
		}
	}
	return "", false
}

// atRow returns the address of rowByRow. Rounds in which a row may wrap around are done one by one.
func (h *several) atRow(row linear, last int64, width ir.Value, column linear, p *place, a *ir.Access) string {
	g := h.e.joint
	name := fmt.Sprintln("row", row.register, h.e.reg(width), column.register, column.add, p.base, a.Scale)
	if g.made[name] == "" {
		if !row.exact {
			h.Op("setp.gt.or.u32 %s, %s, %d, %s;", h.e.noted, row.register, math.MaxUint32-last, h.e.noted)
		}
		first := h.Make(text.Word, "add.s32", column.register, fmt.Sprint(int32(column.add)))
		element := h.Make(text.Long, "mad.wide.u32", row.register, h.e.reg(width), h.Make(text.Long, "cvt.u64.u32", first))
		g.made[name] = h.Make(text.Long, "mad.lo.s64", element, fmt.Sprint(a.Scale), p.base)
	}
	if row.add == 0 {
		return g.made[name]
	}
	return h.Make(text.Long, "mad.wide.u32", h.e.reg(width), fmt.Sprint(row.add*int64(a.Scale)), g.made[name])
}
