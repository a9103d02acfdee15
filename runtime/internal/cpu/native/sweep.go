package native

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/abi"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// Sweep says how simd-groups are swept: with all lanes active, one after the other in a row of the grid, by code that
// checks at the beginning what they access in all. It does nothing where a check fails.
type Sweep struct {
	Cost  int    // of a simd-group, as a Run counts
	Reach int64  // see wide.Sweep
	Reads []bool // by builtin: the program reads it
}

// made returns what is to be known of the code.
func (s *sweep) made() *Sweep {
	made := &Sweep{Cost: s.wide.Cost, Reach: s.wide.Reach}
	for _, b := range s.p.x.Builtins {
		made.Reads = append(made.Reads, s.p.reads(b.At))
	}
	return made
}

// sweep writes that code.
type sweep struct {
	p     *prologue
	wide  *wide.Sweep
	count reg   // of the simd-groups that are left
	fixed []reg // units that have registers of their own: count, and what counts up from one to the next
}

// newSweep returns what writes the sweep of a program, or nil if it has none.
func newSweep(p *wide.Program, layout *abi.Layout, m vcode.Machine, b *wide.Budget) *sweep {
	s := &sweep{wide: wide.NewSweep(p, m.Traits().Parts(), b)}
	if s.wide == nil {
		return nil
	}
	s.p = &prologue{lowering: newLowering(s.wide.Analysis, layout, m)}
	if b.Err() != nil {
		return nil
	}
	s.fix()
	s.rounds()
	s.checks(0)
	if s.p.unfit || b.Err() != nil {
		return nil
	}
	return s
}

// fix gives registers of their own to as many units as there are registers that are not left to blocks.
func (s *sweep) fix() {
	for _, f := range s.p.plan.fixed { // which nothing would load
		s.p.alloc.Fix(f.unit, 0)
	}
	s.count = s.p.alloc.Unit(vcode.G, vcode.Home{})
	s.fixed = append(s.fixed, s.count)
	for _, b := range s.p.x.Builtins {
		if b.Step != 0 && s.p.reads(b.At) {
			s.fixed = append(s.fixed, s.p.lanes.units[s.p.lanes.slotOf(b.At)].base)
		}
	}
	t := s.p.t
	s.fixed = s.fixed[:min(len(s.fixed), t.Registers[vcode.G]-t.Local[vcode.G])]
	for i, u := range s.fixed {
		s.p.alloc.Fix(u, reg(t.Registers[vcode.G]-i))
	}
}

// rounds writes a simd-group, after all checks.
func (s *sweep) rounds() {
	s.p.sure, s.p.bare = true, nil
	s.straight(s.wide.Rounds)
	s.p.queue.flush(int32(len(s.p.x.Code)) - 1)
}

// checks writes what is checked of one, which goes to fail where that is not so.
func (s *sweep) checks(fail vcode.Label) {
	s.p.sure, s.p.bare = false, &vcode.Exit{Bare: true, To: fail}
	s.straight(s.wide.Checks)
	s.p.queue.list = s.p.queue.list[:0]
}

// straight writes some instructions.
func (s *sweep) straight(some []bool) {
	s.p.clear()
	s.p.chain.Begin(0)
	s.p.lanes.state.Clone(&s.p.x.Blocks[0].In)
	guards := s.wide.Guards
	last := int32(len(s.p.x.Code)) - 1
	s.p.accesses.written, s.p.accesses.end = 0, last
	for s.p.pc = 0; s.p.pc <= last; s.p.pc++ {
		for ; len(guards) > 0 && guards[0].PC == s.p.pc; guards = guards[1:] {
			s.guard(guards[0])
		}
		if s.p.pc == last {
			return
		}
		in := &s.p.x.Code[s.p.pc]
		op := &operations[in.Op]
		waits, stores := s.p.accesses.written > s.p.pc, op.Stores != wide.None
		s.p.accesses.swept, s.p.checked = false, s.wide.Checks[s.p.pc]
		s.p.instruction(in, some[s.p.pc])
		s.p.unfit = s.p.unfit || stores && !waits && !s.p.accesses.swept
	}
}

// write writes the code, from a label on. It goes twice through the checks: with the builtins of the last simd-group,
// which Steps has, and with those of the first, which Values has.
func (s *sweep) write(enter vcode.Label) {
	const result = first
	round, check, fail, constants := s.p.m.Label(), s.p.m.Label(), s.p.m.Label(), s.p.m.Label()
	s.p.bind(enter)
	s.p.load(vcode.GLoad64, vcode.Memory, vcode.Frame, s.p.layout.Frame.Memory)
	s.p.load(vcode.GLoad64, vcode.Objects, vcode.Frame, s.p.layout.Frame.Objects)
	s.p.set(vcode.Active, 1<<width-1)
	s.p.goTo(constants)

	s.p.bind(round)
	s.p.pointers()
	s.rounds()
	s.allocate()
	for _, b := range s.p.x.Builtins {
		if b.Step == 0 || !s.p.reads(b.At) {
			continue
		}
		r, at := s.registerOf(b.At), b.At+s.p.layout.Word.Base
		if r != 0 {
			s.p.now(vcode.Instr{Op: vcode.GAddW, D: r, A: r, Imm: int64(b.Step) * width})
			continue
		}
		s.p.load(vcode.GLoad32, first, vcode.Memory, at)
		s.p.now(vcode.Instr{Op: vcode.GAddW, D: first, A: first, Imm: int64(b.Step) * width})
		s.p.save(vcode.GStore32, vcode.Memory, at, first)
	}
	count := s.p.alloc.Fixed(s.count)
	s.p.now(vcode.Instr{Op: vcode.GSub, D: count, A: count, Imm: 1})
	s.p.branch(vcode.Ne, count, 0, 0, round)
	s.p.set(result, 1)
	s.p.now(vcode.Instr{Op: vcode.Return, A: result})
	s.p.bind(fail)
	s.p.set(result, 0)
	s.p.now(vcode.Instr{Op: vcode.Return, A: result})

	s.p.bind(check)
	s.p.save(vcode.GStore64, vcode.Run, abi.RunStart, first)
	for i, b := range s.p.x.Builtins {
		switch r := s.registerOf(b.At); {
		case !s.p.reads(b.At):
		case r != 0:
			s.p.load(vcode.GLoad32, r, first, 4*int32(i))
		default:
			s.p.load(vcode.GLoad32, second, first, 4*int32(i))
			s.p.save(vcode.GStore32, vcode.Memory, b.At+s.p.layout.Word.Base, second)
		}
	}
	s.p.pointers()
	s.checks(fail)
	s.allocate()
	s.p.load(vcode.GLoad64, second, vcode.Run, abi.RunStart)
	s.p.load(vcode.GLoad64, first, vcode.Run, abi.RunValues)
	s.p.branch(vcode.Ne, first, second, 0, check)
	s.p.load(vcode.GLoad64, count, vcode.Run, abi.RunRounds)
	s.p.goTo(round)
	s.p.bind(constants)
	vcode.MakeConstants(s.p.alloc)
	s.p.load(vcode.GLoad64, first, vcode.Run, abi.RunSteps)
	s.p.goTo(check)
	s.p.alloc.Finish(s.p.affords)
}

// registerOf returns the register of the machine that a builtin has for itself, or 0.
func (s *sweep) registerOf(builtin int32) reg {
	if !s.p.reads(builtin) {
		return 0
	}
	return s.p.alloc.Fixed(s.p.lanes.units[s.p.lanes.slotOf(builtin)].base)
}

// allocate is that of lowering for code after which no register is read.
func (s *sweep) allocate() {
	s.p.alloc.Make(&vcode.Block{Code: s.p.code, PC: s.p.pcs, Fixed: s.fixed})
	s.p.code, s.p.pcs = s.p.code[:0], s.p.pcs[:0]
	s.p.affords()
}

// guard checks that a bool holds in all lanes.
func (s *sweep) guard(guard wide.Guard) {
	pc := guard.PC - 1
	for s.p.x.Code[pc].D != guard.Mask || wide.Infos[s.p.x.Code[pc].Op].D != wide.Mask {
		pc--
	}
	s.p.unfit = s.p.unfit || s.p.plan.how[pc]&queues != 0 // its bits may not be made
	if s.p.bare != nil {
		s.p.leaveIf(vcode.Ne, s.p.op(vcode.GExtU32, s.p.lanes.bits(guard.Mask), 0), s.p.number(1<<width-1))
	}
}
