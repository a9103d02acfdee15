package native

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/abi"
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

// lowering makes vcode of a program, some blocks at a time: it has each instruction written, on lanes, as an access or
// as what comes next, and the code made of that.
type lowering struct {
	*writer
	x        *wide.Analysis
	layout   *abi.Layout
	lanes    *lanes
	accesses *accesses
	queue    *queue
	chain    *wide.Chain // the blocks that are written
	plan     plan

	labels  []vcode.Label // of blocks
	entered []vcode.Label // where the interpreter enters them
	exits   exits
	counted int // bytes of machine code that have been taken from the budget
	most    int // instructions of vcode at once, which have been
}

func newLowering(x *wide.Analysis, layout *abi.Layout, m vcode.Machine) *lowering {
	w := newWriter(m)
	l := &lowering{writer: w, x: x, layout: layout}
	if !x.Budget.Take(len(x.Slots)*(bytesOfUnit*(4+2*w.parts)) + 16*len(x.Code)) {
		return l
	}
	l.lanes = newLanes(w, x, layout)
	chooseVectors(l.lanes)
	l.plan.make(l.lanes)
	l.chain = wide.NewChain(x)
	l.queue = &queue{lanes: l.lanes, chain: l.chain}
	at := &addresses{writer: w, x: x, layout: &layout.Object, lanes: l.lanes, plan: &l.plan}
	l.accesses = &accesses{addresses: at, queue: l.queue, chain: l.chain}
	return l
}

// blocksFrom writes a block and those that only it leads to, and returns the one after these.
func (l *lowering) blocksFrom(i int) int {
	if !l.x.Blocks[i].Reached {
		return i + 1
	}
	c := l.chain
	c.Begin(i)
	l.clear()
	l.lanes.state.Clone(&l.x.Blocks[i].In)
	l.m.Emit(&vcode.Instr{Op: vcode.Bind, Target: l.labels[i]})
	for n := c.First; n <= c.Last; n++ {
		l.pc = l.x.Blocks[n].First
		l.accesses.enter(int32(n))
		l.block(&l.x.Blocks[n])
	}
	l.allocate(l.plan.fixedIn(l.x, c.First, c.Last))
	return c.Last + 1
}

// clear forgets all that holds in the code before.
func (l *lowering) clear() {
	l.writer.clear()
	l.lanes.cache.reset()
	l.accesses.reset()
}

// allocate has the code of the chain made.
func (l *lowering) allocate(fixed []reg) {
	if l.x.Budget.Err() != nil || !l.x.Budget.Step(len(l.code)) {
		return
	}
	slot := l.lanes.slotOfUnit
	l.alloc.Make(&vcode.Block{
		Code: l.code, PC: l.pcs, Fixed: fixed,
		Needed:  func(unit reg, pc int32) bool { return l.chain.Needed(slot[unit], pc) },
		LiveAt:  func(unit reg, block int32) bool { return l.x.Blocks[block].Live.Has(slot[unit]) },
		LiveOut: func(unit reg) bool { return l.chain.LiveOut(slot[unit]) },
	})
	l.code, l.pcs = l.code[:0], l.pcs[:0]
	l.affords()
}

// block writes a block.
func (l *lowering) block(b *wide.Block) {
	l.accesses.end = b.End
	for l.pc = b.First; l.pc < b.End; l.pc++ {
		in := &l.x.Code[l.pc]
		if l.instruction(in, true); l.x.Budget.Err() != nil || operations[in.Op].Ends || operations[in.Op].Foreign {
			return
		}
	}
	l.pc = b.End - 1
	if next := l.x.BlockOf(b.End); next.Label && l.x.Code[b.End-1].Op != wide.Barrier {
		l.queue.flush(b.End)
		l.fall(b.End)
	}
}

// instruction writes the one at l.pc, or only notes what it does.
func (l *lowering) instruction(in *wide.Instruction, writes bool) {
	if n := cap(l.code); n > l.most {
		l.x.Budget.Take((n - l.most) * bytesOfInstr)
		l.most = n
	}
	if l.x.Budget.Err() != nil {
		return
	}
	op, pc, how := &operations[in.Op], l.pc, l.plan.how[l.pc]
	if how&flushesBefore != 0 {
		l.queue.flush(pc)
	}
	l.accesses.beforeMove(in)
	switch {
	case pc < l.accesses.written || !writes:
	case op.Foreign:
		l.give()
	case op.Flow:
		l.flow(in)
		l.accesses.forget()
	case how&queues != 0:
		l.lanes.leaveRare(in, op)
		l.queue.add(in, op)
	case how&onBases != 0:
		computeOnBases(l.lanes, in, op)
	case op.access != nil:
		op.access(l.accesses, in)
	default:
		op.emit(l.lanes, in)
	}
	switch {
	case op.Access && op.Stores != wide.None:
		l.accesses.forgetWords(in.A)
	case in.Matrices != nil && op.D == wide.None:
		l.accesses.forgetWords(in.Matrices.Pointer)
	}
	l.accesses.afterMove(in)
	l.accesses.sums.Step(l.x, in)
	l.accesses.bounds.Step(l.x, in, l.lanes.blends(in))
	l.x.Step(&l.lanes.state, pc)
}

// postpone has something written after all else, and keeps so many registers for it.
func (l *lowering) postpone(registers int, write func()) {
	if l.x.Budget.Take(bytesOfLater + registers*wide.BytesOfHeld) {
		l.alloc.Later(write)
	}
}
