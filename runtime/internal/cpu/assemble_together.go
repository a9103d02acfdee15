package cpu

import (
	"slices"

	"github.com/metalgen/metalgen/internal/ir"
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
	op := numberOf(in.Op, in.Type, 0).instruction()
	op.imm = in.Imm
	for i, field := range []*int32{&op.a, &op.b, &op.c, &op.target}[:len(args)] {
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
	e.temporary(wordClass, func(t int32) {
		op := numberOf(in.Op, in.Type, 0).instruction()
		op.imm, op.d = in.Imm, t
		if len(in.Args) > 0 {
			op.a = e.reg(in.Args[0])
		}
		e.emit(op)
		widen := numberOf(ir.OpWiden, ir.U32, 0).instruction()
		widen.a = t
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
	e.temporary(wordClass, func(t int32) {
		narrow := numberOf(ir.OpNarrow, ir.I64, 0).instruction()
		narrow.d, narrow.a = t, e.reg(in.Args[0])
		e.emit(narrow)
		op := numberOf(in.Op, in.Type, 0).instruction()
		op.imm, op.a = in.Imm, t
		e.result(in.Result(), op)
	})
	e.blendDerived(in.Result())
}

// log writes a message as one instruction, which formats and keeps it for each active lane.
func (e *emitter) log(in *ir.Instr) {
	call := in.Aux.(*ir.LogCall)
	site := logSite{level: call.Level, format: call.Format, log: e.reg(in.Args[0])}
	rest := in.Args[1:]
	for _, a := range call.Args {
		values := rest[:a.Count]
		rest = rest[a.Count:]
		e.decides(usePrint, values...)
		c := wordClass
		if a.Count > 0 {
			c = classOfValue(e.Type(values[0]))
		}
		site.args = append(site.args, logArg{e.regsOf(values), c, a.Kind})
	}
	e.emit(instruction{op: opLog, imm: int64(len(e.program.logSites))})
	e.program.logSites = append(e.program.logSites, site)
}

// multiply writes a product of matrices.
func (e *emitter) multiply(in *ir.Instr) {
	x := e.regsOf(in.Args)
	o := &matrixOperands{elements: [2]int32(x[:2]), other: [2]int32(x[2:4]), accumulate: len(x) > 4 && in.Args[4] != 0}
	if o.accumulate {
		o.add = [2]int32(x[4:6])
	}
	e.intoMatrix(in.Results, func(result [matrixLeaves]int32, unsets [matrixLeaves]int32) {
		o.result = result
		if e.uninit && e.hasUnset(in.Args...) {
			e.productUnset(in.Args, o.accumulate, unsets)
		}
		e.emit(instruction{op: opMultiplyMatrices, imm: e.program.addMatrices(o)})
	})
}

// intoMatrix calls do with the registers of the elements of a matrix that is about to be made.
func (e *emitter) intoMatrix(results []ir.Value, do func(regs, unsets [matrixLeaves]int32)) {
	var regs, unsets [matrixLeaves]int32
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
		regs[i] = e.allocate(wordClass)
		temps = append(temps, regs[i])
		if e.uninit {
			unsets[i] = e.allocate(unsetClass)
			tempUnsets = append(tempUnsets, unsets[i])
			e.emit(instruction{op: opUnsetClear, d: unsets[i]})
		}
	}
	do(regs, unsets)
	for i, v := range results {
		if w := e.webOfValue(v); w != nil {
			e.assign(w, regs[i], unsets[i])
		}
	}
	for _, t := range temps {
		e.giveBack(wordClass, t)
	}
	for _, t := range tempUnsets {
		e.giveBack(unsetClass, t)
	}
}

// productUnset adds what makes the unset of a product: an element depends on a row and a column.
func (e *emitter) productUnset(args []ir.Value, accumulate bool, result [matrixLeaves]int32) {
	u := e.unsetsOf(args)
	o := &matrixOperands{elements: [matrixLeaves]int32(u[:2]), other: [matrixLeaves]int32(u[2:4]), result: result}
	if accumulate {
		o.add = [matrixLeaves]int32(u[4:6])
	}
	e.emit(instruction{op: opUnsetMultiply, imm: e.program.addMatrices(o)})
}

// matrixPlace returns where a matrix is in memory.
func (e *emitter) matrixPlace(in *ir.Instr) *matrixOperands {
	x := e.regsOf(in.Args[:5])
	return &matrixOperands{pointer: x[0], stride: x[1], x: x[2], y: x[3], transpose: x[4]}
}

func (e *emitter) loadMatrix(in *ir.Instr) {
	a, o := in.Aux.(*ir.MatrixAccess), e.matrixPlace(in)
	number := e.program.addMatrices(o)
	e.touchMatrix(number, a, false)
	e.decides(useAddress, in.Args[:5]...)
	e.intoMatrix(in.Results, func(regs, unsets [matrixLeaves]int32) {
		o.elements = regs
		if e.uninit && a.Space != ir.Device {
			e.emit(instruction{op: opUnsetLoadMatrix, a: unsets[0], b: unsets[1], c: int32(a.Kind.Bytes()), imm: number})
		}
		e.emit(instruction{op: opMatrixLoads + opcode(a.Kind), imm: number})
	})
}

func (e *emitter) storeMatrix(in *ir.Instr) {
	a, o := in.Aux.(*ir.MatrixAccess), e.matrixPlace(in)
	elements := in.Args[5:7]
	o.elements = [matrixLeaves]int32(e.regsOf(elements))
	number := e.program.addMatrices(o)
	e.touchMatrix(number, a, true)
	e.decides(useAddress, in.Args[:5]...)
	switch {
	case !e.uninit:
	case a.Space == ir.Device:
		e.decides(useStore, elements...)
	default:
		u := e.unsetsOf(elements)
		e.emit(instruction{op: opUnsetStoreMatrix, a: u[0], b: u[1], c: int32(a.Kind.Bytes()), imm: number})
	}
	e.emit(instruction{op: opMatrixStores + opcode(a.Kind), imm: number})
}

// touchMatrix adds what says that the elements of a matrix are touched.
func (e *emitter) touchMatrix(number int64, a *ir.MatrixAccess, writes bool) {
	e.pauses(a.Space, writes)
	if !e.sanitize {
		return
	}
	in := instruction{op: opTouchMatrix, d: int32(a.Kind.Bytes()), imm: number}
	if writes {
		in.c = 1
	}
	if e.shape {
		extent := in
		extent.op = opExtentMatrix
		e.emit(extent)
	}
	e.emitSite(in, site{})
}

// beginRoutine gives a routine registers of its own, which no other has.
func (e *emitter) beginRoutine(body *ir.Region) {
	e.routine1(e.routine)
	e.beginWindow()
	e.freeRows = [classes][]rowOfRegisters{}
	r := e.program.routines[e.routine]
	f := e.facts
	pointers := map[int64]int32{}
	for i := range r.locals {
		object := int64(r.locals[i].pointer)
		r.locals[i].pointer = e.fresh(longClass) // the call sets it: nothing else may have it before
		pointers[object] = r.locals[i].pointer
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
		if e.uninit {
			p.unsets[r] = e.registers.extend(unsetClass, 1)
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
		if e.uninit {
			r.unset = e.allocate(unsetClass)
			e.emit(instruction{op: opUnsetClear, d: r.unset})
		}
		e.results = append(e.results, r)
	}
	e.emit(instruction{flow: flowEnter, d: c.entry, b: c.active})
	for i, v := range routine.Body.Params {
		if w := e.webOfValue(v); w != nil && len(e.usesOf(v)) > 0 {
			e.begin(w)
			e.assign(w, p.params[i], p.unsets[p.params[i]])
		}
	}
}

// returned is a register for what a routine returns, until all lanes have.
type returned struct {
	class      class
	reg, unset int32
}

// giveResults writes what a routine returns.
func (e *emitter) giveResults(in *ir.Instr) {
	for i, v := range in.Args {
		r := e.results[i]
		w := &web{class: r.class, reg: r.reg, unset: r.unset, result: -1, top: 0, begun: true}
		from, unset := e.reg(v), e.unsetOf(v)
		e.assignUnset(w, unset, true)
		blend := blendOps[r.class].instruction()
		blend.d, blend.a, blend.pos = r.reg, from, e.pos
		if r.class == maskClass {
			e.emit(blend)
			continue
		}
		copied, rest := copyOps[r.class].instruction(), opNothing.instruction()
		rest.pos = e.pos
		copied.d, copied.a, copied.scope, copied.masked = r.reg, from, e.constructs[0].entry, &[2]instruction{blend, rest}
		e.emit(copied)
	}
}

// endCall writes the end of a routine.
func (e *emitter) endCall(c *laneConstruct) {
	p := e.routine1(e.routine)
	e.here(c.resume)
	e.freeMasks(c)
	e.emit(instruction{flow: flowEnd, d: c.entry, target: int32(len(e.program.code) + 1)})
	for i, r := range e.results {
		if e.uninit {
			e.emit(instruction{op: opUnsetCopy, d: p.unsets[p.results[i]], a: r.unset})
		}
		e.copyTo(r.class, p.results[i], r.reg)
	}
	e.results = e.results[:0]
	e.emit(instruction{flow: flowReturn})
}

// call writes the call of a routine.
func (e *emitter) call(in *ir.Instr) {
	p := e.routine1(int(in.Imm))
	for i, v := range in.Args {
		to := p.params[i]
		if e.uninit {
			e.setUnset(p.unsets[to], e.unsetOf(v))
		}
		e.copyTo(classOfValue(e.Type(v)), to, e.reg(v))
	}
	flow := instruction{flow: flowCall, d: int32(in.Imm), imm: -1}
	if e.routine >= 0 && e.mayCall(int(in.Imm), e.routine) {
		// the caller may be called again before this returns
		flow.imm = int64(len(e.program.saves))
		e.program.saves = append(e.program.saves, e.live())
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
		e.emit(instruction{op: opUnsetClear, d: to})
		return
	}
	e.emit(instruction{op: opUnsetCopy, d: to, a: from})
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
