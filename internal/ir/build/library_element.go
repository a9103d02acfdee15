package build

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
)

// elementLibrary are the functions that take several operations for each element (sections 6.2 to 6.5).
var elementLibrary = map[string]composition{
	"divide": each(func(num *numbers, k tree.ScalarKind, a []ir.Value) ir.Value {
		return num.arithmetic(tree.Div, k, a[0], a[1])
	}),
	"not": each(func(num *numbers, k tree.ScalarKind, a []ir.Value) ir.Value {
		return num.out.op(ir.OpNot, ir.Bool, a[0])
	}),
	"mad24": each(func(num *numbers, k tree.ScalarKind, a []ir.Value) ir.Value {
		return num.arithmetic(tree.Add, k, num.out.op(ir.OpMul24, ir.TypeOf(k), a[0], a[1]), a[2])
	}),
	"mix": each(func(num *numbers, k tree.ScalarKind, a []ir.Value) ir.Value { // x + (y - x) * a
		way := num.arithmetic(tree.Sub, k, a[1], a[0])
		return num.arithmetic(tree.Add, k, a[0], num.arithmetic(tree.Mul, k, way, a[2]))
	}),
	"smoothstep": each(func(num *numbers, k tree.ScalarKind, a []ir.Value) ir.Value {
		// t * t * (3 - 2 * t), t = (x - low) / (high - low) in 0 to 1
		t, length := num.arithmetic(tree.Sub, k, a[2], a[0]), num.arithmetic(tree.Sub, k, a[1], a[0])
		t = num.element(ir.OpSaturate, k, num.arithmetic(tree.Div, k, t, length))
		square, twice := num.arithmetic(tree.Mul, k, t, t), num.arithmetic(tree.Mul, k, num.out.float(2), t)
		return num.arithmetic(tree.Mul, k, square, num.arithmetic(tree.Sub, k, num.out.float(3), twice))
	}),
	"fmax3": fold3(ir.OpFmax), "fmin3": fold3(ir.OpFmin), "max3": fold3(ir.OpMax), "min3": fold3(ir.OpMin),
	"fmedian3": median(ir.OpFmin, ir.OpFmax), "median3": median(ir.OpMin, ir.OpMax),
	"madhi": each(func(num *numbers, k tree.ScalarKind, a []ir.Value) ir.Value {
		return num.arithmetic(tree.Add, k, num.element(ir.OpMulHigh, k, a[0], a[1]), a[2])
	}),
	"madsat": each(madSat),
	"select": func(b *builder, e *tree.Builtin) value { // select(x, y, c): y where c holds
		args := b.operands(e.Args...)
		v := b.out.newValue(len(args[0]))
		for i, l := range b.out.leavesOf(e.Type(), e.Position()) {
			v[i] = b.out.choice(l.held(), args[2][i], args[1][i], args[0][i])
		}
		return v
	},
	"all": joined(tree.And), "any": joined(tree.Or),
	"isordered": each(func(num *numbers, k tree.ScalarKind, a []ir.Value) ir.Value {
		x, y := num.compare(tree.Equal, k, a[0], a[0]), num.compare(tree.Equal, k, a[1], a[1])
		return num.out.op(ir.OpAnd, ir.Bool, x, y)
	}),
	"isunordered": each(func(num *numbers, k tree.ScalarKind, a []ir.Value) ir.Value {
		x, y := num.compare(tree.NotEqual, k, a[0], a[0]), num.compare(tree.NotEqual, k, a[1], a[1])
		return num.out.op(ir.OpOr, ir.Bool, x, y)
	}),
	"isnormal": each(func(num *numbers, k tree.ScalarKind, a []ir.Value) ir.Value {
		least := float32(0x1p-126)
		if k == tree.Half {
			least = 0x1p-14
		}
		large := num.compare(tree.GreaterEqual, k, num.element(ir.OpFabs, k, a[0]), num.out.float(least))
		return num.out.op(ir.OpAnd, ir.Bool, large, num.out.op(ir.OpIsFinite, ir.F32, a[0]))
	}),
}

func fold3(op ir.Op) composition {
	return each(func(num *numbers, k tree.ScalarKind, a []ir.Value) ir.Value {
		return num.element(op, k, num.element(op, k, a[0], a[1]), a[2])
	})
}

// median is max(min(x, y), min(max(x, y), z)).
func median(least, most ir.Op) composition {
	return each(func(num *numbers, k tree.ScalarKind, a []ir.Value) ir.Value {
		low, high := num.element(least, k, a[0], a[1]), num.element(most, k, a[0], a[1])
		return num.element(most, k, low, num.element(least, k, high, a[2]))
	})
}

// madSat computes in the next wider type, and for 64 bits in 128.
func madSat(num *numbers, k tree.ScalarKind, a []ir.Value) ir.Value {
	if k.Bytes() == 8 {
		return num.out.op(ir.OpMadSat, ir.TypeOf(k), a[0], a[1], a[2])
	}
	wide, low, high := tree.ULong, uint64(0), uint64(1)<<(8*k.Bytes())-1
	if k.Signed() {
		half := int64(1) << (8*k.Bytes() - 1)
		wide, low, high = tree.Long, uint64(-half), uint64(half-1)
	}
	x, y, z := num.convert(a[0], k, wide), num.convert(a[1], k, wide), num.convert(a[2], k, wide)
	sum := num.arithmetic(tree.Add, wide, num.arithmetic(tree.Mul, wide, x, y), z)
	return num.convert(num.element(ir.OpClamp, wide, sum, num.out.long(low), num.out.long(high)), wide, k)
}

// joined joins the elements of a vector of bool.
func joined(op tree.Op) composition {
	return func(b *builder, e *tree.Builtin) value {
		args := b.value(e.Args[0])
		r := args[0]
		for _, a := range args[1:] {
			r = b.num.operate(op, tree.Bool, r, a)
		}
		return b.out.single(r)
	}
}

// bitLibrary are the bit-fields of section 6.4: n bits from offset on; with n = 0 none.
var bitLibrary = map[string]composition{
	"extract_bits": each(func(num *numbers, k tree.ScalarKind, a []ir.Value) ir.Value {
		t := ir.U64
		if k.Signed() {
			t = ir.S64
		}
		wide := num.out.op(ir.OpExtractBits, t, num.convert(a[0], k, tree.ULong), a[1], a[2])
		return num.convert(wide, tree.ULong, k)
	}),
	"insert_bits": each(func(num *numbers, k tree.ScalarKind, a []ir.Value) ir.Value {
		// the bits to be replaced, as ones
		ones := num.out.op(ir.OpExtractBits, ir.U64, num.out.long(1<<64-1), num.out.word(0), a[3])
		ones = num.operate(tree.Shl, tree.ULong, ones, a[2])
		base := num.convert(a[0], k, tree.ULong)
		base = num.operate(tree.And, tree.ULong, base, num.out.op(ir.OpNot, ir.I64, ones))
		insert := num.operate(tree.Shl, tree.ULong, num.convert(a[1], k, tree.ULong), a[2])
		insert = num.operate(tree.And, tree.ULong, insert, ones)
		return num.convert(num.operate(tree.Or, tree.ULong, base, insert), tree.ULong, k)
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
		v, w := b.out.newValue(len(x)), b.out.newValue(len(x))
		for i := range x {
			v[i], w[i] = b.out.op(first, ir.F32, x[i]), b.out.op(second, ir.F32, x[i])
		}
		if rounds {
			v, w = b.num.fitAll(k, v), b.num.fitAll(k, w)
		}
		b.mem.store(b.lvalue(e.Args[1]), w)
		return v
	}
}
