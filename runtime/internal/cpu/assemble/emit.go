package assemble

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// emitter writes a function, with a part for each thing that is particular: what they share they have as pointers.
type emitter struct {
	code       *code
	facts      *facts
	fn         *ranges
	values     *values
	checks     *checks
	operations *operations
	accesses   *accesses
	atomics    *atomics
	textures   *textures
	groups     *groups
	flow       *flow
	calls      *calls
}

func newEmitter(a *assembler, fn *ranges) *emitter {
	c, f := a.code, a.facts
	e := &emitter{code: c, facts: f, fn: fn}
	e.checks = &checks{code: c, facts: f, fn: fn, orders: a.orders}
	e.values = &values{code: c, facts: f, fn: fn, checks: e.checks}
	e.checks.values = e.values
	e.operations = &operations{code: c, facts: f, values: e.values, checks: e.checks}
	e.accesses = &accesses{code: c, facts: f, values: e.values, checks: e.checks, operations: e.operations}
	e.flow = &flow{code: c, fn: fn, values: e.values, checks: e.checks, orders: a.orders}
	e.calls = &calls{
		code: c, facts: f, fn: fn, values: e.values, checks: e.checks, operations: e.operations, flow: e.flow,
		routines: a.routines,
	}
	e.flow.calls = e.calls
	e.atomics = &atomics{code: c, values: e.values, checks: e.checks}
	e.textures = &textures{code: c, fn: fn, values: e.values, checks: e.checks, atomics: e.atomics, flow: e.flow}
	e.groups = &groups{code: c, fn: fn, values: e.values, checks: e.checks}
	return e
}

// instr writes an instruction of ir.
func (e *emitter) instr(in *ir.Instr) {
	if e.fn.gone(in) {
		return
	}
	if write := writers[in.Op]; write != nil {
		write(e, in)
		return
	}
	op := program.OpcodeOf(in.Op, in.Type, in.Imm)
	if op == 0 {
		unsupported(e.code.position(), in.Op.String())
	}
	e.operations.operate(in.Results, op, in.Imm, e.facts.isWatched(in), in.Args...)
}

// step writes a step of the layout.
func (e *emitter) step(at int32) {
	s := &e.fn.steps[at]
	e.fn.at, e.fn.section = at, s.region
	if s.in != nil {
		e.code.pos = s.in.Pos
		e.code.regs.pos = e.code.position()
	}
	e.values.beginWebs(at)
	switch s.kind {
	case stepInstr:
		e.instr(s.in)
	case stepBegin:
		e.flow.beginConstruct(s)
	case stepTurn:
		e.flow.turn(s)
	case stepElse:
		e.flow.otherwise(s)
	case stepCase:
		e.flow.caseOf(s)
	case stepEnd:
		e.flow.endConstruct(s)
	case stepTest:
		e.flow.test(s)
	case stepHand:
		if s.in.Op == ir.OpReturn {
			e.calls.giveResults(s.in)
		} else {
			e.values.hand(e.values.movesOf(at))
		}
	case stepFall:
		e.values.hand(e.values.movesOf(at))
	case stepLeave, stepAgain:
		e.flow.leave(s)
	case stepReturn:
		e.calls.giveResults(s.in)
		e.checks.noteLeave(program.ByReturn, 0)
		e.flow.leaveTo(s.construct, 0, false)
	case stepStop:
		e.flow.endFunction()
	}
	e.values.endWebs(at, false)
}

// writers write the instructions that are more than an operation.
var writers [256]func(e *emitter, in *ir.Instr)

func init() {
	write(func(e *emitter, in *ir.Instr) { e.operations.arithmetic(in) }, ir.OpAdd, ir.OpSub)
	write(func(e *emitter, in *ir.Instr) { e.operations.toFloat(in) }, ir.OpToFloat)
	write(func(e *emitter, in *ir.Instr) { e.operations.compare(in) }, ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe)
	write(func(e *emitter, in *ir.Instr) { e.operations.choose(in) }, ir.OpSelect)
	write(func(e *emitter, in *ir.Instr) { e.operations.movePointer(in) }, ir.OpMove)
	write(func(e *emitter, in *ir.Instr) { e.operations.fromMem(in) }, ir.OpFromMem)
	write(func(e *emitter, in *ir.Instr) { e.operations.pick(in) }, ir.OpPick)
	write(func(e *emitter, in *ir.Instr) { e.operations.checkIndex(in) }, ir.OpCheckIndex)
	write(func(e *emitter, in *ir.Instr) { e.operations.fault(in) }, ir.OpFault)
	write(func(e *emitter, in *ir.Instr) { e.checks.unsetValue(in) }, ir.OpUnset)
	write(func(e *emitter, in *ir.Instr) { e.checks.simdBarrier(in) }, ir.OpSimdBarrier)
	write(func(e *emitter, in *ir.Instr) { e.checks.fence(in) }, ir.OpFence)
	write(func(e *emitter, in *ir.Instr) { e.checks.textureFence(in) }, ir.OpTextureFence)
	write(func(e *emitter, in *ir.Instr) { e.accesses.routineAddress(in) }, ir.OpAddress)
	write(func(e *emitter, in *ir.Instr) { e.accesses.load(in) }, ir.OpLoad)
	write(func(e *emitter, in *ir.Instr) { e.accesses.store(in) }, ir.OpStore)
	write(func(e *emitter, in *ir.Instr) { e.accesses.clear(in) }, ir.OpClear)
	write(func(e *emitter, in *ir.Instr) { e.accesses.check(in) }, ir.OpCheck)
	write(func(e *emitter, in *ir.Instr) { e.atomics.atomic(in) }, ir.OpAtomic)
	write(func(e *emitter, in *ir.Instr) { e.atomics.exchange(in) }, ir.OpExchange)
	write(func(e *emitter, in *ir.Instr) { e.flow.barrier(in) }, ir.OpBarrier)
	write(func(e *emitter, in *ir.Instr) { e.groups.multiply(in) }, ir.OpMatrix)
	write(func(e *emitter, in *ir.Instr) { e.groups.loadMatrix(in) }, ir.OpMatrixLoad)
	write(func(e *emitter, in *ir.Instr) { e.groups.storeMatrix(in) }, ir.OpMatrixStore)
	write(func(e *emitter, in *ir.Instr) { e.groups.log(in) }, ir.OpLog)
	write(func(e *emitter, in *ir.Instr) { e.groups.ballot(in) }, ir.OpBallot, ir.OpActiveThreads)
	write(func(e *emitter, in *ir.Instr) { e.groups.vote(in) }, ir.OpVoteAll, ir.OpVoteAny)
	write(func(e *emitter, in *ir.Instr) { e.textures.texture(in) }, ir.OpTexture)
	write(func(e *emitter, in *ir.Instr) { e.calls.call(in) }, ir.OpCall)
	for op := ir.OpGroupSum; op <= ir.OpGroupAny; op++ {
		write(func(e *emitter, in *ir.Instr) { e.groups.group(in) }, op)
	}
}

// write adds a writer of some instructions.
func write(with func(e *emitter, in *ir.Instr), ops ...ir.Op) {
	for _, op := range ops {
		writers[op] = with
	}
}
