package assemble

import (
	"slices"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// groups writes the functions of simd-groups and quad-groups, messages and matrices.
type groups struct {
	code   *code
	fn     *ranges
	values *values
	checks *checks
}

// group writes a function of a group.
func (e *groups) group(in *ir.Instr) {
	args := slices.DeleteFunc(slices.Clone(in.Args), func(v ir.Value) bool { return v == 0 })
	e.checks.groupUnsetOf(in.Result(), in.Op, in.Imm, args)
	e.groupOp(in, in.Result(), args)
	e.checks.blendDerived(in.Result())
}

// groupOp adds the operation.
func (e *groups) groupOp(in *ir.Instr, v ir.Value, args []ir.Value) {
	op := program.OpcodeOf(in.Op, in.Type, 0).Instruction()
	op.Imm = in.Imm
	for i, field := range []*int32{&op.A, &op.B, &op.C, &op.Target}[:len(args)] {
		*field = e.values.reg(args[i])
	}
	e.values.reuse()
	e.values.result(v, op)
}

// ballot writes what has a bit for each lane: of a quad-group in 32 bits, which become 64.
func (e *groups) ballot(in *ir.Instr) {
	if in.Imm == width {
		e.group(in)
		return
	}
	e.checks.groupUnsetOf(in.Result(), in.Op, in.Imm, in.Args)
	e.code.temporary(program.WordClass, func(t int32) {
		op := program.OpcodeOf(in.Op, in.Type, 0).Instruction()
		op.Imm, op.D = in.Imm, t
		if len(in.Args) > 0 {
			op.A = e.values.reg(in.Args[0])
		}
		e.code.emit(op)
		widen := program.OpcodeOf(ir.OpWiden, ir.U32, 0).Instruction()
		widen.A = t
		e.values.result(in.Result(), widen)
	})
	e.checks.blendDerived(in.Result())
}

// vote writes a test of such bits.
func (e *groups) vote(in *ir.Instr) {
	if in.Imm == width {
		e.group(in)
		return
	}
	e.checks.groupUnsetOf(in.Result(), in.Op, in.Imm, in.Args)
	e.code.temporary(program.WordClass, func(t int32) {
		narrow := program.OpcodeOf(ir.OpNarrow, ir.I64, 0).Instruction()
		narrow.D, narrow.A = t, e.values.reg(in.Args[0])
		e.code.emit(narrow)
		op := program.OpcodeOf(in.Op, in.Type, 0).Instruction()
		op.Imm, op.A = in.Imm, t
		e.values.result(in.Result(), op)
	})
	e.checks.blendDerived(in.Result())
}

// log writes a message as one instruction, which formats and keeps it for each active lane.
func (e *groups) log(in *ir.Instr) {
	call := in.Aux.(*ir.LogCall)
	site := program.LogSite{Level: call.Level, Format: call.Format, Log: e.values.reg(in.Args[0])}
	rest := in.Args[1:]
	for _, a := range call.Args {
		values := rest[:a.Count]
		rest = rest[a.Count:]
		e.checks.decides(program.UsePrint, values...)
		c := program.WordClass
		if a.Count > 0 {
			c = classOfValue(e.fn.Type(values[0]))
		}
		site.Args = append(site.Args, program.LogArg{Regs: e.values.regsOf(values), Class: c})
	}
	e.code.emit(program.Instruction{Op: program.OpLog, Imm: int64(len(e.code.program.LogSites))})
	e.code.program.LogSites = append(e.code.program.LogSites, site)
}

// multiply writes a product of matrices.
func (e *groups) multiply(in *ir.Instr) {
	x := e.values.regsOf(in.Args)
	o := &program.Matrices{Elements: [2]int32(x[:2]), Other: [2]int32(x[2:4]),
		Accumulate: len(x) > 4 && in.Args[4] != 0}
	if o.Accumulate {
		o.Add = [2]int32(x[4:6])
	}
	e.intoMatrix(in.Results, func(result [program.MatrixLeaves]int32, unsets [program.MatrixLeaves]int32) {
		o.Result = result
		e.checks.productUnset(in.Args, o.Accumulate, unsets)
		e.code.emit(program.Instruction{Op: program.OpMultiplyMatrices, Imm: e.code.program.AddMatrices(o)})
	})
}

// intoMatrix calls do with the registers of the elements of a matrix that is about to be made.
func (e *groups) intoMatrix(results []ir.Value, do func(regs, unsets [program.MatrixLeaves]int32)) {
	var regs, unsets [program.MatrixLeaves]int32
	var temps, tempUnsets []int32
	for i, v := range results {
		w := e.values.webOfValue(v)
		if w != nil {
			if masked, _ := e.values.masksOf(w); !masked {
				e.values.begin(w)
				regs[i], unsets[i] = w.reg, w.unset
				continue
			}
		}
		regs[i] = e.code.regs.allocate(program.WordClass)
		temps = append(temps, regs[i])
		unsets[i] = e.code.clearedUnset()
		tempUnsets = append(tempUnsets, unsets[i])
	}
	do(regs, unsets)
	for i, v := range results {
		if w := e.values.webOfValue(v); w != nil {
			e.values.assign(w, regs[i], unsets[i])
		}
	}
	for _, t := range temps {
		e.code.regs.giveBack(program.WordClass, t)
	}
	for _, t := range tempUnsets {
		e.code.freeUnset(t)
	}
}

// matrixPlace returns where a matrix is in memory.
func (e *groups) matrixPlace(in *ir.Instr) *program.Matrices {
	x := e.values.regsOf(in.Args[:5])
	return &program.Matrices{Pointer: x[0], Stride: x[1], X: x[2], Y: x[3], Transpose: x[4]}
}

func (e *groups) loadMatrix(in *ir.Instr) {
	a, o := in.Aux.(*ir.MatrixAccess), e.matrixPlace(in)
	number := e.code.program.AddMatrices(o)
	e.checks.touchMatrix(number, a, false)
	e.checks.decides(program.UseAddress, in.Args[:5]...)
	e.intoMatrix(in.Results, func(regs, unsets [program.MatrixLeaves]int32) {
		o.Elements = regs
		e.checks.loadMatrixUnset(a, number, unsets)
		e.code.emit(program.Instruction{Op: program.OpMatrixLoads + program.Opcode(a.Kind), Imm: number})
	})
}

func (e *groups) storeMatrix(in *ir.Instr) {
	a, o := in.Aux.(*ir.MatrixAccess), e.matrixPlace(in)
	elements := in.Args[5:7]
	o.Elements = [program.MatrixLeaves]int32(e.values.regsOf(elements))
	number := e.code.program.AddMatrices(o)
	e.checks.touchMatrix(number, a, true)
	e.checks.decides(program.UseAddress, in.Args[:5]...)
	e.checks.storeMatrixUnset(a, number, elements)
	e.code.emit(program.Instruction{Op: program.OpMatrixStores + program.Opcode(a.Kind), Imm: number})
}
