package assemble

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// Where the sanitizer looks for what is used without ever being written, a register that may hold such bits has another
// one that says which they are, an unset. Instructions before those of the program compute them, as Valgrind's memcheck
// does: copies and arithmetic hand them on, and what decides something reports them. Registers that cannot hold any
// have no unset, and cost nothing: which these are is found before the program is written.

// Bits of the bytes of a variable that is all set, or not at all.
const (
	noBits  = 0
	allBits = 0xFF
)

func resultOf(in *ir.Instr) ir.Value {
	if len(in.Results) == 0 {
		return 0
	}
	return in.Results[0]
}

// begunUnset reports whether results of an instruction may be unset whatever its operands are.
func begunUnset(in *ir.Instr) bool {
	switch a := in.Aux.(type) {
	case *ir.Access:
		return in.Op == ir.OpLoad && !isSet(a.Space)
	case *ir.AtomicAccess:
		return a.Space != ir.Device
	case *ir.MatrixAccess:
		return in.Op == ir.OpMatrixLoad && a.Space != ir.Device
	}
	return in.Op == ir.OpUnset || in.Op == ir.OpCall
}

// isSet reports whether all of an address space counts as written.
func isSet(s ir.Space) bool { return s == ir.Device || s == ir.ConstantSpace }

// hasUnset reports whether values may have unset bits.
func (e *checks) hasUnset(list ...ir.Value) bool {
	for _, v := range list {
		if e.unsetOf(v) != 0 {
			return true
		}
	}
	return false
}

// unsetsOf returns the unsets of values.
func (e *checks) unsetsOf(list []ir.Value) []int32 {
	unsets := make([]int32, len(list))
	for i, v := range list {
		unsets[i] = e.unsetOf(v)
	}
	return unsets
}

// unsetFor calls make with where the unset of a value that is about to be made is to go, or not at all where it has
// none.
func (e *checks) unsetFor(v ir.Value, make func(d int32)) {
	if !e.code.how.Uninit {
		return
	}
	w := e.values.webOfValue(v)
	if w == nil || !w.mayUnset {
		return
	}
	if masked, _ := e.values.masksOf(w); !masked && w.single {
		e.values.begin(w)
		make(w.unset)
		return
	}
	e.derived = e.code.regs.allocate(program.UnsetClass)
	e.code.emit(program.Instruction{Op: program.OpUnsetClear, D: e.derived})
	make(e.derived)
}

// blendDerived hands what unsetFor has made to the web of the value, in the active lanes.
func (e *checks) blendDerived(v ir.Value) {
	if e.derived == 0 {
		return
	}
	w := e.values.webOfValue(v)
	masked, _ := e.values.masksOf(w)
	if masked {
		e.code.emit(program.Instruction{Op: program.OpUnsetBlend, D: w.unset, A: e.derived})
	} else {
		e.code.emit(program.Instruction{Op: program.OpUnsetCopy, D: w.unset, A: e.derived})
	}
	e.code.regs.giveBack(program.UnsetClass, e.derived)
	e.derived = 0
}

// derive adds what makes the unset of the result of an operation.
func (e *checks) derive(v ir.Value, op program.Opcode, imm int64, args []ir.Value) {
	e.unsetFor(v, func(d int32) {
		if !e.hasUnset(args...) {
			e.code.emit(program.Instruction{Op: program.OpUnsetClear, D: d})
			return
		}
		e.code.emit(program.Instruction{Op: program.OpUnsetDerived, D: d, Imm: int64(len(e.code.program.Derived))})
		e.code.program.Derived = append(e.code.program.Derived, program.DerivedUnset{
			Op: op, Class: classOfValue(e.fn.Type(v)), Operands: e.values.regsOf(args), Unsets: e.unsetsOf(args),
			Imm: imm,
		})
	})
}

// decides adds what reports values whose unset bits decide something. use says what their thread does with them: it
// "branches on" them.
func (e *checks) decides(does program.Purpose, list ...ir.Value) {
	if !e.code.how.Uninit {
		return
	}
	for _, v := range list {
		if u := e.unsetOf(v); u != 0 {
			e.code.emit(program.Instruction{Op: program.OpUse, A: u, Imm: int64(does)})
		}
	}
}

// assignUnset follows an assignment to a web.
func (e *checks) assignUnset(w *web, from int32, masked bool) {
	switch {
	case w.unset == 0 || w.unset == from:
	case masked:
		e.code.emit(program.Instruction{Op: program.OpUnsetBlend, D: w.unset, A: from})
	case from != 0:
		e.code.emit(program.Instruction{Op: program.OpUnsetCopy, D: w.unset, A: from})
	default:
		e.code.emit(program.Instruction{Op: program.OpUnsetClear, D: w.unset})
	}
}

// unsetValue writes an OpUnset: zeros, as variables without a value have in every run.
func (e *checks) unsetValue(in *ir.Instr) {
	v := in.Result()
	w := e.values.webOfValue(v)
	e.unsetFor(v, func(d int32) {
		if in.Imm < 0 {
			return
		}
		p, l := e.code.program, e.facts.Locals[in.Imm]
		from := program.OriginOf(program.NumberOfVariable(len(p.Variables)), 0, 0)
		p.Variables = append(p.Variables, program.Object{Name: l.Name, Pos: l.Pos})
		e.code.emit(program.Instruction{Op: program.OpUnsetDeclared, D: d, C: int32(w.class), Imm: int64(from)})
	})
	zero := copyOps[w.class].Instruction()
	zero.A = e.code.constant(w.class, 0)
	e.values.result(v, zero)
	e.blendDerived(v)
}

// loadUnset adds what finds out which bits of a scalar in memory are unset.
func (e *checks) loadUnset(v ir.Value, a *ir.Access, at address, offset int64) {
	e.unsetFor(v, func(d int32) {
		if isSet(a.Space) {
			e.code.emit(program.Instruction{Op: program.OpUnsetClear, D: d})
			return
		}
		in := at.of(program.Instruction{Op: program.OpUnsetLoads + program.Opcode(a.Kind)}, offset)
		in.D = d
		e.code.emit(in)
	})
}

// storeUnset adds what makes the bytes of a scalar in memory as unset as a value. Where they are known to be set
// always, the value decides something there.
func (e *checks) storeUnset(v ir.Value, a *ir.Access, at address, offset int64) {
	if !e.code.how.Uninit || isSet(a.Space) && e.unsetOf(v) == 0 {
		return
	}
	op := program.OpUnsetStores
	if a.Unit {
		op = program.OpUnsetUnits
	}
	in := at.of(program.Instruction{Op: op + program.Opcode(a.Kind)}, offset)
	in.D = e.unsetOf(v)
	e.code.emit(in)
}

// pickUnset adds the unset of a value that is one of several.
func (e *checks) pickUnset(v, chooser ir.Value, parts []ir.Value) {
	e.unsetFor(v, func(d int32) {
		e.code.emit(program.Instruction{Op: program.OpUnsetPick, D: d, A: e.values.reg(chooser),
			Imm: int64(len(e.code.program.Picks))})
		e.code.program.Picks = append(e.code.program.Picks, e.unsetsOf(parts))
	})
}

// groupUnsetOf adds the unset of the result of a function of a group.
func (e *checks) groupUnsetOf(v ir.Value, op ir.Op, size int64, args []ir.Value) {
	e.unsetFor(v, func(d int32) {
		e.code.emit(program.Instruction{Op: program.OpUnsetGroup, D: d, Imm: int64(len(e.code.program.Groups))})
		e.code.program.Groups = append(e.code.program.Groups, program.GroupUnset{
			Op: op, Size: int(size), Class: classOfValue(e.fn.Type(v)), Operands: e.values.regsOf(args),
			Unsets: e.unsetsOf(args),
		})
	})
}

// unsetOf returns the register of what is unset of a value, or 0.
func (e *checks) unsetOf(v ir.Value) int32 {
	if !e.code.how.Uninit || v == 0 {
		return 0
	}
	if w := e.values.webOfValue(v); w != nil {
		return w.unset
	}
	return 0
}

// unsetAtomic adds what an atomic function does to what is unset. A function that computes a new value of the old one
// decides something by it.
func (e *checks) unsetAtomic(call *atomicCall, unset int32, decides bool) {
	if unset == 0 {
		return
	}
	e.code.emit(program.Instruction{Op: program.OpUnsetLoads + program.Opcode(call.kind), A: call.pointer, D: unset})
	if call.op == ir.AtomicLoad {
		return
	}
	if decides {
		e.code.emit(program.Instruction{Op: program.OpUse, A: unset, Imm: int64(program.UseChange)})
	}
	e.code.emit(program.Instruction{Op: program.OpUnsetStores + program.Opcode(call.kind), A: call.pointer})
}

// productUnset adds what makes the unset of a product: an element depends on a row and a column.
func (e *checks) productUnset(args []ir.Value, accumulate bool, result [program.MatrixLeaves]int32) {
	if !e.hasUnset(args...) {
		return
	}
	u := e.unsetsOf(args)
	o := &program.Matrices{Elements: [program.MatrixLeaves]int32(u[:2]), Other: [program.MatrixLeaves]int32(u[2:4]),
		Result: result}
	if accumulate {
		o.Add = [program.MatrixLeaves]int32(u[4:6])
	}
	e.code.emit(program.Instruction{Op: program.OpUnsetMultiply, Imm: e.code.program.AddMatrices(o)})
}

// loadMatrixUnset adds what finds out which bits of a matrix in memory are unset.
func (e *checks) loadMatrixUnset(a *ir.MatrixAccess, number int64, unsets [program.MatrixLeaves]int32) {
	if e.code.how.Uninit && a.Space != ir.Device {
		e.code.emit(program.Instruction{Op: program.OpUnsetLoadMatrix, A: unsets[0], B: unsets[1],
			C: int32(a.Kind.Bytes()), Imm: number})
	}
}

// storeMatrixUnset adds what makes a matrix in memory as unset as its elements.
func (e *checks) storeMatrixUnset(a *ir.MatrixAccess, number int64, elements []ir.Value) {
	switch {
	case !e.code.how.Uninit:
	case a.Space == ir.Device:
		e.decides(program.UseStore, elements...)
	default:
		u := e.unsetsOf(elements)
		e.code.emit(program.Instruction{Op: program.OpUnsetStoreMatrix, A: u[0], B: u[1], C: int32(a.Kind.Bytes()),
			Imm: number})
	}
}

// beginObject adds that all of a variable in memory is set, or that nothing is, when its life begins.
func (e *checks) beginObject(pointer int32, set bool) {
	if !e.code.how.Uninit {
		return
	}
	bits := int64(allBits)
	if set {
		bits = noBits
	}
	e.code.emit(program.Instruction{Op: program.OpUnsetObject, A: pointer, Imm: bits})
}

// atomicUnset returns an unset for what an atomic function finds in an address space, or 0 where all is set.
func (e *checks) atomicUnset(space ir.Space) int32 {
	if space == ir.Device {
		return 0
	}
	return e.code.newUnset()
}

// readOperandsLate reports whether operands are looked at when results are there already.
func (e *checks) readOperandsLate() bool { return e.code.how.Uninit || e.code.how.NaN }
