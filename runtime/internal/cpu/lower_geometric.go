package cpu

import "github.com/metalgen/metalgen/internal/msl"

// vectorBuiltins are the geometric functions (section 6.7). Sums go from the
// first element to the last.
var vectorBuiltins = map[string]func(b *builder, e *msl.Builtin) value{
	"dot": func(b *builder, e *msl.Builtin) value {
		x, y := b.value(e.Args[0]), b.value(e.Args[1])
		return value{b.dot(e.Type().Scalar, x, y)}
	},
	"length": func(b *builder, e *msl.Builtin) value {
		x := b.value(e.Args[0])
		return value{b.length(e.Type().Scalar, x)}
	},
	"length_squared": func(b *builder, e *msl.Builtin) value {
		x := b.value(e.Args[0])
		return value{b.dot(e.Type().Scalar, x, x)}
	},
	"distance": func(b *builder, e *msl.Builtin) value {
		return value{b.length(e.Type().Scalar, b.difference(e))}
	},
	"distance_squared": func(b *builder, e *msl.Builtin) value {
		d := b.difference(e)
		return value{b.dot(e.Type().Scalar, d, d)}
	},
	"normalize": func(b *builder, e *msl.Builtin) value {
		x := b.value(e.Args[0])
		k := e.Type().Scalar
		return b.scaled(k, x, b.element1("rsqrt", k, b.dot(k, x, x)))
	},
	"cross": func(b *builder, e *msl.Builtin) value {
		x, y := b.value(e.Args[0]), b.value(e.Args[1])
		k := e.Type().Scalar
		v := make(value, 3)
		for i := range v {
			p, q := (i+1)%3, (i+2)%3
			v[i] = b.arithmetic(msl.Sub, k, b.arithmetic(msl.Mul, k, x[p], y[q]), b.arithmetic(msl.Mul, k, x[q], y[p]))
		}
		return v
	},
	"faceforward": func(b *builder, e *msl.Builtin) value { // dot(nref, i) < 0 ? n : -n
		args := b.arguments(e)
		k := e.Type().Scalar
		facing := b.compare(msl.Less, k, b.dot(k, args[2], args[1]), b.float(0))
		v := make(value, len(args[0]))
		for i, n := range args[0] {
			v[i] = b.choice(wordClass, facing, n, b.op(wordClass, negFloat, n))
		}
		return v
	},
	"reflect": func(b *builder, e *msl.Builtin) value { // i - 2 * dot(n, i) * n
		args := b.arguments(e)
		k := e.Type().Scalar
		twice := b.arithmetic(msl.Mul, k, b.float(2), b.dot(k, args[1], args[0]))
		v := make(value, len(args[0]))
		for i := range v {
			v[i] = b.arithmetic(msl.Sub, k, args[0][i], b.arithmetic(msl.Mul, k, twice, args[1][i]))
		}
		return v
	},
	"refract": func(b *builder, e *msl.Builtin) value {
		// k = 1 - eta^2 * (1 - dot(n, i)^2); k < 0 ? 0 : eta * i - (eta * dot(n, i) + sqrt(k)) * n
		args := b.arguments(e)
		kind, eta := e.Type().Scalar, args[2][0]
		op := func(op msl.Op, x, y int32) int32 { return b.arithmetic(op, kind, x, y) }
		d := b.dot(kind, args[1], args[0])
		k := op(msl.Sub, b.float(1), op(msl.Mul, op(msl.Mul, eta, eta), op(msl.Sub, b.float(1), op(msl.Mul, d, d))))
		none := b.compare(msl.Less, kind, k, b.float(0))
		along := op(msl.Add, op(msl.Mul, eta, d), b.element1("sqrt", kind, k))
		v := make(value, len(args[0]))
		for i := range v {
			bent := op(msl.Sub, op(msl.Mul, eta, args[0][i]), op(msl.Mul, along, args[1][i]))
			v[i] = b.choice(wordClass, none, b.float(0), bent)
		}
		return v
	},
}

func (b *builder) dot(k msl.ScalarKind, x, y value) int32 {
	sum := b.arithmetic(msl.Mul, k, x[0], y[0])
	for i := range x[1:] {
		if k == msl.Float {
			sum = b.op(wordClass, mulAdd, x[i+1], y[i+1], sum)
			continue
		}
		sum = b.arithmetic(msl.Add, k, sum, b.arithmetic(msl.Mul, k, x[i+1], y[i+1]))
	}
	return sum
}

func (b *builder) length(k msl.ScalarKind, x value) int32 {
	return b.element1("sqrt", k, b.dot(k, x, x))
}

func (b *builder) difference(e *msl.Builtin) value {
	x, y := b.value(e.Args[0]), b.value(e.Args[1])
	k := e.Type().Scalar
	v := make(value, len(x))
	for i := range v {
		v[i] = b.arithmetic(msl.Sub, k, x[i], y[i])
	}
	return v
}

func (b *builder) scaled(k msl.ScalarKind, x value, by int32) value {
	v := make(value, len(x))
	for i := range v {
		v[i] = b.arithmetic(msl.Mul, k, x[i], by)
	}
	return v
}
