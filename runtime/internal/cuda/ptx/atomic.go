package ptx

import (
	"fmt"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/abi"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/text"
)

// Atomic functions (section 6.15) are relaxed: what orders them is said by fences.

// atomicPlace returns the checked place of an atomic, and what its instruction names: the state space with the scope,
// and the address.
func (e *emitter) atomicPlace(in *ir.Instr, a *ir.AtomicAccess, store bool) (where, at string) {
	if a.Kind != ir.Word32 && a.Kind != ir.Word64 && a.Kind != ir.Float32 {
		e.unsupported(e.Position(in), "atomics of "+a.Kind.String())
	}
	p := e.placeOf(in.Args[0])
	e.readOnly(&p, in, store)
	if store && e.isConstant(&p) {
		return "", "" // it has faulted
	}
	size := a.Kind.Bytes()
	e.check(&p, in, abi.Site{Scalar: a.Kind, Count: 1, Store: store}, int64(size), size)
	scope := ".gpu"
	if p.space == ".shared" {
		scope = ".cta"
	}
	return ".relaxed" + scope + p.space, e.reached(&p)(0)
}

// atomicTypes are the types of atomic instructions, by operation and by the type of the operand.
func atomicType(op ir.AtomicOp, t ir.Type) string {
	bits := t.Bits()
	switch {
	case t == ir.F32:
		return "f32"
	case (op == ir.AtomicMax || op == ir.AtomicMin) && t.Signed():
		return fmt.Sprintf("s%d", bits)
	case op == ir.AtomicAdd || op == ir.AtomicSub || op == ir.AtomicMax || op == ir.AtomicMin:
		return fmt.Sprintf("u%d", bits)
	}
	return fmt.Sprintf("b%d", bits)
}

var atomicNames = map[ir.AtomicOp]string{
	ir.AtomicSwap: "exch", ir.AtomicAdd: "add", ir.AtomicSub: "add", ir.AtomicAnd: "and", ir.AtomicOr: "or",
	ir.AtomicXor: "xor", ir.AtomicMax: "max", ir.AtomicMin: "min",
}

func (e *emitter) atomic(in *ir.Instr) {
	a := in.Aux.(*ir.AtomicAccess)
	where, at := e.atomicPlace(in, a, a.Op != ir.AtomicLoad)
	if where == "" {
		return
	}
	d, bits := e.reg(in.Result()), in.Type.Bits()
	if in.Type == ir.F32 && (a.Op == ir.AtomicMax || a.Op == ir.AtomicMin) {
		e.unsupported(e.Position(in), "the greatest and least of atomic floats")
	}
	if a.Op == ir.AtomicLoad {
		e.Op("ld%s.%s %s, %s;", where, text.ClassOf(in.Type).Type(), d, at)
		return
	}
	v := e.reg(in.Args[1])
	if a.Op == ir.AtomicSub {
		minus := e.Fresh(text.ClassOf(in.Type))
		typ := fmt.Sprintf("s%d", bits)
		if in.Type == ir.F32 {
			typ = "f32"
		}
		e.Op("neg.%s %s, %s;", typ, minus, v)
		v = minus
	}
	if in.Type == ir.F32 && a.Op == ir.AtomicSwap {
		was, next := e.Fresh(text.Word), e.Fresh(text.Word)
		e.Op("mov.b32 %s, %s;", next, v)
		e.Op("atom%s.exch.b32 %s, %s, %s;", where, was, at, next)
		e.Op("mov.b32 %s, %s;", d, was)
		return
	}
	e.Op("atom%s.%s.%s %s, %s, %s;", where, atomicNames[a.Op], atomicType(a.Op, in.Type), d, at, v)
}

// exchange stores a new value where another one is expected.
func (e *emitter) exchange(in *ir.Instr) {
	a := in.Aux.(*ir.AtomicAccess)
	where, at := e.atomicPlace(in, a, true)
	if where == "" {
		return
	}
	d, next, expected := e.reg(in.Result()), e.reg(in.Args[1]), e.reg(in.Args[2])
	if in.Type == ir.F32 {
		words := make([]string, 3)
		for i := range words {
			words[i] = e.Fresh(text.Word)
		}
		e.Op("mov.b32 %s, %s;", words[0], next)
		e.Op("mov.b32 %s, %s;", words[1], expected)
		e.Op("atom%s.cas.b32 %s, %s, %s, %s;", where, words[2], at, words[1], words[0])
		e.Op("mov.b32 %s, %s;", d, words[2])
		return
	}
	e.Op("atom%s.cas.b%d %s, %s, %s, %s;", where, in.Type.Bits(), d, at, expected, next)
}
