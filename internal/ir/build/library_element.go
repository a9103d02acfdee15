package build

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
)

// elementLibrary are the functions that take several operations for each element (sections 6.2 to 6.5).
var elementLibrary = map[string]composition{
	"divide": each(func(b *builder, k tree.ScalarKind, a []ir.Value) ir.Value {
		return b.arithmetic(tree.Div, k, a[0], a[1])
	}),
	"not": each(func(b *builder, k tree.ScalarKind, a []ir.Value) ir.Value { return b.op(ir.OpNot, ir.Bool, a[0]) }),
	"mad24": each(func(b *builder, k tree.ScalarKind, a []ir.Value) ir.Value {
		return b.arithmetic(tree.Add, k, b.op(ir.OpMul24, ir.TypeOf(k), a[0], a[1]), a[2])
	}),
	"mix": each(func(b *builder, k tree.ScalarKind, a []ir.Value) ir.Value { // x + (y - x) * a
		return b.arithmetic(tree.Add, k, a[0], b.arithmetic(tree.Mul, k, b.arithmetic(tree.Sub, k, a[1], a[0]), a[2]))
	}),
	"smoothstep": each(func(b *builder, k tree.ScalarKind, a []ir.Value) ir.Value {
		// t * t * (3 - 2 * t), t = (x - low) / (high - low) in 0 to 1
		t := b.arithmetic(tree.Div, k, b.arithmetic(tree.Sub, k, a[2], a[0]), b.arithmetic(tree.Sub, k, a[1], a[0]))
		t = b.element(ir.OpSaturate, k, t)
		square, twice := b.arithmetic(tree.Mul, k, t, t), b.arithmetic(tree.Mul, k, b.float(2), t)
		return b.arithmetic(tree.Mul, k, square, b.arithmetic(tree.Sub, k, b.float(3), twice))
	}),
	"fmax3": fold3(ir.OpFmax), "fmin3": fold3(ir.OpFmin), "max3": fold3(ir.OpMax), "min3": fold3(ir.OpMin),
	"fmedian3": median(ir.OpFmin, ir.OpFmax), "median3": median(ir.OpMin, ir.OpMax),
	"madhi": each(func(b *builder, k tree.ScalarKind, a []ir.Value) ir.Value {
		return b.arithmetic(tree.Add, k, b.element(ir.OpMulHigh, k, a[0], a[1]), a[2])
	}),
	"madsat": each(madSat),
	"select": func(b *builder, e *tree.Builtin) value { // select(x, y, c): y where c holds
		args := b.operands(e.Args...)
		v := b.newValue(len(args[0]))
		for i, l := range b.leavesOf(e.Type(), e.Position()) {
			v[i] = b.choice(l.held(), args[2][i], args[1][i], args[0][i])
		}
		return v
	},
	"all": joined(tree.And), "any": joined(tree.Or),
	"isordered": each(func(b *builder, k tree.ScalarKind, a []ir.Value) ir.Value {
		return b.op(ir.OpAnd, ir.Bool, b.compare(tree.Equal, k, a[0], a[0]), b.compare(tree.Equal, k, a[1], a[1]))
	}),
	"isunordered": each(func(b *builder, k tree.ScalarKind, a []ir.Value) ir.Value {
		return b.op(ir.OpOr, ir.Bool, b.compare(tree.NotEqual, k, a[0], a[0]), b.compare(tree.NotEqual, k, a[1], a[1]))
	}),
	"isnormal": each(func(b *builder, k tree.ScalarKind, a []ir.Value) ir.Value {
		least := float32(0x1p-126)
		if k == tree.Half {
			least = 0x1p-14
		}
		large := b.compare(tree.GreaterEqual, k, b.element(ir.OpFabs, k, a[0]), b.float(least))
		return b.op(ir.OpAnd, ir.Bool, large, b.op(ir.OpIsFinite, ir.F32, a[0]))
	}),
}

func fold3(op ir.Op) composition {
	return each(func(b *builder, k tree.ScalarKind, a []ir.Value) ir.Value {
		return b.element(op, k, b.element(op, k, a[0], a[1]), a[2])
	})
}

// median is max(min(x, y), min(max(x, y), z)).
func median(least, most ir.Op) composition {
	return each(func(b *builder, k tree.ScalarKind, a []ir.Value) ir.Value {
		low, high := b.element(least, k, a[0], a[1]), b.element(most, k, a[0], a[1])
		return b.element(most, k, low, b.element(least, k, high, a[2]))
	})
}

// madSat computes in the next wider type, and for 64 bits in 128.
func madSat(b *builder, k tree.ScalarKind, a []ir.Value) ir.Value {
	if k.Bytes() == 8 {
		return b.op(ir.OpMadSat, ir.TypeOf(k), a[0], a[1], a[2])
	}
	wide, low, high := tree.ULong, uint64(0), uint64(1)<<(8*k.Bytes())-1
	if k.Signed() {
		half := int64(1) << (8*k.Bytes() - 1)
		wide, low, high = tree.Long, uint64(-half), uint64(half-1)
	}
	x, y, z := b.convert(a[0], k, wide), b.convert(a[1], k, wide), b.convert(a[2], k, wide)
	sum := b.arithmetic(tree.Add, wide, b.arithmetic(tree.Mul, wide, x, y), z)
	return b.convert(b.element(ir.OpClamp, wide, sum, b.long(low), b.long(high)), wide, k)
}

// joined joins the elements of a vector of bool.
func joined(op tree.Op) composition {
	return func(b *builder, e *tree.Builtin) value {
		args := b.value(e.Args[0])
		r := args[0]
		for _, a := range args[1:] {
			r = b.operate(op, tree.Bool, r, a)
		}
		return b.single(r)
	}
}

// bitLibrary are the bit-fields of section 6.4: n bits from offset on; with n = 0 none.
var bitLibrary = map[string]composition{
	"extract_bits": each(func(b *builder, k tree.ScalarKind, a []ir.Value) ir.Value {
		t := ir.U64
		if k.Signed() {
			t = ir.S64
		}
		wide := b.op(ir.OpExtractBits, t, b.convert(a[0], k, tree.ULong), a[1], a[2])
		return b.convert(wide, tree.ULong, k)
	}),
	"insert_bits": each(func(b *builder, k tree.ScalarKind, a []ir.Value) ir.Value {
		// the bits to be replaced, as ones
		ones := b.op(ir.OpExtractBits, ir.U64, b.long(1<<64-1), b.word(0), a[3])
		ones = b.operate(tree.Shl, tree.ULong, ones, a[2])
		base := b.convert(a[0], k, tree.ULong)
		base = b.operate(tree.And, tree.ULong, base, b.op(ir.OpNot, ir.I64, ones))
		insert := b.operate(tree.Shl, tree.ULong, b.convert(a[1], k, tree.ULong), a[2])
		insert = b.operate(tree.And, tree.ULong, insert, ones)
		return b.convert(b.operate(tree.Or, tree.ULong, base, insert), tree.ULong, k)
	}),
}

// writingLibrary are the functions that also write to a variable.
var writingLibrary = map[string]composition{
	"sincos": twoResults(ir.OpSin, ir.OpCos, true),
	"modf":   twoResults(ir.OpModfFraction, ir.OpModfWhole, false),
	"frexp":  twoResults(ir.OpFrexpFraction, ir.OpFrexpExponent, false),
}

// twoResults returns a function that returns the first result and writes the second to a variable. They are rounded if
// rounds is set.
func twoResults(first, second ir.Op, rounds bool) composition {
	return func(b *builder, e *tree.Builtin) value {
		x, k := b.value(e.Args[0]), e.Type().Scalar
		v, w := b.newValue(len(x)), b.newValue(len(x))
		for i := range x {
			v[i], w[i] = b.op(first, ir.F32, x[i]), b.op(second, ir.F32, x[i])
		}
		if rounds {
			v, w = b.fitAll(k, v), b.fitAll(k, w)
		}
		b.store(b.lvalue(e.Args[1]), w)
		return v
	}
}
