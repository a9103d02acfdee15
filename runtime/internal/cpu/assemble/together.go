package assemble

import (
	"slices"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// The functions of simd-groups and quad-groups, routines, messages and matrices.

// group writes a function of a group.
func (e *emitter) group(in *ir.Instr) {
	args := slices.DeleteFunc(slices.Clone(in.Args), func(v ir.Value) bool { return v == 0 })
	e.groupUnsetOf(in.Result(), in.Op, in.Imm, args)
	e.groupOp(in, in.Result(), args)
	e.blendDerived(in.Result())
}

// groupOp adds the operation.
func (e *emitter) groupOp(in *ir.Instr, v ir.Value, args []ir.Value) {
	op := program.OpcodeOf(in.Op, in.Type, 0).Instruction()
	op.Imm = in.Imm
	for i, field := range []*int32{&op.A, &op.B, &op.C, &op.Target}[:len(args)] {
		*field = e.reg(args[i])
	}
	e.reuse()
	e.result(v, op)
}

// ballot writes what has a bit for each lane: of a quad-group in 32 bits, which become 64.
func (e *emitter) ballot(in *ir.Instr) {
	if in.Imm == width {
		e.group(in)
		return
	}
	e.groupUnsetOf(in.Result(), in.Op, in.Imm, in.Args)
	e.temporary(program.WordClass, func(t int32) {
		op := program.OpcodeOf(in.Op, in.Type, 0).Instruction()
		op.Imm, op.D = in.Imm, t
		if len(in.Args) > 0 {
			op.A = e.reg(in.Args[0])
		}
		e.emit(op)
		widen := program.OpcodeOf(ir.OpWiden, ir.U32, 0).Instruction()
		widen.A = t
		e.result(in.Result(), widen)
	})
	e.blendDerived(in.Result())
}

// vote writes a test of such bits.
func (e *emitter) vote(in *ir.Instr) {
	if in.Imm == width {
		e.group(in)
		return
	}
	e.groupUnsetOf(in.Result(), in.Op, in.Imm, in.Args)
	e.temporary(program.WordClass, func(t int32) {
		narrow := program.OpcodeOf(ir.OpNarrow, ir.I64, 0).Instruction()
		narrow.D, narrow.A = t, e.reg(in.Args[0])
		e.emit(narrow)
		op := program.OpcodeOf(in.Op, in.Type, 0).Instruction()
		op.Imm, op.A = in.Imm, t
		e.result(in.Result(), op)
	})
	e.blendDerived(in.Result())
}

// log writes a message as one instruction, which formats and keeps it for each active lane.
func (e *emitter) log(in *ir.Instr) {
	call := in.Aux.(*ir.LogCall)
	site := program.LogSite{Level: call.Level, Format: call.Format, Log: e.reg(in.Args[0])}
	rest := in.Args[1:]
	for _, a := range call.Args {
		values := rest[:a.Count]
		rest = rest[a.Count:]
		e.decides(program.UsePrint, values...)
		c := program.WordClass
		if a.Count > 0 {
			c = classOfValue(e.Type(values[0]))
		}
		site.Args = append(site.Args, program.LogArg{Regs: e.regsOf(values), Class: c})
	}
	e.emit(program.Instruction{Op: program.OpLog, Imm: int64(len(e.program.LogSites))})
	e.program.LogSites = append(e.program.LogSites, site)
}

// multiply writes a product of matrices.
func (e *emitter) multiply(in *ir.Instr) {
	x := e.regsOf(in.Args)
	o := &program.Matrices{Elements: [2]int32(x[:2]), Other: [2]int32(x[2:4]), Accumulate: len(x) > 4 && in.Args[4] != 0}
	if o.Accumulate {
		o.Add = [2]int32(x[4:6])
	}
	e.intoMatrix(in.Results, func(result [program.MatrixLeaves]int32, unsets [program.MatrixLeaves]int32) {
		o.Result = result
		if e.Uninit && e.hasUnset(in.Args...) {
			e.productUnset(in.Args, o.Accumulate, unsets)
		}
		e.emit(program.Instruction{Op: program.OpMultiplyMatrices, Imm: e.program.AddMatrices(o)})
	})
}

// intoMatrix calls do with the registers of the elements of a matrix that is about to be made.
func (e *emitter) intoMatrix(results []ir.Value, do func(regs, unsets [program.MatrixLeaves]int32)) {
	var regs, unsets [program.MatrixLeaves]int32
	var temps, tempUnsets []int32
	for i, v := range results {
		w := e.webOfValue(v)
		if w != nil {
			if masked, _ := e.masksOf(w); !masked {
				e.begin(w)
				regs[i], unsets[i] = w.reg, w.unset
				continue
			}
		}
		regs[i] = e.allocate(program.WordClass)
		temps = append(temps, regs[i])
		if e.Uninit {
			unsets[i] = e.allocate(program.UnsetClass)
			tempUnsets = append(tempUnsets, unsets[i])
			e.emit(program.Instruction{Op: program.OpUnsetClear, D: unsets[i]})
		}
	}
	do(regs, unsets)
	for i, v := range results {
		if w := e.webOfValue(v); w != nil {
			e.assign(w, regs[i], unsets[i])
		}
	}
	for _, t := range temps {
		e.giveBack(program.WordClass, t)
	}
	for _, t := range tempUnsets {
		e.giveBack(program.UnsetClass, t)
	}
}

// productUnset adds what makes the unset of a product: an element depends on a row and a column.
func (e *emitter) productUnset(args []ir.Value, accumulate bool, result [program.MatrixLeaves]int32) {
	u := e.unsetsOf(args)
	o := &program.Matrices{Elements: [program.MatrixLeaves]int32(u[:2]), Other: [program.MatrixLeaves]int32(u[2:4]), Result: result}
	if accumulate {
		o.Add = [program.MatrixLeaves]int32(u[4:6])
	}
	e.emit(program.Instruction{Op: program.OpUnsetMultiply, Imm: e.program.AddMatrices(o)})
}

// matrixPlace returns where a matrix is in memory.
func (e *emitter) matrixPlace(in *ir.Instr) *program.Matrices {
	x := e.regsOf(in.Args[:5])
	return &program.Matrices{Pointer: x[0], Stride: x[1], X: x[2], Y: x[3], Transpose: x[4]}
}

func (e *emitter) loadMatrix(in *ir.Instr) {
	a, o := in.Aux.(*ir.MatrixAccess), e.matrixPlace(in)
	number := e.program.AddMatrices(o)
	e.touchMatrix(number, a, false)
	e.decides(program.UseAddress, in.Args[:5]...)
	e.intoMatrix(in.Results, func(regs, unsets [program.MatrixLeaves]int32) {
		o.Elements = regs
		if e.Uninit && a.Space != ir.Device {
			e.emit(program.Instruction{Op: program.OpUnsetLoadMatrix, A: unsets[0], B: unsets[1], C: int32(a.Kind.Bytes()), Imm: number})
		}
		e.emit(program.Instruction{Op: program.OpMatrixLoads + program.Opcode(a.Kind), Imm: number})
	})
}

func (e *emitter) storeMatrix(in *ir.Instr) {
	a, o := in.Aux.(*ir.MatrixAccess), e.matrixPlace(in)
	elements := in.Args[5:7]
	o.Elements = [program.MatrixLeaves]int32(e.regsOf(elements))
	number := e.program.AddMatrices(o)
	e.touchMatrix(number, a, true)
	e.decides(program.UseAddress, in.Args[:5]...)
	switch {
	case !e.Uninit:
	case a.Space == ir.Device:
		e.decides(program.UseStore, elements...)
	default:
		u := e.unsetsOf(elements)
		e.emit(program.Instruction{Op: program.OpUnsetStoreMatrix, A: u[0], B: u[1], C: int32(a.Kind.Bytes()), Imm: number})
	}
	e.emit(program.Instruction{Op: program.OpMatrixStores + program.Opcode(a.Kind), Imm: number})
}

// touchMatrix adds what says that the elements of a matrix are touched.
func (e *emitter) touchMatrix(number int64, a *ir.MatrixAccess, writes bool) {
	e.pauses(a.Space, writes)
	if !e.Sanitize {
		return
	}
	in := program.Instruction{Op: program.OpTouchMatrix, D: int32(a.Kind.Bytes()), Imm: number}
	if writes {
		in.C = 1
	}
	if e.Shape {
		extent := in
		extent.Op = program.OpExtentMatrix
		e.emit(extent)
	}
	e.emitSite(in, program.Site{})
}

// beginRoutine gives a routine registers of its own, which no other has.
func (e *emitter) beginRoutine(body *ir.Region) {
	e.routine1(e.routine)
	e.beginWindow()
	e.freeRows = [program.Classes][]rowOfRegisters{}
	r := e.program.Routines[e.routine]
	f := e.facts
	pointers := map[int64]int32{}
	for i := range r.Locals {
		object := int64(r.Locals[i].Pointer)
		r.Locals[i].Pointer = e.fresh(program.LongClass) // the call sets it: nothing else may have it before
		pointers[object] = r.Locals[i].Pointer
	}
	for in := range body.All() {
		if in.Op == ir.OpAddress {
			if at, ok := pointers[in.Imm]; ok {
				f.fixed[in.Result()] = at + 1
			}
		}
	}
}

// routine1 returns how calls hand over what a routine takes and returns.
func (e *emitter) routine1(n int) *passing {
	if e.passing == nil {
		e.passing = make([]passing, len(e.facts.Routines))
	}
	p := &e.passing[n]
	if p.start != nil {
		return p
	}
	p.start, p.unsets = newLabel(), map[int32]int32{}
	register := func(t ir.Type) int32 {
		r := e.registers.extend(classOfValue(t), 1)
		if e.Uninit {
			p.unsets[r] = e.registers.extend(program.UnsetClass, 1)
		}
		return r
	}
	for _, v := range e.facts.Routines[n].Body.Params {
		p.params = append(p.params, register(e.facts.Type(v)))
	}
	for _, t := range e.facts.Routines[n].Results {
		p.results = append(p.results, register(t))
	}
	return p
}

// beginCall writes the beginning of a routine.
func (e *emitter) beginCall(c *laneConstruct) {
	p := e.routine1(e.routine)
	routine := e.facts.Routines[e.routine]
	e.here(p.start)
	e.masksFor(c)
	for _, t := range routine.Results {
		r := returned{reg: e.allocate(classOfValue(t)), class: classOfValue(t)}
		if e.Uninit {
			r.unset = e.allocate(program.UnsetClass)
			e.emit(program.Instruction{Op: program.OpUnsetClear, D: r.unset})
		}
		e.results = append(e.results, r)
	}
	e.emit(program.Instruction{Flow: program.FlowEnter, D: c.entry, B: c.active})
	for i, v := range routine.Body.Params {
		if w := e.webOfValue(v); w != nil && len(e.usesOf(v)) > 0 {
			e.begin(w)
			e.assign(w, p.params[i], p.unsets[p.params[i]])
		}
	}
}

// returned is a register for what a routine returns, until all lanes have.
type returned struct {
	class      program.Class
	reg, unset int32
}

// giveResults writes what a routine returns.
func (e *emitter) giveResults(in *ir.Instr) {
	for i, v := range in.Args {
		r := e.results[i]
		w := &web{class: r.class, reg: r.reg, unset: r.unset, result: -1, top: 0, begun: true}
		from, unset := e.reg(v), e.unsetOf(v)
		e.assignUnset(w, unset, true)
		blend := blendOps[r.class].Instruction()
		blend.D, blend.A, blend.Pos = r.reg, from, e.pos
		if r.class == program.MaskClass {
			e.emit(blend)
			continue
		}
		copied, rest := copyOps[r.class].Instruction(), program.OpNothing.Instruction()
		rest.Pos = e.pos
		copied.D, copied.A, copied.Scope, copied.Masked = r.reg, from, e.constructs[0].entry, &[2]program.Instruction{blend, rest}
		e.emit(copied)
	}
}

// endCall writes the end of a routine.
func (e *emitter) endCall(c *laneConstruct) {
	p := e.routine1(e.routine)
	e.here(c.resume)
	e.freeMasks(c)
	e.emit(program.Instruction{Flow: program.FlowEnd, D: c.entry, Target: int32(len(e.program.Code) + 1)})
	for i, r := range e.results {
		if e.Uninit {
			e.emit(program.Instruction{Op: program.OpUnsetCopy, D: p.unsets[p.results[i]], A: r.unset})
		}
		e.copyTo(r.class, p.results[i], r.reg)
	}
	e.results = e.results[:0]
	e.emit(program.Instruction{Flow: program.FlowReturn})
}

// call writes the call of a routine.
func (e *emitter) call(in *ir.Instr) {
	p := e.routine1(int(in.Imm))
	for i, v := range in.Args {
		to := p.params[i]
		if e.Uninit {
			e.setUnset(p.unsets[to], e.unsetOf(v))
		}
		e.copyTo(classOfValue(e.Type(v)), to, e.reg(v))
	}
	flow := program.Instruction{Flow: program.FlowCall, D: int32(in.Imm), Imm: -1}
	if e.routine >= 0 && e.mayCall(int(in.Imm), e.routine) {
		// the caller may be called again before this returns
		flow.Imm = int64(len(e.program.Saves))
		e.program.Saves = append(e.program.Saves, e.live())
	}
	e.jump(flow, p.start)
	for i, v := range in.Results {
		if w := e.webOfValue(v); w != nil {
			if masked, _ := e.masksOf(w); !masked {
				e.begin(w)
			}
			e.assign(w, p.results[i], p.unsets[p.results[i]])
		}
	}
}

// setUnset makes an unset that of a register, or clears it.
func (e *emitter) setUnset(to, from int32) {
	if from == 0 {
		e.emit(program.Instruction{Op: program.OpUnsetClear, D: to})
		return
	}
	e.emit(program.Instruction{Op: program.OpUnsetCopy, D: to, A: from})
}

// mayCall reports whether a routine may call another one, itself or by others.
func (e *emitter) mayCall(from, to int) bool {
	if e.reaches == nil {
		e.reaches = make([][]bool, len(e.facts.Routines))
		for i := range e.reaches {
			e.reaches[i] = make([]bool, len(e.facts.Routines))
			e.findCalls(i, e.reaches[i])
		}
	}
	return from == to || e.reaches[from][to]
}

func (e *emitter) findCalls(n int, found []bool) {
	for in := range e.facts.Routines[n].Body.All() {
		if in.Op == ir.OpCall && !found[in.Imm] {
			found[in.Imm] = true
			e.findCalls(int(in.Imm), found)
		}
	}
}
