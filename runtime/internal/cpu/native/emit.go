package native

import (
	"sync/atomic"

	"github.com/metalgen/metalgen/runtime/internal/cpu/asm"
)

// Code is the machine code of a program.
type Code struct {
	Bytes   []byte
	Entries map[int32][]Held // the instructions at which it can be entered, and what they read

	analysis *analysis
	at       []atomic.Pointer[[]Held] // by instruction, of those that have been asked for and are kept
	kept     atomic.Int64             // registers in those
}

// Compile returns the code of a program. It returns ErrTooLarge or ErrStopped where the budget ends.
func Compile(p *Program, l *Layout, b *Budget) (*Code, error) {
	x := analyse(p, l, b)
	if b.err != nil {
		return nil, b.err
	}
	e := &emitter{analysis: x}
	e.cache.reset()
	e.prologue()
	for i := range x.blocks {
		if x.blocks[i].reached {
			e.block(i)
		}
	}
	for len(e.later) > 0 && e.affords() {
		write := e.later[0]
		e.later = e.later[1:]
		write()
	}
	e.exits.write(e)
	entries := e.entries()
	if b.err != nil {
		return nil, b.err
	}
	code := &Code{analysis: x, Entries: entries, at: make([]atomic.Pointer[[]Held], len(p.Code))}
	var err error
	code.Bytes, err = e.asm.Code()
	return code, err
}

// affords takes what has been written since it was last called from the budget. It reports false where nothing more
// may be written.
func (e *emitter) affords() bool {
	size := e.asm.Size()
	more := size - e.counted
	e.counted = size
	return e.budget.take(more) && e.budget.step(1+more/16)
}

// postpone has something written behind all else, of which so many registers are kept.
func (e *emitter) postpone(registers int, write func()) {
	if e.budget.take(bytesOfLater + registers*bytesOfHeld) {
		e.later = append(e.later, write)
	}
}

// entries returns the instructions at which the interpreter may let native code go on.
func (e *emitter) entries() map[int32][]Held {
	list := map[int32][]Held{}
	for i := range e.blocks {
		b := &e.blocks[i]
		if !b.reached || !b.entry {
			continue
		}
		if !e.budget.take(bytesOfBlock+b.live.count()*bytesOfHeld) || !e.budget.step(len(e.slots)) {
			return nil
		}
		list[b.first] = e.held(&b.in, b.live)
	}
	return list
}

// perGroup bounds what a simd-group takes of the budget, so that loops have some of it.
const perGroup = 256

// prologue enters the simd-group of the Run, and where one is done, the next.
func (e *emitter) prologue() {
	a := &e.asm
	for i := range e.blocks {
		if e.blocks[i].label {
			e.labels = append(e.labels, a.Label())
		} else {
			e.labels = append(e.labels, -1)
		}
	}
	e.exits.declare(a)
	e.next = a.Label()
	enter, begin := a.Label(), a.Label()
	a.GR(asm.MOVQ, frames, asm.RDI)
	a.GR(asm.MOVQ, frame, asm.Mem{Base: frames, Disp: runFrame})
	var count [2][16]uint32
	for i := range 32 {
		count[i/16][i%16] = uint32(i)
	}
	a.VX(asm.VMOVDQU32, countLow, a.Vector(&count[0]))
	a.VX(asm.VMOVDQU32, countHigh, a.Vector(&count[1]))
	a.Jump(asm.Always, enter)

	a.Bind(e.next)
	f := &e.layout.Frame
	a.RI(asm.ADDQ_I, frame, f.Size)
	a.GR(asm.CMPQ, frame, asm.Mem{Base: frames, Disp: runEnd})
	a.Jump(asm.Equal, e.exits.waits)
	a.RI(asm.SUBQ_I, asm.Mem{Base: frames, Disp: runBudget}, int32(min(len(e.Code), perGroup)))
	a.Jump(asm.Negative, e.exits.between)

	a.Bind(enter)
	a.GR(asm.MOVQ, memory, asm.Mem{Base: frame, Disp: f.Memory})
	a.GR(asm.MOVQ, objects, asm.Mem{Base: frame, Disp: f.Objects})
	a.GR(asm.CMPQ, frame, asm.Mem{Base: frames, Disp: runFresh})
	a.Jump(asm.AboveEqual, begin)
	a.GR(asm.MOVZXB, asm.RAX, asm.Mem{Base: frame, Disp: f.Done})
	a.GR(asm.TESTL, asm.RAX, asm.RAX)
	a.Jump(asm.NotEqual, e.next)
	a.GR(asm.MOVL, active, asm.Mem{Base: frame, Disp: f.Mask})
	e.activate()
	a.GR(asm.MOVL, asm.RAX, asm.Mem{Base: frame, Disp: f.PC})
	for i := range e.blocks {
		if b := &e.blocks[i]; b.reached && b.entry {
			a.RI(asm.CMPL_I, asm.RAX, b.first)
			a.Jump(asm.Equal, e.labels[i])
		}
	}
	a.Jump(asm.Always, e.exits.interpret)
	a.Bind(begin)
	e.begin()
}

// begin writes the beginning of a simd-group: its builtins, and its threads as the active lanes.
func (e *emitter) begin() {
	a, f := &e.asm, &e.layout.Frame
	a.GR(asm.MOVQ, asm.RAX, frame)
	a.RI(asm.ADDQ_I, asm.RAX, f.Size)
	a.MG(asm.MOVQ_ST, asm.Mem{Base: frames, Disp: runFresh}, asm.RAX)
	a.GR(asm.MOVQ, asm.R8, asm.Mem{Base: frame, Disp: f.Row})
	a.GR(asm.MOVQ, asm.R9, asm.Mem{Base: frames, Disp: runValues})
	first := &e.blocks[0]
	needed := func(at int32) bool {
		n := e.slotAt[at/8]
		return n != 0 && first.live.has(n-1)
	}
	for i, b := range e.Builtins {
		if needed(b.At) {
			a.GR(asm.MOVL, asm.RAX, asm.Mem{Base: asm.R8, Disp: 4 * int32(i)})
			a.GR(asm.ADDL, asm.RAX, asm.Mem{Base: asm.R9, Disp: 4 * int32(i)})
			a.MG(asm.MOVL_ST, e.base(b.At), asm.RAX)
		}
	}
	for _, p := range e.Pointers {
		if _, ok := e.constant[p.At]; !ok && needed(p.At) {
			a.Number(asm.RAX, uint64(p.Object)<<offsetBits)
			a.MG(asm.MOVQ_ST, e.base(p.At), asm.RAX)
		}
	}
	a.GR(asm.MOVL, active, asm.Mem{Base: asm.R8, Disp: 4 * int32(len(e.Builtins))})
	a.MG(asm.MOVL_ST, memoryAt(e.Alive), active)
	e.activate()
	a.GR(asm.XORL, asm.RAX, asm.RAX)
	a.MG(asm.MOVB_ST, asm.Mem{Base: frame, Disp: f.Done}, asm.RAX)
	a.Jump(asm.Always, e.labels[0])
}

// activate makes the mask registers those of the active lanes.
func (e *emitter) activate() {
	e.asm.KG(asm.KMOVD_G, activeLow, active)
	e.asm.KKI(asm.KSHIFTRD, activeHigh, activeLow, 16)
}

// block writes a block.
func (e *emitter) block(n int) {
	b := &e.blocks[n]
	if b.label {
		e.asm.Bind(e.labels[n])
		e.cache.reset()
		e.state.clone(&b.in)
	}
	for pc := b.first; pc < b.end; pc++ {
		if !e.affords() {
			return
		}
		in := &e.Code[pc]
		op := &operations[in.Op]
		e.pc = pc
		switch {
		case op.foreign:
			e.flush(nil)
			e.asm.Number(asm.RAX, uint64(pc))
			e.asm.Jump(asm.Always, e.exits.interpret)
		case op.flow:
			e.flow(in)
		default:
			op.emit(e, in)
		}
		e.analysis.step(&e.state, pc)
		e.unpin()
		if op.ends || op.foreign {
			return
		}
	}
	if next := e.blockOf(b.end); next.label && e.Code[b.end-1].Op != Barrier {
		e.arrive(e.edge(b.end, &e.state))
		if next.weight > 0 {
			e.pause(b.end, next.weight)
		}
	}
}

// pause lets others have their chance before the instruction that is next, in code that goes straight on.
func (e *emitter) pause(next, weight int32) {
	a := &e.asm
	a.RI(asm.SUBQ_I, asm.Mem{Base: frames, Disp: runBudget}, weight)
	a.Jump(asm.NotNegative, e.labels[e.blockAt[next]-1])
	a.Number(asm.RAX, uint64(next))
	a.Jump(asm.Always, e.exits.exhausted)
}

// bail returns where to jump if the instruction needs the interpreter.
func (e *emitter) bail() asm.Label {
	x := &e.exits
	if x.last >= 0 && x.lastPC == e.pc && x.lastChange == e.cache.change {
		return x.last
	}
	l, pc, lost := e.asm.Label(), e.pc, e.unsaved()
	x.last, x.lastPC, x.lastChange = l, pc, e.cache.change
	e.postpone(len(lost), func() {
		e.asm.Bind(l)
		e.saveAll(lost, nil)
		e.asm.Number(asm.RAX, uint64(pc))
		e.asm.Jump(asm.Always, x.interpret)
	})
	return l
}

// exits are the ends of the code. RAX is the instruction at which the simd-group is.
type exits struct {
	waits, interpret, exhausted asm.Label

	between asm.Label // the budget ends before the simd-group goes on

	last       asm.Label // of bail, with what it is for
	lastPC     int32
	lastChange int
}

func (x *exits) declare(a *asm.Assembler) {
	x.waits, x.interpret, x.exhausted = a.Label(), a.Label(), a.Label()
	x.between, x.last = a.Label(), -1
}

func (x *exits) write(e *emitter) {
	a, f := &e.asm, &e.layout.Frame
	leave := a.Label()
	a.Bind(x.interpret)
	a.Number(asm.RCX, uint64(Interpret))
	a.Jump(asm.Always, leave)
	a.Bind(x.exhausted)
	a.Number(asm.RCX, uint64(Exhausted))
	a.Bind(leave)
	a.MG(asm.MOVL_ST, asm.Mem{Base: frame, Disp: f.PC}, asm.RAX)
	a.MG(asm.MOVL_ST, asm.Mem{Base: frame, Disp: f.Mask}, active)
	a.MG(asm.MOVQ_ST, asm.Mem{Base: frames, Disp: runFrame}, frame)
	a.GR(asm.MOVQ, asm.RAX, asm.RCX)
	a.O(asm.VZEROUPPER)
	a.O(asm.RET)
	a.Bind(x.between)
	a.MG(asm.MOVQ_ST, asm.Mem{Base: frames, Disp: runFrame}, frame)
	a.Number(asm.RAX, uint64(Exhausted))
	a.O(asm.VZEROUPPER)
	a.O(asm.RET)
	a.Bind(x.waits)
	a.Number(asm.RAX, uint64(Waits))
	a.O(asm.VZEROUPPER)
	a.O(asm.RET)
}
