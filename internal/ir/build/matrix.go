package build

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// Matrices are held column by column (section 2.3).

// matrixArithmetic writes an operator with a matrix on one side.
func (num *numbers) matrixArithmetic(op tree.Op, tx, ty *tree.Type, x, y value, pos parser.Pos) value {
	k := tx.Scalar
	switch {
	case op == tree.Mul && tx.Kind == tree.Matrix && ty.Kind == tree.Matrix:
		rows, v := tx.Elem.Len, num.out.newValue(ty.Len * tx.Elem.Len)[:0]
		for c := range ty.Len {
			v = append(v, num.transform(k, x, rows, y[c*ty.Elem.Len:(c+1)*ty.Elem.Len])...)
		}
		return v
	case op == tree.Mul && tx.Kind == tree.Matrix && ty.Kind == tree.Vector:
		return num.transform(k, x, tx.Elem.Len, y)
	case op == tree.Mul && tx.Kind == tree.Vector && ty.Kind == tree.Matrix:
		v := num.out.newValue(ty.Len)
		for c := range v {
			v[c] = num.dot(k, x, y[c*ty.Elem.Len:(c+1)*ty.Elem.Len])
		}
		return v
	case tx.Kind == tree.Matrix && ty.Kind == tree.Scalar:
		v := num.out.newValue(len(x))
		for i := range v {
			v[i] = num.arithmetic(op, k, x[i], y[0])
		}
		return v
	}
	if len(x) != len(y) {
		num.out.unsupported(pos, "this operator on "+tx.String()+" and "+ty.String())
	}
	v := num.out.newValue(len(x))
	for i := range v {
		v[i] = num.arithmetic(op, k, x[i], y[i])
	}
	return v
}

// transform multiplies a matrix by a column vector.
func (num *numbers) transform(k tree.ScalarKind, m value, rows int, x value) value {
	v := num.out.newValue(rows)
	for r := range v {
		v[r] = num.arithmetic(tree.Mul, k, m[r], x[0])
		for c := range x[1:] {
			v[r] = num.arithmetic(tree.Add, k, v[r], num.arithmetic(tree.Mul, k, m[(c+1)*rows+r], x[c+1]))
		}
	}
	return v
}

// matrixLibrary are the functions of section 6.6.
var matrixLibrary = map[string]composition{
	"transpose": func(b *builder, e *tree.Builtin) value {
		t, m := e.Args[0].Type(), b.value(e.Args[0])
		v := b.out.newValue(len(m))[:0]
		for r := range t.Elem.Len {
			for c := range t.Len {
				v = append(v, m[c*t.Elem.Len+r])
			}
		}
		return v
	},
	"determinant": func(b *builder, e *tree.Builtin) value {
		t, m := e.Args[0].Type(), b.value(e.Args[0])
		columns := make([]value, t.Len)
		for c := range columns {
			columns[c] = m[c*t.Len : (c+1)*t.Len]
		}
		return b.out.single(b.num.determinant(t.Scalar, columns))
	},
}

// determinant expands along the first row.
func (num *numbers) determinant(k tree.ScalarKind, columns []value) ir.Value {
	if len(columns) == 1 {
		return columns[0][0]
	}
	var sum ir.Value
	for c := range columns {
		var minor []value
		for other, column := range columns {
			if other != c {
				minor = append(minor, column[1:])
			}
		}
		term := num.arithmetic(tree.Mul, k, columns[c][0], num.determinant(k, minor))
		switch {
		case sum == 0:
			sum = term
		case c%2 == 1:
			sum = num.arithmetic(tree.Sub, k, sum, term)
		default:
			sum = num.arithmetic(tree.Add, k, sum, term)
		}
	}
	return sum
}

// simdgroupMatrixLibrary are the functions of matrices that a simd-group holds (section 6.10).
var simdgroupMatrixLibrary = map[string]composition{
	"make_filled_simdgroup_matrix": func(b *builder, e *tree.Builtin) value {
		x := b.value(e.Args[0])[0]
		return value{x, x}
	},
	"simdgroup_matrix_diagonal": func(b *builder, e *tree.Builtin) value {
		x := b.value(e.Args[0])[0]
		if bits, ok := b.out.Bits(x); ok && bits == 0 {
			return value{x, x}
		}
		return value{b.out.opImm(ir.OpDiagonal, ir.F32, 0, x), b.out.opImm(ir.OpDiagonal, ir.F32, 1, x)}
	},
	"simdgroup_matrix_product": func(b *builder, e *tree.Builtin) value {
		args := b.operands(e.Args...)
		return b.num.fitAll(e.Type().Scalar, b.num.multiply(args[0], args[1], nil))
	},
	"simdgroup_multiply": func(b *builder, e *tree.Builtin) value {
		args := b.operands(e.Args[1:3]...)
		b.mem.store(b.lvalue(e.Args[0]), b.num.fitAll(e.Args[0].Type().Scalar, b.num.multiply(args[0], args[1], nil)))
		return nil
	},
	"simdgroup_multiply_accumulate": func(b *builder, e *tree.Builtin) value {
		args := b.operands(e.Args[1:4]...)
		product := b.num.fitAll(e.Args[0].Type().Scalar, b.num.multiply(args[0], args[1], args[2]))
		b.mem.store(b.lvalue(e.Args[0]), product)
		return nil
	},
	"simdgroup_load": func(b *builder, e *tree.Builtin) value {
		where, access := matrixAt(b, e)
		v := b.out.write(ir.Instr{Op: ir.OpMatrixLoad, Type: ir.F32, Args: where, Aux: access}, ir.F32, ir.F32).Results
		b.mem.store(b.lvalue(e.Args[0]), v)
		return nil
	},
	"simdgroup_store": func(b *builder, e *tree.Builtin) value {
		v := b.value(e.Args[0])
		where, access := matrixAt(b, e)
		b.out.write(ir.Instr{Op: ir.OpMatrixStore, Type: ir.F32, Args: append(where, v...), Aux: access})
		return nil
	},
}

// multiply is x * y, plus z where there is one.
func (num *numbers) multiply(x, y, z value) value {
	args := num.out.List(len(x) + len(y) + len(z))[:0]
	args = append(append(append(args, x...), y...), z...)
	return num.out.write(ir.Instr{Op: ir.OpMatrix, Type: ir.F32, Args: args}, ir.F32, ir.F32).Results
}

// matrixAt evaluates where simdgroup_load and simdgroup_store find a matrix, which must be the same for the
// whole simd-group.
func matrixAt(b *builder, e *tree.Builtin) ([]ir.Value, *ir.MatrixAccess) {
	args := b.operands(e.Args[1:5]...)
	pointer, stride, origin, transpose := args[0][0], args[1][0], args[2], args[3][0]
	return []ir.Value{pointer, stride, origin[0], origin[1], transpose}, &ir.MatrixAccess{
		Space: ir.SpaceNamed(e.Args[1].Type().Space), Kind: ir.ScalarOf(e.Args[0].Type().Scalar),
	}
}
