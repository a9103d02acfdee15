package assemble

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// step writes a step of the layout.
func (e *emitter) step(at int32) {
	s := &e.steps[at]
	e.at, e.section = at, s.region
	if s.in != nil {
		e.pos = s.in.Pos
		e.registers.pos = e.position()
	}
	e.beginWebs(at)
	switch s.kind {
	case stepInstr:
		e.instr(s.in)
	case stepBegin:
		e.beginConstruct(s)
	case stepTurn:
		e.turn(s)
	case stepElse:
		e.otherwise(s)
	case stepCase:
		e.caseOf(s)
	case stepEnd:
		e.endConstruct(s)
	case stepTest:
		e.test(s)
	case stepHand:
		if s.in.Op == ir.OpReturn {
			e.giveResults(s.in)
		} else {
			e.hand(e.movesOf(at))
		}
	case stepFall:
		e.hand(e.movesOf(at))
	case stepLeave, stepAgain:
		e.leave(s)
	case stepReturn:
		e.giveResults(s.in)
		e.noteLeave(program.ByReturn, 0)
		e.leaveTo(s.construct, 0, false)
	case stepStop:
		e.endFunction()
	}
	e.endWebs(at, false)
}

// masksFor gives a construct its masks.
func (e *emitter) masksFor(c *laneConstruct) {
	c.entry, c.active = e.allocate(program.MaskClass), e.allocate(program.MaskClass)
}

func (e *emitter) freeMasks(c *laneConstruct) {
	e.giveBack(program.MaskClass, c.entry)
	e.giveBack(program.MaskClass, c.active)
}

func (e *emitter) beginConstruct(s *step) {
	c := &e.constructs[s.construct]
	e.ids++
	c.id, c.resume, c.pos = e.ids, newLabel(), e.pos
	if c.barrier {
		c.count = int32(e.program.Counters)
		e.program.Counters++
	}
	switch c.kind {
	case program.KernelConstruct:
		c.active = e.program.Alive
	case program.BranchConstruct:
		e.beginBranch(s, c)
	case program.LoopConstruct:
		e.hand(e.movesOf(e.at))
		e.masksFor(c)
		c.head = newLabel()
		e.emit(program.Instruction{Flow: program.FlowEnter, D: c.entry, B: c.active})
	case program.SwitchConstruct:
		e.hand(e.movesOf(e.at))
		e.beginSwitch(s, c)
	case program.CallConstruct:
		switch {
		case c.in == nil:
			e.beginCall(c)
		case c.maskless:
			c.active = e.constructs[c.outer].active
		default:
			e.masksFor(c)
			e.emit(program.Instruction{Flow: program.FlowEnter, D: c.entry, B: c.active})
		}
	}
}

// elseOf returns the step at which the second side of an If begins.
func (e *emitter) elseOf(c *laneConstruct) int32 {
	depth := 0
	for at := c.begin + 1; ; at++ {
		switch s := &e.steps[at]; s.kind {
		case stepBegin:
			depth++
		case stepEnd:
			depth--
		case stepElse:
			if depth == 0 {
				return at
			}
		}
	}
}

// isNothing reports whether nothing is to be done on a side of an If whose first step is given.
func (e *emitter) isNothing(first int32) bool {
	s := &e.steps[first]
	if s.kind != stepHand {
		return false
	}
	nothing := true
	e.eachHanding(int(first), func(from, to ir.Value) {
		w := e.webOfValue(to)
		if w == nil {
			return
		}
		if e.webOfValue(from) != w {
			nothing = false
		}
	})
	return nothing
}

func (e *emitter) beginBranch(s *step, c *laneConstruct) {
	cond := s.in.Args[0]
	e.decides(program.UseBranch, cond)
	mask := e.reg(cond)
	e.masksFor(c)
	c.otherwise = e.elseOf(c)
	c.over = newLabel()
	c.hasElse = !e.isNothing(c.otherwise + 1)
	if c.hasElse && c.begin+2 == c.otherwise && e.isNothing(c.begin+1) {
		c.inverted = true
		e.temporary(program.MaskClass, func(t int32) {
			in := program.OpcodeOf(ir.OpNot, ir.Bool, 0).Instruction()
			in.D, in.A = t, mask
			e.emit(in)
			c.resume = c.over
			e.jump(program.Instruction{Flow: program.FlowIf, A: t, D: c.entry, B: c.active}, c.over)
		})
		return
	}
	if !c.hasElse {
		c.resume = c.over
	}
	e.jump(program.Instruction{Flow: program.FlowIf, A: mask, D: c.entry, B: c.active}, c.resume)
	e.entered(c)
}

func (e *emitter) otherwise(s *step) {
	c := &e.constructs[s.construct]
	if !c.hasElse {
		return
	}
	if c.inverted {
		e.entered(c)
		return
	}
	e.here(c.resume)
	c.resume = c.over
	e.jump(program.Instruction{Flow: program.FlowElse, A: e.reg(s.in.Args[0]), D: c.entry, B: c.active}, c.over)
	e.entered(c)
}

func (e *emitter) turn(s *step) {
	c := &e.constructs[s.construct]
	e.here(c.head)
	if c.tested == 0 {
		e.entered(c)
	}
}

// test writes that lanes leave the construct around, or the kernel, unless a condition holds.
func (e *emitter) test(s *step) {
	e.hand(e.movesOf(e.at))
	n := e.masked(s.construct)
	c := &e.constructs[n]
	cond, invert := e.wanted(s.in, 1-int(s.side))
	e.decides(program.UseBranch, cond)
	to := c.over
	if c.kind == program.KernelConstruct {
		to = c.resume
	} else if to == nil {
		to = newLabel()
		c.over = to
	}
	mask := e.reg(cond)
	flow := func(mask int32) { e.jump(program.Instruction{Flow: program.FlowTest, A: mask, B: c.active}, to) }
	if invert {
		e.temporary(program.MaskClass, func(t int32) {
			in := program.OpcodeOf(ir.OpNot, ir.Bool, 0).Instruction()
			in.D, in.A = t, mask
			e.emit(in)
			flow(t)
		})
	} else {
		flow(mask)
	}
	if c.tested == e.at && c.kind == program.LoopConstruct {
		e.entered(c)
	}
}

func (e *emitter) endConstruct(s *step) {
	c := &e.constructs[s.construct]
	outer := &e.constructs[c.outer]
	back := outer.resume
	if !c.crossed {
		back = e.neverTaken(c)
	}
	switch c.kind {
	case program.BranchConstruct:
		e.here(c.over)
		e.freeMasks(c)
		e.jump(program.Instruction{Flow: program.FlowEnd, D: c.entry}, back)
	case program.LoopConstruct:
		e.endLoop(c, back)
	case program.SwitchConstruct:
		e.here(c.resume)
		e.freeMatches(c)
		e.freeMasks(c)
		e.jump(program.Instruction{Flow: program.FlowEnd, D: c.entry}, back)
	case program.CallConstruct:
		e.here(c.resume)
		if c.maskless {
			// lanes that leave the construct around have left its mask
			e.jump(program.Instruction{Flow: program.FlowNext, B: c.active}, outer.resume)
			return
		}
		e.freeMasks(c)
		e.jump(program.Instruction{Flow: program.FlowEnd, D: c.entry}, back)
	}
}

// neverTaken returns where an instruction leads that never finds its mask empty: to a place where others lead anyway.
func (e *emitter) neverTaken(c *laneConstruct) *label {
	for n := c.outer; ; n = e.constructs[n].outer {
		switch around := &e.constructs[n]; {
		case around.kind == program.LoopConstruct:
			if around.over == nil {
				around.over = newLabel()
			}
			return around.over
		case around.outer < 0:
			return around.resume
		}
	}
}

func (e *emitter) endLoop(c *laneConstruct, back *label) {
	if c.over == nil {
		c.over = newLabel()
	}
	turns := c.continued || e.endsAgain(c)
	e.here(c.resume)
	if turns {
		if len(c.resume.refs) > 0 {
			e.jump(program.Instruction{Flow: program.FlowNext, B: c.active}, c.over)
		}
		e.jump(program.Instruction{Flow: program.FlowLoop}, c.head)
	}
	e.here(c.over)
	e.freeMasks(c)
	e.jump(program.Instruction{Flow: program.FlowEnd, D: c.entry}, back)
}

// endsAgain reports whether the body of a loop ends with its next turn.
func (e *emitter) endsAgain(c *laneConstruct) bool {
	for i := range e.sections {
		if s := &e.sections[i]; s.of == c.number && s.end != nil && s.end.Op == ir.OpAgain && s.outer == c.section {
			return true
		}
	}
	return false
}

// beginSwitch tests all labels first: each case adds its lanes to those that fall through to it.
func (e *emitter) beginSwitch(s *step, c *laneConstruct) {
	x := s.in.Args[0]
	e.decides(program.UseBranch, x)
	cases := s.in.Aux.(*ir.Cases)
	kind := classOfValue(s.in.Type.Held())
	c.matches = make([]int32, len(cases.Values))
	or, not := program.OpcodeOf(ir.OpOr, ir.Bool, 0), program.OpcodeOf(ir.OpNot, ir.Bool, 0)
	known := int32(-1)
	mask := func(in program.Instruction, a, b int32) int32 {
		in.D, in.A, in.B = e.allocate(program.MaskClass), a, b
		c.kept = append(c.kept, in.D)
		e.emit(in)
		return in.D
	}
	for i, values := range cases.Values {
		match := int32(-1)
		for _, v := range values {
			m := mask(program.OpcodeOf(ir.OpEq, s.in.Type.Held(), 0).Instruction(), e.reg(x), e.constant(kind, v))
			if match >= 0 {
				m = mask(or.Instruction(), match, m)
			}
			match = m
		}
		if c.matches[i] = match; match < 0 {
			continue
		}
		if known >= 0 {
			match = mask(or.Instruction(), known, match)
		}
		known = match
	}
	if i := cases.Default; i >= 0 {
		others := e.constant(program.MaskClass, 1)
		if known >= 0 {
			others = mask(not.Instruction(), known, 0)
		}
		if c.matches[i] >= 0 {
			others = mask(or.Instruction(), c.matches[i], others)
		}
		c.matches[i] = others
	}
	e.masksFor(c)
	e.emit(program.Instruction{Flow: program.FlowSwitch, D: c.entry, B: c.active})
}

func (e *emitter) freeMatches(c *laneConstruct) {
	for _, m := range c.kept {
		e.giveBack(program.MaskClass, m)
	}
}

func (e *emitter) caseOf(s *step) {
	c := &e.constructs[s.construct]
	match := c.matches[s.side]
	if match < 0 {
		match = e.constant(program.MaskClass, 0)
	}
	e.here(c.resume)
	c.resume = newLabel()
	e.jump(program.Instruction{Flow: program.FlowCase, A: match, D: c.entry, B: c.active}, c.resume)
	e.entered(c)
}

// leave writes that lanes go on at the end of a construct, or with the next turn of a loop.
func (e *emitter) leave(s *step) {
	e.hand(e.movesOf(e.at))
	to := e.numberOf(s.in)
	c := &e.constructs[to]
	again := s.kind == stepAgain
	if again && s.construct == to {
		return
	}
	if c.kind == program.SwitchConstruct && s.construct == to && int(e.sections[s.region].arm) == len(c.in.Regions)-1 &&
		e.sections[s.region].of == to {
		return // the last case
	}
	switch {
	case c.kind == program.LoopConstruct || c.kind == program.SwitchConstruct:
		if !again {
			e.noteLeave(program.ByBreak, to)
		}
	case c.kind == program.CallConstruct && c.in.Aux == nil:
		if outer := c.outer; e.constructs[outer].kind == program.LoopConstruct {
			e.noteLeave(program.ByContinue, outer)
		}
	case c.kind == program.CallConstruct:
		e.noteLeave(program.ByReturn, to)
	}
	e.leaveTo(s.construct, to, again)
}

// leaveTo writes that the active lanes leave the constructs from one to another one, and that one too unless they stay.
func (e *emitter) leaveTo(from, to int32, stay bool) {
	var slots []int32
	for c := from; c != to; c = e.constructs[c].outer {
		if k := &e.constructs[c]; !k.maskless {
			slots = append(slots, k.entry, k.active)
		}
	}
	if k := &e.constructs[to]; !stay && !k.maskless {
		slots = append(slots, k.active)
	}
	e.program.Leaves = append(e.program.Leaves, slots)
	e.jump(program.Instruction{Flow: program.FlowLeave, Imm: int64(len(e.program.Leaves) - 1)}, e.constructs[from].resume)
}

// endFunction writes the end of the kernel, or of a routine.
func (e *emitter) endFunction() {
	c := &e.constructs[0]
	if c.kind == program.KernelConstruct {
		e.here(c.resume)
		e.emit(program.Instruction{Flow: program.FlowStop})
		return
	}
	e.endCall(c)
}
