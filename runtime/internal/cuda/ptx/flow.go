package ptx

import (
	"maps"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/text"
)

// construct is an instruction with regions, and the function itself, whose instruction is nil, or a block of a routine.
type construct struct {
	in     *ir.Instr
	around *construct
	// converges is set where something in it needs the active lanes, and crossed where lanes leave it for the end of one
	// around it. With either, in one that converges, it is met: all lanes that come in, and are still there, pass its end.
	converges, crossed, met bool

	end, head, latch string
	entry, turn      string // masks: of the lanes that come in, and of those of a turn of a loop
	chosen           string // of a switch that is met: the region that a lane goes on with
	cases            []string
	region           int
}

// What lanes that leave have in the register of their exit: where they go on. 0 is for those that stay.
func (c *construct) leaveCode() int { return 2 * c.in.Label() }
func (c *construct) againCode() int { return 2*c.in.Label() + 1 }

// function writes the body of the kernel.
func (e *emitter) function() {
	if e.exact = e.findConverging(); e.exact {
		e.parting = e.Parting()
	}
	e.begin()
	top := &construct{end: "END", head: "", converges: e.exact}
	top.entry = e.mask
	e.around = top
	e.region(e.Body)
	e.Place(top.end)
	e.Op("ret;")
}

// findConverging finds the constructs that are met, and reports whether anything needs the active lanes.
func (e *emitter) findConverging() bool {
	for changed := true; changed; { // what routines call
		changed = false
		for _, one := range e.routines.list {
			if !one.converges && e.convergesIn(one.Body, nil) {
				one.converges, changed = true, true
			}
		}
	}
	return e.convergesIn(e.Body, nil)
}

// convergesIn finds the constructs of a region that are met, and reports whether anything needs the active lanes.
func (e *emitter) convergesIn(r *ir.Region, open []*construct) (converges bool) {
	for _, in := range r.Code {
		info := in.Op.Info()
		switch {
		case info.Has(ir.Constructs):
			c := &construct{in: in}
			e.construct[in.Label()] = c
			for _, inner := range in.Regions {
				c.converges = e.convergesIn(inner, append(open, c)) || c.converges
			}
			converges = converges || c.converges
		case info.Has(ir.Terminates):
			for i := len(open) - 1; i >= 0; i-- {
				if in.Op != ir.OpReturn && open[i].in.Label() == in.Label() {
					break
				}
				open[i].crossed = true
			}
		case in.Op == ir.OpCall:
			converges = converges || e.routines.list[in.Imm].converges
		case info.Has(ir.Converges) && in.Op != ir.OpTexture: // a texture is memory here
			converges = true
		}
	}
	return converges
}

func (e *emitter) region(r *ir.Region) {
	e.findTogether(r)
	clear(e.splits)
	if e.tensor {
		e.findPairs(r)
		e.findChains(r)
	}
	e.instructions(r.Code)
}

func (e *emitter) instructions(list []*ir.Instr) {
	for _, in := range list {
		info := in.Op.Info()
		switch {
		case info.Has(ir.Terminates):
			e.terminator(in)
			return
		case in.Op == ir.OpBlock:
			e.block(in)
		case in.Op == ir.OpIf:
			e.branch(in)
		case in.Op == ir.OpLoop:
			e.loop(in)
		case in.Op == ir.OpSwitch:
			e.choice(in)
		default:
			e.instruction(in)
		}
	}
}

// open begins a construct.
func (e *emitter) open(in *ir.Instr) *construct {
	c := e.construct[in.Label()]
	c.around, c.end, c.entry, c.cases = e.around, e.Label(), e.mask, nil
	c.met = e.exact && e.around.converges && (c.converges || c.crossed) && e.parting[in.Label()]
	e.around = c
	return c
}

// close ends a construct: those that left it for one around it go on to its end, and the others count who is left.
func (e *emitter) close(c *construct) {
	e.around = c.around
	e.Place(c.end)
	clear(e.splits)
	e.mask = c.entry
	if c.met && c.converges {
		e.stay(c.leaveCode())
	}
	if c.met && c.crossed {
		e.mask = e.meet(c.entry, c.around)
	}
}

// stay has lanes that have come where they left for go on.
func (e *emitter) stay(code int) {
	arrived := e.Fresh(text.Pred)
	e.Op("setp.eq.s32 %s, %s, %d;", arrived, e.exit, code)
	e.Op("selp.b32 %s, 0, %s, %s;", e.exit, e.exit, arrived)
}

// meet returns the mask of those lanes of another one that go on here. The others go to where the construct around
// ends.
func (e *emitter) meet(mask string, around *construct) string {
	goOn, rest := e.Fresh(text.Pred), e.Fresh(text.Word)
	e.Op("setp.eq.s32 %s, %s, 0;", goOn, e.exit)
	vote(e, rest, goOn, mask)
	e.Op("@!%s bra %s;", goOn, e.wayOut(around))
	return rest
}

// wayOut returns where lanes pass that leave a construct early, or one in it that is not met.
func (e *emitter) wayOut(c *construct) string {
	for c.around != nil && !c.met {
		c = c.around
	}
	switch e.passesTurns(c) {
	case ir.OpLoop:
		return c.latch
	case ir.OpSwitch:
		return c.cases[c.region+1]
	}
	return c.end
}

func (e *emitter) block(in *ir.Instr) {
	c := e.open(in)
	e.region(in.Regions[0])
	e.close(c)
}

func (e *emitter) branch(in *ir.Instr) {
	if e.noted != "" && e.isFlat(in) {
		e.flatBranch(in)
		return
	}
	c := e.open(in)
	if e.joint != nil { // what is computed on one side is so there only
		defer func(made map[string]string) { e.joint.made = made }(maps.Clone(e.joint.made))
	}
	p := e.reg(in.Args[0])
	otherwise := e.Label()
	rest := ""
	if c.met && c.converges {
		then := e.Fresh(text.Word)
		rest = e.Fresh(text.Word)
		vote(e, then, p, c.entry)
		e.Op("not.b32 %s, %s;", rest, then)
		e.Op("and.b32 %s, %s, %s;", rest, rest, c.entry)
		e.mask = then
	}
	e.Op("@!%s bra %s;", p, otherwise)
	e.region(in.Regions[0])
	e.Place(otherwise)
	if e.joint != nil {
		clear(e.joint.made)
	}
	e.around = c
	if rest != "" {
		e.mask = rest
	} else {
		e.mask = c.entry
	}
	e.region(in.Regions[1])
	e.close(c)
}

func (e *emitter) loop(in *ir.Instr) {
	c := e.open(in)
	c.head = e.Label()
	e.assign(in.Regions[0].Params, in.Args)
	if c.met && c.converges {
		c.latch, c.turn = e.Label(), e.Fresh(text.Word)
		e.Op("mov.b32 %s, %s;", c.turn, c.entry)
		e.mask = c.turn
	}
	if !c.met && e.noted == "" {
		if counted, ok := e.countingOf(in); ok {
			e.severalRounds(&counted)
		}
	}
	e.Place(c.head)
	e.region(in.Regions[0])
	if c.latch != "" {
		e.Place(c.latch)
		e.stay(c.againCode())
		again, rest := e.Fresh(text.Pred), e.Fresh(text.Word)
		e.Op("setp.eq.s32 %s, %s, 0;", again, e.exit)
		vote(e, rest, again, c.turn)
		e.Op("mov.b32 %s, %s;", c.turn, rest)
		e.Op("@%s bra %s;", again, c.head)
	}
	e.close(c)
}

// choice writes a switch. Where it is met, all lanes pass all of its cases, and those that are not in one go on to the
// next.
func (e *emitter) choice(in *ir.Instr) {
	c := e.open(in)
	cases := in.Aux.(*ir.Cases)
	c.chosen = e.Fresh(text.Word)
	e.Op("mov.u32 %s, %d;", c.chosen, cases.Default)
	number := e.reg(in.Args[0])
	for region, list := range cases.Values {
		for _, bits := range list {
			is := e.Fresh(text.Pred)
			e.Op("setp.eq.s%d %s, %s, %s;", in.Type.Bits(), is, number, text.Immediate(in.Type, bits))
			e.Op("selp.b32 %s, %d, %s, %s;", c.chosen, region, c.chosen, is)
		}
	}
	for range in.Regions {
		c.cases = append(c.cases, e.Label())
	}
	c.cases = append(c.cases, c.end)
	for _, r := range in.Regions {
		e.assign(r.Params, in.Args[1:])
	}
	for i, r := range in.Regions {
		c.region = i
		e.Place(c.cases[i])
		is := e.Fresh(text.Pred)
		e.Op("setp.eq.u32 %s, %s, %d;", is, c.chosen, i)
		e.mask = c.entry
		if c.met && c.converges {
			e.mask = e.Fresh(text.Word)
			vote(e, e.mask, is, c.entry)
		}
		e.Op("@!%s bra %s;", is, c.cases[i+1])
		e.region(r)
	}
	e.close(c)
}

// assign sets values to others, all at once.
func (e *emitter) assign(to, from []ir.Value) {
	var sources []string
	set := map[string]bool{}
	for i := range to {
		set[e.reg(to[i])] = true
	}
	for i, v := range from {
		r := e.operandAs(v, to[i])
		if set[r] && r != e.reg(to[i]) {
			c := text.ClassOf(e.Type(v))
			copied := e.Fresh(c)
			e.Op("mov.%s %s, %s;", c.Type(), copied, r)
			r = copied
		}
		sources = append(sources, r)
	}
	for i, r := range sources {
		delete(e.halves, to[i])
		if c := text.ClassOf(e.Type(to[i])); r != e.reg(to[i]) {
			e.Op("mov.%s %s, %s;", c.Type(), e.reg(to[i]), r)
		}
	}
}

// terminator writes the end of a region. Threads that return from the kernel are gone: those that meet do not wait for
// them.
func (e *emitter) terminator(in *ir.Instr) {
	if in.Op == ir.OpReturn {
		if e.routines.now != nil {
			e.routines.giveBack(in)
		} else {
			e.Op("ret;")
		}
		return
	}
	c := e.construct[in.Label()]
	switch in.Op {
	case ir.OpLeave:
		e.assign(c.in.Results, in.Args)
		switch e.passesTurns(c) {
		case ir.OpSwitch:
			e.leave(c, c.leaveCode(), c.cases[c.region+1])
		case ir.OpLoop:
			e.leave(c, c.leaveCode(), c.latch)
		default:
			e.leave(c, 0, c.end)
		}
	case ir.OpAgain:
		e.assign(c.in.Regions[0].Params, in.Args)
		if c.latch != "" {
			e.leave(c, 0, c.latch)
		} else {
			e.leave(c, 0, c.head)
		}
	case ir.OpFall:
		e.assign(c.in.Regions[c.region+1].Params, in.Args)
		e.Op("mov.u32 %s, %d;", c.chosen, c.region+1)
		e.Op("bra %s;", c.cases[c.region+1])
	}
}

// passesTurns returns the operation of a construct that lanes leave by way of the end of a turn or of a case, else 0.
func (e *emitter) passesTurns(c *construct) ir.Op {
	if c.in != nil && c.met && c.converges && (c.in.Op == ir.OpLoop || c.in.Op == ir.OpSwitch) {
		return c.in.Op
	}
	return 0
}

// leave writes that lanes go to a place of a construct: straight there, or by way of the end of a construct that is
// met, with a code that says where they go on. own is the code that they need there anyway.
func (e *emitter) leave(to *construct, own int, label string) {
	at := e.around
	for at != to && !at.met {
		at = at.around
	}
	code := own
	if at != to && code == 0 {
		if code = to.leaveCode(); label == to.head || label == to.latch {
			code = to.againCode()
		}
	}
	if code != 0 {
		e.Op("mov.u32 %s, %d;", e.exit, code)
	}
	for c := at; ; c = c.around {
		if e.passesTurns(c) == ir.OpSwitch {
			e.Op("mov.u32 %s, -1;", c.chosen)
		}
		if c == to {
			break
		}
	}
	if at != to {
		label = e.wayOut(at)
	}
	e.Op("bra %s;", label)
}
