package build

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
)

// atomicLibrary are the atomic functions (section 6.15).
var atomicLibrary = map[string]composition{
	"atomic_store_explicit": func(b *builder, e *tree.Builtin) value {
		atomic(b, ir.AtomicSwap, e)
		return nil
	},
	"atomic_load_explicit": func(b *builder, e *tree.Builtin) value {
		p, k := b.value(e.Args[0])[0], e.Type().Scalar
		zero := b.out.Known(heldAs(k), 0)
		return b.out.single(b.num.exchange(ir.AtomicLoad, ir.SpaceNamed(e.Args[0].Type().Space), k, p, zero))
	},
	"atomic_exchange_explicit":              changes(ir.AtomicSwap),
	"atomic_fetch_add_explicit":             changes(ir.AtomicAdd),
	"atomic_fetch_sub_explicit":             changes(ir.AtomicSub),
	"atomic_fetch_and_explicit":             changes(ir.AtomicAnd),
	"atomic_fetch_or_explicit":              changes(ir.AtomicOr),
	"atomic_fetch_xor_explicit":             changes(ir.AtomicXor),
	"atomic_fetch_max_explicit":             changes(ir.AtomicMax),
	"atomic_fetch_min_explicit":             changes(ir.AtomicMin),
	"atomic_compare_exchange_weak_explicit": compareExchange,
	"atomic_max_explicit": func(b *builder, e *tree.Builtin) value {
		atomic(b, ir.AtomicMax, e)
		return nil
	},
	"atomic_min_explicit": func(b *builder, e *tree.Builtin) value {
		atomic(b, ir.AtomicMin, e)
		return nil
	},
}

// changes returns a function that returns what was there before.
func changes(op ir.AtomicOp) composition {
	return func(b *builder, e *tree.Builtin) value { return b.out.single(atomic(b, op, e)) }
}

// atomic writes a function that takes a pointer and a value.
func atomic(b *builder, op ir.AtomicOp, e *tree.Builtin) ir.Value {
	args := b.operands(e.Args[:2]...)
	space := ir.SpaceNamed(e.Args[0].Type().Space)
	return b.num.exchange(op, space, e.Args[1].Type().Scalar, args[0][0], args[1][0])
}

// exchange writes an operation on what a pointer points to, and returns what was there before.
func (num *numbers) exchange(op ir.AtomicOp, space ir.Space, k tree.ScalarKind, p, v ir.Value) ir.Value {
	if k != tree.Bool && k.Bytes() < 4 {
		num.out.unsupported(num.out.Pos(), "atomics of less than 32 bits")
	}
	t := heldAs(k)
	if op == ir.AtomicMax || op == ir.AtomicMin {
		t = ir.TypeOf(k)
	}
	return num.out.write(ir.Instr{
		Op: ir.OpAtomic, Type: t, Args: num.out.args(p, v),
		Aux: &ir.AtomicAccess{Space: space, Op: op, Kind: ir.ScalarOf(k)},
	}, t).Result()
}

// compareExchange stores a value to the object where that holds what a pointer leads to.
// Otherwise it stores what the object holds there. Values are compared by their bits, also of floats.
func compareExchange(b *builder, e *tree.Builtin) value {
	args := b.operands(e.Args[:3]...)
	p, v, t := args[0][0], args[2][0], e.Args[2].Type()
	l := leaf{kind: t.Scalar}
	to := ofPointer(t, args[1][0], ir.SpaceNamed(e.Args[1].Type().Space))
	want := b.mem.loadLeaf(l, to, 0)
	old := b.out.write(ir.Instr{
		Op: ir.OpExchange, Type: l.held(), Args: b.out.args(p, v, want),
		Aux: &ir.AtomicAccess{
			Space: ir.SpaceNamed(e.Args[0].Type().Space), Op: ir.AtomicSwap, Kind: ir.ScalarOf(l.kind),
		},
	}, l.held()).Result()
	b.mem.storeLeaf(l, to, 0, old)
	return b.out.single(b.num.sameAs(l.kind, old, want))
}

// sameAs compares the bits of scalars.
func (num *numbers) sameAs(k tree.ScalarKind, x, y ir.Value) ir.Value {
	if k.Floating() {
		x, y, k = num.out.op(ir.OpFloatBits, ir.F32, x), num.out.op(ir.OpFloatBits, ir.F32, y), tree.UInt
	}
	return num.compare(tree.Equal, k, x, y)
}
