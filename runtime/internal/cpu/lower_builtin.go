package cpu

import (
	"maps"

	"github.com/metalgen/metalgen/internal/msl/tree"
)

// lowering lowers calls of a function of the library.
type lowering = func(b *builder, e *tree.Builtin) value

// builtins lower the functions of the library (MSL specification, chapter 6). A
// function that works element by element has its operation in elementwise; the
// others do what they do here.
var builtins map[string]lowering

func init() {
	builtins = map[string]lowering{
		"threadgroup_barrier": func(b *builder, e *tree.Builtin) value {
			b.threadgroupBarrier(e)
			return nil
		},
		// A simd-group runs in lockstep and sees its own writes in order.
		"simdgroup_barrier": func(b *builder, e *tree.Builtin) value {
			b.simdgroupBarrier(e)
			return nil
		},
		"atomic_thread_fence": func(b *builder, e *tree.Builtin) value {
			b.fence(e)
			return nil
		},
		// Metal's own headers have functions for these arguments of kernels.
		"threads_per_simdgroup":     func(b *builder, _ *tree.Builtin) value { return value{b.word(width)} },
		"thread_index_in_simdgroup": func(b *builder, _ *tree.Builtin) value { return value{b.op(wordClass, laneIndex)} },
	}
	groups := []map[string]lowering{
		compositeBuiltins, vectorBuiltins, referenceBuiltins, simdBuiltins, atomicBuiltins, matrixBuiltins,
		simdgroupMatrixBuiltins, packBuiltins,
	}
	for _, k := range argKinds {
		groups = append(groups, k.builtins)
	}
	for _, group := range groups {
		maps.Copy(builtins, group)
	}
}

func (b *builder) builtin(e *tree.Builtin) value {
	if ops, ok := elementwise[e.Name]; ok {
		return mapped(b, e, ops)
	}
	if lower := builtins[e.Name]; lower != nil {
		return lower(b, e)
	}
	unsupported(e.Position(), e.Name)
	panic("unreachable")
}

// mapped lowers a function that works element by element. Its operands are held
// as their types are; the result is brought to the precision of its own.
func mapped(b *builder, e *tree.Builtin, ops operations) value {
	args := b.operands(e.Args...)
	leaves := b.leaves(e.Type(), e.Position())
	of := b.leaves(e.Args[0].Type(), e.Position())
	v := make(value, len(leaves))
	for i, l := range leaves {
		run := ops[operandOf(of[i].kind)]
		if own := narrowOps[e.Name][of[i].kind]; own != nil {
			run = own
		}
		if run == nil {
			unsupported(e.Position(), e.Name+" of "+e.Args[0].Type().String())
		}
		operands := make([]int32, len(args))
		for j, a := range args {
			operands[j] = a[i]
		}
		r := b.pure(unsetAny, l.class(), run, int64(sizes[of[i].kind]*8), operands...)
		if floating(of[i].kind) {
			b.watchNaN(l.kind, r, operands...)
		}
		v[i] = b.fit(l.kind, r)
	}
	return v
}
