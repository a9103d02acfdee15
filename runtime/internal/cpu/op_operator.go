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

var fits = [...]operation{
	msl.Char: wrapChar, msl.UChar: wrapUChar, msl.Short: wrapShort, msl.UShort: wrapUShort,
	msl.Half: roundHalf, msl.BFloat: roundBFloat, msl.Float: nil,
}

var fromFloatNarrow = map[msl.ScalarKind]operation{
	msl.Char: floatToChar, msl.UChar: floatToUchar, msl.Short: floatToShort, msl.UShort: floatToUshort,
}

var (
	fromBool  = [lanes]operation{intLane: numberOf[int32], uintLane: numberOf[uint32], longLane: numberOf[int64], ulongLane: numberOf[uint64], floatLane: numberOf[float32]}
	toBool    = [lanes]operation{intLane: isNotZero[int32], uintLane: isNotZero[uint32], longLane: isNotZero[int64], ulongLane: isNotZero[uint64], floatLane: isNotZero[float32]}
	toFloat   = [lanes]operation{intLane: floatFromInt[int32], uintLane: floatFromUint, longLane: floatFromInt[int64], ulongLane: floatFromInt[uint64]}
	roundOdd  = [lanes]operation{intLane: oddInt[int32], uintLane: oddInt[uint32], longLane: oddInt[int64], ulongLane: oddInt[uint64]}
	fromFloat = [lanes]operation{intLane: floatToInt, uintLane: floatToUint, longLane: floatToLong, ulongLane: floatToUlong}
)
