package cpu

import "github.com/metalgen/metalgen/internal/msl/tree"

// vectorBuiltins are the geometric functions (section 6.7). Sums go from the
// first element to the last.
var vectorBuiltins = map[string]lowering{
	"dot": func(b *builder, e *tree.Builtin) value {
		x, y := b.value(e.Args[0]), b.value(e.Args[1])
		return value{dot(b.assembler, e.Type().Scalar, x, y)}
	},
	"length": func(b *builder, e *tree.Builtin) value {
		x := b.value(e.Args[0])
		return value{length(b.assembler, e.Type().Scalar, x)}
	},
	"length_squared": func(b *builder, e *tree.Builtin) value {
		x := b.value(e.Args[0])
		return value{dot(b.assembler, e.Type().Scalar, x, x)}
	},
	"distance": func(b *builder, e *tree.Builtin) value {
		return value{length(b.assembler, e.Type().Scalar, difference(b, e))}
	},
	"distance_squared": func(b *builder, e *tree.Builtin) value {
		d := difference(b, e)
		return value{dot(b.assembler, e.Type().Scalar, d, d)}
	},
	"normalize": func(b *builder, e *tree.Builtin) value {
		x := b.value(e.Args[0])
		k := e.Type().Scalar
		return scaled(b.assembler, k, x, b.element1("rsqrt", k, dot(b.assembler, k, x, x)))
	},
	"cross": func(b *builder, e *tree.Builtin) value {
		x, y := b.value(e.Args[0]), b.value(e.Args[1])
		k := e.Type().Scalar
		v := make(value, 3)
		for i := range v {
			p, q := (i+1)%3, (i+2)%3
			v[i] = b.arithmetic(tree.Sub, k, b.arithmetic(tree.Mul, k, x[p], y[q]), b.arithmetic(tree.Mul, k, x[q], y[p]))
		}
		return v
	},
	"faceforward": func(b *builder, e *tree.Builtin) value { // dot(nref, i) < 0 ? n : -n
		args := b.operands(e.Args...)
		k := e.Type().Scalar
		facing := b.compare(tree.Less, k, dot(b.assembler, k, args[2], args[1]), b.float(0))
		v := make(value, len(args[0]))
		for i, n := range args[0] {
			v[i] = b.choice(wordClass, facing, n, b.op(wordClass, negFloat, n))
		}
		return v
	},
	"reflect": func(b *builder, e *tree.Builtin) value { // i - 2 * dot(n, i) * n
		args := b.operands(e.Args...)
		k := e.Type().Scalar
		twice := b.arithmetic(tree.Mul, k, b.float(2), dot(b.assembler, k, args[1], args[0]))
		v := make(value, len(args[0]))
		for i := range v {
			v[i] = b.arithmetic(tree.Sub, k, args[0][i], b.arithmetic(tree.Mul, k, twice, args[1][i]))
		}
		return v
	},
	"refract": func(b *builder, e *tree.Builtin) value {
		// k = 1 - eta^2 * (1 - dot(n, i)^2); k < 0 ? 0 : eta * i - (eta * dot(n, i) + sqrt(k)) * n
		args := b.operands(e.Args...)
		kind, eta := e.Type().Scalar, args[2][0]
		op := func(op tree.Op, x, y int32) int32 { return b.arithmetic(op, kind, x, y) }
		d := dot(b.assembler, kind, args[1], args[0])
		k := op(tree.Sub, b.float(1), op(tree.Mul, op(tree.Mul, eta, eta), op(tree.Sub, b.float(1), op(tree.Mul, d, d))))
		none := b.compare(tree.Less, kind, k, b.float(0))
		along := op(tree.Add, op(tree.Mul, eta, d), b.element1("sqrt", kind, k))
		v := make(value, len(args[0]))
		for i := range v {
			bent := op(tree.Sub, op(tree.Mul, eta, args[0][i]), op(tree.Mul, along, args[1][i]))
			v[i] = b.choice(wordClass, none, b.float(0), bent)
		}
		return v
	},
}

func dot(asm *assembler, k tree.ScalarKind, x, y value) int32 {
	sum := asm.arithmetic(tree.Mul, k, x[0], y[0])
	for i := range x[1:] {
		if k == tree.Float {
			sum = asm.op(wordClass, mulAdd, x[i+1], y[i+1], sum)
			continue
		}
		sum = asm.arithmetic(tree.Add, k, sum, asm.arithmetic(tree.Mul, k, x[i+1], y[i+1]))
	}
	return sum
}

func length(asm *assembler, k tree.ScalarKind, x value) int32 {
	return asm.element1("sqrt", k, dot(asm, k, x, x))
}

func difference(b *builder, e *tree.Builtin) value {
	x, y := b.value(e.Args[0]), b.value(e.Args[1])
	k := e.Type().Scalar
	v := make(value, len(x))
	for i := range v {
		v[i] = b.arithmetic(tree.Sub, k, x[i], y[i])
	}
	return v
}

func scaled(asm *assembler, k tree.ScalarKind, x value, by int32) value {
	v := make(value, len(x))
	for i := range v {
		v[i] = asm.arithmetic(tree.Mul, k, x[i], by)
	}
	return v
}
