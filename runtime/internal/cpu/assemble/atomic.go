package assemble

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// atomics writes atomic functions.
type atomics struct {
	code   *code
	values *values
	checks *checks
}

// atomicCall is an atomic operation on what a register points to.
type atomicCall struct {
	space   ir.Space
	op      ir.AtomicOp
	kind    ir.Scalar
	on      ir.Type
	pointer int32
	value   int32 // register
	old     int32 // register of what was there
}

func (e *atomics) atomic(in *ir.Instr) {
	a := in.Aux.(*ir.AtomicAccess)
	pointer := e.values.reg(in.Args[0])
	e.checks.touchAtomic(a.Space, pointer, a.Kind, a.Op != ir.AtomicLoad)
	e.checks.decidesAtomic(in.Args[0], in.Args[1])
	call := atomicCall{space: a.Space, op: a.Op, kind: a.Kind, on: in.Type, pointer: pointer,
		value: e.values.reg(in.Args[1])}
	e.exchangeInto(in.Result(), &call)
	e.checks.observeAtomic(pointer, a.Kind)
}

// exchangeInto writes an atomic operation whose result is a value, which nobody may want.
func (e *atomics) exchangeInto(v ir.Value, call *atomicCall) {
	c := classOfValue(call.on.Held())
	e.code.temporary(c, func(old int32) {
		call.old = old
		w := e.values.webOfValue(v)
		if w != nil {
			if masked, _ := e.values.masksOf(w); !masked {
				e.values.begin(w)
				call.old = w.reg
			}
		}
		unset := e.checks.atomicUnset(call.space)
		e.exchangeCell(call, unset)
		if w != nil {
			e.values.assign(w, call.old, unset)
		}
		e.code.freeUnset(unset)
	})
}

// exchangeCell adds the operation; bools go through as numbers.
func (e *atomics) exchangeCell(call *atomicCall, unset int32) {
	e.checks.unsetAtomic(call, unset, call.op != ir.AtomicSwap)
	if call.kind == ir.Byte {
		op := program.OpAtomicSwapBool
		if call.op == ir.AtomicLoad {
			op = program.OpAtomicLoadBool
		}
		e.asNumber(call.value, func(v int32) {
			e.fromNumber(call.old, func(old int32) {
				e.code.emit(program.Instruction{Op: op, D: old, A: call.pointer, B: v})
			})
		})
		return
	}
	in := program.Instruction{Op: program.AtomicOn(call.op, call.on), D: call.old, A: call.pointer, B: call.value}
	if call.op == ir.AtomicLoad {
		in.B = 0
		if call.space == ir.Threadgroup {
			in.Target = program.OwnMemory
		}
	}
	e.code.emit(in)
}

// asNumber calls do with the register of a bool as a number.
func (e *atomics) asNumber(mask int32, do func(v int32)) {
	e.code.temporary(program.WordClass, func(v int32) {
		in := program.OpcodeOf(ir.OpFromBool, ir.I32, 0).Instruction()
		in.D, in.A = v, mask
		e.code.emit(in)
		do(v)
	})
}

// fromNumber calls do with a register, and makes the number in it a bool.
func (e *atomics) fromNumber(mask int32, do func(v int32)) {
	e.code.temporary(program.WordClass, func(v int32) {
		do(v)
		in := program.OpcodeOf(ir.OpToBool, ir.I32, 0).Instruction()
		in.D, in.A = mask, v
		e.code.emit(in)
	})
}

// exchange writes a compare and exchange.
func (e *atomics) exchange(in *ir.Instr) {
	a := in.Aux.(*ir.AtomicAccess)
	pointer := e.values.reg(in.Args[0])
	e.checks.touchAtomic(a.Space, pointer, a.Kind, true)
	e.checks.decides(program.UseCompare, in.Args[2])
	e.checks.decidesAtomic(in.Args[0], in.Args[1])
	e.compareInto(in.Result(), a.Space, a.Kind, pointer, e.values.reg(in.Args[1]), e.values.reg(in.Args[2]))
	e.checks.observeAtomic(pointer, a.Kind)
}

func (e *atomics) compareInto(v ir.Value, space ir.Space, kind ir.Scalar, pointer, value, want int32) {
	e.code.temporary(classOfValue(kind.Held()), func(t int32) {
		old, w := t, e.values.webOfValue(v)
		if w != nil {
			if masked, _ := e.values.masksOf(w); !masked {
				e.values.begin(w)
				old = w.reg
			}
		}
		unset := e.checks.atomicUnset(space)
		e.checks.unsetAtomic(&atomicCall{op: ir.AtomicAdd, kind: kind, pointer: pointer}, unset, true)
		e.compareCell(kind, pointer, value, want, old)
		if w != nil {
			e.values.assign(w, old, unset)
		}
		e.code.freeUnset(unset)
	})
}

// compareCell adds the operation.
func (e *atomics) compareCell(kind ir.Scalar, pointer, value, want, old int32) {
	if kind == ir.Byte {
		e.asNumber(value, func(v int32) {
			e.asNumber(want, func(w int32) {
				e.fromNumber(old, func(d int32) {
					e.code.emit(program.Instruction{Op: program.OpAtomicCompareBool, D: d, A: pointer, B: v, C: w})
				})
			})
		})
		return
	}
	op := program.OpAtomicCompareWord
	if kind.Bytes() == 8 {
		op = program.OpAtomicCompareLong
	}
	e.code.emit(program.Instruction{Op: op, D: old, A: pointer, B: value, C: want})
}
