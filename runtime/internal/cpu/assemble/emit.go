package assemble

import (
	"slices"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// label is an instruction that others lead to.
type label struct {
	at   int32
	refs []int32
}

func newLabel() *label { return &label{at: -1} }

// emit adds an instruction at the current position.
func (e *emitter) emit(in program.Instruction) {
	e.checkCode()
	in.Pos = e.pos
	e.program.Code = append(e.program.Code, in)
}

// checkCode fails where the program has no room for another instruction.
func (e *emitter) checkCode() {
	if len(e.program.Code)+len(e.program.Prologue) >= program.MaxCode {
		fail(e.position(), "the kernel comes to more than %d instructions with its calls inlined", program.MaxCode)
	}
}

func (e *emitter) position() parser.Pos { return e.program.Positions[e.pos] }

// here puts a label before the next instruction.
func (e *emitter) here(l *label) {
	l.at = int32(len(e.program.Code))
	for _, ref := range l.refs {
		e.program.Code[ref].Target = l.at
	}
}

// jump adds an instruction that may lead to a label.
func (e *emitter) jump(in program.Instruction, l *label) {
	in.Target = l.at
	if l.at < 0 {
		l.refs = append(l.refs, int32(len(e.program.Code)))
	}
	e.emit(in)
}

// webOfValue returns the web of a value that is in a register of its own, or nil.
func (e *emitter) webOfValue(v ir.Value) *web {
	v = e.resolve(v)
	if e.facts.fixed[v] != 0 || e.webOf[v] == 0 || e.isKnown(v) {
		return nil
	}
	return &e.webs[e.webOf[v]-1]
}

// reg returns the register that holds a value; 0 for none.
func (e *emitter) reg(v ir.Value) int32 {
	if v == 0 {
		return 0
	}
	v = e.resolve(v)
	if r := e.facts.fixed[v]; r != 0 {
		return r - 1
	}
	if bits, ok := e.Bits(v); ok {
		r := e.constant(classOfValue(e.Type(v)), bits)
		e.facts.fixed[v] = r + 1
		return r
	}
	return e.webs[e.webOf[v]-1].reg
}

// regsOf returns the registers of values.
func (e *emitter) regsOf(list []ir.Value) []int32 {
	regs := make([]int32, len(list))
	for i, v := range list {
		regs[i] = e.reg(v)
	}
	return regs
}

// unsetOf returns the register of what is unset of a value, or 0.
func (e *emitter) unsetOf(v ir.Value) int32 {
	if !e.Uninit || v == 0 {
		return 0
	}
	if w := e.webOfValue(v); w != nil {
		return w.unset
	}
	return 0
}

// beginWebs gives registers to the webs that begin at a step.
func (e *emitter) beginWebs(at int32) {
	for i := e.beginsAt[at]; i != 0; {
		w := &e.webs[i-1]
		if !w.single {
			e.begin(w)
		}
		i = w.next
	}
}

func (e *emitter) begin(w *web) {
	if w.begun {
		return
	}
	w.begun = true
	w.reg = e.allocate(w.class)
	if w.mayUnset {
		w.unset = e.allocate(program.UnsetClass)
		if !w.single {
			e.emit(program.Instruction{Op: program.OpUnsetClear, D: w.unset})
		}
	}
}

// endWebs frees the registers of webs that end at a step: of those that are operands only, if the results are yet to
// come.
func (e *emitter) endWebs(at int32, operands bool) {
	for i := e.endsAt[at]; i != 0; {
		w := &e.webs[i-1]
		if w.begun && !w.ended && (!operands || w.begin < at) {
			w.ended = true
			e.giveBack(w.class, w.reg)
			if w.unset != 0 {
				e.giveBack(program.UnsetClass, w.unset)
			}
		}
		i = w.nextEnd
	}
}

// reuse lets the result of an instruction have the register of an operand that nothing needs after it.
func (e *emitter) reuse() {
	if !e.Uninit && !e.NaN {
		e.endWebs(e.at, true)
	}
}

// temporary calls do with a register that nothing else has.
func (e *emitter) temporary(c program.Class, do func(t int32)) {
	t := e.allocate(c)
	do(t)
	e.giveBack(c, t)
}

// masks returns whether what is assigned to a web here must leave the other lanes alone, and the mask of the lanes for
// which the web lives: where those are the active ones, it need not.
func (e *emitter) masksOf(w *web) (masked bool, scope int32) {
	if w.single {
		return false, 0
	}
	at, top := e.section, w.top
	if at == top {
		if c := &e.constructs[e.sections[top].of]; c.kind != program.LoopConstruct || !c.continued || !e.hasParam(w,
			e.sections[top].of) {
			return false, 0
		}
	} else if e.within(top, at) {
		return false, 0
	}
	if w.result >= 0 {
		if c := &e.constructs[w.result]; !c.maskless {
			return true, c.entry
		}
	}
	c := &e.constructs[e.masked(e.sections[top].construct)]
	if c.kind == program.SwitchConstruct { // lanes that are yet to enter a case have what it takes already
		return true, c.entry
	}
	return true, c.active
}

func (e *emitter) isMasked(w *web) bool {
	masked, _ := e.masksOf(w)
	return masked
}

// hasParam reports whether a web has a parameter of a loop.
func (e *emitter) hasParam(w *web, loop int32) bool {
	for _, v := range w.members {
		if at := &e.steps[e.def[v]]; at.kind == stepTurn && at.construct == loop {
			return true
		}
	}
	return false
}

var (
	copyOps  = [program.Classes]program.Opcode{program.MaskClass: program.OpCopyMask, program.WordClass: program.OpCopyWord, program.LongClass: program.OpCopyLong}
	blendOps = [program.Classes]program.Opcode{program.MaskClass: program.OpMoveMask, program.WordClass: program.OpBlendWord, program.LongClass: program.OpBlendLong}
)

// result adds an instruction whose d is the register of a value.
func (e *emitter) result(v ir.Value, in program.Instruction) {
	w := &e.webs[e.webOf[v]-1]
	masked, scope := e.masksOf(w)
	if !masked {
		e.begin(w)
		in.D = w.reg
		e.emit(in)
		return
	}
	e.temporary(w.class, func(t int32) {
		in.D, in.Pos = t, e.pos
		blend := blendOps[w.class].Instruction()
		blend.D, blend.A, blend.Pos = w.reg, t, e.pos
		if w.class == program.MaskClass {
			e.emit(in)
			e.emit(blend)
			return
		}
		in.Masked = &[2]program.Instruction{in, blend}
		in.D, in.Scope = w.reg, scope
		e.emit(in)
	})
}

// assign copies a register to that of a web, in the active lanes.
func (e *emitter) assign(w *web, from, unset int32) {
	masked, scope := e.masksOf(w)
	e.assignUnset(w, unset, masked)
	if w.reg == from {
		return
	}
	in := copyOps[w.class].Instruction()
	in.D, in.A = w.reg, from
	if masked {
		blend := blendOps[w.class].Instruction()
		blend.D, blend.A, blend.Pos = w.reg, from, e.pos
		if w.class == program.MaskClass {
			e.emit(blend)
			return
		}
		rest := program.OpNothing.Instruction()
		rest.Pos = e.pos
		in.Scope, in.Masked = scope, &[2]program.Instruction{blend, rest}
	}
	e.emit(in)
}

// copyTo makes all lanes of a register hold what another one does.
func (e *emitter) copyTo(c program.Class, to, from int32) {
	in := copyOps[c].Instruction()
	in.D, in.A = to, from
	e.emit(in)
}

// handedOn is a value that is handed on.
type handedOn struct {
	to    *web
	from  int32
	unset int32
}

// movesOf returns what a step hands on, as far as that is in another register.
func (e *emitter) movesOf(at int32) []handedOn {
	var list []handedOn
	e.eachHanding(int(at), func(from, to ir.Value) {
		if e.webOf[to] == 0 {
			return
		}
		w := &e.webs[e.webOf[to]-1]
		if source := e.webOfValue(from); source != w {
			list = append(list, handedOn{w, e.reg(from), e.unsetOf(from)})
		}
	})
	return list
}

// hand carries out moves as if all happened at once.
func (e *emitter) hand(list []handedOn) {
	for len(list) > 0 {
		free := slices.IndexFunc(list, func(m handedOn) bool {
			return !slices.ContainsFunc(list, func(other handedOn) bool { return other.from == m.to.reg && other.to != m.to })
		})
		if free >= 0 {
			e.assign(list[free].to, list[free].from, list[free].unset)
			list = slices.Delete(list, free, free+1)
			continue
		}
		e.rotate(list)
		return
	}
}

// rotate carries out moves of which each waits for another one.
func (e *emitter) rotate(list []handedOn) {
	first := list[0]
	e.temporary(first.to.class, func(t int32) {
		e.copyTo(first.to.class, t, first.to.reg)
		kept := int32(0)
		if first.to.unset != 0 {
			kept = e.allocate(program.UnsetClass)
			e.emit(program.Instruction{Op: program.OpUnsetCopy, D: kept, A: first.to.unset})
		}
		for i := range list {
			if list[i].from == first.to.reg {
				list[i].from = t
				list[i].unset = kept
			}
		}
		e.hand(list)
		if kept != 0 {
			e.giveBack(program.UnsetClass, kept)
		}
	})
}

// instr writes an instruction of ir.
func (e *emitter) instr(in *ir.Instr) {
	if e.gone(in) {
		return
	}
	if write := writers[in.Op]; write != nil {
		write(e, in)
		return
	}
	op := program.OpcodeOf(in.Op, in.Type, in.Imm)
	if op == 0 {
		unsupported(e.position(), in.Op.String())
	}
	e.operate(in.Results, op, in.Imm, e.facts.isWatched(in), in.Args...)
}

// isWatched reports whether the sanitizer looks for a NaN that an instruction makes.
func (f *facts) isWatched(in *ir.Instr) bool {
	if !f.late || len(in.Results) != 1 || f.Type(in.Results[0]) != ir.F32 || in.Type != ir.F32 {
		return false
	}
	switch in.Op {
	case ir.OpNeg, ir.OpSelect, ir.OpRoundHalf, ir.OpRoundBFloat, ir.OpDiagonal, ir.OpBitsFloat, ir.OpBitsHalf,
		ir.OpBitsBFloat, ir.OpFromBool, ir.OpLdexp, ir.OpModfFraction, ir.OpModfWhole, ir.OpFrexpFraction:
		return false
	}
	return !in.Op.Info().Has(ir.Converges | ir.Reads)
}

// operate adds an operation with up to four operands.
func (e *emitter) operate(results []ir.Value, op program.Opcode, imm int64, watched bool, args ...ir.Value) {
	in := op.Instruction()
	in.Imm = imm
	var few [4]int32
	regs := few[:0]
	for _, v := range args {
		regs = append(regs, e.reg(v))
	}
	for i, field := range []*int32{&in.A, &in.B, &in.C, &in.Target}[:len(regs)] {
		*field = regs[i]
	}
	if len(results) == 0 {
		e.emit(in)
		return
	}
	v := results[0]
	if e.Uninit {
		e.derive(v, op, imm, args)
	}
	e.reuse()
	e.result(v, in)
	if watched {
		e.watchNaN(e.reg(v), regs)
	}
	e.blendDerived(v)
}

// watchNaN adds what looks whether an operation has made a NaN of up to three operands that are none.
func (e *emitter) watchNaN(result int32, operands []int32) {
	in := program.OpNaN.Instruction()
	in.A, in.Imm = result, int64(len(operands))
	for i, field := range []*int32{&in.B, &in.C, &in.Target}[:len(operands)] {
		*field = operands[i]
	}
	e.emit(in)
}

// arithmetic writes + and - of floats, with the product that one side may be.
func (e *emitter) arithmetic(in *ir.Instr) {
	x, y := in.Args[0], in.Args[1]
	op, args := program.OpcodeOf(in.Op, in.Type, 0), []ir.Value{x, y}
	switch {
	case in.Type != ir.F32:
	case e.facts.fused[x] == folded:
		op = program.OpMulAdd
		if in.Op == ir.OpSub {
			op = program.OpMulSub
		}
		product := e.facts.by[x].Args
		args = []ir.Value{product[0], product[1], y}
	case e.facts.fused[y] == folded:
		op = program.OpMulAdd
		if in.Op == ir.OpSub {
			op = program.OpSubMul
		}
		product := e.facts.by[y].Args
		args = []ir.Value{product[0], product[1], x}
	}
	e.operate(in.Results, op, 0, e.facts.late && in.Type == ir.F32, args...)
}

// toFloat writes a conversion to float, with the bit-field that its operand may be.
func (e *emitter) toFloat(in *ir.Instr) {
	v := in.Args[0]
	if e.facts.fused[v] != folded {
		e.operate(in.Results, program.OpcodeOf(in.Op, in.Type, 0), 0, false, v)
		return
	}
	x, mask, _ := e.facts.maskOf(e.facts.by[v])
	n := e.facts.Known(ir.I32, 0)
	e.grow()
	if e.facts.fused[x] == folded {
		shr := e.facts.by[x]
		x, n = shr.Args[0], shr.Args[1]
	}
	op := program.OpFieldUint
	if in.Type == ir.S32 {
		op = program.OpFieldInt
	}
	e.operate(in.Results, op, mask, false, x, n)
}

// compare writes a comparison, or the opposite of it.
func (e *emitter) compare(in *ir.Instr) {
	op, args := in.Op, in.Args
	if e.facts.fused[in.Result()] == opposite {
		switch op {
		case ir.OpEq:
			op = ir.OpNe
		case ir.OpNe:
			op = ir.OpEq
		case ir.OpLt:
			op, args = ir.OpLe, []ir.Value{args[1], args[0]}
		case ir.OpLe:
			op, args = ir.OpLt, []ir.Value{args[1], args[0]}
		}
	}
	e.operate(in.Results, program.OpcodeOf(op, in.Type, 0), 0, false, args...)
}

// choose writes a Select.
func (e *emitter) choose(in *ir.Instr) {
	if _, operator := in.Aux.(ir.ByOperator); operator {
		e.decides(program.UseBranch, in.Args[0])
	}
	e.operate(in.Results, program.OpcodeOf(in.Op, in.Type, 0), 0, false, in.Args[1], in.Args[2], in.Args[0])
}

// writers write the instructions that are more than an operation.
var writers [256]func(e *emitter, in *ir.Instr)

func init() {
	for op, write := range map[ir.Op]func(e *emitter, in *ir.Instr){
		ir.OpAdd: (*emitter).arithmetic, ir.OpSub: (*emitter).arithmetic, ir.OpToFloat: (*emitter).toFloat,
		ir.OpEq: (*emitter).compare, ir.OpNe: (*emitter).compare, ir.OpLt: (*emitter).compare, ir.OpLe: (*emitter).compare,
		ir.OpSelect: (*emitter).choose, ir.OpUnset: (*emitter).unsetValue, ir.OpAddress: (*emitter).routineAddress,
		ir.OpMove: (*emitter).movePointer, ir.OpFromMem: (*emitter).fromMem, ir.OpLoad: (*emitter).load,
		ir.OpStore: (*emitter).store, ir.OpClear: (*emitter).clear, ir.OpCheck: (*emitter).check,
		ir.OpAtomic: (*emitter).atomic, ir.OpExchange: (*emitter).exchange,
		ir.OpBarrier: (*emitter).barrier, ir.OpSimdBarrier: (*emitter).simdBarrier, ir.OpFence: (*emitter).fence,
		ir.OpMatrix: (*emitter).multiply, ir.OpMatrixLoad: (*emitter).loadMatrix, ir.OpMatrixStore: (*emitter).storeMatrix,
		ir.OpTexture: (*emitter).texture, ir.OpTextureFence: (*emitter).textureFence, ir.OpLog: (*emitter).log,
		ir.OpPick: (*emitter).pick, ir.OpCheckIndex: (*emitter).checkIndex, ir.OpFault: (*emitter).fault,
		ir.OpCall: (*emitter).call, ir.OpBallot: (*emitter).ballot, ir.OpActiveThreads: (*emitter).ballot,
		ir.OpVoteAll: (*emitter).vote, ir.OpVoteAny: (*emitter).vote,
	} {
		writers[op] = write
	}
	for op := ir.OpGroupSum; op <= ir.OpGroupAny; op++ {
		writers[op] = (*emitter).group
	}
}

// isLate reports whether an instruction reads operands when it has written results already.
func (f *facts) isLate(in *ir.Instr) bool {
	switch in.Op {
	case ir.OpLoad:
		return len(in.Results) > 1
	case ir.OpMatrix, ir.OpMatrixLoad, ir.OpTexture, ir.OpPick, ir.OpCall, ir.OpAtomic, ir.OpExchange:
		return true
	}
	return f.late
}
