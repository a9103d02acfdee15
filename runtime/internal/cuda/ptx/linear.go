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
	g.made[name] = e.Make(text.Word, op, texts...)
	return g.made[name]
}

// linearOf returns what a number is in this round, if it is linear there.
func (e *emitter) linearOf(v ir.Value) (linear, bool) {
	if e.joint == nil {
		return linear{}, false
	}
	l, ok := e.joint.now.linear[v]
	return l, ok
}

// linearly writes an instruction that makes a linear number of others, and reports whether it is one.
func (e *emitter) linearly(in *ir.Instr) bool {
	if e.joint == nil || len(in.Args) != 2 || in.Type.Held() != ir.I32 {
		return false
	}
	x, y := in.Args[0], in.Args[1]
	if _, ok := e.Bits(x); ok && (in.Op == ir.OpAdd || in.Op == ir.OpMul) {
		x, y = y, x
	}
	if _, ok := e.linearOf(x); !ok && in.Op == ir.OpAdd {
		x, y = y, x
	}
	l, ok := e.linearOf(x)
	if !ok {
		return false
	}
	n, constant := e.Bits(y)
	switch {
	case constant:
		l, ok = e.withConstant(in, l, n)
	case in.Op == ir.OpAdd && !e.joint.inside[y]:
		l.register, l.exact, ok = e.joint.make(e, "add.s32", l.register, e.reg(y)), false, true
	default:
		ok = false
	}
	if !ok {
		return false
	}
	e.joint.now.linear[in.Result()] = l
	e.Op("add.s32 %s, %s, %d;", e.reg(in.Result()), l.register, int32(l.add))
	return true
}

// withConstant returns what an operation with a constant makes of a linear number.
func (e *emitter) withConstant(in *ir.Instr, l linear, n uint64) (linear, bool) {
	g, c := e.joint, int64(int32(n))
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
		l.register, l.add, l.step = g.make(e, "mul.lo.s32", l.register, c), l.add*c, l.step*c
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
		l.register, l.add, l.step = g.make(e, "and.b32", l.register, int64(1)<<shift-1), 0, 0
		l.most = min(l.most, 1<<shift-1)
		return l, true
	}
	l.register, l.add, l.step = g.make(e, "shr.u32", l.register, shift), l.add>>shift, l.step>>shift
	l.most >>= shift
	return l, true
}

// indexedLinearly moves a place by an index that is linear in these rounds, and reports whether it is.
func (e *emitter) indexedLinearly(p *place, a *ir.Access, index ir.Value) bool {
	l, ok := e.linearOf(index)
	if !ok || !l.exact || a.Scale <= 0 || p.moves {
		return false
	}
	if p.at == "" {
		p.index, p.signed, p.scale = e.reg(index), a.Index == ir.S32, int64(a.Scale)
	}
	e.moveLinearly(p, l, int64(a.Scale))
	return true
}

// moveLinearly moves a place that is the same in all rounds by so many bytes for each of a linear number.
func (e *emitter) moveLinearly(p *place, l linear, scale int64) {
	at := p.at
	if at == "" {
		at = "0"
	}
	name := fmt.Sprintln("place", at, l.register, scale)
	if e.joint.made[name] == "" {
		e.joint.made[name] = e.Make(text.Long, "mad.wide.u32", l.register, fmt.Sprint(scale), at)
	}
	p.at = e.joint.made[name]
	p.ahead += l.add * scale
	p.fixed += l.add * scale
}

// movedLinearly returns the place of a pointer that has been moved by a linear number, if this one has.
func (e *emitter) movedLinearly(root ir.Value) (p place, ok bool) {
	in := e.By[root]
	if e.joint == nil || in == nil || in.Op != ir.OpMove || in.Imm <= 0 || e.joint.inside[in.Args[0]] {
		return p, false
	}
	l, ok := e.linearOf(in.Args[1])
	if !ok || !l.exact || e.Origins[in.Args[0]] == facts.Unknown {
		return p, false
	}
	p = e.placeOf(in.Args[0])
	p.within = p.within && uint64(l.add) <= l.most
	p.from += (l.most - uint64(l.add)) * uint64(in.Imm)
	p.ahead = p.fixed
	e.moveLinearly(&p, l, in.Imm)
	return p, true
}

// rowByRow returns a register with the address of an element of a table, in whose index the row is linear and the
// column the same in all rounds: from round to round it is so many rows further on.
func (e *emitter) rowByRow(index ir.Value, p *place, a *ir.Access) (at string, ok bool) {
	in, g := e.By[index], e.joint
	if g == nil || in == nil || in.Op != ir.OpAdd {
		return "", false
	}
	for i, v := range in.Args {
		x, y, ok := e.Widened(v)
		column := e.By[in.Args[1-i]]
		if !ok || column == nil || column.Op != ir.OpWiden || column.Type != ir.U32 {
			continue
		}
		for _, of := range [][2]ir.Value{{x, y}, {y, x}} {
			row, isRow := e.linearOf(of[0])
			step, isStep := e.linearOf(column.Args[0])
			last := row.add + int64(len(g.list)-1)*row.step
			if !isRow || !isStep || step.step != 0 || row.add < 0 || last*int64(a.Scale) > math.MaxInt32 || g.inside[of[1]] {
				continue
			}
			return e.atRow(row, last, of[1], step, p, a), true
		}
	}
	return "", false
}

// atRow returns the address of rowByRow. Rounds in which a row may wrap around are done one by one.
func (e *emitter) atRow(row linear, last int64, width ir.Value, column linear, p *place, a *ir.Access) string {
	g := e.joint
	name := fmt.Sprintln("row", row.register, e.reg(width), column.register, column.add, p.base, a.Scale)
	if g.made[name] == "" {
		if !row.exact {
			e.Op("setp.gt.or.u32 %s, %s, %d, %s;", e.noted, row.register, math.MaxUint32-last, e.noted)
		}
		first := e.Make(text.Word, "add.s32", column.register, fmt.Sprint(int32(column.add)))
		element := e.Make(text.Long, "mad.wide.u32", row.register, e.reg(width), e.Make(text.Long, "cvt.u64.u32", first))
		g.made[name] = e.Make(text.Long, "mad.lo.s64", element, fmt.Sprint(a.Scale), p.base)
	}
	if row.add == 0 {
		return g.made[name]
	}
	return e.Make(text.Long, "mad.wide.u32", e.reg(width), fmt.Sprint(row.add*int64(a.Scale)), g.made[name])
}
