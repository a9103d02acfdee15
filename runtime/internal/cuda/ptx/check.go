package ptx

import (
	"fmt"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/abi"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/facts"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/text"
)

// Checks of bounds. Accesses of one region that reach beside each other are checked together, where the first of them
// is. A check that fails leads to code at the end, which finds the access that is out of bounds, if there is one: so
// checks in the way of those that are not may be coarse.

// together are accesses that are checked at once.
type together struct {
	low, high int64  // of the bytes that they reach, from where the pointer and the index lead
	left      int    // that have not been written yet
	place     place  // of the first one
	stub      string // the code that finds the one that is out of bounds
	back      string // where that goes on if there is none
	members   []member
	noted     bool // in rounds that are done together
}

// member is an access that is checked with others.
type member struct {
	site  int
	fixed int64
	bytes int64
}

// togetherKey says which accesses reach beside each other.
type togetherKey struct {
	pointer, index ir.Value
	typ            ir.Type
	scale          int32
}

// findTogether finds the accesses of a region that are checked at once: those with one pointer and one index, between
// which a thread goes nowhere else.
func (ac *accesses) findTogether(r *ir.Region) {
	open := map[togetherKey]*together{}
	for _, in := range r.Code {
		info := in.Op.Info()
		switch {
		case in.Op == ir.OpLoad || in.Op == ir.OpStore:
		case in.Op == ir.OpMatrixLoad || in.Op == ir.OpMatrixStore:
			if m, ok := ac.e.matrices.matrixAccessOf(in); ok {
				key := togetherKey{pointer: m.root, typ: ir.F32, scale: int32(m.layout), index: ir.Value(m.stride)}
				ac.addTogether(open, key, in, m.fixed, m.step+m.size)
			}
			continue
		case in.Op == ir.OpMatrix:
			continue
		case info.Has(ir.Constructs) || info.Has(ir.Terminates) || info.Has(ir.Converges):
			clear(open)
			continue
		default:
			continue
		}
		a := in.Aux.(*ir.Access)
		if o := ac.e.Origins[in.Args[0]]; o == facts.Unknown || ac.e.Objects[o].Optional {
			continue
		}
		root, fixed := ac.e.RootOf(in.Args[0])
		fixed += a.Offset
		key := togetherKey{pointer: root, typ: a.Index}
		if a.Index != ir.Void {
			if _, constant := ac.e.Bits(in.Args[1]); constant {
				continue
			}
			key.index, key.scale = in.Args[1], a.Scale
		}
		ac.addTogether(open, key, in, fixed, int64(a.Kind.Bytes()*a.Count))
	}
}

// addTogether adds an access to those with its key.
func (ac *accesses) addTogether(open map[togetherKey]*together, key togetherKey, in *ir.Instr, fixed, bytes int64) {
	t := open[key]
	if t == nil || max(t.high, fixed+bytes)-min(t.low, fixed) > 1<<20 {
		t = &together{low: fixed, high: fixed + bytes}
		open[key] = t
	}
	t.low, t.high = min(t.low, fixed), max(t.high, fixed+bytes)
	t.left++
	ac.e.together[in] = t
}

// check writes the checks of an access to so many bytes, whose scalars have size bytes.
func (ac *accesses) check(p *place, in *ir.Instr, s abi.Site, bytes int64, size int) {
	s.Object = p.object
	t := ac.e.together[in]
	if t != nil {
		t.left--
	}
	if p.at == "" && p.object != facts.Unknown {
		if n, ok := ac.e.places.sizeOf(p.object); ok && p.fixed >= 0 && p.fixed+bytes <= n && p.fixed%int64(size) == 0 {
			return
		}
	}
	if p.sure = !s.Store && ac.isWithin(t, p, bytes, size); p.sure || ac.e.Unchecked || ac.isWithin(t, p, bytes, size) {
		return
	}
	if ac.e.noted != "" {
		ac.noteBeyond(t, p, bytes, size)
		return
	}
	site := ac.e.faults.siteAt(in, s)
	switch {
	case t != nil && p.at != "":
		ac.checkTogether(t, p, member{site, p.fixed, bytes})
	default:
		at := ac.e.places.sum(p)
		ac.e.faults.faultIf(ac.Test("ge.u64", at, p.room(bytes)), site, at, p.number)
	}
	if 1<<p.zeros < size {
		at := ac.e.places.sum(p)
		low := ac.Make(text.Long, "and.b64", ac.e.places.address(p, at), fmt.Sprint(size-1))
		ac.e.faults.faultIf(ac.Test("ne.s64", low, "0"), site, at, p.number)
	}
}

// isWithin reports whether an access, and those that are checked with it, reach nothing but their object whatever a
// thread computes.
func (ac *accesses) isWithin(t *together, p *place, bytes int64, size int) bool {
	if p.object == facts.Unknown {
		return false
	}
	n, known := ac.e.places.sizeOf(p.object)
	low, high := p.fixed-p.ahead, p.fixed+bytes
	if t != nil {
		low, high = t.low, t.high+p.ahead
	}
	return known && p.within && low >= 0 && p.from+uint64(high) <= uint64(n) && 1<<p.zeros >= size
}

// checkTogether writes the check of all accesses where the first of them is, and after the last what finds the one that
// is out of bounds.
func (ac *accesses) checkTogether(t *together, p *place, m ...member) {
	if len(t.members) == 0 {
		t.stub, t.back, t.place = ac.Label(), ac.Label(), *p
		test, a, b := ac.beyond(t)
		ac.Op("@%s bra %s;", ac.Test(strings.Replace(test, ".or", "", 1), a, b), t.stub)
		ac.Return(t.back)
	}
	t.members = append(t.members, m...)
	if t.left > 0 {
		return
	}
	var code text.Part
	code.WriteString(t.stub + ":\n")
	for _, m := range t.members {
		at, bad := ac.Fresh(text.Long), ac.Fresh(text.Pred)
		code.Line("add.s64 %s, %s, %d;", at, t.place.at, m.fixed)
		code.Line("setp.ge.u64 %s, %s, %s;", bad, at, t.place.room(m.bytes))
		code.Line("@%s bra %s;", bad, ac.e.faults.faultLabel(m.site, at, ""))
	}
	code.Line("bra %s;", t.back) // where the check was coarse
	ac.Tail.WriteString(code.String())
}

// noteBeyond notes what check checks.
func (ac *accesses) noteBeyond(t *together, p *place, bytes int64, size int) {
	switch {
	case p.wide:
		l := abi.Limit{Object: p.object, Bytes: p.fixed + bytes, Scale: p.scale, Wide: true}
		limit := ""
		if n, ok := ac.e.places.sizeOf(p.object); ok {
			limit = fmt.Sprint(l.Of(n))
		} else {
			limit = ac.e.places.limit(l)
		}
		if size := ac.sizeOfTable(p.element); size != "" {
			if name := "table " + size + " " + limit; ac.e.joint.made[name] == "" {
				ac.e.joint.made[name] = ac.e.noted
				ac.Op("setp.gt.or.u64 %s, %s, %s, %s;", ac.e.noted, size, limit, ac.e.noted)
			}
			break
		}
		ac.e.several.note("ge.or.u64", p.index, limit)
	case t == nil || p.at == "":
		ac.e.several.note("ge.or.u64", ac.e.places.sum(p), p.room(bytes))
	case !t.noted:
		t.place, t.noted = *p, true
		ac.e.several.note(ac.beyond(t))
	}
	if 1<<p.zeros < size {
		at := ac.e.places.sum(p)
		low := ac.Make(text.Long, "and.b64", ac.e.places.address(p, at), fmt.Sprint(size-1))
		ac.e.several.note("ne.or.s64", low, "0")
	}
}

// sizeOfTable returns a register with how many elements a table has, where an index is that of one of them: a row times
// the width and a column, which the branches around compare with the height and the width. All these are the same in
// all rounds.
func (ac *accesses) sizeOfTable(index ir.Value) string {
	in := ac.e.By[index]
	if in == nil || in.Op != ir.OpAdd {
		return ""
	}
	below := map[ir.Value][]ir.Value{} // what numbers are less than
	var find func(v ir.Value)
	find = func(v ir.Value) {
		switch c := ac.e.By[v]; {
		case c == nil:
		case c.Op == ir.OpAnd:
			find(c.Args[0])
			find(c.Args[1])
		case c.Op == ir.OpLt && c.Type == ir.U32 && !ac.e.joint.inside[c.Args[1]]:
			below[c.Args[0]] = append(below[c.Args[0]], c.Args[1])
		}
	}
	for _, v := range ac.e.sides {
		find(v)
	}
	for i, v := range in.Args {
		x, y, ok := ac.e.Widened(v)
		column := ac.e.By[in.Args[1-i]]
		if !ok || column == nil || column.Op != ir.OpWiden || column.Type != ir.U32 {
			continue
		}
		for _, of := range [][2]ir.Value{{x, y}, {y, x}} {
			row, width := of[0], of[1]
			if heights := below[row]; len(heights) > 0 && slices.Contains(below[column.Args[0]], width) {
				name := fmt.Sprintln("size", heights[0], width)
				if ac.e.joint.made[name] == "" {
					ac.e.joint.made[name] = ac.Make(text.Long, "mul.wide.u32", ac.e.reg(heights[0]), ac.e.operand(width))
				}
				return ac.e.joint.made[name]
			}
		}
	}
	return ""
}

// beyond returns the comparison that says whether some of the accesses may be out of bounds.
func (ac *accesses) beyond(t *together) (test, a, b string) {
	p := &t.place
	if p.index == "" || t.low < 0 {
		at := p.at
		if n := t.low + p.ahead; n != 0 {
			at = ac.Make(text.Long, "add.s64", at, fmt.Sprint(n))
		}
		return "ge.or.u64", at, p.room(t.high - t.low)
	}
	l := abi.Limit{Object: p.object, Bytes: t.high, Scale: p.scale, Signed: p.signed}
	if n, ok := ac.e.places.sizeOf(p.object); ok {
		return "ge.or.u32", p.index, fmt.Sprint(uint32(l.Of(n)))
	}
	return "ge.or.u32", p.index, ac.e.places.limit(l)
}
