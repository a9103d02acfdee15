package native

import (
	mathbits "math/bits"
	"slices"

	"github.com/metalgen/metalgen/runtime/internal/cpu/abi"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// exits are ends of the code.
type exits struct {
	next vcode.Label // the simd-group is at a barrier, or done: the next one's turn

	leave, interpret vcode.Label
}

// perGroup bounds what a simd-group takes of the budget, so that loops have some of it.
const perGroup = 256

// What the prologue uses: nothing else is in registers then.
const (
	first  reg = 1
	second reg = 2
	third  reg = 3
	fourth reg = 4
)

// prologue writes the beginning of the code, and its ends, at once: registers are those of the machine.
type prologue struct {
	*lowering
	one        vcode.Instr // see now
	takesTurns bool        // simd-groups do, in some loop
	sweep      *sweep      // or nil
}

func (p *prologue) now(in vcode.Instr) {
	p.one = in
	p.m.Emit(&p.one)
}

// load and save move between a register and memory, at once.
func (p *prologue) load(op vcode.Op, d, base reg, disp int32) {
	p.now(vcode.Instr{Op: op, D: d, A: base, Imm: int64(disp)})
}

func (p *prologue) save(op vcode.Op, base reg, disp int32, r reg) {
	p.now(vcode.Instr{Op: op, A: base, B: r, Imm: int64(disp)})
}

func (p *prologue) set(d reg, v uint64) { p.now(vcode.Instr{Op: vcode.GConst, D: d, Imm: int64(v)}) }

func (p *prologue) bind(label vcode.Label) { p.now(vcode.Instr{Op: vcode.Bind, Target: label}) }
func (p *prologue) goTo(label vcode.Label) { p.now(vcode.Instr{Op: vcode.Jump, Target: label}) }

func (p *prologue) branch(c vcode.Cond, a, b reg, i int64, to vcode.Label) {
	p.now(vcode.Instr{Op: vcode.Branch, Cond: c, A: a, B: b, Imm: i, Target: to})
}

// write enters the simd-group of the Run, and where one is done, the next. It writes the ends of the code as well.
func (p *prologue) write() {
	f := &p.layout.Frame
	p.entered = make([]vcode.Label, len(p.x.Blocks))
	for i := range p.x.Blocks {
		p.labels = append(p.labels, -1)
		if b := &p.x.Blocks[i]; b.Reached && b.Label {
			p.labels[i] = p.m.Label()
			p.entered[i] = p.m.Label()
		}
	}
	x := &p.exits
	x.next, x.leave, x.interpret = p.m.Label(), p.m.Label(), p.m.Label()
	p.alloc.Leave = x.leave
	enter, resume := p.m.Label(), p.m.Label()
	waits, between, constants, swept := p.m.Label(), p.m.Label(), p.m.Label(), p.m.Label()
	p.now(vcode.Instr{Op: vcode.Enter})
	p.load(vcode.GLoad64, vcode.Frame, vcode.Run, abi.RunFrame)
	if p.sweep != nil {
		p.load(vcode.GLoad32, first, vcode.Run, abi.RunSweeps)
		p.branch(vcode.Ne, first, 0, 0, swept)
	}
	p.goTo(constants)
	p.alloc.Later(func() {
		p.bind(constants)
		vcode.MakeConstants(p.alloc)
		p.goTo(enter)
		if p.sweep != nil {
			p.sweep.write(swept)
		}
	})

	p.bind(resume)
	p.resume()
	p.bind(x.interpret)
	p.set(second, uint64(abi.Interpret))
	p.bind(x.leave)
	vcode.Drain(p.alloc, p.plan.tiles.stored, third, fourth, first, second)
	p.save(vcode.GStore32, vcode.Frame, f.PC, first)
	p.save(vcode.GStore32, vcode.Frame, f.Mask, vcode.Active)
	p.set(third, 0)
	p.save(vcode.GStore8, vcode.Frame, f.Done, third)
	p.now(vcode.Instr{Op: vcode.GAdd, D: third, A: vcode.Frame, Imm: int64(f.Size)})
	p.freshFrom(third)
	pauses := p.m.Label()
	if p.takesTurns {
		p.branch(vcode.GtS, second, 0, int64(abi.Turns), pauses)
	}
	p.save(vcode.GStore64, vcode.Run, abi.RunFrame, vcode.Frame)
	p.now(vcode.Instr{Op: vcode.Return, A: second})
	if p.takesTurns {
		p.bind(pauses)
		p.pause(enter, between, waits)
	}
	p.bind(between)
	p.save(vcode.GStore64, vcode.Run, abi.RunFrame, vcode.Frame)
	p.freshFrom(vcode.Frame)
	p.set(second, uint64(abi.Exhausted))
	p.now(vcode.Instr{Op: vcode.Return, A: second})
	p.bind(waits)
	p.freshFrom(vcode.Frame)
	if p.takesTurns {
		p.turns(enter)
	}
	no := p.m.Label()
	if len(p.x.Backward) > 0 {
		p.pass(enter, no)
	}
	p.follow(enter, between, no)
	p.bind(no)
	p.set(second, uint64(abi.Waits))
	p.now(vcode.Instr{Op: vcode.Return, A: second})

	// From here on to the first block is what a simd-group costs that begins.
	p.bind(x.next)
	p.load(vcode.GLoad64, first, vcode.Run, abi.RunStride)
	p.now(vcode.Instr{Op: vcode.GAdd, D: vcode.Frame, A: vcode.Frame, B: first})
	p.load(vcode.GLoad64, first, vcode.Run, abi.RunEnd)
	p.branch(vcode.Eq, vcode.Frame, first, 0, waits)
	p.bind(enter)
	p.load(vcode.GLoad64, vcode.Memory, vcode.Frame, f.Memory)
	p.load(vcode.GLoad64, vcode.Objects, vcode.Frame, f.Objects)
	p.emptyTiles()
	if p.takesTurns {
		p.load(vcode.GLoad64, first, vcode.Run, abi.RunRounds)
		p.save(vcode.GStore64, vcode.Run, abi.RunTurn, first)
	}
	p.load(vcode.GLoad64, first, vcode.Run, abi.RunFresh)
	p.branch(vcode.LtU, vcode.Frame, first, 0, resume)
	p.begin()
	p.enterBlock(0)
}

// resume goes on with a simd-group that has begun. As long as the code works on one it says that it is done, and takes
// that back where it stops.
func (p *prologue) resume() {
	f := &p.layout.Frame
	p.load(vcode.GLoad8, first, vcode.Frame, f.Done)
	p.branch(vcode.Ne, first, 0, 0, p.exits.next)
	if p.takesTurns {
		p.beginTurn()
	}
	p.set(first, 1)
	p.save(vcode.GStore8, vcode.Frame, f.Done, first)
	p.load(vcode.GLoad32, vcode.Active, vcode.Frame, f.Mask)
	p.load(vcode.GLoad32, first, vcode.Frame, f.PC)
	var entries []int
	for i := range p.x.Blocks {
		if b := &p.x.Blocks[i]; b.Reached && b.Entry {
			entries = append(entries, i)
		}
	}
	p.choose(entries)
	for _, i := range entries {
		if i > 0 {
			p.enterBlock(i)
			p.goTo(p.labels[i])
		}
	}
}

// freshFrom notes that the simd-groups before one have begun.
func (p *prologue) freshFrom(frame reg) {
	begun := p.m.Label()
	p.load(vcode.GLoad64, fourth, vcode.Run, abi.RunFresh)
	p.branch(vcode.GeU, fourth, frame, 0, begun)
	p.save(vcode.GStore64, vcode.Run, abi.RunFresh, frame)
	p.bind(begun)
}

// emptyTiles makes all tiles empty.
func (p *prologue) emptyTiles() {
	const none = first // a vector
	empty := func(tiles int, at int64, vectors int) {
		for i := range int32(vectors) {
			if tiles > 0 {
				p.save(vcode.VStore, vcode.Run, int32(abi.RunTiles+at)+i*p.t.VectorBytes(), none)
			}
		}
	}
	t := &p.plan.tiles
	if t.count+t.stored > 0 {
		p.now(vcode.Instr{Op: vcode.VConst32, D: none, Imm: vcode.NoTile})
	}
	at, vectors := vcode.TileStarts(p.t, t.count)
	empty(t.count, at, vectors)
	at, vectors = vcode.StoredStarts(p.t)
	empty(t.stored, at, vectors)
}

// follow begins the next threadgroup, where all simd-groups have ended and there is one. It takes from the budget what
// all of them need: they are so few that none has to ask.
func (p *prologue) follow(enter, between, no vcode.Label) {
	f := &p.layout.Frame
	left, values, steps := first, second, third
	p.load(vcode.GLoad32, left, vcode.Run, abi.RunMore)
	p.branch(vcode.Eq, left, 0, 0, no)
	p.now(vcode.Instr{Op: vcode.GSub, D: left, A: left, Imm: 1})
	p.save(vcode.GStore32, vcode.Run, abi.RunMore, left)
	p.load(vcode.GLoad64, values, vcode.Run, abi.RunValues)
	p.load(vcode.GLoad64, steps, vcode.Run, abi.RunSteps)
	for at := int32(0); at < 4*int32(len(p.x.Builtins)); at += p.t.VectorBytes() {
		const sum, by = first, second // vectors
		p.load(vcode.VLoad, sum, values, at)
		p.load(vcode.VLoad, by, steps, at)
		p.now(vcode.Instr{Op: vcode.VAdd, D: sum, A: sum, B: by})
		p.save(vcode.VStore, values, at, sum)
	}
	p.poison()
	p.load(vcode.GLoad64, vcode.Frame, vcode.Run, abi.RunFirst)
	p.save(vcode.GStore64, vcode.Run, abi.RunFresh, vcode.Frame)
	p.save(vcode.GStore64, vcode.Run, abi.RunStart, vcode.Frame)
	if len(p.x.Backward) > 0 {
		p.set(first, 0)
		p.save(vcode.GStore32, vcode.Run, abi.RunPassed, first)
		p.set(first, uint64(f.Size))
		p.save(vcode.GStore64, vcode.Run, abi.RunStride, first)
		p.load(vcode.GLoad64, second, vcode.Run, abi.RunLast)
		p.now(vcode.Instr{Op: vcode.GAdd, D: second, A: second, B: first})
		p.save(vcode.GStore64, vcode.Run, abi.RunEnd, second)
	}
	p.load(vcode.GLoad64, first, vcode.Run, abi.RunEnd)
	p.now(vcode.Instr{Op: vcode.GSub, D: first, A: first, B: vcode.Frame})
	p.now(vcode.Instr{Op: vcode.GMul, D: first, A: first, Imm: int64(min(len(p.x.Code), perGroup))})
	p.now(vcode.Instr{Op: vcode.GShr, D: first, A: first, Imm: int64(mathbits.Len32(uint32(f.Size)) - 1)})
	p.load(vcode.GLoad64, second, vcode.Run, abi.RunBudget)
	p.now(vcode.Instr{Op: vcode.GSub, D: second, A: second, B: first})
	p.save(vcode.GStore64, vcode.Run, abi.RunBudget, second)
	p.branch(vcode.GeS, second, 0, 0, enter)
	p.goTo(between)
}

// poison makes the threadgroup memory what it is before the first write: all ones.
func (p *prologue) poison() {
	const ones = first // a vector
	again, done := p.m.Label(), p.m.Label()
	at, end := first, second
	p.load(vcode.GLoad64, at, vcode.Run, abi.RunShared)
	p.load(vcode.GLoad64, end, vcode.Run, abi.RunSharedEnd)
	p.now(vcode.Instr{Op: vcode.VConst32, D: ones, Imm: 1<<32 - 1})
	p.bind(again)
	p.branch(vcode.GeU, at, end, 0, done)
	p.save(vcode.VStore, at, 0, ones)
	p.now(vcode.Instr{Op: vcode.GAdd, D: at, A: at, Imm: int64(p.t.VectorBytes())})
	p.goTo(again)
	p.bind(done)
}

// pass goes on after a barrier if all threads that have not returned wait at it, and goes to no if not.
func (p *prologue) pass(enter, no vcode.Label) {
	f := &p.layout.Frame
	again, here, next, ended := p.m.Label(), p.m.Label(), p.m.Label(), p.m.Label()
	at, mask, alive := first, second, third // at is the barrier, or 0 as long as none has come
	p.load(vcode.GLoad64, mask, vcode.Run, abi.RunLast)
	p.branch(vcode.Eq, mask, 0, 0, no)
	p.load(vcode.GLoad64, vcode.Frame, vcode.Run, abi.RunFirst)
	p.set(at, 0)
	p.bind(again)
	p.load(vcode.GLoad64, alive, vcode.Frame, f.Memory)
	p.load(vcode.GLoad32, alive, alive, p.x.Alive)
	p.load(vcode.GLoad8, mask, vcode.Frame, f.Done)
	p.branch(vcode.Eq, mask, 0, 0, here)
	p.branch(vcode.Ne, alive, 0, 0, no)
	p.goTo(next)
	p.bind(here)
	p.load(vcode.GLoad32, mask, vcode.Frame, f.Mask)
	p.branch(vcode.Ne, mask, alive, 0, no)
	p.load(vcode.GLoad32, mask, vcode.Frame, f.PC)
	p.now(vcode.Instr{Op: vcode.GPick, D: at, A: at, B: mask, C: at})
	p.branch(vcode.Ne, mask, at, 0, no)
	p.bind(next)
	p.now(vcode.Instr{Op: vcode.GAdd, D: vcode.Frame, A: vcode.Frame, Imm: int64(f.Size)})
	p.load(vcode.GLoad64, mask, vcode.Run, abi.RunLast)
	p.branch(vcode.GeU, mask, vcode.Frame, 0, again)
	p.branch(vcode.Eq, at, 0, 0, ended)
	p.load(vcode.GLoad32, mask, vcode.Run, abi.RunPassed)
	p.now(vcode.Instr{Op: vcode.GAddW, D: mask, A: mask, Imm: 1})
	p.save(vcode.GStore32, vcode.Run, abi.RunPassed, mask)

	// The first and the last change places where simd-groups run the other way.
	from, to, stride, forward := first, second, third, p.m.Label()
	p.load(vcode.GLoad64, from, vcode.Run, abi.RunFirst)
	p.load(vcode.GLoad64, to, vcode.Run, abi.RunLast)
	p.set(stride, uint64(f.Size))
	p.load(vcode.GLoad32, fourth, vcode.Run, abi.RunBack)
	p.branch(vcode.Eq, fourth, 0, 0, forward)
	p.set(stride, uint64(-int64(f.Size)))
	p.now(vcode.Instr{Op: vcode.GMove, D: fourth, A: from})
	p.now(vcode.Instr{Op: vcode.GMove, D: from, A: to})
	p.now(vcode.Instr{Op: vcode.GMove, D: to, A: fourth})
	p.bind(forward)
	p.save(vcode.GStore64, vcode.Run, abi.RunStride, stride)
	p.now(vcode.Instr{Op: vcode.GAdd, D: to, A: to, B: stride})
	p.save(vcode.GStore64, vcode.Run, abi.RunEnd, to)
	p.now(vcode.Instr{Op: vcode.GMove, D: vcode.Frame, A: from})
	p.save(vcode.GStore64, vcode.Run, abi.RunStart, vcode.Frame)
	p.goTo(enter)
	p.bind(ended)
}

// choose goes to the block whose first instruction is in the first register.
func (p *prologue) choose(entries []int) {
	if n := len(entries); n > 4 {
		rest := p.m.Label()
		p.branch(vcode.GeU, first, 0, int64(p.x.Blocks[entries[n/2]].First), rest)
		p.choose(entries[:n/2])
		p.bind(rest)
		p.choose(entries[n/2:])
		return
	}
	for _, i := range entries {
		p.branch(vcode.Eq, first, 0, int64(p.x.Blocks[i].First), p.entered[i])
	}
	p.goTo(p.exits.interpret)
}

// begin writes the beginning of a simd-group: its builtins, and its threads as the active lanes.
func (p *prologue) begin() {
	f := &p.layout.Frame
	row, values := first, second
	p.load(vcode.GLoad64, row, vcode.Frame, f.Row)
	p.load(vcode.GLoad64, values, vcode.Run, abi.RunValues)
	at := int32(0) // in the row
	for i, b := range p.x.Builtins {
		switch value := 4 * int32(i); {
		case !p.reads(b.At):
		case b.Varies:
			p.beginLanes(b.At, row, at, values, value)
		default:
			p.load(vcode.GLoad32, third, row, at)
			p.load(vcode.GLoad32, fourth, values, value)
			p.now(vcode.Instr{Op: vcode.GAddW, D: third, A: third, B: fourth})
			p.save(vcode.GStore32, vcode.Memory, b.At+p.layout.Word.Base, third)
		}
		at += 4 * int32(b.Words())
	}
	p.pointers()
	p.load(vcode.GLoad32, vcode.Active, row, at)
	p.save(vcode.GStore32, vcode.Memory, p.x.Alive, vcode.Active)
	p.set(third, 1)
	p.save(vcode.GStore8, vcode.Frame, f.Done, third)
	if p.takesTurns {
		p.set(third, 0)
		p.save(vcode.GStore8, vcode.Frame, f.Paused, third)
	}
}

// reads reports whether the program reads what is in a register before it begins.
func (p *prologue) reads(at int32) bool {
	n := p.x.SlotAt[at/8]
	return n != 0 && p.x.Blocks[0].Live.Has(n-1)
}

// pointers makes the pointers that change later what they are at the beginning.
func (p *prologue) pointers() {
	for _, to := range p.x.Pointers {
		if _, ok := p.x.Known[to.At]; !ok && p.reads(to.At) {
			p.set(third, uint64(to.Object)<<wide.OffsetBits)
			p.save(vcode.GStore64, vcode.Memory, to.At+p.layout.Long.Base, third)
		}
	}
}

// beginLanes makes a builtin that varies what a row has of its lanes, added to its value.
func (p *prologue) beginLanes(builtin int32, row reg, at int32, values reg, value int32) {
	const sum, lanes = first, second // vectors
	p.load(vcode.VLoadSplat32, sum, values, value)
	for part := range int32(p.parts) {
		more := part * p.t.VectorBytes()
		p.load(vcode.VLoad, lanes, row, at+more)
		p.now(vcode.Instr{Op: vcode.VAdd, D: lanes, A: lanes, B: sum})
		p.save(vcode.VStore, vcode.Memory, builtin+p.layout.Word.Lanes+more, lanes)
	}
}

// enterBlock loads what lives in registers of its own.
func (p *prologue) enterBlock(i int) {
	b := &p.x.Blocks[i]
	p.bind(p.entered[i])
	fixed := p.plan.fixedBetween(p.plan.enters[i], p.plan.enters[i])
	for n := range p.x.Slots {
		if !b.Live.Has(int32(n)) {
			continue
		}
		p.lanes.repsIn(int32(n), repOf(p.lanes, int32(n), b.In.Kinds[n]), func(u reg) {
			if slices.Contains(fixed, u) {
				p.alloc.Load(u)
			}
		})
	}
}
