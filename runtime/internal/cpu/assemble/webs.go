package assemble

import (
	"cmp"
	"slices"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// A web is values that share a register: what constructs hand on, where it can be made in the register in which the
// construct wants it. Lanes that are in different places of the program may have different values of a web in it, so
// what is made where not all lanes are that a web lives for is made in the active ones only.
type web struct {
	class program.Class
	reg   int32 // 0 before it begins
	unset int32 // register of what is unset of it, or 0
	// From the step that begins it to the one that ends it no other web has its register.
	begin, end   int32
	next         int32 // another web that begins, or ends, at the same step, plus one
	nextEnd      int32
	members      []ir.Value
	top          int32 // the outermost section in which one of its members is assigned
	single       bool  // a value that no construct hands on
	result       int32 // the construct of which it has the only member in top as a result, or -1
	mayUnset     bool
	begun, ended bool
}

// use is where a value is an operand.
type use struct {
	at      int32 // step
	section int32
	late    bool // it is read after results have been written
}

// ranges knows where the values of a function are used, and which share registers.
type ranges struct {
	*layout
	routine     int   // that is being written, or -1
	at, section int32 // the step that is being written, and where it is
	webs        []web
	list        []use   // see facts.first
	beginsAt    []int32 // by step: the first web that begins there, plus one
	endsAt      []int32
}

// find finds the webs of a function.
func (r *ranges) find(l *layout) {
	r.layout, r.beginsAt, r.endsAt = l, make([]int32, len(l.steps)+1), make([]int32, len(l.steps)+1)
	r.findUses()
	r.single()
	r.unite()
	r.findExtents()
	for i := range r.webs {
		r.webs[i].mayUnset = slices.ContainsFunc(r.webs[i].members, r.isUnset)
	}
}

// inRegister reports whether a value is in a register that is its own.
func (f *facts) inRegister(v ir.Value) bool { return v != 0 && f.fixed[v] == 0 && !f.isKnown(v) }

func (f *facts) isKnown(v ir.Value) bool {
	_, ok := f.Bits(v)
	return ok
}

// eachUse calls do for all operands of a step, as the values that they are.
func (r *ranges) eachUse(at int, do func(v ir.Value, late bool)) {
	s := &r.steps[at]
	in := s.in
	switch s.kind {
	case stepElse:
		if !r.isTrivial(at) || len(in.Results) > 0 {
			do(r.resolve(in.Args[0]), false)
		}
	case stepTest:
		cond, _ := r.wanted(in, 1-int(s.side))
		do(r.resolve(cond), false)
		for _, v := range in.Regions[s.side].Code[0].Args {
			do(r.resolve(v), false)
		}
	case stepTurn, stepEnd, stepStop, stepCase:
	case stepBegin:
		if in == nil || in.Op == ir.OpBlock {
			return
		}
		fallthrough
	default:
		if s.kind == stepInstr && r.gone(in) {
			return
		}
		late := s.kind == stepInstr && r.isLate(in)
		for _, v := range in.Args {
			r.eachPart(v, late, do)
		}
	}
}

// eachPart calls do for a value, or for the operands of what makes it where that has become part of another
// instruction.
func (r *ranges) eachPart(v ir.Value, late bool, do func(v ir.Value, late bool)) {
	if v == 0 {
		return
	}
	v = r.resolve(v)
	if r.fused[v] == folded {
		for _, x := range r.by[v].Args {
			r.eachPart(x, late, do)
		}
		return
	}
	do(v, late)
}

// isTrivial reports whether the side of an If that begins at a step only hands on what is there.
func (l *layout) isTrivial(at int) bool {
	return l.steps[at+1].kind == stepHand && l.steps[at+2].kind == stepEnd
}

func (r *ranges) findUses() {
	counts := r.first
	for v := range counts {
		counts[v] = 0
	}
	n := int32(0)
	for at := range r.steps {
		r.eachUse(at, func(v ir.Value, _ bool) {
			counts[v]++
			n++
		})
	}
	r.list = make([]use, n)
	sum := int32(0)
	for v, c := range counts {
		counts[v] = sum
		sum += c
	}
	next := slices.Clone(counts)
	for at := range r.steps {
		section := r.steps[at].region
		if r.steps[at].kind == stepElse { // all lanes of the If decide there
			section = r.sections[section].outer
		}
		r.eachUse(at, func(v ir.Value, late bool) {
			r.list[next[v]] = use{int32(at), section, late}
			next[v]++
		})
	}
}

// usesOf returns the uses of a value.
func (r *ranges) usesOf(v ir.Value) []use {
	end := int32(len(r.list))
	if int(v)+1 < len(r.first) {
		end = r.first[v+1]
	}
	return r.list[r.first[v]:end]
}

// single makes each value of the function a web.
func (r *ranges) single() {
	r.singles(r.params, true)
	for at := range r.steps {
		s := &r.steps[at]
		switch {
		case s.kind == stepInstr && !r.gone(s.in), s.kind == stepEnd:
			r.singles(s.in.Results, s.kind == stepEnd)
		case s.kind == stepTurn, s.kind == stepCase:
			r.singles(s.in.Regions[s.side].Params, true)
		}
	}
}

// singles makes values webs. Handed ones are results and parameters of constructs.
func (r *ranges) singles(list []ir.Value, handed bool) {
	for _, v := range list {
		if !r.inRegister(v) || r.alias[v] != 0 {
			continue
		}
		r.webs = append(r.webs, web{
			class: classOfValue(r.Type(v)), members: []ir.Value{v}, top: r.sectAt[v] - 1, single: !handed, result: -1,
		})
		r.webOf[v] = int32(len(r.webs))
	}
}

// classOfValue returns how values of a type are held.
func classOfValue(t ir.Type) program.Class {
	switch t {
	case ir.Bool:
		return program.MaskClass
	case ir.I64, ir.Ptr:
		return program.LongClass
	}
	return program.WordClass
}

// handover is a value that a construct hands on as another one.
type handover struct {
	from, to ir.Value
	depth    int32
}

// unite makes values that are handed on and those that they become one web, where they can share a register: first in
// the innermost loops.
func (r *ranges) unite() {
	var list []handover
	for at := range r.steps {
		s := &r.steps[at]
		depth := r.loopDepth(s.region)
		r.eachHanding(at, func(from, to ir.Value) {
			if r.inRegister(from) && r.webOf[from] != 0 && r.webOf[to] != 0 && !r.comesLate(from, to) {
				list = append(list, handover{from, to, depth})
			}
		})
	}
	slices.SortStableFunc(list, func(a, b handover) int { return cmp.Compare(b.depth, a.depth) })
	for _, h := range list {
		r.join(h.from, h.to)
	}
}

// comesLate reports whether a value is made in registers of its own anyway, and copied to where it is handed on.
func (r *ranges) comesLate(from, to ir.Value) bool {
	if by := r.by[from]; by != nil && r.sectAt[from] != r.sectAt[to] {
		switch by.Op {
		case ir.OpMatrix, ir.OpMatrixLoad, ir.OpTexture, ir.OpCall, ir.OpAtomic, ir.OpExchange:
			return true
		}
	}
	return false
}

func (r *ranges) loopDepth(s int32) (n int32) {
	for c := r.sections[s].loop; c >= 0; c = r.sections[r.constructs[c].section].loop {
		n++
	}
	return n
}

// eachHanding calls do for what a step hands on.
func (r *ranges) eachHanding(at int, do func(from, to ir.Value)) {
	s := &r.steps[at]
	pairs := func(from, to []ir.Value) {
		for i, v := range to {
			if len(r.usesOf(v)) > 0 {
				do(r.resolve(from[i]), v)
			}
		}
	}
	switch s.kind {
	case stepHand, stepLeave:
		if s.in.Op != ir.OpReturn {
			pairs(s.in.Args, r.constructs[r.numberOf(s.in)].in.Results)
		}
	case stepTest:
		if c := &r.constructs[r.masked(s.construct)]; c.in != nil {
			pairs(s.in.Regions[s.side].Code[0].Args, c.in.Results)
		}
	case stepAgain:
		pairs(s.in.Args, r.constructs[r.numberOf(s.in)].in.Regions[0].Params)
	case stepBegin:
		switch c := &r.constructs[s.construct]; c.kind {
		case program.LoopConstruct:
			pairs(s.in.Args, s.in.Regions[0].Params)
		case program.SwitchConstruct:
			for i, falls := range c.falls {
				if falls {
					pairs(s.in.Args[1:], s.in.Regions[i].Params)
				}
			}
		}
	case stepFall:
		c := &r.constructs[s.construct]
		pairs(s.in.Args, c.in.Regions[r.sections[s.region].arm+1].Params)
	}
}

// maxJoin bounds the work of joining two webs.
const maxJoin = 1 << 14

// join makes the webs of two values one, unless values of them are alive at once.
func (r *ranges) join(a, b ir.Value) {
	x, y := r.webOf[a]-1, r.webOf[b]-1
	if x == y || r.webs[x].class != r.webs[y].class {
		return
	}
	p, q := &r.webs[x], &r.webs[y]
	if len(p.members)*len(q.members) > maxJoin {
		return
	}
	for _, v := range p.members {
		for _, w := range q.members {
			if r.interfere(v, w) {
				return
			}
		}
	}
	if len(p.members) < len(q.members) {
		x, p, q = y, q, p
	}
	for _, v := range q.members {
		r.webOf[v] = x + 1
	}
	p.members = append(p.members, q.members...)
	q.members = nil
	p.single = false
	p.top = r.around(p.top, q.top)
}

// around returns the innermost section around two.
func (r *ranges) around(s, t int32) int32 {
	for s != t {
		if r.sections[s].depth >= r.sections[t].depth {
			s = r.sections[s].outer
		} else {
			t = r.sections[t].outer
		}
	}
	return s
}

// interfere reports whether a thread may need one value when the other is assigned.
func (r *ranges) interfere(v, w ir.Value) bool {
	if r.def[v] > r.def[w] {
		v, w = w, v
	}
	at, s := r.def[w], r.sectAt[w]-1
	if c := &r.constructs[r.steps[at].construct]; r.steps[at].kind == stepCase {
		// the switch has handed on what the case takes to all lanes, whichever case they enter
		if r.def[v] >= c.begin && r.steps[r.def[v]].kind == stepCase && r.steps[r.def[v]].construct == c.number {
			return r.argOf(v) != r.argOf(w)
		}
		if r.def[v] < c.begin {
			at, s = c.begin, c.section
		}
	}
	if !r.within(s, r.sectAt[v]-1) {
		return false
	}
	return r.liveFrom(v, at, s)
}

// argOf returns which operand of its switch the parameter of a case is.
func (r *ranges) argOf(param ir.Value) int {
	at := &r.steps[r.def[param]]
	return slices.Index(at.in.Regions[at.side].Params, param)
}

// within reports whether a section is in another one, or the same.
func (r *ranges) within(s, outer int32) bool {
	for r.sections[s].depth > r.sections[outer].depth {
		s = r.sections[s].outer
	}
	return s == outer
}

// liveFrom reports whether a thread that is right behind a step of a section may come to a use of a value.
func (r *ranges) liveFrom(v ir.Value, at, s int32) bool {
	uses := r.usesOf(v)
	home := r.sectAt[v] - 1
	for {
		for _, u := range uses {
			if (u.at > at || u.at == at && u.late) && r.within(u.section, s) {
				return true
			}
		}
		if s == home {
			return false
		}
		sec := &r.sections[s]
		if !sec.simple || sec.end == nil {
			return r.roughly(v, uses, at, s)
		}
		switch sec.end.Op {
		case ir.OpLeave:
			c := &r.constructs[r.numberOf(sec.end)]
			at, s = c.end, c.section
			if !r.within(s, home) {
				return false
			}
		case ir.OpAgain:
			return r.roughly(v, uses, at, s)
		case ir.OpReturn:
			return false
		default:
			return r.roughly(v, uses, at, s)
		}
	}
}

// roughly is liveFrom where threads go several ways from a section: they may come to all that is written later, but to
// the other side of an If, and to all of the loops that they are in.
func (r *ranges) roughly(v ir.Value, uses []use, at, s int32) bool {
	home := r.sectAt[v] - 1
	for _, u := range uses {
		if loop := r.loopBetween(u.section, home); loop >= 0 {
			if c := &r.constructs[loop]; at >= c.begin && at <= c.end {
				return true
			}
		}
		if u.at > at && !r.apart(s, u.section) {
			return true
		}
	}
	return false
}

// loopBetween returns the outermost loop around a section that is in another section, or -1.
func (r *ranges) loopBetween(s, outer int32) int32 {
	loop := int32(-1)
	for s != outer && s >= 0 {
		if of := r.sections[s].of; r.constructs[of].kind == program.LoopConstruct {
			loop = of
		}
		s = r.sections[s].outer
	}
	return loop
}

// apart reports whether sections are of different sides of an If, or cases of a switch that do not lead to one another:
// a thread comes to one of them.
func (r *ranges) apart(s, t int32) bool {
	for r.sections[s].depth > r.sections[t].depth {
		s = r.sections[s].outer
	}
	for r.sections[t].depth > r.sections[s].depth {
		t = r.sections[t].outer
	}
	if s == t {
		return false
	}
	for r.sections[s].outer != r.sections[t].outer {
		s, t = r.sections[s].outer, r.sections[t].outer
	}
	if r.sections[s].of != r.sections[t].of {
		return false
	}
	c := &r.constructs[r.sections[s].of]
	if c.kind != program.SwitchConstruct {
		return c.kind == program.BranchConstruct
	}
	for i := r.sections[s].arm + 1; i <= r.sections[t].arm; i++ {
		if !c.falls[i] {
			return true
		}
	}
	return false
}

// findExtents finds from which step to which each web has its register.
func (r *ranges) findExtents() {
	for i := range r.webs {
		w := &r.webs[i]
		if len(w.members) == 0 {
			continue
		}
		w.begin, w.end = int32(len(r.steps)), 0
		results := 0
		for _, v := range w.members {
			w.begin, w.end = min(w.begin, r.def[v]), max(w.end, r.def[v])
			home := r.sectAt[v] - 1
			for _, u := range r.usesOf(v) {
				end := u.at
				if loop := r.loopBetween(u.section, home); loop >= 0 {
					end = r.constructs[loop].end
				}
				w.end = max(w.end, end)
			}
			at := &r.steps[r.def[v]]
			switch at.kind {
			case stepTurn:
				c := &r.constructs[at.construct]
				w.begin, w.end = min(w.begin, c.begin), max(w.end, c.end)
			case stepCase:
				w.begin = min(w.begin, r.constructs[at.construct].begin)
			case stepEnd:
				c := &r.constructs[at.construct]
				w.begin = min(w.begin, c.begin)
				if home == w.top {
					w.result = at.construct
					results++
				}
			default:
				if home == w.top {
					results = -1 << 20
				}
			}
			if at.kind != stepEnd && home == w.top {
				results = -1 << 20
			}
		}
		if results != 1 {
			w.result = -1
		}
		w.next, r.beginsAt[w.begin] = r.beginsAt[w.begin], int32(i+1)
		w.nextEnd, r.endsAt[w.end] = r.endsAt[w.end], int32(i+1)
	}
}
