package cpu

import "github.com/metalgen/metalgen/internal/msl"

// lane is how the operations see the scalars of a type.
type lane uint8

const (
	boolLane lane = iota
	intLane
	uintLane
	longLane
	ulongLane
	floatLane
	lanes
)

// laneOf gives the lane of each scalar type.
func laneOf(k msl.ScalarKind) lane { return scalarLanes[k] }

var scalarLanes = [...]lane{
	msl.Bool: boolLane, msl.Char: intLane, msl.Short: intLane, msl.Int: intLane,
	msl.UChar: uintLane, msl.UShort: uintLane, msl.UInt: uintLane,
	msl.Long: longLane, msl.ULong: ulongLane,
	msl.Half: floatLane, msl.BFloat: floatLane, msl.Float: floatLane,
}

type operation = func(*frame, *instruction)

// arithmeticOps are the binary operators that give the type of their operands.
var arithmeticOps = map[msl.Op][lanes]operation{
	msl.Add: {intLane: addInt[int32], uintLane: addInt[uint32], longLane: addInt[int64], ulongLane: addInt[uint64], floatLane: addFloat},
	msl.Sub: {intLane: subInt[int32], uintLane: subInt[uint32], longLane: subInt[int64], ulongLane: subInt[uint64], floatLane: subFloat},
	msl.Mul: {intLane: mulInt[int32], uintLane: mulInt[uint32], longLane: mulInt[int64], ulongLane: mulInt[uint64], floatLane: mulFloat},
	msl.Div: {intLane: divInt[int32], uintLane: divInt[uint32], longLane: divInt[int64], ulongLane: divInt[uint64], floatLane: divFloat},
	msl.Mod: {intLane: modInt[int32], uintLane: modInt[uint32], longLane: modInt[int64], ulongLane: modInt[uint64]},
	msl.And: {boolLane: maskAnd, intLane: andInt[int32], uintLane: andInt[uint32], longLane: andInt[int64], ulongLane: andInt[uint64]},
	msl.Or:  {boolLane: maskOr, intLane: orInt[int32], uintLane: orInt[uint32], longLane: orInt[int64], ulongLane: orInt[uint64]},
	msl.Xor: {boolLane: maskXor, intLane: xorInt[int32], uintLane: xorInt[uint32], longLane: xorInt[int64], ulongLane: xorInt[uint64]},
	msl.Shl: {intLane: shlInt[int32], uintLane: shlInt[uint32], longLane: shlInt[int64], ulongLane: shlInt[uint64]},
	msl.Shr: {intLane: shrInt[int32], uintLane: shrInt[uint32], longLane: shrInt[int64], ulongLane: shrInt[uint64]},
}

// compareOps are the comparisons; those with > are their mirror images.
var compareOps = map[msl.Op][lanes]operation{
	msl.Equal: {boolLane: maskEqual, intLane: equal[int32], uintLane: equal[uint32], longLane: equal[int64], ulongLane: equal[uint64], floatLane: equal[float32]},
	msl.NotEqual: {boolLane: maskXor, intLane: notEqual[int32], uintLane: notEqual[uint32], longLane: notEqual[int64], ulongLane: notEqual[uint64],
		floatLane: notEqual[float32]},
	msl.Less: {intLane: less[int32], uintLane: less[uint32], longLane: less[int64], ulongLane: less[uint64], floatLane: less[float32]},
	msl.LessEqual: {intLane: lessEqual[int32], uintLane: lessEqual[uint32], longLane: lessEqual[int64], ulongLane: lessEqual[uint64],
		floatLane: lessEqual[float32]},
}

var mirrored = map[msl.Op]msl.Op{msl.Greater: msl.Less, msl.GreaterEqual: msl.LessEqual}

// unaryOps are the prefix operators.
var unaryOps = map[msl.Op][lanes]operation{
	msl.Neg:        {intLane: negInt[int32], uintLane: negInt[uint32], longLane: negInt[int64], ulongLane: negInt[uint64], floatLane: negFloat},
	msl.BitNot:     {intLane: notInt[int32], uintLane: notInt[uint32], longLane: notInt[int64], ulongLane: notInt[uint64]},
	msl.LogicalNot: {boolLane: maskNot},
}

// arithmetic lowers a binary operator on scalars of one type.
func (b *builder) arithmetic(op msl.Op, k msl.ScalarKind, x, y int32) int32 {
	return b.fit(k, b.op(classOf(k), arithmeticOps[op][laneOf(k)], x, y))
}

// fit brings the result of 32-bit arithmetic into the range or precision of a
// type of fewer bits.
func (b *builder) fit(k msl.ScalarKind, r int32) int32 {
	if run := fits[k]; run != nil {
		return b.op(wordClass, run, r)
	}
	return r
}

var fits = [...]operation{
	msl.Char: wrapChar, msl.UChar: wrapUChar, msl.Short: wrapShort, msl.UShort: wrapUShort,
	msl.Half: roundHalf, msl.BFloat: roundBFloat, msl.Float: nil,
}

// compare lowers a comparison of scalars of one type.
func (b *builder) compare(op msl.Op, k msl.ScalarKind, x, y int32) int32 {
	if m, ok := mirrored[op]; ok {
		op, x, y = m, y, x
	}
	return b.op(maskClass, compareOps[op][laneOf(k)], x, y)
}

// convertLeaf converts a scalar.
func (b *builder) convertLeaf(r int32, from, to msl.ScalarKind) int32 {
	switch {
	case from == to:
		return r
	case from == msl.Bool:
		return b.op(classOf(to), fromBool[laneOf(to)], r)
	case to == msl.Bool:
		return b.op(maskClass, toBool[laneOf(from)], r)
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
			r = b.op(classOf(from), roundOdd[laneOf(from)], r)
		}
		return b.fit(to, b.op(wordClass, toFloat[laneOf(from)], r))
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
		run = fromFloat[laneOf(to)]
	}
	return b.op(classOf(to), run, r)
}

var fromFloatNarrow = map[msl.ScalarKind]operation{
	msl.Char: floatToChar, msl.UChar: floatToUchar, msl.Short: floatToShort, msl.UShort: floatToUshort,
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

var (
	fromBool  = [lanes]operation{intLane: numberOf[int32], uintLane: numberOf[uint32], longLane: numberOf[int64], ulongLane: numberOf[uint64], floatLane: numberOf[float32]}
	toBool    = [lanes]operation{intLane: isNotZero[int32], uintLane: isNotZero[uint32], longLane: isNotZero[int64], ulongLane: isNotZero[uint64], floatLane: isNotZero[float32]}
	toFloat   = [lanes]operation{intLane: floatFromInt[int32], uintLane: floatFromUint, longLane: floatFromInt[int64], ulongLane: floatFromInt[uint64]}
	roundOdd  = [lanes]operation{intLane: oddInt[int32], uintLane: oddInt[uint32], longLane: oddInt[int64], ulongLane: oddInt[uint64]}
	fromFloat = [lanes]operation{intLane: floatToInt, uintLane: floatToUint, longLane: floatToLong, ulongLane: floatToUlong}
)
