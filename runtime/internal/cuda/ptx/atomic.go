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
func (ac *accesses) atomicPlace(in *ir.Instr, a *ir.AtomicAccess, store bool) (where, at string) {
	if a.Kind != ir.Word32 && a.Kind != ir.Word64 && a.Kind != ir.Float32 {
		ac.e.unsupported(ac.e.Position(in), "atomics of "+a.Kind.String())
	}
	p := ac.e.places.placeOf(in.Args[0])
	ac.readOnly(&p, in, store)
	if store && ac.isConstant(&p) {
		return "", "" // it has faulted
	}
	size := a.Kind.Bytes()
	ac.check(&p, in, abi.Site{Scalar: a.Kind, Count: 1, Store: store}, int64(size), size)
	scope := ".gpu"
	if p.space == ".shared" {
		scope = ".cta"
	}
	return ".relaxed" + scope + p.space, ac.e.places.reached(&p)(0)
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

func (ac *accesses) atomic(in *ir.Instr) {
	a := in.Aux.(*ir.AtomicAccess)
	where, at := ac.atomicPlace(in, a, a.Op != ir.AtomicLoad)
	if where == "" {
		return
	}
	d, bits := ac.e.reg(in.Result()), in.Type.Bits()
	if in.Type == ir.F32 && (a.Op == ir.AtomicMax || a.Op == ir.AtomicMin) {
		ac.e.unsupported(ac.e.Position(in), "the greatest and least of atomic floats")
	}
	if a.Op == ir.AtomicLoad {
		ac.Op("ld%s.%s %s, %s;", where, text.ClassOf(in.Type).Type(), d, at)
		return
	}
	v := ac.e.reg(in.Args[1])
	if a.Op == ir.AtomicSub {
		minus := ac.Fresh(text.ClassOf(in.Type))
		typ := fmt.Sprintf("s%d", bits)
		if in.Type == ir.F32 {
			typ = "f32"
		}
		ac.Op("neg.%s %s, %s;", typ, minus, v)
		v = minus
	}
	if in.Type == ir.F32 && a.Op == ir.AtomicSwap {
		was, next := ac.Fresh(text.Word), ac.Fresh(text.Word)
		ac.Op("mov.b32 %s, %s;", next, v)
		ac.Op("atom%s.exch.b32 %s, %s, %s;", where, was, at, next)
		ac.Op("mov.b32 %s, %s;", d, was)
		return
	}
	ac.Op("atom%s.%s.%s %s, %s, %s;", where, atomicNames[a.Op], atomicType(a.Op, in.Type), d, at, v)
}

// exchange stores a new value where another one is expected.
func (ac *accesses) exchange(in *ir.Instr) {
	a := in.Aux.(*ir.AtomicAccess)
	where, at := ac.atomicPlace(in, a, true)
	if where == "" {
		return
	}
	d, next, expected := ac.e.reg(in.Result()), ac.e.reg(in.Args[1]), ac.e.reg(in.Args[2])
	if in.Type == ir.F32 {
		words := make([]string, 3)
		for i := range words {
			words[i] = ac.Fresh(text.Word)
		}
		ac.Op("mov.b32 %s, %s;", words[0], next)
		ac.Op("mov.b32 %s, %s;", words[1], expected)
		ac.Op("atom%s.cas.b32 %s, %s, %s, %s;", where, words[2], at, words[1], words[0])
		ac.Op("mov.b32 %s, %s;", d, words[2])
		return
	}
	ac.Op("atom%s.cas.b%d %s, %s, %s, %s;", where, in.Type.Bits(), d, at, expected, next)
}
