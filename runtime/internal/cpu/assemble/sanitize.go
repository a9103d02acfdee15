package assemble

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// Where the device has a sanitizer, a program has an instruction before each access to memory that says what it is
// going to touch, and barriers say what they order. Accesses that belong together touch memory at once. Where the
// device has a schedule, simd-groups may stop before each access.

// pauses adds a place where a schedule may stop the simd-group, before an access.
func (e *emitter) pauses(space ir.Space, writes bool) {
	if e.Pause {
		e.emit(program.Instruction{Flow: program.FlowPause})
	}
	e.notes(space, writes)
}

// reaches1 adds what is to be said before an access. Of those that belong together it is said before the first.
func (e *emitter) reaches1(in *ir.Instr, a *ir.Access, at address) {
	if e.whole > 0 {
		e.whole--
		return
	}
	if a.Whole > 1 {
		e.whole = a.Whole - 1
	}
	list := e.together(in, a)
	writes := false
	for _, t := range list {
		writes = writes || t.in.Op == ir.OpStore
	}
	e.pauses(a.Space, writes)
	outer := e.pos
	e.pos = e.sitePos(a)
	e.decides(program.UseAddress, in.Args[0])
	if a.Index != ir.Void {
		e.decides(program.UseIndex, in.Args[1])
	}
	if e.Sanitize && e.facts.fixed[in.Args[0]] == 0 || e.Sanitize && !e.isPrologue(in) {
		e.touch(list, a, at, writes)
	}
	e.pos = outer
}

// isPrologue reports whether an access is a load of the prologue, of what no thread writes.
func (e *emitter) isPrologue(in *ir.Instr) bool {
	return in.Op == ir.OpLoad && e.facts.fixed[in.Results[0]] != 0
}

// touching is an access with its instruction.
type touching struct {
	in *ir.Instr
	a  *ir.Access
}

// together returns the accesses that belong together, of which one is the first.
func (e *emitter) together(in *ir.Instr, a *ir.Access) []touching {
	list := []touching{{in, a}}
	for at := e.at + 1; len(list) < a.Whole && int(at) < len(e.steps); at++ {
		s := &e.steps[at]
		if s.kind != stepInstr || s.in.Op != ir.OpLoad && s.in.Op != ir.OpStore {
			continue
		}
		list = append(list, touching{s.in, s.in.Aux.(*ir.Access)})
	}
	return list
}

// touch says that accesses touch memory: what of it lies side by side at once.
func (e *emitter) touch(list []touching, a *ir.Access, at address, writes bool) {
	op := program.OpTouchReads
	if writes {
		op = program.OpTouchWrites
	}
	for len(list) > 0 {
		first := list[0].a
		start, end := first.Offset, first.Offset
		var s program.Site
		known := true
		for len(list) > 0 && (list[0].a.Offset == end || list[0].a.Bits && writes && list[0].a.Offset < end) {
			t := list[0]
			list = list[1:]
			if t.a.Offset < end || writes && t.in.Op == ir.OpLoad {
				known = false
			}
			known = known && !t.a.Bits && !t.a.Packed
			for i := range t.a.Count {
				s.Components = append(s.Components, program.Component{Kind: e.kindOf(t), Offset: int(t.a.Offset) + i*t.a.Kind.Bytes(),
					Handle: handleOf(t.a)})
				if t.in.Op == ir.OpStore {
					s.Stored = append(s.Stored, e.storedReg(t.in.Args[len(t.in.Args)-t.a.Count+i]))
				}
			}
			end = max(end, t.a.Offset+int64(t.a.Count*t.a.Kind.Bytes()))
		}
		if !known {
			s = program.Site{}
		}
		in := at.of(program.Instruction{Op: op}, start)
		in.D = int32(end - start)
		if e.Shape && (a.Space == ir.Device || a.Space == ir.ConstantSpace) {
			e.compareExtent(in, writes)
		}
		e.emitSite(in, s)
	}
}

// storedReg returns the register of what a store is going to store, which may be yet to come.
func (e *emitter) storedReg(v ir.Value) int32 {
	if w := e.webOfValue(v); w != nil && !w.begun {
		return -1
	}
	return e.reg(v)
}

func handleOf(a *ir.Access) tree.Kind {
	if a.Kind == ir.Address64 {
		return tree.Pointer
	}
	return tree.Void
}

// kindOf returns the scalar that an access reaches, as messages show it.
func (e *emitter) kindOf(t touching) tree.ScalarKind {
	if t.a.Kind == ir.Word32 && t.a.Signed {
		return tree.Int
	}
	if t.a.Kind == ir.Word64 && t.a.Signed {
		return tree.Long
	}
	return treeKinds[t.a.Kind]
}

// compareExtent adds what compares an access with the shape of its buffer.
func (e *emitter) compareExtent(in program.Instruction, writes bool) {
	in.Op = program.OpExtentReads
	if writes {
		in.Op = program.OpExtentWrites
	}
	e.emit(in)
}

// emitSite adds an instruction that says what is touched at a site.
func (e *emitter) emitSite(in program.Instruction, s program.Site) {
	in.Scope = int32(len(e.program.Sites))
	e.emit(in)
	s.Pos = e.pos
	e.program.Sites = append(e.program.Sites, s)
}

// entered adds what counts how often a construct with a barrier in it is entered.
func (e *emitter) entered(c *laneConstruct) {
	if !e.Sanitize || !c.barrier {
		return
	}
	in := program.OpCount.Instruction()
	in.C, in.B = c.id, c.count
	e.emit(in)
}

// noteLeave adds what notes where lanes leave a construct with a barrier in it early, or in a loop a round of it.
func (e *emitter) noteLeave(how program.Departure, construct int32) {
	c := &e.constructs[construct]
	if !e.Sanitize || !c.barrier {
		return
	}
	in := program.OpDeparture.Instruction()
	in.C, in.B, in.Imm = c.id, c.count, int64(how)
	e.emit(in)
}

// barrier writes threadgroup_barrier.
func (e *emitter) barrier(in *ir.Instr) {
	p := e.program
	flow := program.Instruction{Flow: program.FlowBarrier, Imm: int64(len(p.Barriers))}
	if e.Sanitize {
		flow.A = e.reg(in.Args[0])
	}
	var all []program.Around
	for n := e.steps[e.at].construct; n >= 0; n = e.constructs[n].outer {
		c := &e.constructs[n]
		if c.maskless || c.kind == program.CallConstruct && c.in != nil && c.in.Aux == nil {
			continue
		}
		all = append(all, program.Around{Kind: c.kind, Id: c.id, Pos: c.pos, Active: c.active, Count: c.count})
	}
	if e.routine >= 0 {
		all = append(all, program.Around{Kind: program.KernelConstruct, Id: 1, Active: p.Alive})
	}
	for i, j := 0, len(all)-1; i < j; i, j = i+1, j-1 {
		all[i], all[j] = all[j], all[i]
	}
	p.Barriers = append(p.Barriers, all)
	flags, known := e.Bits(e.resolve(in.Args[0]))
	if !known {
		flags = program.MemDevice
	}
	e.orders.flags |= int64(flags)
	e.emit(flow)
}

// simdBarrier writes simdgroup_barrier, which only the sanitizer needs.
func (e *emitter) simdBarrier(in *ir.Instr) {
	if e.Sanitize {
		e.emit(program.Instruction{Op: program.OpSimdBarrier, A: e.reg(in.Args[0])})
	}
}

// fence writes atomic_thread_fence, which only the sanitizer needs: the device's atomics order all memory.
func (e *emitter) fence(in *ir.Instr) {
	if e.Sanitize {
		e.emit(program.Instruction{Op: program.OpFence, A: e.reg(in.Args[0]), B: e.reg(in.Args[1]), C: e.reg(in.Args[2])})
	}
}

func (e *emitter) textureFence(*ir.Instr) {
	if e.Sanitize {
		e.emit(program.Instruction{Op: program.OpTextureFence})
	}
}

// touchAtomic adds what says that an atomic in an address space is touched.
func (e *emitter) touchAtomic(space ir.Space, pointer int32, kind ir.Scalar, writes bool) {
	e.pauses(space, false)
	if writes {
		e.notes(space, true)
	}
	if !e.Sanitize {
		return
	}
	op := program.OpTouchAtomicLoads
	if writes {
		op = program.OpTouchAtomicWrites
	}
	in := program.Instruction{Op: op, A: pointer, D: int32(kind.Bytes())}
	if e.Shape {
		e.compareExtent(in, writes)
	}
	e.emitSite(in, program.Site{Components: []program.Component{{Kind: treeKinds[kind]}}})
}

// observeAtomic adds what says that an atomic was touched.
func (e *emitter) observeAtomic(pointer int32, kind ir.Scalar) {
	if e.Sanitize {
		in := program.OpObserve.Instruction()
		in.A, in.D = pointer, int32(kind.Bytes())
		e.emit(in)
	}
}
