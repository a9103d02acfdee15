package assemble

import (
	"slices"

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

// findUnset finds the values that may have unset bits.
func (e *emitter) findUnset() {
	f := e.facts
	e.mayUnset = make([]bool, f.Values())
	for in := range f.All() {
		if f.fixed[resultOf(in)] == 0 && begunUnset(in) {
			for _, v := range in.Results {
				e.mayUnset[v] = true
			}
		}
	}
	for _, r := range f.Routines {
		for _, v := range r.Body.Params {
			e.mayUnset[v] = true
		}
	}
	for changed := true; changed; {
		changed = false
		for body := range f.Bodies() {
			changed = e.spreadUnset(body, nil) || changed
		}
	}
}

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

// spreadUnset notes values that may be unset because others are, and reports whether there are new ones.
func (e *emitter) spreadUnset(r *ir.Region, loops []*ir.Instr) (changed bool) {
	f := e.facts
	note := func(from, to ir.Value) {
		if from != 0 && e.mayUnset[f.resolve(from)] && !e.mayUnset[to] && f.fixed[to] == 0 {
			e.mayUnset[to], changed = true, true
		}
	}
	pairs := func(from, to []ir.Value) {
		for i, v := range to {
			note(from[i], v)
		}
	}
	around := func(label int) *ir.Instr {
		for _, in := range loops {
			if in.Label() == label {
				return in
			}
		}
		return nil
	}
	for _, in := range r.Code {
		switch {
		case in.Op == ir.OpLeave:
			pairs(in.Args, around(in.Label()).Results)
		case in.Op == ir.OpAgain:
			pairs(in.Args, around(in.Label()).Regions[0].Params)
		case in.Op == ir.OpFall:
			of := around(in.Label())
			i := slices.Index(of.Regions, r)
			pairs(in.Args, of.Regions[i+1].Params)
		case len(in.Regions) > 0:
			if in.Op == ir.OpLoop {
				pairs(in.Args, in.Regions[0].Params)
			}
			for _, inner := range in.Regions {
				if in.Op == ir.OpSwitch {
					pairs(in.Args[1:], inner.Params)
				}
				changed = e.spreadUnset(inner, append(loops, in)) || changed
			}
		case in.Op == ir.OpLoad, in.Op == ir.OpTexture, in.Op == ir.OpAtomic, in.Op == ir.OpExchange,
			in.Op == ir.OpMatrixLoad,
			in.Op == ir.OpCall:
		default:
			for _, v := range in.Results {
				for _, a := range in.Args {
					note(a, v)
				}
			}
		}
	}
	return changed
}

// hasUnset reports whether values may have unset bits.
func (e *emitter) hasUnset(list ...ir.Value) bool {
	for _, v := range list {
		if e.unsetOf(v) != 0 {
			return true
		}
	}
	return false
}

// unsetsOf returns the unsets of values.
func (e *emitter) unsetsOf(list []ir.Value) []int32 {
	unsets := make([]int32, len(list))
	for i, v := range list {
		unsets[i] = e.unsetOf(v)
	}
	return unsets
}

// unsetFor calls make with where the unset of a value that is about to be made is to go, or not at all where it has
// none.
func (e *emitter) unsetFor(v ir.Value, make func(d int32)) {
	if !e.Uninit {
		return
	}
	w := e.webOfValue(v)
	if w == nil || !w.mayUnset {
		return
	}
	if masked, _ := e.masksOf(w); !masked && w.single {
		e.begin(w)
		make(w.unset)
		return
	}
	e.derived = e.allocate(program.UnsetClass)
	e.emit(program.Instruction{Op: program.OpUnsetClear, D: e.derived})
	make(e.derived)
}

// blendDerived hands what unsetFor has made to the web of the value, in the active lanes.
func (e *emitter) blendDerived(v ir.Value) {
	if e.derived == 0 {
		return
	}
	w := e.webOfValue(v)
	masked, _ := e.masksOf(w)
	if masked {
		e.emit(program.Instruction{Op: program.OpUnsetBlend, D: w.unset, A: e.derived})
	} else {
		e.emit(program.Instruction{Op: program.OpUnsetCopy, D: w.unset, A: e.derived})
	}
	e.giveBack(program.UnsetClass, e.derived)
	e.derived = 0
}

// derive adds what makes the unset of the result of an operation.
func (e *emitter) derive(v ir.Value, op program.Opcode, imm int64, args []ir.Value) {
	e.unsetFor(v, func(d int32) {
		if !e.hasUnset(args...) {
			e.emit(program.Instruction{Op: program.OpUnsetClear, D: d})
			return
		}
		e.emit(program.Instruction{Op: program.OpUnsetDerived, D: d, Imm: int64(len(e.program.Derived))})
		e.program.Derived = append(e.program.Derived, program.DerivedUnset{
			Op: op, Class: classOfValue(e.Type(v)), Operands: e.regsOf(args), Unsets: e.unsetsOf(args), Imm: imm,
		})
	})
}

// decides adds what reports values whose unset bits decide something. use says what their thread does with them: it
// "branches on" them.
func (e *emitter) decides(does program.Purpose, list ...ir.Value) {
	if !e.Uninit {
		return
	}
	for _, v := range list {
		if u := e.unsetOf(v); u != 0 {
			e.emit(program.Instruction{Op: program.OpUse, A: u, Imm: int64(does)})
		}
	}
}

// assignUnset follows an assignment to a web.
func (e *emitter) assignUnset(w *web, from int32, masked bool) {
	switch {
	case w.unset == 0 || w.unset == from:
	case masked:
		e.emit(program.Instruction{Op: program.OpUnsetBlend, D: w.unset, A: from})
	case from != 0:
		e.emit(program.Instruction{Op: program.OpUnsetCopy, D: w.unset, A: from})
	default:
		e.emit(program.Instruction{Op: program.OpUnsetClear, D: w.unset})
	}
}

// unsetValue writes an OpUnset: zeros, as variables without a value have in every run.
func (e *emitter) unsetValue(in *ir.Instr) {
	v := in.Result()
	w := e.webOfValue(v)
	e.unsetFor(v, func(d int32) {
		if in.Imm < 0 {
			return
		}
		p, l := e.program, e.facts.Locals[in.Imm]
		from := program.OriginOf(program.NumberOfVariable(len(p.Variables)), 0, 0)
		p.Variables = append(p.Variables, program.Object{Name: l.Name, Pos: l.Pos})
		e.emit(program.Instruction{Op: program.OpUnsetDeclared, D: d, C: int32(w.class), Imm: int64(from)})
	})
	zero := copyOps[w.class].Instruction()
	zero.A = e.constant(w.class, 0)
	e.result(v, zero)
	e.blendDerived(v)
}

// loadUnset adds what finds out which bits of a scalar in memory are unset.
func (e *emitter) loadUnset(v ir.Value, a *ir.Access, at address, offset int64) {
	e.unsetFor(v, func(d int32) {
		if isSet(a.Space) {
			e.emit(program.Instruction{Op: program.OpUnsetClear, D: d})
			return
		}
		in := at.of(program.Instruction{Op: program.OpUnsetLoads + program.Opcode(a.Kind)}, offset)
		in.D = d
		e.emit(in)
	})
}

// storeUnset adds what makes the bytes of a scalar in memory as unset as a value. Where they are known to be set
// always, the value decides something there.
func (e *emitter) storeUnset(v ir.Value, a *ir.Access, at address, offset int64) {
	if !e.Uninit || isSet(a.Space) && e.unsetOf(v) == 0 {
		return
	}
	op := program.OpUnsetStores
	if a.Unit {
		op = program.OpUnsetUnits
	}
	in := at.of(program.Instruction{Op: op + program.Opcode(a.Kind)}, offset)
	in.D = e.unsetOf(v)
	e.emit(in)
}

// pickUnset adds the unset of a value that is one of several.
func (e *emitter) pickUnset(v, chooser ir.Value, parts []ir.Value) {
	e.unsetFor(v, func(d int32) {
		e.emit(program.Instruction{Op: program.OpUnsetPick, D: d, A: e.reg(chooser), Imm: int64(len(e.program.Picks))})
		e.program.Picks = append(e.program.Picks, e.unsetsOf(parts))
	})
}

// groupUnset adds the unset of the result of a function of a group.
func (e *emitter) groupUnsetOf(v ir.Value, op ir.Op, size int64, args []ir.Value) {
	e.unsetFor(v, func(d int32) {
		e.emit(program.Instruction{Op: program.OpUnsetGroup, D: d, Imm: int64(len(e.program.Groups))})
		e.program.Groups = append(e.program.Groups, program.GroupUnset{
			Op: op, Size: int(size), Class: classOfValue(e.Type(v)), Operands: e.regsOf(args), Unsets: e.unsetsOf(args),
		})
	})
}
