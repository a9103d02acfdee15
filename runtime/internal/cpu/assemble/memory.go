package assemble

import (
	"slices"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// uniformScalar is a load of the prologue: of what no thread can change.
type uniformScalar struct {
	object int
	offset int64
	kind   ir.Scalar
	handle int // the HandleKind of what it leads to, plus one
}

// hoistLoad makes loads of constant arguments at known places, and of constants of the source, part of the prologue.
func (e *emitter) hoistLoad(in *ir.Instr, a *ir.Access) {
	f := e.facts
	made := f.by[in.Args[0]]
	if made == nil || made.Op != ir.OpAddress || a.Space != ir.ConstantSpace || a.Index != ir.Void || a.Bits || a.Packed {
		return
	}
	o := f.Objects[made.Imm]
	if o.Kind != ir.Table && (!e.Hoist || o.Whole == nil || o.Kind != ir.PassedValue && o.Kind != ir.Buffer) ||
		o.Handles != nil {
		return
	}
	size := int64(a.Kind.Bytes())
	if a.Offset < 0 || a.Offset+size*int64(a.Count) > int64(o.Size) {
		return
	}
	e.pos = in.Pos
	e.registers.pos = e.position()
	for i, v := range in.Results {
		f.fixed[v] = e.uniform(uniformScalar{int(made.Imm), a.Offset + size*int64(i), a.Kind, 0}) + 1
	}
}

// uniform returns the register of a scalar that the prologue loads.
func (e *emitter) uniform(s uniformScalar) int32 {
	if r, ok := e.uniforms[s]; ok {
		return r
	}
	e.checkCode()
	p := e.program
	r := e.registers.extend(classOfValue(s.kind.Held()), 1)
	in := (program.OpLoads + program.Opcode(s.kind)).Instruction()
	in.D, in.A, in.Imm, in.Pos = r, e.constant(program.LongClass, program.PointerTo(s.object)), s.offset, e.pos
	p.Prologue = append(p.Prologue, in)
	p.Hoisted = append(p.Hoisted, program.Hoisted{Object: s.object, End: s.offset + int64(s.kind.Bytes())})
	e.uniforms[s] = r
	return r
}

// handleOps find what handles in memory lead to.
var handleOps = [...]program.Opcode{
	ir.PointerHandle: program.OpPointerFrom, ir.TextureHandle: program.OpTextureFrom, ir.SamplerHandle: program.OpSamplerFrom,
}

// hoistHandle makes what is found by a number of the prologue part of that.
func (e *emitter) hoistHandle(in *ir.Instr) {
	if in.Op != ir.OpFromMem || e.facts.fixed[in.Args[0]] == 0 {
		return
	}
	r := e.registers.extend(program.LongClass, 1)
	find := program.Instruction{Op: handleOps[in.Aux.(ir.HandleKind)], D: r, A: e.facts.fixed[in.Args[0]] - 1, Pos: in.Pos}
	e.program.Prologue = append(e.program.Prologue, find)
	e.facts.fixed[in.Result()] = r + 1
}

func (e *emitter) fromMem(in *ir.Instr) {
	op := program.Instruction{Op: handleOps[in.Aux.(ir.HandleKind)], A: e.reg(in.Args[0])}
	if e.Uninit {
		e.derive(in.Result(), op.Op, 0, in.Args)
	}
	e.result(in.Result(), op)
	e.blendDerived(in.Result())
}

// movePointer writes pointer arithmetic. The forms for 32 bits are for elements that are not too large.
func (e *emitter) movePointer(in *ir.Instr) {
	if in.Type == ir.S64 || in.Imm <= program.MaxElement {
		e.operate(in.Results, program.OpcodeOf(ir.OpMove, in.Type, 0), in.Imm, false, in.Args...)
		return
	}
	if e.Uninit {
		e.derive(in.Result(), program.OpcodeOf(ir.OpMove, in.Type, 0), 0, in.Args)
	}
	e.widened(in.Type, e.reg(in.Args[1]), func(index int32) {
		move := program.OpcodeOf(ir.OpMove, ir.S64, 0).Instruction()
		move.A, move.B, move.Imm = e.reg(in.Args[0]), index, in.Imm
		e.result(in.Result(), move)
	})
	e.blendDerived(in.Result())
}

// widened calls do with a register of 64 bits that holds an integer of 32.
func (e *emitter) widened(t ir.Type, r int32, do func(index int32)) {
	e.temporary(program.LongClass, func(index int32) {
		widen := program.OpcodeOf(ir.OpWiden, t, 0).Instruction()
		widen.D, widen.A = index, r
		e.emit(widen)
		do(index)
	})
}

// address is where an access is: the fields of an instruction.
type address struct {
	pointer, index, indexed, scale int32
	temp                           int32 // a register that is to be freed
}

// of makes an instruction one that reaches an address.
func (a *address) of(in program.Instruction, offset int64) program.Instruction {
	in.A, in.B, in.C, in.Target, in.Imm = a.pointer, a.index, a.indexed, a.scale, offset
	return in
}

// indexKinds are what the index of an access holds.
var indexKinds = map[ir.Type]int32{
	ir.Void: program.NoIndex, ir.S32: program.IntIndex, ir.U32: program.UintIndex, ir.S64: program.LongIndex, ir.U64: program.LongIndex,
}

// addressOf returns where an access is. Where it reaches several scalars, the pointer is moved once.
func (e *emitter) addressOf(in *ir.Instr, a *ir.Access) address {
	at := address{pointer: e.reg(in.Args[0])}
	if a.Index == ir.Void {
		return at
	}
	index := e.reg(in.Args[1])
	if a.Scale <= program.MaxElement && (a.Count == 1 && a.Whole == 0 && e.whole == 0) {
		at.index, at.indexed, at.scale = index, indexKinds[a.Index], a.Scale
		return at
	}
	if m := &e.moved; m.valid && m.at.pointer == in.Args[0] && m.at.index == in.Args[1] && m.at.scale == a.Scale {
		return address{pointer: m.reg}
	}
	at.temp = e.allocate(program.LongClass)
	move := func(t ir.Type, by int32) {
		op := program.OpcodeOf(ir.OpMove, t, 0).Instruction()
		op.D, op.A, op.B, op.Imm = at.temp, at.pointer, by, int64(a.Scale)
		e.emit(op)
	}
	switch {
	case a.Index.Bits() == 64:
		move(ir.S64, index)
	case a.Scale <= program.MaxElement:
		move(a.Index, index)
	default:
		e.widened(a.Index, index, func(wide int32) { move(ir.S64, wide) })
	}
	at.pointer = at.temp
	if a.Whole > 1 {
		e.moved = movedPointer{valid: true, at: movedAt{in.Args[0], in.Args[1], a.Scale}, reg: at.temp}
		at.temp = 0
	}
	return at
}

// movedPointer is the pointer of accesses that belong together, which have been moved once.
type movedPointer struct {
	valid bool
	at    movedAt
	reg   int32
}

type movedAt struct {
	pointer, index ir.Value
	scale          int32
}

// free frees what addressOf allocated.
func (e *emitter) free(at address) {
	if at.temp != 0 {
		e.giveBack(program.LongClass, at.temp)
	}
	if e.whole == 0 && e.moved.valid {
		e.giveBack(program.LongClass, e.moved.reg)
		e.moved.valid = false
	}
}

// sitePos returns the index of the position at which the sanitizer sees an access.
func (e *emitter) sitePos(a *ir.Access) int32 {
	if a.Site == (parser.Pos{}) {
		return e.pos
	}
	i, ok := e.sitesAt[a.Site]
	if !ok {
		if e.sitesAt == nil {
			e.sitesAt = map[parser.Pos]int32{}
			e.program.Positions = slices.Clip(e.program.Positions)
		}
		i = int32(len(e.program.Positions))
		e.program.Positions = append(e.program.Positions, a.Site)
		e.sitesAt[a.Site] = i
	}
	return i
}

func (e *emitter) load(in *ir.Instr) {
	a := in.Aux.(*ir.Access)
	if e.facts.fixed[in.Results[0]] != 0 {
		e.pauses(a.Space, false)
		return
	}
	at := e.addressOf(in, a)
	e.reaches1(in, a, at)
	size := int64(a.Kind.Bytes())
	for i, v := range in.Results {
		offset := a.Offset + size*int64(i)
		if e.webOfValue(v) == nil {
			continue
		}
		e.loadUnset(v, a, at, offset)
		if i == len(in.Results)-1 && at.temp == 0 && !e.moved.valid {
			e.reuse()
		}
		e.result(v, at.of((program.OpLoads+program.Opcode(a.Kind)).Instruction(), offset))
		e.blendDerived(v)
	}
	e.free(at)
}

func (e *emitter) store(in *ir.Instr) {
	a := in.Aux.(*ir.Access)
	at := e.addressOf(in, a)
	e.reaches1(in, a, at)
	values := in.Args[len(in.Args)-a.Count:]
	size := int64(a.Kind.Bytes())
	for i, v := range values {
		offset := a.Offset + size*int64(i)
		e.storeUnset(v, a, at, offset)
		store := at.of((program.OpStores + program.Opcode(a.Kind)).Instruction(), offset)
		store.D = e.reg(v)
		e.emit(store)
	}
	e.free(at)
}

// check writes a check of an access, which a load does.
func (e *emitter) check(in *ir.Instr) {
	a := in.Aux.(*ir.Access)
	at := e.addressOf(in, a)
	size := int64(a.Kind.Bytes())
	for i := range a.Count {
		e.temporary(classOfValue(a.Kind.Held()), func(t int32) {
			load := at.of((program.OpLoads + program.Opcode(a.Kind)).Instruction(), a.Offset+size*int64(i))
			load.D = t
			e.emit(load)
		})
	}
	e.free(at)
}

// clear writes that a variable begins its life.
func (e *emitter) clear(in *ir.Instr) {
	pointer := e.reg(in.Args[0])
	clear := program.OpcodeOf(ir.OpClear, ir.Ptr, 0).Instruction()
	clear.A = pointer
	if in.Imm == 0 || !e.Uninit {
		e.emit(clear)
	}
	if e.Uninit {
		bits := int64(allBits)
		if in.Imm != 0 {
			bits = noBits
			e.emit(clear)
		}
		e.emit(program.Instruction{Op: program.OpUnsetObject, A: pointer, Imm: bits})
	}
}

// routineAddress writes nothing: the call has set the pointer to an object of a routine.
func (e *emitter) routineAddress(*ir.Instr) {}

// pickRow is registers side by side.
type pickRow struct{ first, stride int32 }

// pick writes the choice of one of several values.
func (e *emitter) pick(in *ir.Instr) {
	chooser, parts := in.Args[0], in.Args[1:]
	v := in.Result()
	if in.Type == ir.Bool {
		e.pickBool(in, chooser, parts)
		return
	}
	regs := e.regsOf(parts)
	row, release := e.rowOf(classOfValue(in.Type), regs)
	e.decides(program.UseIndex, chooser)
	e.pickUnset(v, chooser, parts)
	op := program.OpElementWord
	if classOfValue(in.Type) == program.LongClass {
		op = program.OpElementLong
	}
	choice := op.Instruction()
	choice.A, choice.B, choice.C, choice.Imm = e.reg(chooser), row.first, int32(len(parts)), int64(row.stride)
	e.nameParts(in)
	e.result(v, choice)
	e.blendDerived(v)
	release()
}

// rowOf returns registers as a row: those given, if they are one, or copies.
func (e *emitter) rowOf(c program.Class, regs []int32) (row pickRow, release func()) {
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
		taken.first = e.registers.extend(c, len(regs))
	}
	row.first = taken.first
	for i, r := range regs {
		e.copyTo(c, row.first+int32(i)*row.stride, r)
	}
	return row, func() { e.freeRows[c] = append(e.freeRows[c], taken) }
}

// rowOfRegisters are registers side by side that are free.
type rowOfRegisters struct {
	first int32
	n     int
}

// pickBool writes the choice of a bool, which is no register.
func (e *emitter) pickBool(in *ir.Instr, chooser ir.Value, parts []ir.Value) {
	e.decides(program.UseIndex, chooser)
	check := program.OpcodeOf(ir.OpCheckIndex, ir.Void, 0).Instruction()
	check.A, check.C = e.reg(chooser), int32(len(parts))
	e.nameParts(in)
	e.emit(check)
	e.pickUnset(in.Result(), chooser, parts)
	e.temporary(program.MaskClass, func(r int32) {
		e.copyTo(program.MaskClass, r, e.constant(program.MaskClass, 0))
		e.temporary(program.MaskClass, func(is int32) {
			for i, v := range parts {
				equal := program.OpcodeOf(ir.OpEq, ir.I32, 0).Instruction()
				equal.D, equal.A, equal.B = is, e.reg(chooser), e.constant(program.WordClass, uint64(i))
				e.emit(equal)
				choice := program.OpcodeOf(ir.OpSelect, ir.Bool, 0).Instruction()
				choice.D, choice.A, choice.B, choice.C = r, e.reg(v), r, is
				e.emit(choice)
			}
		})
		copied := program.OpCopyMask.Instruction()
		copied.A = r
		e.result(in.Result(), copied)
	})
	e.blendDerived(in.Result())
}

// nameParts notes for a fault of an instruction what it picks a part of.
func (e *emitter) nameParts(in *ir.Instr) {
	p, ok := in.Aux.(*ir.Parts)
	if !ok || p == nil {
		return
	}
	if e.program.Parts == nil {
		e.program.Parts = map[int32]program.Parts{}
	}
	e.program.Parts[e.pos] = program.Parts{Of: p.Of, Element: p.Element}
}

func (e *emitter) checkIndex(in *ir.Instr) {
	e.decides(program.UseIndex, in.Args[0])
	check := program.OpcodeOf(ir.OpCheckIndex, ir.Void, 0).Instruction()
	check.A, check.C = e.reg(in.Args[0]), int32(in.Imm)
	e.nameParts(in)
	e.emit(check)
}

func (e *emitter) fault(in *ir.Instr) {
	e.emit(program.Instruction{Op: program.OpFault, Imm: int64(len(e.program.Faults))})
	e.program.Faults = append(e.program.Faults, in.Aux.(string))
}
