package ir

// auxChecks check what is particular to an operation: its Imm and Aux.
var auxChecks [ops]func(v *verifier, in *Instr)

func init() {
	auxChecks = [ops]func(v *verifier, in *Instr){
		OpLeave: func(v *verifier, in *Instr) {
			if f := v.goesOn(in); f != nil {
				v.same(in, "operands", v.typesOf(f.in.Results), in.Args)
			}
		},
		OpAgain: func(v *verifier, in *Instr) {
			if f := v.goesOn(in); f != nil {
				if f.in.Op != OpLoop {
					v.fail(in, "label %d is not a loop's", in.Label())
				}
				v.same(in, "operands", v.typesOf(f.in.Args), in.Args)
			}
		},
		OpFall: func(v *verifier, in *Instr) {
			f := v.goesOn(in)
			if f == nil {
				return
			}
			if f.in.Op != OpSwitch || f != v.open[len(v.open)-1] || f.region == len(f.in.Regions)-1 {
				v.fail(in, "there is no next case")
				return
			}
			v.same(in, "operands", v.typesOf(f.in.Args[1:]), in.Args)
		},
		OpReturn: func(v *verifier, in *Instr) { v.same(in, "operands", v.results, in.Args) },
		OpCall: func(v *verifier, in *Instr) {
			if v.below(in, len(v.Routines), "routine") {
				r := v.Routines[in.Imm]
				v.same(in, "operands", v.typesOf(r.Body.Params), in.Args)
				v.same(in, "results", r.Results, in.Results)
			}
		},
		OpGet:      func(v *verifier, in *Instr) { v.local(in) },
		OpSet:      func(v *verifier, in *Instr) { v.local(in) },
		OpUnset:    func(v *verifier, in *Instr) { v.local(in) },
		OpInput:    func(v *verifier, in *Instr) { v.below(in, len(v.Inputs), "input") },
		OpConstant: func(v *verifier, in *Instr) { v.below(in, len(v.Constants), "function constant") },
		OpDefined:  func(v *verifier, in *Instr) { v.below(in, len(v.Constants), "function constant") },
		OpAddress: func(v *verifier, in *Instr) {
			if v.below(in, len(v.Objects), "object") && in.Imm > 0 {
				v.object(in, v.Objects[in.Imm])
			}
		},
		OpToMem:   has[HandleKind],
		OpFromMem: has[HandleKind],
		OpLoad:    func(v *verifier, in *Instr) { v.access(in, in.Results, len(in.Args)) },
		OpStore: func(v *verifier, in *Instr) {
			if a, ok := in.Aux.(*Access); ok {
				first := a.operands()
				v.access(in, in.Args[min(first, len(in.Args)):], first)
			} else {
				v.fail(in, "it has no access")
			}
		},
		OpCheck: func(v *verifier, in *Instr) {
			if a, ok := in.Aux.(*Access); !ok || len(in.Args) != a.operands() || a.Count < 1 {
				v.fail(in, "it has no access, or not its operands")
			}
		},
		OpAtomic:      has[*AtomicAccess],
		OpExchange:    has[*AtomicAccess],
		OpMatrixLoad:  has[*MatrixAccess],
		OpMatrixStore: has[*MatrixAccess],
		OpTexture: func(v *verifier, in *Instr) {
			has[*TextureCall](v, in)
			if len(in.Args) < TextureTexel || in.Args[TextureHandleAt] == 0 {
				v.fail(in, "its operands are not at their places")
			}
		},
		OpLog: func(v *verifier, in *Instr) {
			has[*LogCall](v, in)
			n := 1
			if call, ok := in.Aux.(*LogCall); ok {
				for _, a := range call.Args {
					n += a.Count
				}
				if n != len(in.Args) {
					v.fail(in, "%d operands, not %d", len(in.Args), n)
				}
			}
		},
		OpPick: func(v *verifier, in *Instr) {
			if len(in.Args) < 2 {
				v.fail(in, "there is nothing to pick")
			}
		},
		OpFault: has[string],
	}
}

// has checks that the Aux of an instruction is a T.
func has[T any](v *verifier, in *Instr) {
	if _, ok := in.Aux.(T); !ok {
		v.fail(in, "its Aux is a %T", in.Aux)
	}
}

// object checks an object that an instruction has the address of.
func (v *verifier) object(in *Instr, o *Object) {
	switch {
	case o == nil || o.Kind >= objectKinds:
		v.fail(in, "there is no object %d", in.Imm)
	case o.Routine >= len(v.Routines):
		v.fail(in, "%s is of a routine that is not there", o.Name)
	case o.Kind == Table && o.Handles == nil && o.Size != len(o.Bytes):
		v.fail(in, "%s has %d bytes, not %d", o.Name, len(o.Bytes), o.Size)
	}
}

// below checks that Imm is the number of one of n things.
func (v *verifier) below(in *Instr, n int, what string) bool {
	if in.Imm < 0 || in.Imm >= int64(n) {
		v.fail(in, "there is no %s %d", what, in.Imm)
		return false
	}
	return true
}

func (v *verifier) local(in *Instr) {
	if in.Op == OpUnset && in.Imm < 0 { // of no variable of the source
		return
	}
	if v.below(in, len(v.Locals), "local") && v.Locals[in.Imm].Type.Held() != in.Type.Held() {
		v.fail(in, "the local is %s", v.Locals[in.Imm].Type)
	}
}

// access checks what a load or a store reaches. values are what is loaded or stored, and operands how many come before
// those of a store.
func (v *verifier) access(in *Instr, values []Value, operands int) {
	a, ok := in.Aux.(*Access)
	switch {
	case !ok:
		v.fail(in, "it has no access")
	case a.Kind >= scalars || a.Space >= spaces:
		v.fail(in, "its access has no kind or no address space")
	case a.Count != len(values) || a.Count < 1:
		v.fail(in, "%d values, not %d", len(values), a.Count)
	case operands != a.operands():
		v.fail(in, "its index is missing, or not wanted")
	case a.Kind.Held() != in.Type.Held():
		v.fail(in, "it reaches %s as %s", a.Kind, in.Type)
	case a.Index != Void && (a.Scale <= 0 || !onIntegers.has(a.Index)):
		v.fail(in, "an index of %s times %d bytes", a.Index, a.Scale)
	case a.Index != Void && v.Type(in.Args[1]) != a.Index.Held():
		v.fail(in, "its index is %s, not %s", v.Type(in.Args[1]), a.Index.Held())
	}
}

// operands returns how many operands say where an access is.
func (a *Access) operands() int {
	if a.Index != Void {
		return 2
	}
	return 1
}
