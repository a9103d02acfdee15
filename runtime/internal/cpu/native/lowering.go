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
	chain    *chain // the blocks that are written
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
	l.chain = &chain{lanes: l.lanes, events: make([][]event, len(x.Slots))}
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
	c.begin(i)
	l.clear()
	l.lanes.state.Clone(&l.x.Blocks[i].In)
	l.m.Emit(&vcode.Instr{Op: vcode.Bind, Target: l.labels[i]})
	for n := c.first; n <= c.last; n++ {
		l.pc = l.x.Blocks[n].First
		l.accesses.enter(int32(n))
		l.block(&l.x.Blocks[n])
	}
	l.allocate(l.plan.fixedIn(l.x, c.first, c.last))
	return c.last + 1
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
	l.alloc.Make(&vcode.Block{
		Code: l.code, PC: l.pcs, Fixed: fixed,
		Needed: l.chain.needed, LiveAt: l.chain.liveAt, LiveOut: l.chain.liveOut,
	})
	l.code, l.pcs = l.code[:0], l.pcs[:0]
	l.affords()
}

// block writes a block.
func (l *lowering) block(b *wide.Block) {
	l.accesses.end = b.End
	for pc := b.First; pc < b.End; pc++ {
		if n := cap(l.code); n > l.most {
			l.x.Budget.Take((n - l.most) * bytesOfInstr)
			l.most = n
		}
		if l.x.Budget.Err() != nil {
			return
		}
		in := &l.x.Code[pc]
		op := &operations[in.Op]
		l.pc = pc
		how := l.plan.how[pc]
		if how&flushesBefore != 0 {
			l.queue.flush(pc)
		}
		l.accesses.beforeMove(in)
		switch {
		case pc < l.accesses.written:
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
		l.accesses.sums.step(l.x, in)
		l.accesses.bounds.step(l.x, in, l.lanes.blends(in))
		l.x.Step(&l.lanes.state, pc)
		if op.Ends || op.Foreign {
			return
		}
	}
	l.pc = b.End - 1
	if next := l.x.BlockOf(b.End); next.Label && l.x.Code[b.End-1].Op != wide.Barrier {
		l.queue.flush(b.End)
		l.fall(b.End)
	}
}

// postpone has something written after all else, and keeps so many registers for it.
func (l *lowering) postpone(registers int, write func()) {
	if l.x.Budget.Take(bytesOfLater + registers*wide.BytesOfHeld) {
		l.alloc.Later(write)
	}
}
