package native

import (
	"slices"

	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// width is the number of lanes of a simd-group.
const width = wide.Width

// What is made beside what package wide counts, in bytes.
const (
	bytesOfUnit  = 64  // a virtual register that exists in all of the program
	bytesOfInstr = 256 // vcode, with the registers that it makes
	bytesOfLater = 160 // what is written after all else, with what it keeps
)

// lowering makes vcode of a program, some blocks at a time.
type lowering struct {
	*wide.Analysis
	writer
	layout *Layout
	parts  int // vectors of the words of all lanes

	units      []unitsOf // by slot
	slotOfUnit []int32
	vectors    []bool // by slot: what is the same in all lanes is in a vector
	plan       plan
	labels     []vcode.Label // of blocks
	entered    []vcode.Label // where the interpreter enters them

	state   wide.State // before the instruction that is written
	end     int32      // of its block
	written int32      // the instructions before have been written together
	once    bool       // an operation is written for what is the same in all lanes
	alike   bool       // so is the second operand of one that is not
	queue   []queued
	cache   caches
	chain   chain // the blocks that are written

	given   []int32 // instructions that only the interpreter executes
	exits   exits
	counted int // bytes of machine code that have been taken from the budget
	most    int // instructions of vcode at once, which have been
}

// writer collects vcode.
type writer struct {
	m     vcode.Machine
	t     *vcode.Traits
	alloc *vcode.Allocator
	code  []vcode.Instr
	one   vcode.Instr // see now1
	pcs   []int32
	pc    int32     // of the instruction that is written
	kept  vcode.Reg // the last register that something may still refer to
}

type reg = vcode.Reg

func (w *writer) emit(in vcode.Instr) {
	if n := len(w.code); n == cap(w.code) {
		w.code = slices.Grow(w.code, n+64) // append grows long slices by a quarter, and leaves four times as much behind
	}
	w.code, w.pcs = append(w.code, in), append(w.pcs, w.pc)
}

// make appends an instruction and returns what it makes, a new register.
func (w *writer) make(in vcode.Instr) reg {
	in.D = w.alloc.Temp(vcode.Infos[in.Op].D)
	w.emit(in)
	return in.D
}

func (w *writer) op(op vcode.Op, a, b reg) reg { return w.make(vcode.Instr{Op: op, A: a, B: b}) }

func (w *writer) op3(op vcode.Op, a, b, c reg) reg {
	return w.make(vcode.Instr{Op: op, A: a, B: b, C: c})
}

func (w *writer) opI(op vcode.Op, a reg, i int64) reg {
	return w.make(vcode.Instr{Op: op, A: a, Imm: i})
}

func (w *writer) compare(op vcode.Op, c vcode.Cond, a, b reg) reg {
	return w.make(vcode.Instr{Op: op, Cond: c, A: a, B: b})
}

func (w *writer) number(v uint64) reg { return w.make(vcode.Instr{Op: vcode.GConst, Imm: int64(v)}) }

func (w *writer) store(op vcode.Op, base reg, disp int64, v reg) {
	w.emit(vcode.Instr{Op: op, A: base, B: v, Imm: disp})
}

// keep notes that a register may be read again later.
func (w *writer) keep(r reg) reg {
	w.kept = max(w.kept, r)
	return r
}

// move makes unit what r is. Where the last instruction has made r it makes the unit instead.
func (w *writer) move(unit, r reg) {
	if n := len(w.code) - 1; n >= 0 && r > w.kept && int(r) >= w.alloc.Units() {
		if last := &w.code[n]; last.D == r && last.Exit == nil {
			last.D = unit
			return
		}
	}
	op := vcode.VMove
	if w.alloc.ClassOf(r) == vcode.G || r < 0 {
		op = vcode.GMove
	}
	w.emit(vcode.Instr{Op: op, D: unit, A: r})
}

// chain is blocks: each leads to the next one, and nothing else leads to those after the first.
type chain struct {
	first, last int // blocks, both included
	pc, end     int32
	events      [][]event // by slot: who reads and writes it
	slots       []int32   // that have some
	branches    []branch
	outs        []int32 // blocks that come next
}

// event is an instruction that reads or writes a register.
type event struct {
	pc    int32
	reads bool
}

// branch is where a chain may be left for a block.
type branch struct {
	pc, to int32
}

func newLowering(x *wide.Analysis, layout *Layout, m vcode.Machine) *lowering {
	l := &lowering{Analysis: x, layout: layout, writer: writer{m: m, t: m.Traits()}}
	l.parts = l.t.Parts()
	l.alloc = vcode.NewAllocator(m, vcode.Scratch{At: runScratch, Size: scratchBytes})
	if !x.Budget.Take(len(x.Slots)*(bytesOfUnit*(4+2*l.parts)) + 16*len(x.Code)) {
		return l
	}
	l.makeUnits()
	l.choosesVectors()
	l.plan.make(l)
	l.cache.slots = make([]slotCache, len(x.Slots))
	l.chain.events = make([][]event, len(x.Slots))
	return l
}

// blocksFrom writes a block and those that only it leads to, and returns the one after these.
func (l *lowering) blocksFrom(i int) int {
	if !l.Blocks[i].Reached {
		return i + 1
	}
	c := &l.chain
	c.first, c.last = i, i
	for l.leadsOn(c.last) && !l.Blocks[c.last+1].Label {
		c.last++
	}
	c.pc, c.end = l.Blocks[i].First, l.Blocks[c.last].End
	l.findEvents()
	l.code, l.pcs, l.kept = l.code[:0], l.pcs[:0], 0
	l.cache.reset()
	l.state.Clone(&l.Blocks[i].In)
	l.m.Emit(&vcode.Instr{Op: vcode.Bind, Target: l.labels[i]})
	for n := c.first; n <= c.last; n++ {
		l.block(&l.Blocks[n])
	}
	l.allocate(l.plan.fixedIn(l, c.first, c.last))
	return c.last + 1
}

// leadsOn reports whether a block leads to the next one.
func (l *lowering) leadsOn(n int) bool {
	last := &l.Code[l.Blocks[n].End-1]
	op := &operations[last.Op]
	return n+1 < len(l.Blocks) && !op.Ends && !op.Foreign && last.Op != wide.Barrier
}

// allocate has the code of the chain made.
func (l *lowering) allocate(fixed []reg) {
	if l.Budget.Err() != nil || !l.Budget.Step(len(l.code)) {
		return
	}
	l.alloc.Make(&vcode.Block{
		Code: l.code, PC: l.pcs, Fixed: fixed,
		Needed: l.needed, LiveAt: l.liveAt, LiveOut: l.liveOut,
	})
	l.code, l.pcs = l.code[:0], l.pcs[:0]
	l.affords()
}

// block writes a block.
func (l *lowering) block(b *wide.Block) {
	l.end = b.End
	for pc := b.First; pc < b.End; pc++ {
		if n := cap(l.code); n > l.most {
			l.Budget.Take((n - l.most) * bytesOfInstr)
			l.most = n
		}
		if l.Budget.Err() != nil {
			return
		}
		in := &l.Code[pc]
		op := &operations[in.Op]
		l.pc = pc
		how := l.plan.how[pc]
		if how&flushesBefore != 0 {
			l.flushQueue(pc)
		}
		switch {
		case pc < l.written:
		case op.Foreign:
			l.give()
		case op.Flow:
			l.flow(in)
			l.cache.near, l.cache.sums = l.cache.near[:0], sums{}
		case how&queues != 0:
			if op.check != nil {
				op.check(l, in)
			}
			l.enqueue(in, op)
		case how&onBases != 0:
			l.onBases(in, op)
		default:
			op.emit(l, in)
		}
		if op.Stores != wide.None || in.Matrices != nil {
			l.cache.forgetWords()
		}
		l.cache.sums.step(l, in)
		l.Analysis.Step(&l.state, pc)
		if op.Ends || op.Foreign {
			return
		}
	}
	l.pc = b.End - 1
	if next := l.BlockOf(b.End); next.Label && l.Code[b.End-1].Op != wide.Barrier {
		l.flushQueue(b.End)
		l.fall(b.End)
	}
}

// postpone has something written after all else, and keeps so many registers for it.
func (l *lowering) postpone(registers int, write func()) {
	if l.Budget.Take(bytesOfLater + registers*wide.BytesOfHeld) {
		l.alloc.Later(write)
	}
}

// findEvents finds who reads and writes registers in the chain, and what it may lead to.
func (l *lowering) findEvents() {
	c := &l.chain
	for _, n := range c.slots {
		c.events[n] = c.events[n][:0]
	}
	c.slots, c.branches, c.outs = c.slots[:0], c.branches[:0], c.outs[:0]
	add := func(at, pc int32, reads bool) {
		n := l.slotOf(at)
		if len(c.events[n]) == 0 {
			c.slots = append(c.slots, n)
		}
		c.events[n] = append(c.events[n], event{pc, reads})
	}
	for pc := c.pc; pc < c.end; pc++ {
		in := &l.Code[pc]
		op := &operations[in.Op]
		for o := range op.Operands(in) {
			add(o.At, pc, true)
		}
		for o := range op.Results(in) {
			add(o.At, pc, in.Masked && !l.Plain[pc])
		}
		if op.Jumps {
			c.branches = append(c.branches, branch{pc, l.BlockAt[in.Target] - 1})
			c.outs = append(c.outs, l.BlockAt[in.Target]-1)
		}
	}
	if last := &operations[l.Code[c.end-1].Op]; !last.Ends {
		c.outs = append(c.outs, l.BlockAt[c.end]-1)
	}
}

// needed reports whether the interpreter reads a unit that it goes on with at an instruction.
func (l *lowering) needed(unit reg, pc int32) bool {
	n := l.slotOfUnit[unit]
	c := &l.chain
	if pc < c.pc || pc >= c.end {
		if at := l.BlockAt[pc]; at != 0 {
			return l.Blocks[at-1].Live.Has(n)
		}
		return true
	}
	next := c.end
	for _, e := range c.events[n] {
		if e.pc >= pc {
			if e.reads {
				return true
			}
			next = e.pc
			break
		}
	}
	for _, b := range c.branches {
		if b.pc >= pc && b.pc <= next && l.Blocks[b.to].Live.Has(n) {
			return true
		}
	}
	return next == c.end && l.liveOut(unit)
}

func (l *lowering) liveAt(unit reg, block int32) bool {
	return l.Blocks[block].Live.Has(l.slotOfUnit[unit])
}

func (l *lowering) liveOut(unit reg) bool {
	c := &l.chain
	if c.end > 0 {
		if last := &l.Code[c.end-1]; operations[last.Op].ReadsAll(last) {
			return true
		}
	}
	for _, n := range c.outs {
		if l.liveAt(unit, n) {
			return true
		}
	}
	return false
}
