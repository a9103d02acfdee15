package assemble

import (
	"slices"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// liveness tells which values of a function can't share a register.
type liveness struct{ *uses }

// interfere reports whether a thread may need one value when the other is assigned.
func (l liveness) interfere(v, w ir.Value) bool {
	if l.def[v] > l.def[w] {
		v, w = w, v
	}
	at, s := l.def[w], l.sectAt[w]-1
	switch step := &l.steps[at]; step.kind {
	case stepCase: // the switch has handed on what the case takes to all lanes, whichever case they enter
		c := &l.constructs[step.construct]
		if before := &l.steps[l.def[v]]; before.kind == stepCase && before.construct == step.construct {
			return l.argOf(v) != l.argOf(w)
		}
		if l.def[v] < c.begin {
			at, s = c.begin, c.section
		}
	case stepEnd:
		c := &l.constructs[step.construct]
		// lanes of the first side of an If have its results already
		if l.parts(v, c) || slices.ContainsFunc(c.tests, func(at int32) bool { return l.lostAt(v, w, at) }) {
			return true
		}
	}
	return l.within(s, l.sectAt[v]-1) && l.liveFrom(v, at, s)
}

// lostAt reports whether a value is needed after a test, which hands on a result of the construct around it to the
// lanes that stay as well.
func (l liveness) lostAt(v, result ir.Value, at int32) bool {
	s := &l.steps[at]
	if l.def[v] > at {
		return false
	}
	if cond, _ := l.wanted(s.in, 1-int(s.side)); l.resolve(cond) == v {
		return true
	}
	same := false
	l.eachHanding(int(at), func(from, to ir.Value) { same = same || from == v && to == result })
	return !same && l.within(s.region, l.sectAt[v]-1) && l.liveFrom(v, at, s.region)
}

// parts reports whether a value is the condition of an If, by which the lanes of its second side are found when those
// of the first one have been there.
func (l liveness) parts(v ir.Value, c *laneConstruct) bool {
	return c.otherwise > 0 && slices.ContainsFunc(l.usesOf(v), func(u use) bool { return u.at == c.otherwise })
}

// argOf returns which operand of its switch the parameter of a case is.
func (l liveness) argOf(param ir.Value) int {
	at := &l.steps[l.def[param]]
	return slices.Index(at.in.Regions[at.side].Params, param)
}

// within reports whether a section is in another one, or the same.
func (l liveness) within(s, outer int32) bool {
	for l.sections[s].depth > l.sections[outer].depth {
		s = l.sections[s].outer
	}
	return s == outer
}

// liveFrom reports whether a thread that is right after a step of a section may come to a use of a value.
func (l liveness) liveFrom(v ir.Value, at, s int32) bool {
	uses := l.usesOf(v)
	home := l.sectAt[v] - 1
	for {
		for _, u := range uses {
			if (u.at > at || u.at == at && u.late) && l.within(u.section, s) {
				return true
			}
		}
		if s == home {
			return false
		}
		sec := &l.sections[s]
		if !sec.simple || sec.end == nil {
			return l.roughly(v, uses, at, s)
		}
		switch sec.end.Op {
		case ir.OpLeave:
			c := &l.constructs[l.numberOf(sec.end)]
			if at < c.otherwise && l.parts(v, c) {
				return true
			}
			at, s = c.end, c.section
			if !l.within(s, home) {
				return false
			}
		case ir.OpAgain:
			return l.roughly(v, uses, at, s)
		case ir.OpReturn:
			return false
		default:
			return l.roughly(v, uses, at, s)
		}
	}
}

// roughly is liveFrom where threads go several ways from a section: they may come to all that is written later, but to
// the other side of an If, and to all of the loops that they are in.
func (l liveness) roughly(v ir.Value, uses []use, at, s int32) bool {
	home := l.sectAt[v] - 1
	for _, u := range uses {
		if loop := l.loopBetween(u.section, home); loop >= 0 {
			if c := &l.constructs[loop]; at >= c.begin && at <= c.end {
				return true
			}
		}
		if u.at > at && !l.apart(s, u.section) {
			return true
		}
	}
	return false
}

// loopBetween returns the outermost loop around a section that is in another section, or -1.
func (l liveness) loopBetween(s, outer int32) int32 {
	loop := int32(-1)
	for s != outer && s >= 0 {
		if of := l.sections[s].of; l.constructs[of].kind == program.LoopConstruct {
			loop = of
		}
		s = l.sections[s].outer
	}
	return loop
}

// apart reports whether sections are of different sides of an If, or cases of a switch that do not lead to one another:
// a thread comes to one of them.
func (l liveness) apart(s, t int32) bool {
	for l.sections[s].depth > l.sections[t].depth {
		s = l.sections[s].outer
	}
	for l.sections[t].depth > l.sections[s].depth {
		t = l.sections[t].outer
	}
	if s == t {
		return false
	}
	for l.sections[s].outer != l.sections[t].outer {
		s, t = l.sections[s].outer, l.sections[t].outer
	}
	if l.sections[s].of != l.sections[t].of {
		return false
	}
	c := &l.constructs[l.sections[s].of]
	if c.kind != program.SwitchConstruct {
		return c.kind == program.BranchConstruct
	}
	for i := l.sections[s].arm + 1; i <= l.sections[t].arm; i++ {
		if !c.falls[i] {
			return true
		}
	}
	return false
}
