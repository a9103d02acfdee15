package build

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
)

// geometricLibrary are the geometric functions (section 6.7). Sums go from the
// first element to the last.
var geometricLibrary = map[string]composition{
	"dot": func(b *builder, e *tree.Builtin) value {
		args := b.operands(e.Args...)
		return b.out.single(b.num.dot(e.Type().Scalar, args[0], args[1]))
	},
	"length": func(b *builder, e *tree.Builtin) value {
		return b.out.single(b.num.length(e.Type().Scalar, b.value(e.Args[0])))
	},
	"length_squared": func(b *builder, e *tree.Builtin) value {
		x := b.value(e.Args[0])
		return b.out.single(b.num.dot(e.Type().Scalar, x, x))
	},
	"distance": func(b *builder, e *tree.Builtin) value {
		return b.out.single(b.num.length(e.Type().Scalar, difference(b, e)))
	},
	"distance_squared": func(b *builder, e *tree.Builtin) value {
		d := difference(b, e)
		return b.out.single(b.num.dot(e.Type().Scalar, d, d))
	},
	"normalize": func(b *builder, e *tree.Builtin) value {
		x, k := b.value(e.Args[0]), e.Type().Scalar
		return b.num.scaled(k, x, b.num.element(ir.OpRsqrt, k, b.num.dot(k, x, x)))
	},
	"cross": func(b *builder, e *tree.Builtin) value {
		args := b.operands(e.Args...)
		x, y, k := args[0], args[1], e.Type().Scalar
		v := b.out.newValue(3)
		for i := range v {
			p, q := (i+1)%3, (i+2)%3
			xy, yx := b.num.arithmetic(tree.Mul, k, x[p], y[q]), b.num.arithmetic(tree.Mul, k, x[q], y[p])
			v[i] = b.num.arithmetic(tree.Sub, k, xy, yx)
		}
		return v
	},
	"faceforward": func(b *builder, e *tree.Builtin) value { // dot(nref, i) < 0 ? n : -n
		args, k := b.operands(e.Args...), e.Type().Scalar
		facing := b.num.compare(tree.Less, k, b.num.dot(k, args[2], args[1]), b.out.float(0))
		v := b.out.newValue(len(args[0]))
		for i, n := range args[0] {
			v[i] = b.out.choice(ir.F32, facing, n, b.out.op(ir.OpNeg, ir.F32, n))
		}
		return v
	},
	"reflect": func(b *builder, e *tree.Builtin) value { // i - 2 * dot(n, i) * n
		args, k := b.operands(e.Args...), e.Type().Scalar
		twice := b.num.arithmetic(tree.Mul, k, b.out.float(2), b.num.dot(k, args[1], args[0]))
		v := b.out.newValue(len(args[0]))
		for i := range v {
			v[i] = b.num.arithmetic(tree.Sub, k, args[0][i], b.num.arithmetic(tree.Mul, k, twice, args[1][i]))
		}
		return v
	},
	"refract": func(b *builder, e *tree.Builtin) value {
		// k = 1 - eta^2 * (1 - dot(n, i)^2); k < 0 ? 0 : eta * i - (eta * dot(n, i) + sqrt(k)) * n
		args, kind := b.operands(e.Args...), e.Type().Scalar
		eta := args[2][0]
		op := func(op tree.Op, x, y ir.Value) ir.Value { return b.num.arithmetic(op, kind, x, y) }
		d := b.num.dot(kind, args[1], args[0])
		sine := op(tree.Sub, b.out.float(1), op(tree.Mul, d, d))
		k := op(tree.Sub, b.out.float(1), op(tree.Mul, op(tree.Mul, eta, eta), sine))
		none := b.num.compare(tree.Less, kind, k, b.out.float(0))
		along := op(tree.Add, op(tree.Mul, eta, d), b.num.element(ir.OpSqrt, kind, k))
		v := b.out.newValue(len(args[0]))
		for i := range v {
			bent := op(tree.Sub, op(tree.Mul, eta, args[0][i]), op(tree.Mul, along, args[1][i]))
			v[i] = b.out.choice(ir.F32, none, b.out.float(0), bent)
		}
		return v
	},
}

func (num *numbers) dot(k tree.ScalarKind, x, y value) ir.Value {
	sum := num.arithmetic(tree.Mul, k, x[0], y[0])
	for i := range x[1:] {
		sum = num.arithmetic(tree.Add, k, num.arithmetic(tree.Mul, k, x[i+1], y[i+1]), sum)
	}
	return sum
}

func (num *numbers) length(k tree.ScalarKind, x value) ir.Value {
	return num.element(ir.OpSqrt, k, num.dot(k, x, x))
}

func difference(b *builder, e *tree.Builtin) value {
	args, k := b.operands(e.Args...), e.Type().Scalar
	v := b.out.newValue(len(args[0]))
	for i := range v {
		v[i] = b.num.arithmetic(tree.Sub, k, args[0][i], args[1][i])
	}
	return v
}

func (num *numbers) scaled(k tree.ScalarKind, x value, by ir.Value) value {
	v := num.out.newValue(len(x))
	for i := range v {
		v[i] = num.arithmetic(tree.Mul, k, x[i], by)
	}
	return v
}
