package assemble

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// routines knows how routines are called.
type routines struct {
	code    *code
	facts   *facts
	passing []passing
	reaches [][]bool // by routine: the routines that it may call, itself or by others
}

// passing are the registers through which the arguments and results of a routine go.
type passing struct {
	params, results []int32
	unsets          map[int32]int32
	start           *label
}

// calls writes calls of routines, and the beginnings and ends of those.
type calls struct {
	code       *code
	facts      *facts
	fn         *ranges
	values     *values
	checks     *checks
	operations *operations
	flow       *flow
	routines   *routines
	results    []returned
}

// beginRoutine gives a routine registers of its own, which no other has.
func (e *calls) beginRoutine(body *ir.Region) {
	e.routines.handover(e.fn.routine)
	e.code.regs.beginWindow()
	r := e.code.program.Routines[e.fn.routine]
	f := e.facts
	pointers := map[int64]int32{}
	for i := range r.Locals {
		object := int64(r.Locals[i].Pointer)
		r.Locals[i].Pointer = e.code.regs.fresh(program.LongClass) // the call sets it: nothing else may have it before
		pointers[object] = r.Locals[i].Pointer
	}
	for in := range body.All() {
		if in.Op == ir.OpAddress {
			if at, ok := pointers[in.Imm]; ok {
				f.fixed[in.Result()] = at + 1
			}
		}
	}
}

// handover returns how calls hand over what a routine takes and returns.
func (e *routines) handover(n int) *passing {
	if e.passing == nil {
		e.passing = make([]passing, len(e.facts.Routines))
	}
	p := &e.passing[n]
	if p.start != nil {
		return p
	}
	p.start, p.unsets = newLabel(), map[int32]int32{}
	register := func(t ir.Type) int32 {
		r := e.code.regs.extend(classOfValue(t), 1)
		p.unsets[r] = e.code.lastingUnset()
		return r
	}
	for _, v := range e.facts.Routines[n].Body.Params {
		p.params = append(p.params, register(e.facts.Type(v)))
	}
	for _, t := range e.facts.Routines[n].Results {
		p.results = append(p.results, register(t))
	}
	return p
}

// beginCall writes the beginning of a routine.
func (e *calls) beginCall(c *laneConstruct) {
	p := e.routines.handover(e.fn.routine)
	routine := e.facts.Routines[e.fn.routine]
	e.code.here(p.start)
	e.flow.masksFor(c)
	for _, t := range routine.Results {
		r := returned{reg: e.code.regs.allocate(classOfValue(t)), class: classOfValue(t)}
		r.unset = e.code.clearedUnset()
		e.results = append(e.results, r)
	}
	e.code.emit(program.Instruction{Flow: program.FlowEnter, D: c.entry, B: c.active})
	for i, v := range routine.Body.Params {
		if w := e.values.webOfValue(v); w != nil && len(e.fn.usesOf(v)) > 0 {
			e.values.begin(w)
			e.values.assign(w, p.params[i], p.unsets[p.params[i]])
		}
	}
}

// giveResults writes what a routine returns.
func (e *calls) giveResults(in *ir.Instr) {
	for i, v := range in.Args {
		r := e.results[i]
		w := &web{class: r.class, reg: r.reg, unset: r.unset, result: -1, top: 0, begun: true}
		from, unset := e.values.reg(v), e.checks.unsetOf(v)
		e.checks.assignUnset(w, unset, true)
		blend := blendOps[r.class].Instruction()
		blend.D, blend.A, blend.Pos = r.reg, from, e.code.pos
		if r.class == program.MaskClass {
			e.code.emit(blend)
			continue
		}
		copied, rest := copyOps[r.class].Instruction(), program.OpNothing.Instruction()
		rest.Pos = e.code.pos
		copied.D, copied.A, copied.Scope = r.reg, from, e.fn.constructs[0].entry
		copied.Masked = &[2]program.Instruction{blend, rest}
		e.code.emit(copied)
	}
}

// endCall writes the end of a routine.
func (e *calls) endCall(c *laneConstruct) {
	p := e.routines.handover(e.fn.routine)
	e.code.here(c.resume)
	e.flow.freeMasks(c)
	e.code.emit(program.Instruction{Flow: program.FlowEnd, D: c.entry, Target: int32(len(e.code.program.Code) + 1)})
	for i, r := range e.results {
		e.code.setUnset(p.unsets[p.results[i]], r.unset)
		e.code.copyTo(r.class, p.results[i], r.reg)
	}
	e.results = e.results[:0]
	e.code.emit(program.Instruction{Flow: program.FlowReturn})
}

// call writes the call of a routine.
func (e *calls) call(in *ir.Instr) {
	p := e.routines.handover(int(in.Imm))
	for i, v := range in.Args {
		to := p.params[i]
		e.code.setUnset(p.unsets[to], e.checks.unsetOf(v))
		e.code.copyTo(classOfValue(e.fn.Type(v)), to, e.values.reg(v))
	}
	flow := program.Instruction{Flow: program.FlowCall, D: int32(in.Imm), Imm: -1}
	if e.fn.routine >= 0 && e.routines.mayCall(int(in.Imm), e.fn.routine) {
		// the caller may be called again before this returns
		flow.Imm = int64(len(e.code.program.Saves))
		e.code.program.Saves = append(e.code.program.Saves, e.code.regs.live())
	}
	e.code.jump(flow, p.start)
	for i, v := range in.Results {
		if w := e.values.webOfValue(v); w != nil {
			if masked, _ := e.values.masksOf(w); !masked {
				e.values.begin(w)
			}
			e.values.assign(w, p.results[i], p.unsets[p.results[i]])
		}
	}
}

// mayCall reports whether a routine may call another one, itself or by others.
func (e *routines) mayCall(from, to int) bool {
	if e.reaches == nil {
		e.reaches = make([][]bool, len(e.facts.Routines))
		for i := range e.reaches {
			e.reaches[i] = make([]bool, len(e.facts.Routines))
			e.findCalls(i, e.reaches[i])
		}
	}
	return from == to || e.reaches[from][to]
}

func (e *routines) findCalls(n int, found []bool) {
	for in := range e.facts.Routines[n].Body.All() {
		if in.Op == ir.OpCall && !found[in.Imm] {
			found[in.Imm] = true
			e.findCalls(int(in.Imm), found)
		}
	}
}

// returned is a register for what a routine returns, until all lanes have.
type returned struct {
	class      program.Class
	reg, unset int32
}
