package assemble

import (
	"slices"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// operations writes what computes on registers.
type operations struct {
	code     *code
	facts    *facts
	values   *values
	checks   *checks
	freeRows [program.Classes][]rowOfRegisters
}

// operate adds an operation with up to four operands.
func (e *operations) operate(results []ir.Value, op program.Opcode, imm int64, watched bool, args ...ir.Value) {
	in := op.Instruction()
	in.Imm = imm
	var few [4]int32
	regs := few[:0]
	for _, v := range args {
		regs = append(regs, e.values.reg(v))
	}
	for i, field := range []*int32{&in.A, &in.B, &in.C, &in.Target}[:len(regs)] {
		*field = regs[i]
	}
	if len(results) == 0 {
		e.code.emit(in)
		return
	}
	v := results[0]
	e.checks.derive(v, op, imm, args)
	e.values.reuse()
	e.values.result(v, in)
	if watched {
		e.checks.watchNaN(e.values.reg(v), regs)
	}
	e.checks.blendDerived(v)
}

// arithmetic writes + and - of floats, with the product that one side may be.
func (e *operations) arithmetic(in *ir.Instr) {
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
func (e *operations) toFloat(in *ir.Instr) {
	v := in.Args[0]
	if e.facts.fused[v] != folded {
		e.operate(in.Results, program.OpcodeOf(in.Op, in.Type, 0), 0, false, v)
		return
	}
	x, mask, _ := e.facts.maskOf(e.facts.by[v])
	n := e.facts.Known(ir.I32, 0)
	e.facts.grow()
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
func (e *operations) compare(in *ir.Instr) {
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
func (e *operations) choose(in *ir.Instr) {
	if _, operator := in.Aux.(ir.ByOperator); operator {
		e.checks.decides(program.UseBranch, in.Args[0])
	}
	e.operate(in.Results, program.OpcodeOf(in.Op, in.Type, 0), 0, false, in.Args[1], in.Args[2], in.Args[0])
}

func (e *operations) fromMem(in *ir.Instr) {
	op := program.Instruction{Op: handleOps[in.Aux.(ir.HandleKind)], A: e.values.reg(in.Args[0])}
	e.checks.derive(in.Result(), op.Op, 0, in.Args)
	e.values.result(in.Result(), op)
	e.checks.blendDerived(in.Result())
}

// movePointer writes pointer arithmetic. The forms for 32 bits are for elements that are not too large.
func (e *operations) movePointer(in *ir.Instr) {
	if in.Type == ir.S64 || in.Imm <= program.MaxElement {
		e.operate(in.Results, program.OpcodeOf(ir.OpMove, in.Type, 0), in.Imm, false, in.Args...)
		return
	}
	e.checks.derive(in.Result(), program.OpcodeOf(ir.OpMove, in.Type, 0), 0, in.Args)
	e.widened(in.Type, e.values.reg(in.Args[1]), func(index int32) {
		move := program.OpcodeOf(ir.OpMove, ir.S64, 0).Instruction()
		move.A, move.B, move.Imm = e.values.reg(in.Args[0]), index, in.Imm
		e.values.result(in.Result(), move)
	})
	e.checks.blendDerived(in.Result())
}

// widened calls do with a register of 64 bits that holds an integer of 32.
func (e *operations) widened(t ir.Type, r int32, do func(index int32)) {
	e.code.temporary(program.LongClass, func(index int32) {
		widen := program.OpcodeOf(ir.OpWiden, t, 0).Instruction()
		widen.D, widen.A = index, r
		e.code.emit(widen)
		do(index)
	})
}

// pick writes the choice of one of several values.
func (e *operations) pick(in *ir.Instr) {
	chooser, parts := in.Args[0], in.Args[1:]
	v := in.Result()
	if in.Type == ir.Bool {
		e.pickBool(in, chooser, parts)
		return
	}
	regs := e.values.regsOf(parts)
	row, release := e.rowOf(classOfValue(in.Type), regs)
	e.checks.decides(program.UseIndex, chooser)
	e.checks.pickUnset(v, chooser, parts)
	op := program.OpElementWord
	if classOfValue(in.Type) == program.LongClass {
		op = program.OpElementLong
	}
	choice := op.Instruction()
	choice.A, choice.B, choice.C, choice.Imm = e.values.reg(chooser), row.first, int32(len(parts)), int64(row.stride)
	e.nameParts(in)
	e.values.result(v, choice)
	e.checks.blendDerived(v)
	release()
}

// rowOf returns registers as a row: those given, if they are one, or copies.
func (e *operations) rowOf(c program.Class, regs []int32) (row pickRow, release func()) {
	row = pickRow{first: regs[0]}
	if len(regs) > 1 {
		row.stride = regs[1] - regs[0]
	}
	is := row.stride != 0 || len(regs) == 1
	for i, r := range regs {
		is = is && r == row.first+int32(i)*row.stride
	}
	if is {
		return row, func() {}
	}
	row.stride = program.ClassBytes[c]
	free := e.freeRows[c]
	i := slices.IndexFunc(free, func(r rowOfRegisters) bool { return r.n >= len(regs) })
	taken := rowOfRegisters{n: len(regs)}
	if i >= 0 {
		taken = free[i]
		e.freeRows[c] = slices.Delete(free, i, i+1)
	} else {
		taken.first = e.code.regs.extend(c, len(regs))
	}
	row.first = taken.first
	for i, r := range regs {
		e.code.copyTo(c, row.first+int32(i)*row.stride, r)
	}
	return row, func() { e.freeRows[c] = append(e.freeRows[c], taken) }
}

// pickBool writes the choice of a bool, which is no register.
func (e *operations) pickBool(in *ir.Instr, chooser ir.Value, parts []ir.Value) {
	e.checks.decides(program.UseIndex, chooser)
	check := program.OpcodeOf(ir.OpCheckIndex, ir.Void, 0).Instruction()
	check.A, check.C = e.values.reg(chooser), int32(len(parts))
	e.nameParts(in)
	e.code.emit(check)
	e.checks.pickUnset(in.Result(), chooser, parts)
	e.code.temporary(program.MaskClass, func(r int32) {
		e.code.copyTo(program.MaskClass, r, e.code.constant(program.MaskClass, 0))
		e.code.temporary(program.MaskClass, func(is int32) {
			for i, v := range parts {
				equal := program.OpcodeOf(ir.OpEq, ir.I32, 0).Instruction()
				equal.D, equal.A, equal.B = is, e.values.reg(chooser), e.code.constant(program.WordClass, uint64(i))
				e.code.emit(equal)
				choice := program.OpcodeOf(ir.OpSelect, ir.Bool, 0).Instruction()
				choice.D, choice.A, choice.B, choice.C = r, e.values.reg(v), r, is
				e.code.emit(choice)
			}
		})
		copied := program.OpCopyMask.Instruction()
		copied.A = r
		e.values.result(in.Result(), copied)
	})
	e.checks.blendDerived(in.Result())
}

// nameParts notes for a fault of an instruction what it picks a part of.
func (e *operations) nameParts(in *ir.Instr) {
	p, ok := in.Aux.(*ir.Parts)
	if !ok || p == nil {
		return
	}
	if e.code.program.Parts == nil {
		e.code.program.Parts = map[int32]program.Parts{}
	}
	e.code.program.Parts[e.code.pos] = program.Parts{Of: p.Of, Element: p.Element}
}

func (e *operations) checkIndex(in *ir.Instr) {
	e.checks.decides(program.UseIndex, in.Args[0])
	check := program.OpcodeOf(ir.OpCheckIndex, ir.Void, 0).Instruction()
	check.A, check.C = e.values.reg(in.Args[0]), int32(in.Imm)
	e.nameParts(in)
	e.code.emit(check)
}

func (e *operations) fault(in *ir.Instr) {
	e.code.emit(program.Instruction{Op: program.OpFault, Imm: int64(len(e.code.program.Faults))})
	e.code.program.Faults = append(e.code.program.Faults, in.Aux.(string))
}

// pickRow is registers side by side.
type pickRow struct{ first, stride int32 }

// rowOfRegisters are registers side by side that are free.
type rowOfRegisters struct {
	first int32
	n     int
}

// handleOps find what handles in memory lead to.
var handleOps = [...]program.Opcode{
	ir.PointerHandle: program.OpPointerFrom, ir.TextureHandle: program.OpTextureFrom,
	ir.SamplerHandle: program.OpSamplerFrom,
}
