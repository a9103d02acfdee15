package assemble

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// flow writes what changes the active lanes.
type flow struct {
	code   *code
	fn     *ranges
	values *values
	checks *checks
	calls  *calls
	orders *orders
}

// masksFor gives a construct its masks.
func (e *flow) masksFor(c *laneConstruct) {
	c.entry, c.active = e.code.regs.allocate(program.MaskClass), e.code.regs.allocate(program.MaskClass)
}

func (e *flow) freeMasks(c *laneConstruct) {
	e.code.regs.giveBack(program.MaskClass, c.entry)
	e.code.regs.giveBack(program.MaskClass, c.active)
}

func (e *flow) beginConstruct(s *step) {
	c := &e.fn.constructs[s.construct]
	e.code.ids++
	c.id, c.resume, c.pos = e.code.ids, newLabel(), e.code.pos
	if c.barrier {
		c.count = int32(e.code.program.Counters)
		e.code.program.Counters++
	}
	switch c.kind {
	case program.KernelConstruct:
		c.active = e.code.program.Alive
	case program.BranchConstruct:
		e.beginBranch(s, c)
	case program.LoopConstruct:
		e.values.hand(e.values.movesOf(e.fn.at))
		e.masksFor(c)
		c.head = newLabel()
		e.code.emit(program.Instruction{Flow: program.FlowEnter, D: c.entry, B: c.active})
	case program.SwitchConstruct:
		e.beginSwitch(s, c)
	case program.CallConstruct:
		switch {
		case c.in == nil:
			e.calls.beginCall(c)
		case c.maskless:
			c.active = e.fn.constructs[c.outer].active
		default:
			e.masksFor(c)
			e.code.emit(program.Instruction{Flow: program.FlowEnter, D: c.entry, B: c.active})
		}
	}
}

// isNothing reports whether nothing is to be done on a side of an If whose first step is given.
func (e *flow) isNothing(first int32) bool {
	s := &e.fn.steps[first]
	if s.kind != stepHand {
		return false
	}
	nothing := true
	e.fn.eachHanding(int(first), func(from, to ir.Value) {
		w := e.values.webOfValue(to)
		if w == nil {
			return
		}
		if e.values.webOfValue(from) != w {
			nothing = false
		}
	})
	return nothing
}

func (e *flow) beginBranch(s *step, c *laneConstruct) {
	cond := s.in.Args[0]
	e.checks.decides(program.UseBranch, cond)
	mask := e.values.reg(cond)
	e.masksFor(c)
	c.over = newLabel()
	c.hasElse = !e.isNothing(c.otherwise + 1)
	if c.hasElse && c.begin+2 == c.otherwise && e.isNothing(c.begin+1) {
		c.inverted = true
		e.code.temporary(program.MaskClass, func(t int32) {
			in := program.OpcodeOf(ir.OpNot, ir.Bool, 0).Instruction()
			in.D, in.A = t, mask
			e.code.emit(in)
			c.resume = c.over
			e.code.jump(program.Instruction{Flow: program.FlowIf, A: t, D: c.entry, B: c.active}, c.over)
		})
		return
	}
	if c.hasElse { // not by way of the Else: what is assigned in both sides is all that comes out of the If
		c.other = newLabel()
	} else {
		c.resume, c.other = c.over, c.over
	}
	e.code.jump(program.Instruction{Flow: program.FlowIf, A: mask, D: c.entry, B: c.active}, c.other)
	e.checks.entered(c)
}

func (e *flow) otherwise(s *step) {
	c := &e.fn.constructs[s.construct]
	if !c.hasElse {
		return
	}
	if c.inverted {
		e.checks.entered(c)
		return
	}
	e.code.here(c.resume)
	c.resume = c.over
	e.code.jump(program.Instruction{Flow: program.FlowElse, A: e.values.reg(s.in.Args[0]), D: c.entry, B: c.active},
		c.over)
	e.code.here(c.other)
	e.checks.entered(c)
}

func (e *flow) turn(s *step) {
	c := &e.fn.constructs[s.construct]
	e.code.here(c.head)
	if c.tested == 0 {
		e.checks.entered(c)
	}
}

// test writes that lanes leave the construct around, or the kernel, unless a condition holds.
func (e *flow) test(s *step) {
	e.values.hand(e.values.movesOf(e.fn.at))
	n := e.fn.masked(s.construct)
	c := &e.fn.constructs[n]
	cond, invert := e.fn.wanted(s.in, 1-int(s.side))
	e.checks.decides(program.UseBranch, cond)
	to := c.over
	if c.kind == program.KernelConstruct {
		to = c.resume
	} else if to == nil {
		to = newLabel()
		c.over = to
	}
	mask := e.values.reg(cond)
	flow := func(mask int32) { e.code.jump(program.Instruction{Flow: program.FlowTest, A: mask, B: c.active}, to) }
	if invert {
		e.code.temporary(program.MaskClass, func(t int32) {
			in := program.OpcodeOf(ir.OpNot, ir.Bool, 0).Instruction()
			in.D, in.A = t, mask
			e.code.emit(in)
			flow(t)
		})
	} else {
		flow(mask)
	}
	if c.tested == e.fn.at && c.kind == program.LoopConstruct {
		e.checks.entered(c)
	}
}

func (e *flow) endConstruct(s *step) {
	c := &e.fn.constructs[s.construct]
	outer := &e.fn.constructs[c.outer]
	back := outer.resume
	if !c.crossed {
		back = e.neverTaken(c)
	}
	switch c.kind {
	case program.BranchConstruct:
		e.code.here(c.over)
		e.freeMasks(c)
		e.code.jump(program.Instruction{Flow: program.FlowEnd, D: c.entry}, back)
	case program.LoopConstruct:
		e.endLoop(c, back)
	case program.SwitchConstruct:
		e.code.here(c.resume)
		e.freeMatches(c)
		e.freeMasks(c)
		e.code.jump(program.Instruction{Flow: program.FlowEnd, D: c.entry}, back)
	case program.CallConstruct:
		e.code.here(c.resume)
		if c.maskless {
			// lanes that leave the construct around have left its mask
			e.code.jump(program.Instruction{Flow: program.FlowNext, B: c.active}, outer.resume)
			return
		}
		e.freeMasks(c)
		e.code.jump(program.Instruction{Flow: program.FlowEnd, D: c.entry}, back)
	}
}

// neverTaken returns where an instruction leads that never finds its mask empty: to a place where others lead anyway.
func (e *flow) neverTaken(c *laneConstruct) *label {
	for n := c.outer; ; n = e.fn.constructs[n].outer {
		switch around := &e.fn.constructs[n]; {
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

func (e *flow) endLoop(c *laneConstruct, back *label) {
	if c.over == nil {
		c.over = newLabel()
	}
	turns := c.continued || e.endsAgain(c)
	e.code.here(c.resume)
	if turns {
		if len(c.resume.refs) > 0 {
			e.code.jump(program.Instruction{Flow: program.FlowNext, B: c.active}, c.over)
		}
		e.code.jump(program.Instruction{Flow: program.FlowLoop}, c.head)
	}
	e.code.here(c.over)
	e.freeMasks(c)
	e.code.jump(program.Instruction{Flow: program.FlowEnd, D: c.entry}, back)
}

// endsAgain reports whether the body of a loop ends with its next turn.
func (e *flow) endsAgain(c *laneConstruct) bool {
	for i := range e.fn.sections {
		if s := &e.fn.sections[i]; s.of == c.number && s.end != nil && s.end.Op == ir.OpAgain && s.outer == c.section {
			return true
		}
	}
	return false
}

// beginSwitch tests all labels first: each case adds its lanes to those that fall through to it.
func (e *flow) beginSwitch(s *step, c *laneConstruct) {
	x := s.in.Args[0]
	e.checks.decides(program.UseBranch, x)
	cases := s.in.Aux.(*ir.Cases)
	kind := classOfValue(s.in.Type.Held())
	c.matches = make([]int32, len(cases.Values))
	or, not := program.OpcodeOf(ir.OpOr, ir.Bool, 0), program.OpcodeOf(ir.OpNot, ir.Bool, 0)
	known := int32(-1)
	mask := func(in program.Instruction, a, b int32) int32 {
		in.D, in.A, in.B = e.code.regs.allocate(program.MaskClass), a, b
		c.kept = append(c.kept, in.D)
		e.code.emit(in)
		return in.D
	}
	for i, values := range cases.Values {
		match := int32(-1)
		for _, v := range values {
			m := mask(program.OpcodeOf(ir.OpEq, s.in.Type.Held(), 0).Instruction(), e.values.reg(x),
				e.code.constant(kind, v))
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
		others := e.code.constant(program.MaskClass, 1)
		if known >= 0 {
			others = mask(not.Instruction(), known, 0)
		}
		if c.matches[i] >= 0 {
			others = mask(or.Instruction(), c.matches[i], others)
		}
		c.matches[i] = others
	}
	e.values.hand(e.values.movesOf(e.fn.at))
	e.masksFor(c)
	e.code.emit(program.Instruction{Flow: program.FlowSwitch, D: c.entry, B: c.active})
}

func (e *flow) freeMatches(c *laneConstruct) {
	for _, m := range c.kept {
		e.code.regs.giveBack(program.MaskClass, m)
	}
}

func (e *flow) caseOf(s *step) {
	c := &e.fn.constructs[s.construct]
	match := c.matches[s.side]
	if match < 0 {
		match = e.code.constant(program.MaskClass, 0)
	}
	e.code.here(c.resume)
	c.resume = newLabel()
	e.code.jump(program.Instruction{Flow: program.FlowCase, A: match, D: c.entry, B: c.active}, c.resume)
	e.checks.entered(c)
}

// leave writes that lanes go on at the end of a construct, or with the next turn of a loop.
func (e *flow) leave(s *step) {
	e.values.hand(e.values.movesOf(e.fn.at))
	to := e.fn.numberOf(s.in)
	c := &e.fn.constructs[to]
	again := s.kind == stepAgain
	if again && s.construct == to {
		return
	}
	if c.kind == program.SwitchConstruct && s.construct == to &&
		int(e.fn.sections[s.region].arm) == len(c.in.Regions)-1 &&
		e.fn.sections[s.region].of == to {
		return // the last case
	}
	switch {
	case c.kind == program.LoopConstruct || c.kind == program.SwitchConstruct:
		if !again {
			e.checks.noteLeave(program.ByBreak, to)
		}
	case c.kind == program.CallConstruct && c.in.Aux == nil:
		if outer := c.outer; e.fn.constructs[outer].kind == program.LoopConstruct {
			e.checks.noteLeave(program.ByContinue, outer)
		}
	case c.kind == program.CallConstruct:
		e.checks.noteLeave(program.ByReturn, to)
	}
	e.leaveTo(s.construct, to, again)
}

// leaveTo writes that the active lanes leave the constructs from one to another one, and that one too unless they stay.
func (e *flow) leaveTo(from, to int32, stay bool) {
	var slots []int32
	for c := from; c != to; c = e.fn.constructs[c].outer {
		if k := &e.fn.constructs[c]; !k.maskless {
			slots = append(slots, k.entry, k.active)
		}
	}
	if k := &e.fn.constructs[to]; !stay && !k.maskless {
		slots = append(slots, k.active)
	}
	e.code.program.Leaves = append(e.code.program.Leaves, slots)
	e.code.jump(program.Instruction{Flow: program.FlowLeave, Imm: int64(len(e.code.program.Leaves) - 1)},
		e.fn.constructs[from].resume)
}

// endFunction writes the end of the kernel, or of a routine.
func (e *flow) endFunction() {
	c := &e.fn.constructs[0]
	if c.kind == program.KernelConstruct {
		e.code.here(c.resume)
		e.code.emit(program.Instruction{Flow: program.FlowStop})
		return
	}
	e.calls.endCall(c)
}

// barrier writes threadgroup_barrier.
func (e *flow) barrier(in *ir.Instr) {
	p := e.code.program
	flow := program.Instruction{Flow: program.FlowBarrier, A: e.checks.flagsOf(in), Imm: int64(len(p.Barriers))}
	var all []program.Around
	for n := e.fn.steps[e.fn.at].construct; n >= 0; n = e.fn.constructs[n].outer {
		c := &e.fn.constructs[n]
		if c.maskless || c.kind == program.CallConstruct && c.in != nil && c.in.Aux == nil {
			continue
		}
		all = append(all, program.Around{Kind: c.kind, Id: c.id, Pos: c.pos, Active: c.active, Count: c.count})
	}
	if e.fn.routine >= 0 {
		all = append(all, program.Around{Kind: program.KernelConstruct, Id: 1, Active: p.Alive})
	}
	for i, j := 0, len(all)-1; i < j; i, j = i+1, j-1 {
		all[i], all[j] = all[j], all[i]
	}
	p.Barriers = append(p.Barriers, all)
	flags, known := e.fn.Bits(e.fn.resolve(in.Args[0]))
	if !known {
		flags = program.MemDevice
	}
	e.orders.flags |= int64(flags)
	e.code.emit(flow)
}
