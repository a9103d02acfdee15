package ptx

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/text"
)

// rounds are those of a loop that are done together. They are written with a register for each value in each round, and
// in two parts: loads of device memory and what they need come first, in all rounds, and then the rest.
type rounds struct {
	list   []round
	now    *round
	params []string          // the registers of the loop's parameters, which stay what they were until the end
	made   map[string]string // registers of what is the same in all rounds, by what computes them
	inside map[ir.Value]bool // what the loop computes
}

// round is what is known in one of them.
type round struct {
	registers map[ir.Value]string
	halves    map[ir.Value]string
	linear    map[ir.Value]linear
}

// enter goes on with a round.
func (g *rounds) enter(e *emitter, n int) {
	if g.now != nil {
		for v := range g.inside {
			g.now.registers[v] = e.regOf[v]
		}
	}
	g.now = &g.list[n]
	e.halves = g.now.halves
	for v := range g.inside {
		e.regOf[v] = g.now.registers[v]
	}
}

// writeRounds writes rounds that are done together.
func (h *several) writeRounds(c *counting) {
	h.e.joint = h.roundsOf(c)
	first := h.loadsFirst(c)
	part := func(list []*ir.Instr, is bool) (some []*ir.Instr) {
		for _, in := range list {
			if first[in] == is {
				some = append(some, in)
			}
		}
		return some
	}
	end := c.body.Code[c.exit]
	if c.isTestAlone() { // these rounds have passed it
		h.e.within[c.test] = true
		defer delete(h.e.within, c.test)
	}
	for _, is := range []bool{true, false} {
		if is && len(first) == 0 {
			continue
		}
		for n := range c.rounds {
			if n > 0 {
				h.passOn(c, n, func(v ir.Value) bool { return !is || first[c.within[v]] })
			}
			h.e.joint.enter(h.e, n)
			h.straight(part(c.body.Code[:c.exit], is))
			if first[end] == is {
				h.e.flow.assign(end.Results, c.stays.Args)
			}
			h.straight(part(c.body.Code[c.exit+1:len(c.body.Code)-1], is))
		}
	}
}

// passOn gives the parameters of a round the registers of what the round before makes of them, as far as that is known.
func (h *several) passOn(c *counting, n int, known func(v ir.Value) bool) {
	g := h.e.joint
	g.enter(h.e, n-1)
	for i, p := range c.body.Params {
		v := c.again.Args[i]
		if g.list[n].registers[p] != "" || c.inside[v] && c.within[v] != nil && !known(v) ||
			c.within[v] == nil && c.inside[v] && h.e.regOf[v] == "" {
			continue
		}
		g.list[n].registers[p] = h.inRegister(v, p)
	}
}

// inRegister returns a register with an operand that is assigned to a value.
func (h *several) inRegister(v, to ir.Value) string {
	if _, constant := h.e.Bits(v); !constant {
		return h.e.arithmetic.operandAs(v, to)
	}
	class := text.ClassOf(h.e.Type(to))
	return h.Make(class, "mov."+class.Type(), h.constantOr(v, to))
}

// constantOr returns an operand as mov takes it.
func (h *several) constantOr(v, to ir.Value) string {
	if bits, ok := h.e.Bits(v); ok && h.e.Type(v) == ir.Bool {
		return text.Immediate(ir.Bool, bits)
	}
	return h.e.arithmetic.operandAs(v, to)
}

// loadsFirst returns the instructions of a loop that may come before all others of its rounds: loads of device memory,
// where the loop does not store there, and what they need. It is empty where there are none.
func (h *several) loadsFirst(c *counting) map[*ir.Instr]bool {
	first := map[*ir.Instr]bool{}
	for in := range c.body.All() {
		if in.Op == ir.OpStore && h.e.places.spaceOf(h.e.Origins[in.Args[0]]) == ".global" {
			return nil
		}
	}
	possible := true
	var need func(in *ir.Instr)
	needs := func(list []ir.Value) {
		for _, v := range list {
			if in := c.within[v]; in != nil {
				need(in)
			}
			for i, p := range c.body.Params {
				if v == p {
					if in := c.within[c.again.Args[i]]; in != nil {
						need(in)
					}
				}
			}
		}
	}
	need = func(in *ir.Instr) {
		if first[in] {
			return
		}
		first[in] = true
		if in == c.body.Code[c.exit] {
			needs(c.stays.Args)
			return
		}
		possible = possible && h.isEarly(in)
		needs(in.Args)
		for _, r := range in.Regions {
			for inner := range r.All() {
				needs(inner.Args)
			}
		}
	}
	for _, in := range c.body.Code {
		if in != c.body.Code[c.exit] && h.loadsDevice(in) && h.isEarly(in) {
			need(in)
		}
	}
	if !possible {
		return nil
	}
	return first
}

// isEarly reports whether an instruction does nothing but to compute, and to load device memory.
func (h *several) isEarly(in *ir.Instr) bool {
	switch {
	case in.Op == ir.OpIf:
		if !h.isFlat(in) {
			return false
		}
		for _, r := range in.Regions {
			for inner := range r.All() {
				if inner.Op == ir.OpLoad && !h.isEarly(inner) {
					return false
				}
			}
		}
		return true
	case in.Op == ir.OpLoad:
		return h.e.places.spaceOf(h.e.Origins[in.Args[0]]) == ".global"
	}
	return in.Op == ir.OpDiv || in.Op == ir.OpRem || h.e.Effect(in) == 0
}

// loadsDevice reports whether an instruction loads device memory.
func (h *several) loadsDevice(in *ir.Instr) bool {
	if in.Op == ir.OpLoad {
		return h.e.places.spaceOf(h.e.Origins[in.Args[0]]) == ".global"
	}
	for _, r := range in.Regions {
		for inner := range r.All() {
			if h.loadsDevice(inner) {
				return true
			}
		}
	}
	return false
}
