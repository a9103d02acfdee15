package assemble

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// A function of ir is a tree of regions; a program is a list. A layout is the list before registers and masks: what is
// to be written, step by step, and the constructs that change which lanes are active.

// step is an instruction of ir, or a place in one that has regions.
type step struct {
	kind      stepKind
	side      int32 // of a test: the region of the If in which lanes leave; of a case: which region it is
	in        *ir.Instr
	region    int32
	construct int32 // that begins or ends here, or that a terminator or a test is in
}

// stepKind says what a step is.
type stepKind uint8

const (
	stepInstr  stepKind = iota
	stepBegin           // of a construct
	stepTurn            // the beginning of each turn of a loop
	stepElse            // the second region of an If
	stepCase            // a region of a switch
	stepEnd             // of a construct
	stepTest            // lanes leave the construct around, or the kernel, where a condition says so
	stepHand            // a region ends, and lanes with it: what it hands on
	stepLeave           // lanes go on at the end of another construct
	stepAgain           // lanes begin the next turn of a loop
	stepFall            // lanes go on in the next case
	stepReturn          // lanes leave the function
	stepStop            // the end of the function
)

// section is a part of a layout whose steps are executed one after the other, by all lanes that come to its beginning
// but those that leave it: a region of a construct, with the constructs in it that need no masks.
type section struct {
	outer     int32 // section, or -1
	construct int32 // around it
	loop      int32 // the innermost construct around it that is a loop, or -1
	depth     int32
	of        int32 // the construct that it is a region of, and which
	arm       int32
	end       *ir.Instr
	simple    bool // lanes leave it at its end only
}

// laneConstruct is an instruction that changes which lanes are active, or the function itself.
type laneConstruct struct {
	kind       program.ConstructKind
	in         *ir.Instr // nil of a function
	outer      int32
	section    int32 // that it is in
	begin, end int32 // steps
	// A block without masks of its own uses those of the construct around it: lanes that leave it wait in active.
	maskless  bool
	crossed   bool    // lanes leave it for what is around it
	continued bool    // of a loop: lanes begin the next turn before the end of this one
	barrier   bool    // it has a barrier in it
	tested    int32   // of a loop: the step of a test with which turns begin, or 0
	tests     []int32 // steps at which lanes leave it, if a condition says so
	falls     []bool  // of a switch: the region before leads into this one
	waits     bool    // lanes of it wait at the end of a block without masks

	number        int32
	entry, active int32 // masks, see masks
	// When no lane is left in the construct, the code goes on at resume. The construct ends at over. Turns of a loop
	// begin at head, and the second side of an If begins at other.
	resume, over, head, other *label
	count, id, pos            int32
	matches, kept             []int32 // of a switch: masks
	otherwise                 int32   // of an If: the step that begins its second side
	hasElse, inverted         bool
}

// layout is the steps of a function.
type layout struct {
	*facts
	steps      []step
	sections   []section
	constructs []laneConstruct
	params     []ir.Value // of the function
}

// layouter lays out a function.
type layouter struct{ *layout }

// layoutOf lays out a function.
func layoutOf(f *facts, body *ir.Region, kind program.ConstructKind) *layout {
	l := layouter{&layout{facts: f, params: body.Params, steps: make([]step, 0, body.Count()+2)}}
	l.constructs = append(l.constructs, laneConstruct{kind: kind, outer: -1})
	l.sections = append(l.sections, section{outer: -1, loop: -1, of: 0, simple: true})
	l.add(stepBegin, nil, 0, 0)
	for _, p := range body.Params {
		f.assign(p, 0, 0)
	}
	l.code(body.Code, 0, 0)
	l.constructs[0].end = int32(len(l.steps))
	l.add(stepStop, nil, 0, 0)
	return l.layout
}

func (l layouter) add(kind stepKind, in *ir.Instr, s, c int32) int32 {
	l.steps = append(l.steps, step{kind: kind, in: in, region: s, construct: c})
	return int32(len(l.steps) - 1)
}

// section returns the number of a new section.
func (l layouter) section(outer, of int32, arm int) int32 {
	o := &l.sections[outer]
	s := section{outer: outer, construct: of, loop: o.loop, depth: o.depth + 1, of: of,
		arm: int32(arm), simple: true}
	if l.constructs[of].kind == program.LoopConstruct {
		s.loop = of
	}
	l.sections = append(l.sections, s)
	return int32(len(l.sections) - 1)
}

// code lays out instructions as part of a section within a construct. It reports whether lanes come to the end of
// the list.
func (l layouter) code(code []*ir.Instr, s, c int32) bool {
	for _, in := range code {
		info := in.Op.Info()
		switch {
		case info.Has(ir.Constructs):
			if !l.construct(in, s, c) {
				return false
			}
		case info.Has(ir.Terminates):
			l.terminator(in, s, c)
			return false
		case l.gone(in):
		default:
			if in.Op == ir.OpBarrier {
				for outer := c; outer >= 0; outer = l.constructs[outer].outer {
					l.constructs[outer].barrier = true
				}
			}
			at := l.add(stepInstr, in, s, c)
			for _, v := range in.Results {
				l.assign(v, at, s)
			}
		}
	}
	return true
}

// terminator lays out the end of a section.
func (l layouter) terminator(in *ir.Instr, s, c int32) {
	l.sections[s].end = in
	switch in.Op {
	case ir.OpReturn:
		if c == 0 {
			l.add(stepHand, in, s, c)
			return
		}
		l.cross(in, s, c, 0)
		l.add(stepReturn, in, s, c)
	case ir.OpFall:
		l.add(stepFall, in, s, c)
	case ir.OpAgain:
		to := l.numberOf(in)
		l.cross(in, s, c, to)
		l.constructs[to].continued = l.constructs[to].continued || to != c
		l.add(stepAgain, in, s, c)
	case ir.OpLeave:
		to := l.numberOf(in)
		kind := l.constructs[to].kind
		if to == c && kind != program.LoopConstruct && kind != program.SwitchConstruct {
			l.add(stepHand, in, s, c)
			return
		}
		l.cross(in, s, c, to)
		l.add(stepLeave, in, s, c)
		if l.constructs[to].maskless {
			l.constructs[l.masked(to)].waits = true
		}
	}
}

// numberOf returns the construct that a terminator leads to.
func (l *layout) numberOf(in *ir.Instr) int32 { return l.constructAt[in.Label()] - 1 }

// masked returns the construct whose masks are those in another one.
func (l *layout) masked(c int32) int32 {
	for l.constructs[c].maskless {
		c = l.constructs[c].outer
	}
	return c
}

// cross notes that lanes leave sections and constructs, from those given to construct to, by a terminator or a test.
func (l layouter) cross(in *ir.Instr, s, c, to int32) {
	for ; c != to; c = l.constructs[c].outer {
		l.constructs[c].crossed = true
	}
	for ; s >= 0; s = l.sections[s].outer {
		if l.sections[s].end != in {
			l.sections[s].simple = false
		}
		if l.sections[s].of == to {
			return
		}
	}
}

// construct lays out an instruction with regions. It reports whether lanes come to what is after it.
func (l layouter) construct(in *ir.Instr, s, c int32) bool {
	switch in.Op {
	case ir.OpBlock:
		return l.block(in, in.Regions[0], l.leaves[in.Label()], s, c)
	case ir.OpIf:
		return l.branch(in, s, c)
	case ir.OpLoop:
		l.loop(in, s, c)
	case ir.OpSwitch:
		l.choice(in, s, c)
	}
	return true
}

// open begins a construct.
func (l layouter) open(kind program.ConstructKind, in *ir.Instr, s, c int32) int32 {
	n := int32(len(l.constructs))
	l.constructAt[in.Label()] = n + 1
	l.constructs = append(l.constructs, laneConstruct{
		kind: kind, in: in, outer: c, section: s, number: n, begin: l.add(stepBegin, in, s, n),
	})
	return n
}

// close ends a construct, whose results are assigned there.
func (l layouter) close(n int32) {
	c := &l.constructs[n]
	c.end = l.add(stepEnd, c.in, c.section, n)
	for _, v := range c.in.Results {
		l.assign(v, c.end, c.section)
	}
}

// block lays out a block that so many terminators lead to the end of. Where that is the last of its own, it is nothing.
func (l layouter) block(in *ir.Instr, body *ir.Region, leaves int32, s, c int32) bool {
	if own := ownEnd(in, body); leaves == own {
		return l.inline(in, body, s, c)
	}
	outer := l.masked(c)
	n := l.open(program.CallConstruct, in, s, c)
	around := &l.constructs[outer]
	maskless := !around.waits && !around.continued && !(l.careful && l.hasBarrier(body)) && !l.waitsBeyond(body, c)
	l.constructs[n].maskless = maskless
	l.code(body.Code, l.section(s, n, 0), n)
	if maskless {
		l.constructs[outer].waits = false
	}
	l.close(n)
	return true
}

// waitsBeyond reports whether lanes leave a block for where they would wait in the mask of the construct around: at the
// end of another block in that, or for the next turn. At the end of the block they could not be told from those that go
// on.
func (l layouter) waitsBeyond(body *ir.Region, c int32) bool {
	outer := l.masked(c)
	if c == outer && l.constructs[outer].kind != program.LoopConstruct {
		return false
	}
	for in := range body.All() {
		if in.Op != ir.OpLeave && in.Op != ir.OpAgain {
			continue
		}
		to := l.numberOf(in)
		for n := c; to >= 0 && n >= 0; n = l.constructs[n].outer {
			if n == to && (l.constructs[n].maskless || in.Op == ir.OpAgain) {
				return true
			}
			if n == outer {
				break
			}
		}
	}
	return false
}

// ownEnd returns 1 where a region of a construct ends at the end of that, else 0.
func ownEnd(in *ir.Instr, code *ir.Region) int32 {
	if end := code.End(); end.Op == ir.OpLeave && end.Label() == in.Label() {
		return 1
	}
	return 0
}

// inline lays out a region of a construct from which alone lanes come to its end, and only from the end of it.
func (l layouter) inline(in *ir.Instr, body *ir.Region, s, c int32) bool {
	if ownEnd(in, body) == 0 {
		l.code(body.Code, s, c)
		return false
	}
	if !l.code(body.Code[:len(body.Code)-1], s, c) {
		return false
	}
	l.same(in.Results, body.End().Args)
	return true
}

// branch lays out an If. Where one side of it does nothing but leave the loop around it, or the kernel, that is a test.
func (l layouter) branch(in *ir.Instr, s, c int32) bool {
	if bits, ok := l.Bits(l.resolve(in.Args[0])); ok {
		side := in.Regions[1]
		if bits != 0 {
			side = in.Regions[0]
		}
		return l.block(in, side, leavesIn(side, in.Label()), s, c)
	}
	if side := l.leavingSide(in, c); side >= 0 {
		m := l.masked(c)
		l.cross(in, s, c, m)
		at := l.add(stepTest, in, s, c)
		l.steps[at].side = int32(side)
		l.constructs[m].tests = append(l.constructs[m].tests, at)
		l.wanted(in, 1-side)
		if l.constructs[m].tested == 0 && !l.constructs[m].barrier {
			l.constructs[m].tested = at
		}
		return l.inline(in, in.Regions[1-side], s, c)
	}
	n := l.open(program.BranchConstruct, in, s, c)
	l.code(in.Regions[0].Code, l.section(s, n, 0), n)
	other := l.section(s, n, 1)
	l.constructs[n].otherwise = l.add(stepElse, in, other, n)
	l.code(in.Regions[1].Code, other, n)
	l.close(n)
	return true
}

// leavesIn counts the terminators in a region that lead to the end of a construct.
func leavesIn(r *ir.Region, label int) (n int32) {
	for in := range r.All() {
		if in.Op == ir.OpLeave && in.Label() == label {
			n++
		}
	}
	return n
}

// leavingSide returns the side of an If that does nothing but leave the loop around it, or the kernel; or -1.
func (l layouter) leavingSide(in *ir.Instr, c int32) int {
	around := &l.constructs[l.masked(c)]
	if around.waits || around.continued ||
		around.kind != program.LoopConstruct && around.kind != program.KernelConstruct {
		return -1
	}
	for side, code := range in.Regions {
		end := code.Code[0]
		leaves := around.kind == program.LoopConstruct && end.Op == ir.OpLeave && end.Label() == around.in.Label() ||
			around.kind == program.KernelConstruct && end.Op == ir.OpReturn
		if leaves && l.leaves[in.Label()] == ownEnd(in, in.Regions[1-side]) && !l.departs(in, around, end) {
			return side
		}
	}
	return -1
}

// departs reports whether the sanitizer wants to know which lanes leave a construct by a terminator: by a statement of
// the source other than the condition of a loop, where others may wait for them at a barrier.
func (l layouter) departs(in *ir.Instr, c *laneConstruct, end *ir.Instr) bool {
	if !l.careful || !l.anyBarrier {
		return false
	}
	return c.kind == program.KernelConstruct || l.Position(in) != l.Position(end) && l.hasBarrier(c.in.Regions[0])
}

func (l layouter) loop(in *ir.Instr, s, c int32) {
	n := l.open(program.LoopConstruct, in, s, c)
	body := in.Regions[0]
	inner := l.section(s, n, 0)
	at := l.add(stepTurn, in, inner, n)
	for _, p := range body.Params {
		l.assign(p, at, inner)
	}
	l.code(body.Code, inner, n)
	l.close(n)
}

func (l layouter) choice(in *ir.Instr, s, c int32) {
	n := l.open(program.SwitchConstruct, in, s, c)
	falls := make([]bool, len(in.Regions))
	for i, code := range in.Regions {
		if falls[i] = i > 0 && in.Regions[i-1].End().Op == ir.OpFall; !falls[i] {
			l.same(code.Params, in.Args[1:])
		}
	}
	l.constructs[n].falls = falls
	for i, code := range in.Regions {
		inner := l.section(s, n, i)
		at := l.add(stepCase, in, inner, n)
		l.steps[at].side = int32(i)
		if falls[i] {
			for _, p := range code.Params {
				l.assign(p, at, inner)
			}
		}
		l.code(code.Code, inner, n)
	}
	l.close(n)
}
