package build

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
)

// What threads do together: the functions of simd-groups and quad-groups (section 6.9.2 and 6.9.3), and
// barriers (section 6.9.1).

// Threads of a group.
const (
	simdThreads = 32
	quadThreads = 4
)

// groupOps are the functions on numbers, by their names without simd_ or quad_.
var groupOps = map[string]ir.Op{
	"sum": ir.OpGroupSum, "product": ir.OpGroupProduct, "max": ir.OpGroupMax, "min": ir.OpGroupMin,
	"and": ir.OpGroupAnd, "or": ir.OpGroupOr, "xor": ir.OpGroupXor,
	"prefix_exclusive_sum": ir.OpPrefixExclusiveSum, "prefix_inclusive_sum": ir.OpPrefixInclusiveSum,
	"prefix_exclusive_product": ir.OpPrefixExclusiveProduct, "prefix_inclusive_product": ir.OpPrefixInclusiveProduct,
	"broadcast": ir.OpBroadcast, "broadcast_first": ir.OpBroadcastFirst,
	"shuffle": ir.OpShuffle, "shuffle_down": ir.OpShuffleDown, "shuffle_up": ir.OpShuffleUp,
	"shuffle_xor": ir.OpShuffleXor, "shuffle_rotate_down": ir.OpShuffleRotateDown,
	"shuffle_rotate_up":     ir.OpShuffleRotateUp,
	"shuffle_and_fill_down": ir.OpShuffleFillDown, "shuffle_and_fill_up": ir.OpShuffleFillUp,
}

// testOps are the functions of bools, and of the threads that are active, whose result is a bool; maskOps those whose
// result has a bit for each thread.
var (
	testOps = map[string]ir.Op{
		"all": ir.OpGroupAll, "any": ir.OpGroupAny, "is_first": ir.OpIsFirst, "is_helper_thread": ir.OpIsHelper,
		"vote_all": ir.OpVoteAll, "vote_any": ir.OpVoteAny,
	}
	maskOps = map[string]ir.Op{"ballot": ir.OpBallot, "active_threads_mask": ir.OpActiveThreads}
)

func simdLibrary() map[string]composition {
	m := map[string]composition{}
	for prefix, threads := range map[string]int64{"simd_": simdThreads, "quad_": quadThreads} {
		for name, op := range groupOps {
			m[prefix+name] = groupFunction(op, threads)
		}
		for name, op := range testOps {
			m[prefix+name] = testFunction(op, threads)
		}
		for name, op := range maskOps {
			m[prefix+name] = maskFunction(op, threads)
		}
	}
	return m
}

// groupFunction returns a function of a group that works element by element; a bool goes through
// as a number.
func groupFunction(op ir.Op, threads int64) composition {
	return func(b *builder, e *tree.Builtin) value {
		args := b.operands(e.Args...)
		leaves := b.out.leavesOf(e.Type(), e.Position())
		v := b.out.newValue(len(leaves))
		for i, l := range leaves {
			k := l.kind
			if k == tree.Bool {
				k = tree.UInt
			}
			operands := b.out.List(len(args))
			for j, a := range args {
				operands[j] = a[min(i, len(a)-1)]
				if from := e.Args[j].Type(); from.Scalar == tree.Bool {
					operands[j] = b.num.convert(operands[j], tree.Bool, tree.UInt)
				}
			}
			r := b.out.opImm(op, typeFor(op, k), threads, operands...)
			if l.kind == tree.Bool {
				v[i] = b.num.convert(r, tree.UInt, tree.Bool)
			} else {
				v[i] = b.num.fit(k, r)
			}
		}
		return v
	}
}

// testFunction returns a function whose result is a bool.
func testFunction(op ir.Op, threads int64) composition {
	return func(b *builder, e *tree.Builtin) value {
		var operands []ir.Value
		for _, a := range b.operands(e.Args...) {
			operands = append(operands, a...)
		}
		t, imm := ir.Void, threads
		switch {
		case op == ir.OpIsHelper: // compute kernels have none
			imm = 0
		case op == ir.OpGroupAll || op == ir.OpGroupAny:
			t = ir.Bool
		case len(operands) > 0 && b.out.Type(operands[0]) == ir.I32: // a quad_vote has 32 bits
			operands[0] = b.out.op(ir.OpWiden, ir.U32, operands[0])
		}
		return b.out.single(b.out.opImm(op, t, imm, operands...))
	}
}

// maskFunction returns a function whose result has a bit for each thread.
func maskFunction(op ir.Op, threads int64) composition {
	return func(b *builder, e *tree.Builtin) value {
		var operands []ir.Value
		for _, a := range b.operands(e.Args...) {
			operands = append(operands, a...)
		}
		bits := b.out.opImm(op, ir.Void, threads, operands...)
		if b.out.leavesOf(e.Type(), e.Position())[0].held() == ir.I32 {
			bits = b.out.op(ir.OpNarrow, ir.I64, bits)
		}
		return b.out.single(bits)
	}
}

// threadLibrary are barriers and fences, and what asks for arguments of kernels and for function constants.
var threadLibrary = map[string]composition{
	"threadgroup_barrier": together(ir.OpBarrier),
	"simdgroup_barrier":   together(ir.OpSimdBarrier),
	"atomic_thread_fence": together(ir.OpFence),

	// Metal's own headers have functions for these arguments of kernels.
	"threads_per_simdgroup":          asksFor("threads_per_simdgroup"),
	"thread_index_in_simdgroup":      asksFor("thread_index_in_simdgroup"),
	"simdgroup_index_in_threadgroup": asksFor("simdgroup_index_in_threadgroup"),

	"is_function_constant_defined": func(b *builder, e *tree.Builtin) value {
		n, _ := b.consts.constantNumber(e.Args[0].(*tree.VarRef).Var.Constant, e.Position())
		return b.out.single(b.out.opImm(ir.OpDefined, ir.Bool, int64(n)))
	},
}

// together returns a function whose arguments are operands and which has no result.
func together(op ir.Op) composition {
	return func(b *builder, e *tree.Builtin) value {
		var operands []ir.Value
		for i, a := range b.operands(e.Args...) {
			operands = append(operands, b.num.convert(a[0], e.Args[i].Type().Scalar, tree.UInt))
		}
		b.out.write(ir.Instr{Op: op, Args: operands})
		return nil
	}
}

func asksFor(attribute string) composition {
	return func(b *builder, _ *tree.Builtin) value { return b.out.single(b.consts.input(attribute, 0)) }
}
