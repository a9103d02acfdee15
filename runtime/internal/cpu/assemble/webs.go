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
	inner        int32 // the same without what is made for a loop alone, before it: nothing needs that in the loop
	single       bool  // a value that no construct hands on
	result       int32 // the construct whose result is its only member in top, or -1
	mayUnset     bool
	begun, ended bool
}

// ranges knows which values of a function share registers, and from where to where.
type ranges struct {
	*uses
	live        liveness
	routine     int   // that is being written, or -1
	at, section int32 // the step that is being written, and where it is
	webs        []web
	room        []ir.Value // of the webs of one member
	beginsAt    []int32    // by step: the first web that begins there, plus one
	endsAt      []int32
}

// find finds the webs of a function.
func (r *ranges) find(l *layout) {
	r.uses = findUses(l)
	r.live = liveness{r.uses}
	r.beginsAt, r.endsAt = make([]int32, len(l.steps)+1), make([]int32, len(l.steps)+1)
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

// single makes each value of the function a web.
func (r *ranges) single() {
	n := 0
	for _, at := range r.sectAt {
		if at > 0 {
			n++
		}
	}
	r.webs, r.room = make([]web, 0, n), make([]ir.Value, 0, n)
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
		n := len(r.room)
		r.room = append(r.room, v)
		r.webs = append(r.webs, web{
			class: classOfValue(r.Type(v)), members: r.room[n : n+1 : n+1], top: r.sectAt[v] - 1, single: !handed, result: -1,
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
			if r.live.interfere(v, w) {
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

// findExtents finds from which step to which each web has its register.
func (r *ranges) findExtents() {
	for i := range r.webs {
		w := &r.webs[i]
		if len(w.members) == 0 {
			continue
		}
		w.begin, w.end, w.inner = int32(len(r.steps)), 0, r.inner(w)
		results := 0
		for _, v := range w.members {
			w.begin, w.end = min(w.begin, r.def[v]), max(w.end, r.def[v])
			home := r.sectAt[v] - 1
			for _, u := range r.usesOf(v) {
				end := u.at
				if loop := r.live.loopBetween(u.section, home); loop >= 0 {
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

// inner returns the innermost section around what is assigned to a web, where what is only handed to loops as they
// begin counts as part of them.
func (r *ranges) inner(w *web) int32 {
	if w.single {
		return w.top
	}
	inner := int32(-1)
	add := func(s int32) {
		if inner < 0 {
			inner = s
		}
		inner = r.around(inner, s)
	}
	for _, v := range w.members {
		loops := r.loopsOf(v)
		if loops == nil {
			add(r.sectAt[v] - 1)
		}
		for _, loop := range loops {
			add(r.sectAt[loop.Regions[0].Params[0]] - 1)
		}
	}
	return inner
}

// loopsOf returns the loops that the result of an instruction is handed to as they begin, or nil if it is an operand
// elsewhere.
func (r *ranges) loopsOf(v ir.Value) (list []*ir.Instr) {
	if r.steps[r.def[v]].kind != stepInstr {
		return nil
	}
	for _, u := range r.usesOf(v) {
		at := &r.steps[u.at]
		if at.kind != stepBegin || at.in.Op != ir.OpLoop {
			return nil
		}
		list = append(list, at.in)
	}
	return list
}
