package native

import "github.com/metalgen/metalgen/runtime/internal/cpu/asm"

// arrival is what is to be done before code goes on at a label, where all registers that are
// read from there on are in memory, as what is known there says.
type arrival struct {
	saved  unsaved
	spread []spreading
}

// spreading is a register whose base is known here, and whose lanes are wanted there.
type spreading struct {
	at   int32
	kind kind
}

func (a *arrival) empty() bool { return len(a.saved)+len(a.spread) == 0 }

// edge returns what is to be done on the way from a state to an instruction.
func (e *emitter) edge(to int32, s *state) arrival {
	b := e.blockOf(to)
	var a arrival
	for _, h := range e.unsaved() {
		if b.live.has(h.slot) {
			a.saved = append(a.saved, h)
		}
	}
	for n := range e.slots {
		k := s.kinds[n]
		if e.slots[n].class == mask || !k.scalar() || !b.live.has(int32(n)) || b.in.kinds[n].scalar() {
			continue
		}
		a.spread = append(a.spread, spreading{e.slots[n].at, k})
	}
	return a
}

// arrive does it.
func (e *emitter) arrive(a arrival) {
	e.saveAll(a.saved, nil)
	for _, s := range a.spread {
		if !e.affords() {
			return
		}
		v := vectors{asm.Z0, asm.Z1, asm.Z2, asm.Z3}
		e.spread(s.at, s.kind, v)
		for i := range e.parts(s.at) {
			e.asm.XV(asm.VMOVUPS_ST, e.lanes(s.at, i), v[i])
		}
	}
}

// jumpIf jumps to an instruction on a condition.
func (e *emitter) jumpIf(c asm.Condition, in *Instruction) {
	after := state{}
	after.clone(&e.state)
	e.analysis.jump(&after, in)
	a := e.edge(in.Target, &after)
	to := e.labels[e.blockAt[in.Target]-1]
	if a.empty() {
		e.asm.Jump(c, to)
		return
	}
	if c == asm.Always {
		e.arrive(a)
		e.asm.Jump(c, to)
		return
	}
	l := e.asm.Label()
	e.asm.Jump(c, l)
	e.postpone(len(a.saved)+len(a.spread), func() {
		e.asm.Bind(l)
		e.arrive(a)
		e.asm.Jump(asm.Always, to)
	})
}

// flow writes what changes the active lanes, or what comes next.
func (e *emitter) flow(in *Instruction) {
	a, f := &e.asm, &e.layout.Frame
	switch in.Op {
	case Loop:
		e.arrive(e.edge(in.Target, &e.state))
		a.RI(asm.SUBQ_I, asm.Mem{Base: frames, Disp: runBudget}, e.pc-in.Target+1) // a loop may be its jump alone
		a.Jump(asm.NotNegative, e.labels[e.blockAt[in.Target]-1])
		a.Number(asm.RAX, uint64(in.Target))
		a.Jump(asm.Always, e.exits.exhausted)
	case If:
		a.GR(asm.MOVL, asm.RAX, memoryAt(in.A))
		a.MG(asm.MOVL_ST, memoryAt(in.D), active)
		a.GR(asm.ANDL, asm.RAX, active)
		e.descend(in)
	case Else:
		a.GR(asm.MOVL, asm.RAX, memoryAt(in.A))
		a.GGR(asm.ANDNL, asm.RAX, asm.RAX, memoryAt(in.D))
		e.descend(in)
	case Test:
		a.GR(asm.MOVL, asm.RAX, memoryAt(in.B))
		a.GR(asm.ANDL, asm.RAX, memoryAt(in.A))
		e.descend(in)
	case Case:
		a.GR(asm.MOVL, asm.RAX, memoryAt(in.D))
		a.GR(asm.ANDL, asm.RAX, memoryAt(in.A))
		a.GR(asm.ORL, asm.RAX, memoryAt(in.B))
		e.descend(in)
	case End:
		e.resume(in, in.D)
	case Next:
		e.resume(in, in.B)
	case Enter:
		a.MG(asm.MOVL_ST, memoryAt(in.D), active)
		a.MG(asm.MOVL_ST, memoryAt(in.B), active)
	case Switch:
		a.MG(asm.MOVL_ST, memoryAt(in.D), active)
		a.MI(asm.MOVL_I, memoryAt(in.B), 0)
	case Leave:
		a.GR(asm.MOVL, asm.RAX, active)
		a.RO(asm.NOTL, asm.RAX)
		for _, m := range e.Leaves[in.Imm] {
			a.MG(asm.ANDL_ST, memoryAt(m), asm.RAX)
		}
		a.GR(asm.XORL, active, active)
		e.jumpIf(asm.Always, in)
	case Barrier:
		e.arrive(e.edge(e.pc+1, &e.state))
		a.MI(asm.MOVL_I, asm.Mem{Base: frame, Disp: f.PC}, e.pc+1)
		a.MG(asm.MOVL_ST, asm.Mem{Base: frame, Disp: f.Mask}, active)
		a.Jump(asm.Always, e.next)
	case Stop:
		a.MI(asm.MOVL_I, asm.Mem{Base: frame, Disp: f.PC}, e.pc)
		a.MG(asm.MOVL_ST, asm.Mem{Base: frame, Disp: f.Mask}, active)
		a.Number(asm.RAX, 1)
		a.MG(asm.MOVB_ST, asm.Mem{Base: frame, Disp: f.Done}, asm.RAX)
		a.Jump(asm.Always, e.next)
	}
}

// descend makes the lanes in RAX the active ones, which mask B keeps, unless there are none.
func (e *emitter) descend(in *Instruction) {
	e.asm.MG(asm.MOVL_ST, memoryAt(in.B), asm.RAX)
	e.asm.GR(asm.TESTL, asm.RAX, asm.RAX)
	e.jumpIf(asm.Equal, in)
	e.asm.GR(asm.MOVL, active, asm.RAX)
	e.activate()
}

// resume makes the lanes of a mask the active ones, unless there are none.
func (e *emitter) resume(in *Instruction, m int32) {
	e.asm.GR(asm.MOVL, active, memoryAt(m))
	e.asm.GR(asm.TESTL, active, active)
	e.jumpIf(asm.Equal, in)
	e.activate()
}
