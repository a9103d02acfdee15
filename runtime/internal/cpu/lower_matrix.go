package cpu

import (
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// Matrices are held column by column (section 2.3).

// matrixArithmetic lowers an operator of which one side is a matrix.
func matrixArithmetic(asm *assembler, op tree.Op, tx, ty *tree.Type, x, y value, pos parser.Pos) value {
	k := tx.Scalar
	switch {
	case op == tree.Mul && tx.Kind == tree.Matrix && ty.Kind == tree.Matrix:
		var v value
		rows := tx.Elem.Len
		for c := range ty.Len {
			v = append(v, transform(asm, k, x, rows, y[c*ty.Elem.Len:(c+1)*ty.Elem.Len])...)
		}
		return v
	case op == tree.Mul && tx.Kind == tree.Matrix && ty.Kind == tree.Vector:
		return transform(asm, k, x, tx.Elem.Len, y)
	case op == tree.Mul && tx.Kind == tree.Vector && ty.Kind == tree.Matrix:
		v := make(value, ty.Len)
		for c := range v {
			v[c] = dot(asm, k, x, y[c*ty.Elem.Len:(c+1)*ty.Elem.Len])
		}
		return v
	case op == tree.Mul && tx.Kind == tree.Matrix:
		return scaled(asm, k, x, y[0])
	case op == tree.Equal, op == tree.NotEqual:
		r := asm.compare(op, k, x[0], y[0])
		for i := range x[1:] {
			other := asm.compare(op, k, x[i+1], y[i+1])
			if op == tree.Equal {
				r = asm.op(maskClass, maskAnd, r, other)
			} else {
				r = asm.op(maskClass, maskOr, r, other)
			}
		}
		return value{r}
	}
	if len(x) != len(y) {
		unsupported(pos, "this operator on "+tx.String()+" and "+ty.String())
	}
	v := make(value, len(x))
	for i := range v {
		v[i] = asm.arithmetic(op, k, x[i], y[i])
	}
	return v
}

// transform multiplies a matrix by a column vector.
func transform(asm *assembler, k tree.ScalarKind, m value, rows int, x value) value {
	v := make(value, rows)
	for r := range v {
		v[r] = asm.arithmetic(tree.Mul, k, m[r], x[0])
		for c := range x[1:] {
			v[r] = asm.arithmetic(tree.Add, k, v[r], asm.arithmetic(tree.Mul, k, m[(c+1)*rows+r], x[c+1]))
		}
	}
	return v
}

var matrixBuiltins = map[string]lowering{
	"transpose": func(b *builder, e *tree.Builtin) value {
		t := e.Args[0].Type()
		m := b.value(e.Args[0])
		v := make(value, 0, len(m))
		for r := range t.Elem.Len {
			for c := range t.Len {
				v = append(v, m[c*t.Elem.Len+r])
			}
		}
		return v
	},
	"determinant": func(b *builder, e *tree.Builtin) value {
		t := e.Args[0].Type()
		m := b.value(e.Args[0])
		columns := make([]value, t.Len)
		for c := range columns {
			columns[c] = m[c*t.Len : (c+1)*t.Len]
		}
		return value{determinant(b.assembler, t.Scalar, columns)}
	},
}

// determinant expands along the first row.
func determinant(asm *assembler, k tree.ScalarKind, columns []value) int32 {
	if len(columns) == 1 {
		return columns[0][0]
	}
	sum := int32(-1)
	for c := range columns {
		var minor []value
		for other, column := range columns {
			if other != c {
				minor = append(minor, column[1:])
			}
		}
		term := asm.arithmetic(tree.Mul, k, columns[c][0], determinant(asm, k, minor))
		switch {
		case sum < 0:
			sum = term
		case c%2 == 1:
			sum = asm.arithmetic(tree.Sub, k, sum, term)
		default:
			sum = asm.arithmetic(tree.Add, k, sum, term)
		}
	}
	return sum
}
