package assemble

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// accesses writes what loads and stores.
type accesses struct {
	code       *code
	facts      *facts
	values     *values
	checks     *checks
	operations *operations
	moved      movedPointer
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
	ir.Void: program.NoIndex, ir.S32: program.IntIndex, ir.U32: program.UintIndex, ir.S64: program.LongIndex,
	ir.U64: program.LongIndex,
}

// addressOf returns where an access is. Where it reaches several scalars, the pointer is moved once, unless there is
// machine code, which sees that they are near each other.
func (e *accesses) addressOf(in *ir.Instr, a *ir.Access) address {
	at := address{pointer: e.values.reg(in.Args[0])}
	if a.Index == ir.Void {
		return at
	}
	index := e.values.reg(in.Args[1])
	alone := a.Count == 1 && a.Whole == 0 && e.checks.whole == 0
	if a.Scale <= program.MaxElement && (alone || e.code.how.Plain && a.Index.Bits() == 32) {
		at.index, at.indexed, at.scale = index, indexKinds[a.Index], a.Scale
		return at
	}
	if m := &e.moved; m.valid && m.at.pointer == in.Args[0] && m.at.index == in.Args[1] && m.at.scale == a.Scale {
		return address{pointer: m.reg}
	}
	at.temp = e.code.regs.allocate(program.LongClass)
	move := func(t ir.Type, by int32) {
		op := program.OpcodeOf(ir.OpMove, t, 0).Instruction()
		op.D, op.A, op.B, op.Imm = at.temp, at.pointer, by, int64(a.Scale)
		e.code.emit(op)
	}
	switch {
	case a.Index.Bits() == 64:
		move(ir.S64, index)
	case a.Scale <= program.MaxElement:
		move(a.Index, index)
	default:
		e.operations.widened(a.Index, index, func(wide int32) { move(ir.S64, wide) })
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
func (e *accesses) free(at address) {
	if at.temp != 0 {
		e.code.regs.giveBack(program.LongClass, at.temp)
	}
	if e.checks.whole == 0 && e.moved.valid {
		e.code.regs.giveBack(program.LongClass, e.moved.reg)
		e.moved.valid = false
	}
}

func (e *accesses) load(in *ir.Instr) {
	a := in.Aux.(*ir.Access)
	if e.facts.fixed[in.Results[0]] != 0 {
		e.checks.pauses(a.Space, false)
		return
	}
	at := e.addressOf(in, a)
	e.checks.reaches1(in, a, at)
	size := int64(a.Kind.Bytes())
	for i, v := range in.Results {
		offset := a.Offset + size*int64(i)
		if e.values.webOfValue(v) == nil {
			continue
		}
		e.checks.loadUnset(v, a, at, offset)
		if i == len(in.Results)-1 && at.temp == 0 && !e.moved.valid {
			e.values.reuse()
		}
		e.values.result(v, at.of((program.OpLoads+program.Opcode(a.Kind)).Instruction(), offset))
		e.checks.blendDerived(v)
	}
	e.free(at)
}

func (e *accesses) store(in *ir.Instr) {
	a := in.Aux.(*ir.Access)
	at := e.addressOf(in, a)
	e.checks.reaches1(in, a, at)
	values := in.Args[len(in.Args)-a.Count:]
	size := int64(a.Kind.Bytes())
	for i, v := range values {
		offset := a.Offset + size*int64(i)
		e.checks.storeUnset(v, a, at, offset)
		store := at.of((program.OpStores + program.Opcode(a.Kind)).Instruction(), offset)
		store.D = e.values.reg(v)
		e.code.emit(store)
	}
	e.free(at)
}

// check writes a check of an access, which a load does.
func (e *accesses) check(in *ir.Instr) {
	a := in.Aux.(*ir.Access)
	at := e.addressOf(in, a)
	size := int64(a.Kind.Bytes())
	for i := range a.Count {
		e.code.temporary(classOfValue(a.Kind.Held()), func(t int32) {
			load := at.of((program.OpLoads + program.Opcode(a.Kind)).Instruction(), a.Offset+size*int64(i))
			load.D = t
			e.code.emit(load)
		})
	}
	e.free(at)
}

// clear writes that a variable begins its life.
func (e *accesses) clear(in *ir.Instr) {
	pointer := e.values.reg(in.Args[0])
	clear := program.OpcodeOf(ir.OpClear, ir.Ptr, 0).Instruction()
	clear.A = pointer
	e.code.emit(clear)
	e.checks.beginObject(pointer, in.Imm != 0)
}

// routineAddress writes nothing: the call has set the pointer to an object of a routine.
func (e *accesses) routineAddress(*ir.Instr) {}
