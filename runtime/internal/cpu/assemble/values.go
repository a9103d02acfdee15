package assemble

import (
	"slices"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// values knows which registers hold the values of a function, and makes what constructs hand on.
type values struct {
	code   *code
	facts  *facts
	fn     *ranges
	checks *checks
}

// handedOn is a value that is handed on.
type handedOn struct {
	to    *web
	from  int32
	unset int32
}

// webOfValue returns the web of a value that is in a register of its own, or nil.
func (e *values) webOfValue(v ir.Value) *web {
	v = e.fn.resolve(v)
	if e.facts.fixed[v] != 0 || e.fn.webOf[v] == 0 || e.fn.isKnown(v) {
		return nil
	}
	return &e.fn.webs[e.fn.webOf[v]-1]
}

// reg returns the register that holds a value; 0 for none.
func (e *values) reg(v ir.Value) int32 {
	if v == 0 {
		return 0
	}
	v = e.fn.resolve(v)
	if r := e.facts.fixed[v]; r != 0 {
		return r - 1
	}
	if bits, ok := e.fn.Bits(v); ok {
		r := e.code.constant(classOfValue(e.fn.Type(v)), bits)
		e.facts.fixed[v] = r + 1
		return r
	}
	return e.fn.webs[e.fn.webOf[v]-1].reg
}

// regsOf returns the registers of values.
func (e *values) regsOf(list []ir.Value) []int32 {
	regs := make([]int32, len(list))
	for i, v := range list {
		regs[i] = e.reg(v)
	}
	return regs
}

// beginWebs gives registers to the webs that begin at a step.
func (e *values) beginWebs(at int32) {
	for i := e.fn.beginsAt[at]; i != 0; {
		w := &e.fn.webs[i-1]
		if !w.single {
			e.begin(w)
		}
		i = w.next
	}
}

func (e *values) begin(w *web) {
	if w.begun {
		return
	}
	w.begun = true
	w.reg = e.code.regs.allocate(w.class)
	if w.mayUnset {
		w.unset = e.code.newUnset()
		if !w.single {
			e.code.setUnset(w.unset, 0)
		}
	}
}

// endWebs frees the registers of webs that end at a step: of those that are operands only, if the results are yet to
// come.
func (e *values) endWebs(at int32, operands bool) {
	for i := e.fn.endsAt[at]; i != 0; {
		w := &e.fn.webs[i-1]
		if w.begun && !w.ended && (!operands || w.begin < at) {
			w.ended = true
			e.code.regs.giveBack(w.class, w.reg)
			e.code.freeUnset(w.unset)
		}
		i = w.nextEnd
	}
}

// reuse lets the result of an instruction have the register of an operand that nothing needs after it.
func (e *values) reuse() {
	if !e.checks.readOperandsLate() {
		e.endWebs(e.fn.at, true)
	}
}

// masks returns whether what is assigned to a web here must leave the other lanes alone, and the mask of the lanes for
// which the web lives: where those are the active ones, it need not.
func (e *values) masksOf(w *web) (masked bool, scope int32) {
	if w.single {
		return false, 0
	}
	at, top := e.fn.section, w.top
	if e.fn.live.within(at, w.inner) {
		top = w.inner
	}
	if at == top {
		of := e.fn.sections[top].of
		if c := &e.fn.constructs[of]; c.kind != program.LoopConstruct || !c.continued || !e.hasParam(w, of) {
			return false, 0
		}
	} else if e.fn.live.within(top, at) {
		return false, 0
	}
	if w.result >= 0 && top == w.top { // outside of the construct its mask may be that of another one
		if c := &e.fn.constructs[w.result]; !c.maskless && c.begin < e.fn.at && e.fn.at < c.end {
			return true, c.entry
		}
	}
	c := &e.fn.constructs[e.fn.masked(e.fn.sections[top].construct)]
	if c.kind == program.SwitchConstruct { // lanes that are yet to enter a case have what it takes already
		return true, c.entry
	}
	return true, c.active
}

func (e *values) isMasked(w *web) bool {
	masked, _ := e.masksOf(w)
	return masked
}

// hasParam reports whether a web has a parameter of a loop.
func (e *values) hasParam(w *web, loop int32) bool {
	for _, v := range w.members {
		if at := &e.fn.steps[e.fn.def[v]]; at.kind == stepTurn && at.construct == loop {
			return true
		}
	}
	return false
}

// result adds an instruction whose d is the register of a value.
func (e *values) result(v ir.Value, in program.Instruction) {
	w := &e.fn.webs[e.fn.webOf[v]-1]
	masked, scope := e.masksOf(w)
	if !masked {
		e.begin(w)
		in.D = w.reg
		e.code.emit(in)
		return
	}
	e.code.temporary(w.class, func(t int32) {
		in.D, in.Pos = t, e.code.pos
		blend := blendOps[w.class].Instruction()
		blend.D, blend.A, blend.Pos = w.reg, t, e.code.pos
		if w.class == program.MaskClass {
			e.code.emit(in)
			e.code.emit(blend)
			return
		}
		in.Masked = &[2]program.Instruction{in, blend}
		in.D, in.Scope = w.reg, scope
		e.code.emit(in)
	})
}

// assign copies a register to that of a web, in the active lanes.
func (e *values) assign(w *web, from, unset int32) {
	masked, scope := e.masksOf(w)
	e.checks.assignUnset(w, unset, masked)
	if w.reg == from {
		return
	}
	in := copyOps[w.class].Instruction()
	in.D, in.A = w.reg, from
	if masked {
		blend := blendOps[w.class].Instruction()
		blend.D, blend.A, blend.Pos = w.reg, from, e.code.pos
		if w.class == program.MaskClass {
			e.code.emit(blend)
			return
		}
		rest := program.OpNothing.Instruction()
		rest.Pos = e.code.pos
		in.Scope, in.Masked = scope, &[2]program.Instruction{blend, rest}
	}
	e.code.emit(in)
}

// movesOf returns what a step hands on, as far as that is in another register.
func (e *values) movesOf(at int32) []handedOn {
	var list []handedOn
	e.fn.eachHanding(int(at), func(from, to ir.Value) {
		if e.fn.webOf[to] == 0 {
			return
		}
		w := &e.fn.webs[e.fn.webOf[to]-1]
		if source := e.webOfValue(from); source != w {
			list = append(list, handedOn{w, e.reg(from), e.checks.unsetOf(from)})
		}
	})
	return list
}

// hand carries out moves as if all happened at once.
func (e *values) hand(list []handedOn) {
	for len(list) > 0 {
		free := slices.IndexFunc(list, func(m handedOn) bool {
			return !slices.ContainsFunc(list, func(other handedOn) bool {
				return other.from == m.to.reg && other.to != m.to
			})
		})
		if free >= 0 {
			e.assign(list[free].to, list[free].from, list[free].unset)
			list = slices.Delete(list, free, free+1)
			continue
		}
		e.rotate(list)
		return
	}
}

// rotate carries out moves that each wait for another one.
func (e *values) rotate(list []handedOn) {
	first := list[0]
	e.code.temporary(first.to.class, func(t int32) {
		e.code.copyTo(first.to.class, t, first.to.reg)
		kept := int32(0)
		if first.to.unset != 0 {
			kept = e.code.newUnset()
			e.code.setUnset(kept, first.to.unset)
		}
		for i := range list {
			if list[i].from == first.to.reg {
				list[i].from = t
				list[i].unset = kept
			}
		}
		e.hand(list)
		e.code.freeUnset(kept)
	})
}
