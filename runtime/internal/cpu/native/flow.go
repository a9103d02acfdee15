package native

import (
	"slices"

	"github.com/metalgen/metalgen/runtime/internal/cpu/abi"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// spread makes the lanes.
func (l *lowering) spread(list []wide.Spreading) {
	for _, s := range list {
		at := l.x.Slots[s.Slot].At
		for i := range l.lanes.partsOf(l.x.Slots[s.Slot].Class) {
			l.emit(vcode.Instr{Op: vcode.VMove, D: l.lanes.units[s.Slot].lanes + reg(i), A: l.lanes.lane(at, s.Kind, i)})
		}
	}
}

// fall writes what is to be done before the code goes on with the block that is next.
func (l *lowering) fall(pc int32) {
	to := l.x.BlockAt[pc] - 1
	l.spread(l.x.Spreads(to, &l.lanes.state))
	l.emit(vcode.Instr{Op: vcode.Flush, Imm: int64(to)})
	if next := &l.x.Blocks[to]; next.Weight > 0 {
		l.spend(int64(next.Weight), pc)
	}
}

// spend takes from the budget, and leaves where it ends, to go on at an instruction.
func (l *lowering) spend(n int64, pc int32) {
	left := l.opI(vcode.GSub, l.opI(vcode.GLoad64, vcode.Run, int64(abi.RunBudget)), n)
	l.keep(left)
	l.store(vcode.GStore64, vcode.Run, int64(abi.RunBudget), left)
	l.emit(vcode.Instr{
		Op: vcode.Branch, Cond: vcode.LtS, A: left, Exit: &vcode.Exit{PC: pc, Result: int64(abi.Exhausted)},
	})
}

// leaveFor goes to the block at the instruction that is the target of one, on a condition on r, or always.
func (l *lowering) leaveFor(in *wide.Instruction, c vcode.Cond, r reg) {
	after := wide.State{}
	after.Clone(&l.lanes.state)
	l.x.Jump(&after, in)
	to := l.x.BlockAt[in.Target] - 1
	label := l.labels[to]
	list := l.x.Spreads(to, &after)
	if r == 0 {
		l.spread(list)
	}
	l.emit(vcode.Instr{Op: vcode.Flush, Imm: int64(to)})
	if r == 0 {
		l.emit(vcode.Instr{Op: vcode.Jump, Target: label})
		return
	}
	if len(list) > 0 {
		label = l.m.Label()
		from := l.plan.groups[l.pc]
		l.postpone(len(list), func() { l.edge(label, list, from, to) })
	}
	l.emit(vcode.Instr{Op: vcode.Branch, Cond: c, A: r, Target: label})
}

// edge writes what is to be done on the way to a block, after all others.
func (l *lowering) edge(label vcode.Label, list []wide.Spreading, from, to int32) {
	l.chain.BeginEdge(to)
	l.clear()
	l.pc = l.x.Blocks[to].First
	l.m.Emit(&vcode.Instr{Op: vcode.Bind, Target: label})
	l.spread(list)
	l.emit(vcode.Instr{Op: vcode.Flush, Imm: int64(to)})
	l.emit(vcode.Instr{Op: vcode.Jump, Target: l.labels[to]})
	fixed := l.plan.fixedBetween(from, from)
	for _, u := range l.plan.fixedBetween(l.plan.enters[to], l.plan.enters[to]) {
		if !slices.Contains(fixed, u) {
			fixed = append(fixed, u)
		}
	}
	l.allocate(fixed)
}

// flow writes what changes the active lanes, or what comes next.
func (l *lowering) flow(in *wide.Instruction) {
	f := &l.layout.Frame
	switch in.Op {
	case wide.Loop:
		to := l.x.BlockAt[in.Target] - 1
		l.spread(l.x.Spreads(to, &l.lanes.state))
		l.emit(vcode.Instr{Op: vcode.Flush, Imm: int64(to)})
		if loop := l.plan.tiles.loops[to]; loop != nil && loop.Turns() {
			l.takeTurn(int64(l.pc-in.Target+1), in.Target)
		} else {
			l.spend(int64(l.pc-in.Target+1), in.Target) // a loop may be its jump alone
		}
		l.emit(vcode.Instr{Op: vcode.Jump, Target: l.labels[to]})
	case wide.If:
		l.setConstruct(in.D, vcode.Active)
		l.setConstruct(in.B, vcode.Active)
		r := l.keep(l.op(vcode.GAnd, l.lanes.bits(in.A), vcode.Active))
		l.leaveFor(in, vcode.Eq, r)
		l.setConstruct(in.B, r)
		l.setActive(r)
	case wide.Else:
		l.descend(in, l.op(vcode.GAndNot, l.construct(in.D), l.lanes.bits(in.A)))
	case wide.Test:
		l.descend(in, l.op(vcode.GAnd, l.construct(in.B), l.lanes.bits(in.A)))
	case wide.Case:
		m := l.op(vcode.GAnd, l.construct(in.D), l.lanes.bits(in.A))
		l.descend(in, l.op(vcode.GOr, m, l.construct(in.B)))
	case wide.End:
		l.resume(in, in.D)
	case wide.Next:
		l.resume(in, in.B)
	case wide.Enter:
		l.setConstruct(in.D, vcode.Active)
		l.setConstruct(in.B, vcode.Active)
	case wide.Switch:
		l.setConstruct(in.D, vcode.Active)
		l.setConstruct(in.B, l.number(0))
	case wide.Leave:
		for _, m := range l.x.Leaves[in.Imm] {
			l.setConstruct(m, l.op(vcode.GAndNot, l.construct(m), vcode.Active))
		}
		l.setActive(l.number(0))
		l.leaveFor(in, vcode.Eq, 0)
	case wide.Barrier:
		next := l.x.BlockAt[l.pc+1] - 1
		l.spread(l.x.Spreads(next, &l.lanes.state))
		l.emit(vcode.Instr{Op: vcode.FlushAll, Imm: int64(next)})
		l.store(vcode.GStore32, vcode.Frame, int64(f.PC), l.number(uint64(l.pc+1)))
		l.store(vcode.GStore32, vcode.Frame, int64(f.Mask), vcode.Active)
		back := uint64(0)
		if l.x.Backward[in.Imm] {
			back = 1
		}
		l.store(vcode.GStore32, vcode.Run, int64(abi.RunBack), l.number(back))
		l.store(vcode.GStore8, vcode.Frame, int64(f.Done), l.number(0))
		l.emit(vcode.Instr{Op: vcode.Jump, Target: l.exits.next})
	case wide.Stop:
		l.emit(vcode.Instr{Op: vcode.Jump, Target: l.exits.next})
	}
}

// construct returns the mask of a construct, which is in memory.
func (l *lowering) construct(at int32) reg {
	if l.x.IsActive(&l.lanes.state, at) {
		return vcode.Active
	}
	return l.opI(vcode.GLoad32, vcode.Memory, int64(at))
}

// setConstruct makes r the mask of a construct. A bool may have been in its place before.
func (l *lowering) setConstruct(at int32, r reg) {
	if n := l.x.SlotAt[at/8]; n != 0 {
		l.emit(vcode.Instr{Op: vcode.Forget, D: l.lanes.units[n-1].base})
		l.lanes.cache.changed(n - 1)
	}
	l.store(vcode.GStore32, vcode.Memory, int64(at), r)
}

// setActive makes r the active lanes.
func (l *lowering) setActive(r reg) {
	if r == vcode.Active {
		return
	}
	l.emit(vcode.Instr{Op: vcode.GMove, D: vcode.Active, A: r})
	l.lanes.cache.actives, l.lanes.cache.full = [8]reg{}, false
}

// descend makes some lanes the active ones, which mask B keeps, unless there are none.
func (l *lowering) descend(in *wide.Instruction, r reg) {
	l.keep(r)
	l.setConstruct(in.B, r)
	l.leaveFor(in, vcode.Eq, r)
	l.setActive(r)
}

// resume makes the lanes of a mask the active ones, unless there are none.
func (l *lowering) resume(in *wide.Instruction, m int32) {
	r := l.keep(l.construct(m))
	l.setActive(r)
	l.leaveFor(in, vcode.Eq, r)
}
