package cpu

import "github.com/metalgen/metalgen/internal/msl/tree"

var simdgroupMatrixBuiltins = map[string]lowering{
	"make_filled_simdgroup_matrix": func(b *builder, e *tree.Builtin) value {
		v := b.value(e.Args[0])[0]
		return value{v, v}
	},
	"simdgroup_matrix_diagonal": func(b *builder, e *tree.Builtin) value {
		v := b.value(e.Args[0])[0]
		if b.isKnown(v, 0) {
			return value{v, v}
		}
		return value{b.opImm(wordClass, diagonal, 0, v), b.opImm(wordClass, diagonal, 1, v)}
	},
	"simdgroup_matrix_product": func(b *builder, e *tree.Builtin) value {
		x, y := b.value(e.Args[0]), b.value(e.Args[1])
		return fitAll(b.assembler, e.Type(), multiplySimdgroup(b.assembler, x, y, nil))
	},
	"simdgroup_multiply": func(b *builder, e *tree.Builtin) value {
		x, y := b.value(e.Args[1]), b.value(e.Args[2])
		b.store(b.lvalue(e.Args[0]), fitAll(b.assembler, e.Args[0].Type(), multiplySimdgroup(b.assembler, x, y, nil)))
		return nil
	},
	"simdgroup_multiply_accumulate": func(b *builder, e *tree.Builtin) value {
		x, y, z := b.value(e.Args[1]), b.value(e.Args[2]), b.value(e.Args[3])
		b.store(b.lvalue(e.Args[0]), fitAll(b.assembler, e.Args[0].Type(), multiplySimdgroup(b.assembler, x, y, z)))
		return nil
	},
	"simdgroup_load": func(b *builder, e *tree.Builtin) value {
		v := value{b.newTemp(wordClass), b.newTemp(wordClass)}
		moveMatrix(b, e, matrixLoads[e.Args[0].Type().Scalar], v)
		b.store(b.lvalue(e.Args[0]), v)
		return nil
	},
	"simdgroup_store": func(b *builder, e *tree.Builtin) value {
		moveMatrix(b, e, matrixStores[e.Args[0].Type().Scalar], b.value(e.Args[0]))
		return nil
	},
}

func fitAll(asm *assembler, t *tree.Type, x value) value {
	v := make(value, len(x))
	for i := range x {
		v[i] = asm.fit(t.Scalar, x[i])
	}
	return v
}

// multiplySimdgroup is x * y, plus z where there is one.
func multiplySimdgroup(asm *assembler, x, y, z value) value {
	o := &matrixOperands{elements: [2]int32(x), other: [2]int32(y), accumulate: z != nil}
	if z != nil {
		o.add = [2]int32(z)
	}
	o.result = [2]int32{asm.newTemp(wordClass), asm.newTemp(wordClass)}
	asm.deriveProduct(o)
	asm.emitMatrices(multiplyMatrices, o)
	return o.result[:]
}

// emitMatrices adds an operation on matrices.
func (asm *assembler) emitMatrices(run operation, o *matrixOperands) {
	asm.emit(instruction{run: run, imm: int64(len(asm.program.matrices))})
	asm.program.matrices = append(asm.program.matrices, o)
}

// moveMatrix lowers simdgroup_load and simdgroup_store. What says where the
// matrix is must be the same for the whole simd-group.
func moveMatrix(b *builder, e *tree.Builtin, run operation, v value) {
	o := &matrixOperands{elements: [2]int32(v)}
	o.pointer = b.value(e.Args[1])[0]
	o.stride = b.value(e.Args[2])[0]
	origin := b.value(e.Args[3])
	o.x, o.y = origin[0], origin[1]
	o.transpose = b.value(e.Args[4])[0]
	b.touchMatrix(o, e)
	b.moveUnsetMatrix(o, e)
	b.emitMatrices(run, o)
}
