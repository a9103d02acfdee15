package assemble

import (
	"slices"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// use is where a value is an operand.
type use struct {
	at      int32 // step
	section int32
	late    bool // it is read after results have been written
}

// uses knows where the values of a function are operands, and what constructs hand on.
type uses struct {
	*layout
	list []use // see facts.first
}

// findUses finds the uses of the values of a function.
func findUses(l *layout) *uses {
	u := &uses{layout: l}
	counts := u.first
	for v := range counts {
		counts[v] = 0
	}
	n := int32(0)
	for at := range u.steps {
		u.eachUse(at, func(v ir.Value, _ bool) {
			counts[v]++
			n++
		})
	}
	u.list = make([]use, n)
	sum := int32(0)
	for v, c := range counts {
		counts[v] = sum
		sum += c
	}
	next := slices.Clone(counts)
	for at := range u.steps {
		section := u.steps[at].region
		if u.steps[at].kind == stepElse { // all lanes of the If decide there
			section = u.sections[section].outer
		}
		u.eachUse(at, func(v ir.Value, late bool) {
			u.list[next[v]] = use{int32(at), section, late}
			next[v]++
		})
	}
	return u
}

// usesOf returns the uses of a value.
func (u *uses) usesOf(v ir.Value) []use { return u.list[u.first[v]:u.first[v+1]] }

// eachUse calls do for all operands of a step, as the values that they are.
func (u *uses) eachUse(at int, do func(v ir.Value, late bool)) {
	s := &u.steps[at]
	in := s.in
	switch s.kind {
	case stepElse:
		if !u.isTrivial(at) || len(in.Results) > 0 {
			do(u.resolve(in.Args[0]), false)
		}
	case stepTest:
		cond, _ := u.wanted(in, 1-int(s.side))
		do(u.resolve(cond), false)
		for _, v := range in.Regions[s.side].Code[0].Args {
			do(u.resolve(v), false)
		}
	case stepTurn, stepEnd, stepStop, stepCase:
	case stepBegin:
		if in == nil || in.Op == ir.OpBlock {
			return
		}
		fallthrough
	default:
		if s.kind == stepInstr && u.gone(in) {
			return
		}
		late := s.kind == stepInstr && u.isLate(in)
		for _, v := range in.Args {
			u.eachPart(v, late, do)
		}
	}
}

// eachPart calls do for a value, or for the operands of what makes it where that has become part of another
// instruction.
func (u *uses) eachPart(v ir.Value, late bool, do func(v ir.Value, late bool)) {
	if v == 0 {
		return
	}
	v = u.resolve(v)
	if u.fused[v] == folded {
		for _, x := range u.by[v].Args {
			u.eachPart(x, late, do)
		}
		return
	}
	do(v, late)
}

// isTrivial reports whether the side of an If that begins at a step only hands on what is there.
func (u *uses) isTrivial(at int) bool {
	return u.steps[at+1].kind == stepHand && u.steps[at+2].kind == stepEnd
}

// eachHanding calls do for what a step hands on.
func (u *uses) eachHanding(at int, do func(from, to ir.Value)) {
	s := &u.steps[at]
	pairs := func(from, to []ir.Value) {
		for i, v := range to {
			if len(u.usesOf(v)) > 0 {
				do(u.resolve(from[i]), v)
			}
		}
	}
	switch s.kind {
	case stepHand, stepLeave:
		if s.in.Op != ir.OpReturn {
			pairs(s.in.Args, u.constructs[u.numberOf(s.in)].in.Results)
		}
	case stepTest:
		if c := &u.constructs[u.masked(s.construct)]; c.in != nil {
			pairs(s.in.Regions[s.side].Code[0].Args, c.in.Results)
		}
	case stepAgain:
		pairs(s.in.Args, u.constructs[u.numberOf(s.in)].in.Regions[0].Params)
	case stepBegin:
		switch c := &u.constructs[s.construct]; c.kind {
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
		c := &u.constructs[s.construct]
		pairs(s.in.Args, c.in.Regions[u.sections[s.region].arm+1].Params)
	}
}
