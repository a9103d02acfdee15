package cpu

import "github.com/metalgen/metalgen/internal/msl/tree"

// compositeBuiltins are the functions that take several operations for each element.
var compositeBuiltins = map[string]lowering{
	"mix": each(func(asm *assembler, k tree.ScalarKind, a []int32) int32 { // x + (y - x) * a
		return asm.arithmetic(tree.Add, k, a[0], asm.arithmetic(tree.Mul, k, asm.arithmetic(tree.Sub, k, a[1], a[0]), a[2]))
	}),
	"smoothstep": each(func(asm *assembler, k tree.ScalarKind, a []int32) int32 {
		// t * t * (3 - 2 * t), t = (x - low) / (high - low) in 0 to 1
		t := asm.arithmetic(tree.Div, k, asm.arithmetic(tree.Sub, k, a[2], a[0]), asm.arithmetic(tree.Sub, k, a[1], a[0]))
		t = asm.element1("saturate", k, t)
		square, twice := asm.arithmetic(tree.Mul, k, t, t), asm.arithmetic(tree.Mul, k, asm.float(2), t)
		return asm.arithmetic(tree.Mul, k, square, asm.arithmetic(tree.Sub, k, asm.float(3), twice))
	}),
	"fmax3": fold3("fmax"), "fmin3": fold3("fmin"), "max3": fold3("max"), "min3": fold3("min"),
	"fmedian3": median("fmin", "fmax"), "median3": median("min", "max"),
	"madhi": each(func(asm *assembler, k tree.ScalarKind, a []int32) int32 {
		return asm.arithmetic(tree.Add, k, asm.element1("mulhi", k, a[0], a[1]), a[2])
	}),
	"madsat": lowerMadSat,
	"select": lowerSelect,
	"all":    lowerAll, "any": lowerAny,
	"isordered": each(func(asm *assembler, k tree.ScalarKind, a []int32) int32 {
		return asm.op(maskClass, maskAnd, asm.compare(tree.Equal, k, a[0], a[0]), asm.compare(tree.Equal, k, a[1], a[1]))
	}),
	"isunordered": each(func(asm *assembler, k tree.ScalarKind, a []int32) int32 {
		return asm.op(maskClass, maskOr, asm.compare(tree.NotEqual, k, a[0], a[0]), asm.compare(tree.NotEqual, k, a[1], a[1]))
	}),
	"isnormal": each(func(asm *assembler, k tree.ScalarKind, a []int32) int32 {
		least := float32(0x1p-126)
		if k == tree.Half {
			least = 0x1p-14
		}
		large := asm.compare(tree.GreaterEqual, k, asm.element1("fabs", k, a[0]), asm.float(least))
		return asm.op(maskClass, maskAnd, large, asm.element1("isfinite", k, a[0]))
	}),
	"extract_bits": lowerExtractBits,
	"insert_bits":  lowerInsertBits,
	"ldexp": func(b *builder, e *tree.Builtin) value {
		x, n := b.value(e.Args[0]), b.value(e.Args[1])
		v := make(value, len(x))
		for i := range x {
			v[i] = b.fit(e.Type().Scalar, b.op(wordClass, ldexp, x[i], n[i]))
		}
		return v
	},
	"ilogb": func(b *builder, e *tree.Builtin) value {
		x := b.value(e.Args[0])
		v := make(value, len(x))
		for i := range x {
			v[i] = b.op(wordClass, ilogb, x[i])
		}
		return v
	},
}

// each lowers a function element by element. lower has the type of the arguments'
// elements.
func each(lower func(asm *assembler, k tree.ScalarKind, args []int32) int32) lowering {
	return func(b *builder, e *tree.Builtin) value {
		args := b.operands(e.Args...)
		v := make(value, len(args[0]))
		for i := range v {
			of := make([]int32, len(args))
			for j, a := range args {
				of[j] = a[min(i, len(a)-1)]
			}
			v[i] = lower(b.assembler, e.Args[0].Type().Scalar, of)
		}
		return v
	}
}

// element1 lowers one of the functions of elementwise on scalars.
func (asm *assembler) element1(name string, k tree.ScalarKind, args ...int32) int32 {
	run := elementwise[name][operandOf(k)]
	if name == "isfinite" {
		return asm.op(maskClass, run, args...)
	}
	r := asm.opImm(classOf(k), run, int64(sizes[k]*8), args...)
	asm.watchNaN(k, r, args...)
	return asm.fit(k, r)
}

func fold3(name string) lowering {
	return each(func(asm *assembler, k tree.ScalarKind, a []int32) int32 {
		return asm.element1(name, k, asm.element1(name, k, a[0], a[1]), a[2])
	})
}

// median is max(min(x, y), min(max(x, y), z)).
func median(least, most string) lowering {
	return each(func(asm *assembler, k tree.ScalarKind, a []int32) int32 {
		low, high := asm.element1(least, k, a[0], a[1]), asm.element1(most, k, a[0], a[1])
		return asm.element1(most, k, low, asm.element1(least, k, high, a[2]))
	})
}

// lowerMadSat computes in the next wider type, and for 64 bits in 128.
func lowerMadSat(b *builder, e *tree.Builtin) value {
	args := b.operands(e.Args...)
	k := e.Type().Scalar
	v := make(value, len(args[0]))
	for i := range v {
		if classOf(k) == longClass {
			run := madSatUlong
			if signed(k) {
				run = madSatLong
			}
			v[i] = b.op(longClass, run, args[0][i], args[1][i], args[2][i])
			continue
		}
		wide := tree.ULong
		if signed(k) {
			wide = tree.Long
		}
		x, y, z := b.convertLeaf(args[0][i], k, wide), b.convertLeaf(args[1][i], k, wide), b.convertLeaf(args[2][i], k, wide)
		sum := b.arithmetic(tree.Add, wide, b.arithmetic(tree.Mul, wide, x, y), z)
		low, high := uint64(0), uint64(1)<<(8*sizes[k])-1
		if signed(k) {
			half := int64(1) << (8*sizes[k] - 1)
			low, high = uint64(-half), uint64(half-1)
		}
		v[i] = b.convertLeaf(b.element1("clamp", wide, sum, b.long(low), b.long(high)), wide, k)
	}
	return v
}

// lowerSelect is select(x, y, c): y where c holds.
func lowerSelect(b *builder, e *tree.Builtin) value {
	args := b.operands(e.Args...)
	v := make(value, len(args[0]))
	for i, l := range b.leaves(e.Type(), e.Position()) {
		v[i] = b.choice(l.class(), args[2][i], args[1][i], args[0][i])
	}
	return v
}

func lowerAll(b *builder, e *tree.Builtin) value { return join(b, tree.And, e) }

func lowerAny(b *builder, e *tree.Builtin) value { return join(b, tree.Or, e) }

func join(b *builder, op tree.Op, e *tree.Builtin) value {
	args := b.value(e.Args[0])
	r := args[0]
	for _, a := range args[1:] {
		r = b.operate(op, tree.Bool, r, a)
	}
	return value{r}
}

// The bit fields of section 6.4: n bits from offset on; with n = 0 none.

func lowerExtractBits(b *builder, e *tree.Builtin) value {
	x, offset, n := b.value(e.Args[0]), b.value(e.Args[1])[0], b.value(e.Args[2])[0]
	v := make(value, len(x))
	for i, l := range b.leaves(e.Type(), e.Position()) {
		run, rule := extractUint, unsetExtract(unsignedBits)
		if signed(l.kind) {
			run, rule = extractInt, unsetExtract(signedBits)
		}
		wide := b.opBy(rule, longClass, run, 0, b.convertLeaf(x[i], l.kind, tree.ULong), offset, n)
		v[i] = b.convertLeaf(wide, tree.ULong, l.kind)
	}
	return v
}

func lowerInsertBits(b *builder, e *tree.Builtin) value {
	x, y, offset, n := b.value(e.Args[0]), b.value(e.Args[1]), b.value(e.Args[2])[0], b.value(e.Args[3])[0]
	v := make(value, len(x))
	for i, l := range b.leaves(e.Type(), e.Position()) {
		// the bits to be replaced, as ones
		ones := b.op(longClass, extractUint, b.long(1<<64-1), b.word(0), n)
		ones = b.operate(tree.Shl, tree.ULong, ones, offset)
		base := b.convertLeaf(x[i], l.kind, tree.ULong)
		base = b.operate(tree.And, tree.ULong, base, b.op(longClass, notInt[uint64], ones))
		insert := b.operate(tree.Shl, tree.ULong, b.convertLeaf(y[i], l.kind, tree.ULong), offset)
		insert = b.operate(tree.And, tree.ULong, insert, ones)
		v[i] = b.convertLeaf(b.operate(tree.Or, tree.ULong, base, insert), tree.ULong, l.kind)
	}
	return v
}

// referenceBuiltins also write to a variable.
var referenceBuiltins = map[string]lowering{
	"sincos": twoResults("sin", "cos"),
	"modf": func(b *builder, e *tree.Builtin) value { // the fraction; the whole is written
		x := b.value(e.Args[0])
		whole, fraction := make(value, len(x)), make(value, len(x))
		for i := range x {
			whole[i] = b.op(wordClass, modfWhole, x[i])
			fraction[i] = b.op(wordClass, modfFraction, x[i])
		}
		b.store(b.lvalue(e.Args[1]), whole)
		return fraction
	},
	"frexp": func(b *builder, e *tree.Builtin) value {
		x := b.value(e.Args[0])
		fraction, exponent := make(value, len(x)), make(value, len(x))
		for i := range x {
			fraction[i] = b.op(wordClass, frexpFraction, x[i])
			exponent[i] = b.op(wordClass, frexpExponent, x[i])
		}
		b.store(b.lvalue(e.Args[1]), exponent)
		return fraction
	},
}

// twoResults returns the first function and writes the second to a variable.
func twoResults(first, second string) lowering {
	return func(b *builder, e *tree.Builtin) value {
		x := b.value(e.Args[0])
		k := e.Type().Scalar
		v, w := make(value, len(x)), make(value, len(x))
		for i := range x {
			v[i], w[i] = b.element1(first, k, x[i]), b.element1(second, k, x[i])
		}
		b.store(b.lvalue(e.Args[1]), w)
		return v
	}
}
