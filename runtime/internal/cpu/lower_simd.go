package cpu

import "github.com/metalgen/metalgen/internal/msl/tree"

var simdBuiltins = makeSimdBuiltins()

func makeSimdBuiltins() map[string]lowering {
	m := map[string]lowering{}
	for prefix, size := range map[string]int64{"simd_": width, "quad_": quad} {
		for name, ops := range groupOps {
			m[prefix+name] = groupOp(name, ops, size)
		}
		for name, run := range voteOps {
			m[prefix+name] = func(b *builder, e *tree.Builtin) value {
				var operands []int32
				for _, a := range e.Args {
					operands = append(operands, b.value(a)...)
				}
				c := b.leaves(e.Type(), e.Position())[0].class()
				return value{b.groupResult(name, run, size, c, operands)}
			}
		}
	}
	return m
}

// groupOp lowers a function of a group element by element; a bool goes through
// as a number.
func groupOp(name string, ops operations, size int64) lowering {
	return func(b *builder, e *tree.Builtin) value {
		args := b.operands(e.Args...)
		leaves := b.leaves(e.Type(), e.Position())
		v := make(value, len(leaves))
		for i, l := range leaves {
			k := l.kind
			operands := make([]int32, 0, 4)
			for j, a := range args {
				r := a[min(i, len(a)-1)]
				if k == tree.Bool && len(a) == len(leaves) && e.Args[j].Type().Scalar == tree.Bool {
					r = b.convertLeaf(r, tree.Bool, tree.UInt)
				}
				operands = append(operands, r)
			}
			run := ops[operandOf(k)]
			if k == tree.Bool {
				run = ops[asUint]
			}
			c := classOf(k)
			if k == tree.Bool {
				c = wordClass
			}
			d := b.groupResult(name, run, size, c, operands)
			if k == tree.Bool {
				v[i] = b.convertLeaf(d, tree.UInt, tree.Bool)
				continue
			}
			v[i] = b.fit(k, d)
		}
		return v
	}
}

// groupResult adds a function of a group, and returns the register of its result.
func (asm *assembler) groupResult(name string, run operation, size int64, c class, operands []int32) int32 {
	d := asm.newTemp(c)
	asm.deriveGroup(name, size, c, d, operands)
	return asm.opTo(d, run, size, operands...)
}
