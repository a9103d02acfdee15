package ptx

import (
	"maps"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/text"
)

// flow writes where threads go.
type flow struct {
	*text.Writer
	e *emitter
}

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
func (f *flow) function() {
	if f.e.exact = f.findConverging(); f.e.exact {
		f.e.parting = f.e.Parting()
	}
	f.e.begin()
	top := &construct{end: "END", head: "", converges: f.e.exact}
	top.entry = f.e.mask
	f.e.around = top
	f.region(f.e.Body)
	f.Place(top.end)
	f.Op("ret;")
}

// findConverging finds the constructs that are met, and reports whether anything needs the active lanes.
func (f *flow) findConverging() bool {
	for changed := true; changed; { // what routines call
		changed = false
		for _, one := range f.e.routines.list {
			if !one.converges && f.convergesIn(one.Body, nil) {
				one.converges, changed = true, true
			}
		}
	}
	return f.convergesIn(f.e.Body, nil)
}

// convergesIn finds the constructs of a region that are met, and reports whether anything needs the active lanes.
func (f *flow) convergesIn(r *ir.Region, open []*construct) (converges bool) {
	for _, in := range r.Code {
		info := in.Op.Info()
		switch {
		case info.Has(ir.Constructs):
			c := &construct{in: in}
			f.e.construct[in.Label()] = c
			for _, inner := range in.Regions {
				c.converges = f.convergesIn(inner, append(open, c)) || c.converges
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
			converges = converges || f.e.routines.list[in.Imm].converges
		case info.Has(ir.Converges) && in.Op != ir.OpTexture: // a texture is memory here
			converges = true
		}
	}
	return converges
}

func (f *flow) region(r *ir.Region) {
	f.e.accesses.findTogether(r)
	clear(f.e.splits)
	if f.e.tensor {
		f.e.matrices.findPairs(r)
		f.e.matrices.findChains(r)
	}
	f.instructions(r.Code)
}

func (f *flow) instructions(list []*ir.Instr) {
	for _, in := range list {
		info := in.Op.Info()
		switch {
		case info.Has(ir.Terminates):
			f.terminator(in)
			return
		case in.Op == ir.OpBlock:
			f.block(in)
		case in.Op == ir.OpIf:
			f.branch(in)
		case in.Op == ir.OpLoop:
			f.loop(in)
		case in.Op == ir.OpSwitch:
			f.choice(in)
		default:
			f.e.instruction(in)
		}
	}
}

// open begins a construct.
func (f *flow) open(in *ir.Instr) *construct {
	c := f.e.construct[in.Label()]
	c.around, c.end, c.entry, c.cases = f.e.around, f.Label(), f.e.mask, nil
	c.met = f.e.exact && f.e.around.converges && (c.converges || c.crossed) && f.e.parting[in.Label()]
	f.e.around = c
	return c
}

// close ends a construct: those that left it for one around it go on to its end, and the others count who is left.
func (f *flow) close(c *construct) {
	f.e.around = c.around
	f.Place(c.end)
	clear(f.e.splits)
	f.e.mask = c.entry
	if c.met && c.converges {
		f.stay(c.leaveCode())
	}
	if c.met && c.crossed {
		f.e.mask = f.meet(c.entry, c.around)
	}
}

// stay has lanes that have come where they left for go on.
func (f *flow) stay(code int) {
	arrived := f.Fresh(text.Pred)
	f.Op("setp.eq.s32 %s, %s, %d;", arrived, f.e.exit, code)
	f.Op("selp.b32 %s, 0, %s, %s;", f.e.exit, f.e.exit, arrived)
}

// meet returns the mask of those lanes of another one that go on here. The others go to where the construct around
// ends.
func (f *flow) meet(mask string, around *construct) string {
	goOn, rest := f.Fresh(text.Pred), f.Fresh(text.Word)
	f.Op("setp.eq.s32 %s, %s, 0;", goOn, f.e.exit)
	f.vote(rest, goOn, mask)
	f.Op("@!%s bra %s;", goOn, f.wayOut(around))
	return rest
}

// wayOut returns where lanes pass that leave a construct early, or one in it that is not met.
func (f *flow) wayOut(c *construct) string {
	for c.around != nil && !c.met {
		c = c.around
	}
	switch f.passesTurns(c) {
	case ir.OpLoop:
		return c.latch
	case ir.OpSwitch:
		return c.cases[c.region+1]
	}
	return c.end
}

func (f *flow) block(in *ir.Instr) {
	c := f.open(in)
	f.region(in.Regions[0])
	f.close(c)
}

func (f *flow) branch(in *ir.Instr) {
	if f.e.noted != "" && f.e.several.isFlat(in) {
		f.e.several.flatBranch(in)
		return
	}
	c := f.open(in)
	if f.e.joint != nil { // what is computed on one side is so there only
		defer func(made map[string]string) { f.e.joint.made = made }(maps.Clone(f.e.joint.made))
	}
	p := f.e.reg(in.Args[0])
	otherwise := f.Label()
	rest := ""
	if c.met && c.converges {
		then := f.Fresh(text.Word)
		rest = f.Fresh(text.Word)
		f.vote(then, p, c.entry)
		f.Op("not.b32 %s, %s;", rest, then)
		f.Op("and.b32 %s, %s, %s;", rest, rest, c.entry)
		f.e.mask = then
	}
	f.Op("@!%s bra %s;", p, otherwise)
	f.region(in.Regions[0])
	f.Place(otherwise)
	if f.e.joint != nil {
		clear(f.e.joint.made)
	}
	f.e.around = c
	if rest != "" {
		f.e.mask = rest
	} else {
		f.e.mask = c.entry
	}
	f.region(in.Regions[1])
	f.close(c)
}

func (f *flow) loop(in *ir.Instr) {
	c := f.open(in)
	c.head = f.Label()
	f.assign(in.Regions[0].Params, in.Args)
	if c.met && c.converges {
		c.latch, c.turn = f.Label(), f.Fresh(text.Word)
		f.Op("mov.b32 %s, %s;", c.turn, c.entry)
		f.e.mask = c.turn
	}
	if !c.met && f.e.noted == "" {
		if counted, ok := f.e.several.countingOf(in); ok {
			f.e.several.severalRounds(&counted)
		}
	}
	f.Place(c.head)
	f.region(in.Regions[0])
	if c.latch != "" {
		f.Place(c.latch)
		f.stay(c.againCode())
		again, rest := f.Fresh(text.Pred), f.Fresh(text.Word)
		f.Op("setp.eq.s32 %s, %s, 0;", again, f.e.exit)
		f.vote(rest, again, c.turn)
		f.Op("mov.b32 %s, %s;", c.turn, rest)
		f.Op("@%s bra %s;", again, c.head)
	}
	f.close(c)
}

// choice writes a switch. Where it is met, all lanes pass all of its cases, and those that are not in one go on to the
// next.
func (f *flow) choice(in *ir.Instr) {
	c := f.open(in)
	cases := in.Aux.(*ir.Cases)
	c.chosen = f.Fresh(text.Word)
	f.Op("mov.u32 %s, %d;", c.chosen, cases.Default)
	number := f.e.reg(in.Args[0])
	for region, list := range cases.Values {
		for _, bits := range list {
			is := f.Fresh(text.Pred)
			f.Op("setp.eq.s%d %s, %s, %s;", in.Type.Bits(), is, number, text.Immediate(in.Type, bits))
			f.Op("selp.b32 %s, %d, %s, %s;", c.chosen, region, c.chosen, is)
		}
	}
	for range in.Regions {
		c.cases = append(c.cases, f.Label())
	}
	c.cases = append(c.cases, c.end)
	for _, r := range in.Regions {
		f.assign(r.Params, in.Args[1:])
	}
	for i, r := range in.Regions {
		c.region = i
		f.Place(c.cases[i])
		is := f.Fresh(text.Pred)
		f.Op("setp.eq.u32 %s, %s, %d;", is, c.chosen, i)
		f.e.mask = c.entry
		if c.met && c.converges {
			f.e.mask = f.Fresh(text.Word)
			f.vote(f.e.mask, is, c.entry)
		}
		f.Op("@!%s bra %s;", is, c.cases[i+1])
		f.region(r)
	}
	f.close(c)
}

// assign sets values to others, all at once.
func (f *flow) assign(to, from []ir.Value) {
	var sources []string
	set := map[string]bool{}
	for i := range to {
		set[f.e.reg(to[i])] = true
	}
	for i, v := range from {
		r := f.e.arithmetic.operandAs(v, to[i])
		if set[r] && r != f.e.reg(to[i]) {
			c := text.ClassOf(f.e.Type(v))
			copied := f.Fresh(c)
			f.Op("mov.%s %s, %s;", c.Type(), copied, r)
			r = copied
		}
		sources = append(sources, r)
	}
	for i, r := range sources {
		delete(f.e.halves, to[i])
		if c := text.ClassOf(f.e.Type(to[i])); r != f.e.reg(to[i]) {
			f.Op("mov.%s %s, %s;", c.Type(), f.e.reg(to[i]), r)
		}
	}
}

// terminator writes the end of a region. Threads that return from the kernel are gone: those that meet do not wait for
// them.
func (f *flow) terminator(in *ir.Instr) {
	if in.Op == ir.OpReturn {
		if f.e.routines.now != nil {
			f.e.routines.giveBack(in)
		} else {
			f.Op("ret;")
		}
		return
	}
	c := f.e.construct[in.Label()]
	switch in.Op {
	case ir.OpLeave:
		f.assign(c.in.Results, in.Args)
		switch f.passesTurns(c) {
		case ir.OpSwitch:
			f.leave(c, c.leaveCode(), c.cases[c.region+1])
		case ir.OpLoop:
			f.leave(c, c.leaveCode(), c.latch)
		default:
			f.leave(c, 0, c.end)
		}
	case ir.OpAgain:
		f.assign(c.in.Regions[0].Params, in.Args)
		if c.latch != "" {
			f.leave(c, 0, c.latch)
		} else {
			f.leave(c, 0, c.head)
		}
	case ir.OpFall:
		f.assign(c.in.Regions[c.region+1].Params, in.Args)
		f.Op("mov.u32 %s, %d;", c.chosen, c.region+1)
		f.Op("bra %s;", c.cases[c.region+1])
	}
}

// passesTurns returns the operation of a construct that lanes leave by way of the end of a turn or of a case, else 0.
func (f *flow) passesTurns(c *construct) ir.Op {
	if c.in != nil && c.met && c.converges && (c.in.Op == ir.OpLoop || c.in.Op == ir.OpSwitch) {
		return c.in.Op
	}
	return 0
}

// leave writes that lanes go to a place of a construct: straight there, or by way of the end of a construct that is
// met, with a code that says where they go on. own is the code that they need there anyway.
func (f *flow) leave(to *construct, own int, label string) {
	at := f.e.around
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
		f.Op("mov.u32 %s, %d;", f.e.exit, code)
	}
	for c := at; ; c = c.around {
		if f.passesTurns(c) == ir.OpSwitch {
			f.Op("mov.u32 %s, -1;", c.chosen)
		}
		if c == to {
			break
		}
	}
	if at != to {
		label = f.wayOut(at)
	}
	f.Op("bra %s;", label)
}
