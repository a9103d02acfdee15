package native

import (
	"slices"

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

func (w *writer) now1(in vcode.Instr) {
	w.one = in
	w.m.Emit(&w.one)
}

// load and save move between a register and memory, at once.
func (w *writer) load(op vcode.Op, d, base reg, disp int32) {
	w.now1(vcode.Instr{Op: op, D: d, A: base, Imm: int64(disp)})
}

func (w *writer) save(op vcode.Op, base reg, disp int32, r reg) {
	w.now1(vcode.Instr{Op: op, A: base, B: r, Imm: int64(disp)})
}

func (w *writer) set(d reg, v uint64) { w.now1(vcode.Instr{Op: vcode.GConst, D: d, Imm: int64(v)}) }

func (w *writer) bind(label vcode.Label) { w.now1(vcode.Instr{Op: vcode.Bind, Target: label}) }
func (w *writer) goTo(label vcode.Label) { w.now1(vcode.Instr{Op: vcode.Jump, Target: label}) }

func (w *writer) branch(c vcode.Cond, a, b reg, i int64, to vcode.Label) {
	w.now1(vcode.Instr{Op: vcode.Branch, Cond: c, A: a, B: b, Imm: i, Target: to})
}

// prologue enters the simd-group of the Run, and where one is done, the next. It writes the ends of the code as well.
func (l *lowering) prologue() {
	f := &l.layout.Frame
	l.entered = make([]vcode.Label, len(l.Blocks))
	for i := range l.Blocks {
		l.labels = append(l.labels, -1)
		if b := &l.Blocks[i]; b.Reached && b.Label {
			l.labels[i] = l.m.Label()
			l.entered[i] = l.m.Label()
		}
	}
	x := &l.exits
	x.next, x.leave, x.interpret = l.m.Label(), l.m.Label(), l.m.Label()
	l.alloc.Leave = x.leave
	spend, enter, begin := l.m.Label(), l.m.Label(), l.m.Label()
	waits, between := l.m.Label(), l.m.Label()
	l.now1(vcode.Instr{Op: vcode.Enter})
	l.load(vcode.GLoad64, vcode.Frame, vcode.Run, runFrame)
	l.goTo(enter)

	l.bind(x.next)
	l.load(vcode.GLoad64, first, vcode.Run, runStride)
	l.now1(vcode.Instr{Op: vcode.GAdd, D: vcode.Frame, A: vcode.Frame, B: first})
	l.load(vcode.GLoad64, first, vcode.Run, runEnd)
	l.branch(vcode.Eq, vcode.Frame, first, 0, waits)
	l.bind(spend)
	l.load(vcode.GLoad64, first, vcode.Run, runBudget)
	l.now1(vcode.Instr{Op: vcode.GSub, D: first, A: first, Imm: int64(min(len(l.Code), perGroup))})
	l.save(vcode.GStore64, vcode.Run, runBudget, first)
	l.branch(vcode.LtS, first, 0, 0, between)

	l.bind(enter)
	l.load(vcode.GLoad64, vcode.Memory, vcode.Frame, f.Memory)
	l.load(vcode.GLoad64, vcode.Objects, vcode.Frame, f.Objects)
	l.load(vcode.GLoad64, first, vcode.Run, runFresh)
	l.branch(vcode.GeU, vcode.Frame, first, 0, begin)
	l.load(vcode.GLoad8, first, vcode.Frame, f.Done)
	l.branch(vcode.Ne, first, 0, 0, x.next)
	l.load(vcode.GLoad32, vcode.Active, vcode.Frame, f.Mask)
	l.load(vcode.GLoad32, first, vcode.Frame, f.PC)
	var entries []int
	for i := range l.Blocks {
		if b := &l.Blocks[i]; b.Reached && b.Entry {
			entries = append(entries, i)
		}
	}
	l.choose(entries)
	l.bind(begin)
	l.begin()
	for _, i := range entries {
		l.enterBlock(i)
	}

	l.bind(x.interpret)
	l.set(second, uint64(Interpret))
	l.bind(x.leave)
	l.save(vcode.GStore32, vcode.Frame, f.PC, first)
	l.save(vcode.GStore32, vcode.Frame, f.Mask, vcode.Active)
	l.save(vcode.GStore64, vcode.Run, runFrame, vcode.Frame)
	l.now1(vcode.Instr{Op: vcode.Return, A: second})
	l.bind(between)
	l.save(vcode.GStore64, vcode.Run, runFrame, vcode.Frame)
	l.set(second, uint64(Exhausted))
	l.now1(vcode.Instr{Op: vcode.Return, A: second})
	l.bind(waits)
	no := l.m.Label()
	if len(l.Backward) > 0 {
		l.pass(enter, no)
	}
	l.follow(spend, no)
	l.bind(no)
	l.set(second, uint64(Waits))
	l.now1(vcode.Instr{Op: vcode.Return, A: second})
}

// follow begins the next threadgroup, where all simd-groups have ended and there is one.
func (l *lowering) follow(spend, no vcode.Label) {
	f := &l.layout.Frame
	left, values, steps := first, second, third
	l.load(vcode.GLoad32, left, vcode.Run, runMore)
	l.branch(vcode.Eq, left, 0, 0, no)
	l.now1(vcode.Instr{Op: vcode.GSub, D: left, A: left, Imm: 1})
	l.save(vcode.GStore32, vcode.Run, runMore, left)
	l.load(vcode.GLoad64, values, vcode.Run, runValues)
	l.load(vcode.GLoad64, steps, vcode.Run, runSteps)
	for at := int32(0); at < 4*int32(len(l.Builtins)); at += l.t.VectorBytes() {
		const sum, by = first, second // vectors
		l.load(vcode.VLoad, sum, values, at)
		l.load(vcode.VLoad, by, steps, at)
		l.now1(vcode.Instr{Op: vcode.VAdd, D: sum, A: sum, B: by})
		l.save(vcode.VStore, values, at, sum)
	}
	l.poison()
	l.load(vcode.GLoad64, vcode.Frame, vcode.Run, runFirst)
	l.save(vcode.GStore64, vcode.Run, runFresh, vcode.Frame)
	if len(l.Backward) > 0 {
		l.set(first, 0)
		l.save(vcode.GStore32, vcode.Run, runPassed, first)
		l.set(first, uint64(f.Size))
		l.save(vcode.GStore64, vcode.Run, runStride, first)
		l.load(vcode.GLoad64, second, vcode.Run, runLast)
		l.now1(vcode.Instr{Op: vcode.GAdd, D: second, A: second, B: first})
		l.save(vcode.GStore64, vcode.Run, runEnd, second)
	}
	l.goTo(spend)
}

// poison makes the threadgroup memory what it is before the first write: all ones.
func (l *lowering) poison() {
	const ones = first // a vector
	again, done := l.m.Label(), l.m.Label()
	at, end := first, second
	l.load(vcode.GLoad64, at, vcode.Run, runShared)
	l.load(vcode.GLoad64, end, vcode.Run, runSharedEnd)
	l.now1(vcode.Instr{Op: vcode.VConst32, D: ones, Imm: 1<<32 - 1})
	l.bind(again)
	l.branch(vcode.GeU, at, end, 0, done)
	l.save(vcode.VStore, at, 0, ones)
	l.now1(vcode.Instr{Op: vcode.GAdd, D: at, A: at, Imm: int64(l.t.VectorBytes())})
	l.goTo(again)
	l.bind(done)
}

// pass goes on after a barrier if all threads that have not returned wait at it, and goes to no if not.
func (l *lowering) pass(enter, no vcode.Label) {
	f := &l.layout.Frame
	again, here, next, ended := l.m.Label(), l.m.Label(), l.m.Label(), l.m.Label()
	at, mask, alive := first, second, third // at is the barrier, or 0 as long as none has come
	l.load(vcode.GLoad64, mask, vcode.Run, runLast)
	l.branch(vcode.Eq, mask, 0, 0, no)
	l.load(vcode.GLoad64, vcode.Frame, vcode.Run, runFirst)
	l.set(at, 0)
	l.bind(again)
	l.load(vcode.GLoad64, alive, vcode.Frame, f.Memory)
	l.load(vcode.GLoad32, alive, alive, l.Alive)
	l.load(vcode.GLoad8, mask, vcode.Frame, f.Done)
	l.branch(vcode.Eq, mask, 0, 0, here)
	l.branch(vcode.Ne, alive, 0, 0, no)
	l.goTo(next)
	l.bind(here)
	l.load(vcode.GLoad32, mask, vcode.Frame, f.Mask)
	l.branch(vcode.Ne, mask, alive, 0, no)
	l.load(vcode.GLoad32, mask, vcode.Frame, f.PC)
	l.now1(vcode.Instr{Op: vcode.GPick, D: at, A: at, B: mask, C: at})
	l.branch(vcode.Ne, mask, at, 0, no)
	l.bind(next)
	l.now1(vcode.Instr{Op: vcode.GAdd, D: vcode.Frame, A: vcode.Frame, Imm: int64(f.Size)})
	l.load(vcode.GLoad64, mask, vcode.Run, runLast)
	l.branch(vcode.GeU, mask, vcode.Frame, 0, again)
	l.branch(vcode.Eq, at, 0, 0, ended)
	l.load(vcode.GLoad32, mask, vcode.Run, runPassed)
	l.now1(vcode.Instr{Op: vcode.GAddW, D: mask, A: mask, Imm: 1})
	l.save(vcode.GStore32, vcode.Run, runPassed, mask)

	// The first and the last change places where simd-groups run the other way.
	from, to, stride, forward := first, second, third, l.m.Label()
	l.load(vcode.GLoad64, from, vcode.Run, runFirst)
	l.load(vcode.GLoad64, to, vcode.Run, runLast)
	l.set(stride, uint64(f.Size))
	l.load(vcode.GLoad32, fourth, vcode.Run, runBack)
	l.branch(vcode.Eq, fourth, 0, 0, forward)
	l.set(stride, uint64(-int64(f.Size)))
	l.now1(vcode.Instr{Op: vcode.GMove, D: fourth, A: from})
	l.now1(vcode.Instr{Op: vcode.GMove, D: from, A: to})
	l.now1(vcode.Instr{Op: vcode.GMove, D: to, A: fourth})
	l.bind(forward)
	l.save(vcode.GStore64, vcode.Run, runStride, stride)
	l.now1(vcode.Instr{Op: vcode.GAdd, D: to, A: to, B: stride})
	l.save(vcode.GStore64, vcode.Run, runEnd, to)
	l.now1(vcode.Instr{Op: vcode.GMove, D: vcode.Frame, A: from})
	l.goTo(enter)
	l.bind(ended)
}

// choose goes to the block whose first instruction is in the first register.
func (l *lowering) choose(entries []int) {
	if n := len(entries); n > 4 {
		rest := l.m.Label()
		l.branch(vcode.GeU, first, 0, int64(l.Blocks[entries[n/2]].First), rest)
		l.choose(entries[:n/2])
		l.bind(rest)
		l.choose(entries[n/2:])
		return
	}
	for _, i := range entries {
		l.branch(vcode.Eq, first, 0, int64(l.Blocks[i].First), l.entered[i])
	}
	l.goTo(l.exits.interpret)
}

// begin writes the beginning of a simd-group: its builtins, and its threads as the active lanes.
func (l *lowering) begin() {
	f := &l.layout.Frame
	row, values, next := first, second, third
	l.now1(vcode.Instr{Op: vcode.GAdd, D: next, A: vcode.Frame, Imm: int64(f.Size)})
	l.save(vcode.GStore64, vcode.Run, runFresh, next)
	l.load(vcode.GLoad64, row, vcode.Frame, f.Row)
	l.load(vcode.GLoad64, values, vcode.Run, runValues)
	entry := &l.Blocks[0]
	needed := func(at int32) bool {
		n := l.SlotAt[at/8]
		return n != 0 && entry.Live.Has(n-1)
	}
	at := int32(0) // in the row
	for i, b := range l.Builtins {
		switch value := 4 * int32(i); {
		case !needed(b.At):
		case b.Varies:
			l.beginLanes(b.At, row, at, values, value)
		default:
			l.load(vcode.GLoad32, third, row, at)
			l.load(vcode.GLoad32, fourth, values, value)
			l.now1(vcode.Instr{Op: vcode.GAddW, D: third, A: third, B: fourth})
			l.save(vcode.GStore32, vcode.Memory, b.At+l.layout.Word.Base, third)
		}
		at += 4 * int32(b.Words())
	}
	for _, p := range l.Pointers {
		if _, ok := l.Known[p.At]; !ok && needed(p.At) {
			l.set(third, uint64(p.Object)<<wide.OffsetBits)
			l.save(vcode.GStore64, vcode.Memory, p.At+l.layout.Long.Base, third)
		}
	}
	l.load(vcode.GLoad32, vcode.Active, row, at)
	l.save(vcode.GStore32, vcode.Memory, l.Alive, vcode.Active)
	l.set(third, 0)
	l.save(vcode.GStore8, vcode.Frame, f.Done, third)
	l.goTo(l.entered[0])
}

// beginLanes makes a builtin that varies what a row has of its lanes, added to its value.
func (l *lowering) beginLanes(builtin int32, row reg, at int32, values reg, value int32) {
	const sum, lanes = first, second // vectors
	l.load(vcode.VLoadSplat32, sum, values, value)
	for part := range int32(l.parts) {
		more := part * l.t.VectorBytes()
		l.load(vcode.VLoad, lanes, row, at+more)
		l.now1(vcode.Instr{Op: vcode.VAdd, D: lanes, A: lanes, B: sum})
		l.save(vcode.VStore, vcode.Memory, builtin+l.layout.Word.Lanes+more, lanes)
	}
}

// enterBlock loads what lives in registers of its own.
func (l *lowering) enterBlock(i int) {
	b := &l.Blocks[i]
	l.bind(l.entered[i])
	fixed := l.plan.fixedBetween(l.plan.enters[i], l.plan.enters[i])
	for n := range l.Slots {
		if !b.Live.Has(int32(n)) {
			continue
		}
		l.repsIn(int32(n), repOf(l, int32(n), b.In.Kinds[n]), func(u reg) {
			if slices.Contains(fixed, u) {
				l.alloc.Load(u)
			}
		})
	}
	l.goTo(l.labels[i])
}
