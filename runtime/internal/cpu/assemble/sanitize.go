package assemble

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// Where the device has a sanitizer, a program has an instruction before each access to memory that says what it is
// going to touch, and barriers say what they order. Accesses that belong together touch memory at once. Where the
// device has a schedule, simd-groups may stop before each access.

// checks writes what the sanitizer wants to know, and the places where a schedule stops.
type checks struct {
	code    *code
	facts   *facts
	fn      *ranges
	values  *values
	orders  *orders
	whole   int   // accesses that have been touched already
	derived int32 // the unset that a masked result is to have, or 0
}

// pauses adds a place where a schedule may stop the simd-group, before an access.
func (e *checks) pauses(space ir.Space, writes bool) {
	if e.code.how.Pause {
		e.code.emit(program.Instruction{Flow: program.FlowPause})
	}
	e.orders.notes(space, writes)
}

// reaches1 adds what is to be said before an access. Of those that belong together it is said before the first.
func (e *checks) reaches1(in *ir.Instr, a *ir.Access, at address) {
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
	outer := e.code.pos
	e.code.pos = e.code.sitePos(a)
	e.decides(program.UseAddress, in.Args[0])
	if a.Index != ir.Void {
		e.decides(program.UseIndex, in.Args[1])
	}
	if e.code.how.Sanitize && e.facts.fixed[in.Args[0]] == 0 || e.code.how.Sanitize && !e.isPrologue(in) {
		e.touch(list, a, at, writes)
	}
	e.code.pos = outer
}

// isPrologue reports whether an access is a load of the prologue, of what no thread writes.
func (e *checks) isPrologue(in *ir.Instr) bool {
	return in.Op == ir.OpLoad && e.facts.fixed[in.Results[0]] != 0
}

// touching is an access with its instruction.
type touching struct {
	in *ir.Instr
	a  *ir.Access
}

// together returns the accesses that belong together, starting with the first.
func (e *checks) together(in *ir.Instr, a *ir.Access) []touching {
	list := []touching{{in, a}}
	for at := e.fn.at + 1; len(list) < a.Whole && int(at) < len(e.fn.steps); at++ {
		s := &e.fn.steps[at]
		if s.kind != stepInstr || s.in.Op != ir.OpLoad && s.in.Op != ir.OpStore {
			continue
		}
		list = append(list, touching{s.in, s.in.Aux.(*ir.Access)})
	}
	return list
}

// touch says that accesses touch memory: what of it lies side by side at once.
func (e *checks) touch(list []touching, a *ir.Access, at address, writes bool) {
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
				s.Components = append(s.Components, program.Component{Kind: e.kindOf(t),
					Offset: int(t.a.Offset) + i*t.a.Kind.Bytes(),
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
		if e.code.how.Shape && (a.Space == ir.Device || a.Space == ir.ConstantSpace) {
			e.compareExtent(in, writes)
		}
		e.emitSite(in, s)
	}
}

// storedReg returns the register of what a store is going to store, which may be yet to come.
func (e *checks) storedReg(v ir.Value) int32 {
	if w := e.values.webOfValue(v); w != nil && !w.begun {
		return -1
	}
	return e.values.reg(v)
}

func handleOf(a *ir.Access) tree.Kind {
	if a.Kind == ir.Address64 {
		return tree.Pointer
	}
	return tree.Void
}

// kindOf returns the scalar that an access reaches, as messages show it.
func (e *checks) kindOf(t touching) tree.ScalarKind {
	if t.a.Kind == ir.Word32 && t.a.Signed {
		return tree.Int
	}
	if t.a.Kind == ir.Word64 && t.a.Signed {
		return tree.Long
	}
	return treeKinds[t.a.Kind]
}

// compareExtent adds what compares an access with the shape of its buffer.
func (e *checks) compareExtent(in program.Instruction, writes bool) {
	in.Op = program.OpExtentReads
	if writes {
		in.Op = program.OpExtentWrites
	}
	e.code.emit(in)
}

// emitSite adds an instruction that says what is touched at a site.
func (e *checks) emitSite(in program.Instruction, s program.Site) {
	in.Scope = int32(len(e.code.program.Sites))
	e.code.emit(in)
	s.Pos = e.code.pos
	e.code.program.Sites = append(e.code.program.Sites, s)
}

// entered adds what counts how often a construct with a barrier in it is entered.
func (e *checks) entered(c *laneConstruct) {
	if !e.code.how.Sanitize || !c.barrier {
		return
	}
	in := program.OpCount.Instruction()
	in.C, in.B = c.id, c.count
	e.code.emit(in)
}

// noteLeave adds what notes where lanes leave a construct with a barrier in it early, or in a loop a round of it.
func (e *checks) noteLeave(how program.Departure, construct int32) {
	c := &e.fn.constructs[construct]
	if !e.code.how.Sanitize || !c.barrier {
		return
	}
	in := program.OpDeparture.Instruction()
	in.C, in.B, in.Imm = c.id, c.count, int64(how)
	e.code.emit(in)
}

// simdBarrier writes simdgroup_barrier, which only the sanitizer needs.
func (e *checks) simdBarrier(in *ir.Instr) {
	if e.code.how.Sanitize {
		e.code.emit(program.Instruction{Op: program.OpSimdBarrier, A: e.values.reg(in.Args[0])})
	}
}

// fence writes atomic_thread_fence, which only the sanitizer needs: the device's atomics order all memory.
func (e *checks) fence(in *ir.Instr) {
	if e.code.how.Sanitize {
		e.code.emit(program.Instruction{Op: program.OpFence, A: e.values.reg(in.Args[0]), B: e.values.reg(in.Args[1]),
			C: e.values.reg(in.Args[2])})
	}
}

func (e *checks) textureFence(*ir.Instr) {
	if e.code.how.Sanitize {
		e.code.emit(program.Instruction{Op: program.OpTextureFence})
	}
}

// touchAtomic adds what says that an atomic in an address space is touched.
func (e *checks) touchAtomic(space ir.Space, pointer int32, kind ir.Scalar, writes bool) {
	e.pauses(space, false)
	if writes {
		e.orders.notes(space, true)
	}
	if !e.code.how.Sanitize {
		return
	}
	op := program.OpTouchAtomicLoads
	if writes {
		op = program.OpTouchAtomicWrites
	}
	in := program.Instruction{Op: op, A: pointer, D: int32(kind.Bytes())}
	if e.code.how.Shape {
		e.compareExtent(in, writes)
	}
	e.emitSite(in, program.Site{Components: []program.Component{{Kind: treeKinds[kind]}}})
}

// observeAtomic adds what says that an atomic was touched.
func (e *checks) observeAtomic(pointer int32, kind ir.Scalar) {
	if e.code.how.Sanitize {
		in := program.OpObserve.Instruction()
		in.A, in.D = pointer, int32(kind.Bytes())
		e.code.emit(in)
	}
}

// watchNaN adds what looks whether an operation has made a NaN of up to three operands that are not NaNs.
func (e *checks) watchNaN(result int32, operands []int32) {
	in := program.OpNaN.Instruction()
	in.A, in.Imm = result, int64(len(operands))
	for i, field := range []*int32{&in.B, &in.C, &in.Target}[:len(operands)] {
		*field = operands[i]
	}
	e.code.emit(in)
}

func (e *checks) decidesAtomic(pointer, value ir.Value) {
	e.decides(program.UseAddress, pointer)
	e.decides(program.UseAtomic, value)
}

// decidesTexel is decides for what is written to a texture. Components that its format lacks do not matter.
func (e *checks) decidesTexel(texture int32, texel []ir.Value) {
	for i, v := range texel {
		u := e.unsetOf(v)
		if u == 0 {
			continue
		}
		e.code.emit(program.Instruction{Op: program.OpUseTexel, A: u, B: texture, Imm: int64(i)})
	}
}

// touchMatrix adds what says that the elements of a matrix are touched.
func (e *checks) touchMatrix(number int64, a *ir.MatrixAccess, writes bool) {
	e.pauses(a.Space, writes)
	if !e.code.how.Sanitize {
		return
	}
	in := program.Instruction{Op: program.OpTouchMatrix, D: int32(a.Kind.Bytes()), Imm: number}
	if writes {
		in.C = 1
	}
	if e.code.how.Shape {
		extent := in
		extent.Op = program.OpExtentMatrix
		e.code.emit(extent)
	}
	e.emitSite(in, program.Site{})
}

// touchesOf say which texels a call of a method is going to touch.
var touchesOf = map[tree.TextureMethod]program.Opcode{
	tree.TextureRead: program.OpTouchTexels, tree.TextureWrite: program.OpTouchTexelWrites,
	tree.TextureSample: program.OpTouchSampled, tree.TextureSampleCompare: program.OpTouchSampled,
	tree.TextureGather: program.OpTouchGathered, tree.TextureGatherCompare: program.OpTouchGathered,
}

// touchTexture adds what says which texels a call of a method is going to touch, and where a schedule may stop before
// it.
func (e *checks) touchTexture(method tree.TextureMethod, number int64) {
	touch := touchesOf[method]
	if touch == 0 {
		return
	}
	if e.code.how.Pause {
		e.code.emit(program.Instruction{Flow: program.FlowPause})
	}
	if e.code.how.Sanitize {
		e.emitSite(program.Instruction{Op: touch, Imm: number}, program.Site{})
	}
}

// flagsOf returns the register of the flags of a barrier, which only the sanitizer needs.
func (e *checks) flagsOf(in *ir.Instr) int32 {
	if !e.code.how.Sanitize {
		return 0
	}
	return e.values.reg(in.Args[0])
}
