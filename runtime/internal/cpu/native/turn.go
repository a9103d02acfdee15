package native

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/abi"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
)

// Where each round of a loop reads rows that are far from those of the round before, as in a loop that goes through all
// of a grid, what lies between them is what the other simd-groups of the threadgroup read. One after the other they
// would go through all of that memory, a few lines at a time, and find nothing of it in the cache. So they take turns,
// some rounds each, where the loop stores nothing. What a simd-group has in registers waits in its frame.

// takeTurn ends a turn where no rounds of it are left, to go on at an instruction when it comes again. A round takes
// that much of the budget.
func (l *lowering) takeTurn(n int64, pc int32) {
	left := l.keep(l.opI(vcode.GSub, l.opI(vcode.GLoad64, vcode.Run, int64(abi.RunTurn)), 1))
	l.store(vcode.GStore64, vcode.Run, int64(abi.RunTurn), left)
	l.emit(vcode.Instr{
		Op: vcode.Branch, Cond: vcode.Eq, A: left, Exit: &vcode.Exit{PC: pc, Result: int64(abi.Turns) + n},
	})
}

// beginTurn begins a turn of a simd-group after its first. When turns begin again, only paused simd-groups have a turn.
func (p *prologue) beginTurn() {
	f, again := &p.layout.Frame, p.m.Label()
	p.load(vcode.GLoad32, first, vcode.Run, abi.RunAgain)
	p.branch(vcode.Eq, first, 0, 0, again)
	p.load(vcode.GLoad8, first, vcode.Frame, f.Paused)
	p.branch(vcode.Eq, first, 0, 0, p.exits.next)
	p.bind(again)
	p.set(first, 0)
	p.save(vcode.GStore8, vcode.Frame, f.Paused, first)
}

// pause ends the turn of a simd-group and goes to that of the next one. The second register has the result of the way
// out. It goes to between where the budget ends.
func (p *prologue) pause(enter, between, waits vcode.Label) {
	left, count := first, third
	p.now(vcode.Instr{Op: vcode.GSub, D: second, A: second, Imm: int64(abi.Turns)})
	p.load(vcode.GLoad64, left, vcode.Run, abi.RunRounds)
	p.now(vcode.Instr{Op: vcode.GMul, D: second, A: second, B: left})
	p.load(vcode.GLoad64, left, vcode.Run, abi.RunBudget)
	p.now(vcode.Instr{Op: vcode.GSub, D: left, A: left, B: second})
	p.save(vcode.GStore64, vcode.Run, abi.RunBudget, left)
	p.branch(vcode.LtS, left, 0, 0, between)
	p.load(vcode.GLoad64, second, vcode.Run, abi.RunStride)
	p.branch(vcode.LtS, second, 0, 0, enter) // from the last to the first: then all faults are found, see interp
	p.set(left, 1)
	p.save(vcode.GStore8, vcode.Frame, p.layout.Frame.Paused, left)
	p.load(vcode.GLoad32, count, vcode.Run, abi.RunPaused)
	p.now(vcode.Instr{Op: vcode.GAdd, D: count, A: count, Imm: 1})
	p.save(vcode.GStore32, vcode.Run, abi.RunPaused, count)
	p.now(vcode.Instr{Op: vcode.GAdd, D: vcode.Frame, A: vcode.Frame, B: second})
	p.load(vcode.GLoad64, left, vcode.Run, abi.RunEnd)
	p.branch(vcode.Ne, vcode.Frame, left, 0, enter)
	p.goTo(waits)
}

// turns goes to the turn of the first simd-group where some are paused, when all have had one.
func (p *prologue) turns(enter vcode.Label) {
	none := p.m.Label()
	p.load(vcode.GLoad32, second, vcode.Run, abi.RunPaused)
	p.save(vcode.GStore32, vcode.Run, abi.RunAgain, second)
	p.branch(vcode.Eq, second, 0, 0, none)
	p.set(first, 0)
	p.save(vcode.GStore32, vcode.Run, abi.RunPaused, first)
	p.load(vcode.GLoad64, vcode.Frame, vcode.Run, abi.RunStart)
	p.goTo(enter)
	p.bind(none)
}
