package cpu

import "github.com/metalgen/metalgen/internal/msl"

// arithmetic lowers a binary operator on scalars of one type.
func (b *builder) arithmetic(op msl.Op, k msl.ScalarKind, x, y int32) int32 {
	return b.fit(k, b.op(classOf(k), arithmeticOps[op][operandOf(k)], x, y))
}

// fit brings the result of 32-bit arithmetic into the range or precision of a
// type of fewer bits.
func (b *builder) fit(k msl.ScalarKind, r int32) int32 {
	if run := fits[k]; run != nil {
		return b.op(wordClass, run, r)
	}
	return r
}

// compare lowers a comparison of scalars of one type.
func (b *builder) compare(op msl.Op, k msl.ScalarKind, x, y int32) int32 {
	if m, ok := mirrored[op]; ok {
		op, x, y = m, y, x
	}
	return b.op(maskClass, compareOps[op][operandOf(k)], x, y)
}

// convertLeaf converts a scalar.
func (b *builder) convertLeaf(r int32, from, to msl.ScalarKind) int32 {
	switch {
	case from == to:
		return r
	case from == msl.Bool:
		return b.op(classOf(to), fromBool[operandOf(to)], r)
	case to == msl.Bool:
		return b.op(maskClass, toBool[operandOf(from)], r)
	case floating(from) && floating(to):
		if to == msl.Float {
			return r
		}
		return b.fit(to, r)
	case floating(from):
		return b.floatToInteger(r, to)
	case floating(to):
		if to == msl.BFloat && sizes[from] >= 4 {
			// rounding to float first must not decide a tie
			r = b.op(classOf(from), roundOdd[operandOf(from)], r)
		}
		return b.fit(to, b.op(wordClass, toFloat[operandOf(from)], r))
	}
	switch {
	case classOf(from) == classOf(to):
	case classOf(to) == longClass && signed(from):
		return b.op(longClass, widen[int32], r)
	case classOf(to) == longClass:
		return b.op(longClass, widen[uint32], r)
	default:
		r = b.op(wordClass, narrow, r)
	}
	if holds(to, from) {
		return r
	}
	return b.fit(to, r)
}

// floatToInteger truncates; what is out of range becomes the nearest value that
// the type has.
func (b *builder) floatToInteger(r int32, to msl.ScalarKind) int32 {
	run := fromFloatNarrow[to]
	if run == nil {
		run = fromFloat[operandOf(to)]
	}
	return b.op(classOf(to), run, r)
}

var narrowRanges = map[msl.ScalarKind]struct{ low, high int32 }{
	msl.Char: {-1 << 7, 1<<7 - 1}, msl.UChar: {0, 1<<8 - 1}, msl.Short: {-1 << 15, 1<<15 - 1}, msl.UShort: {0, 1<<16 - 1},
}

// holds reports whether an integer type has all values of another one that is
// held in a register of the same size.
func holds(to, from msl.ScalarKind) bool {
	if classOf(to) == longClass || to == msl.Int || to == msl.UInt {
		return true
	}
	n, f := narrowRanges[to], narrowRanges[from]
	return f.high != 0 && n.low <= f.low && n.high >= f.high
}
