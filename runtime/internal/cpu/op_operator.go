package cpu

import "github.com/metalgen/metalgen/internal/msl"

// operation is what an instruction does to the registers of a frame.
type operation = func(*frame, *instruction)

// operandType is what operations take a scalar as: an integer of fewer than 32 bits
// as the int or uint that holds it, a half or bfloat as the float of the same value.
type operandType uint8

const (
	asBool operandType = iota
	asInt
	asUint
	asLong
	asUlong
	asFloat
	operandTypes
)

// operandOf returns what operations take scalars of a type as.
func operandOf(k msl.ScalarKind) operandType { return operandsOf[k] }

var operandsOf = [...]operandType{
	msl.Bool: asBool, msl.Char: asInt, msl.Short: asInt, msl.Int: asInt,
	msl.UChar: asUint, msl.UShort: asUint, msl.UInt: asUint,
	msl.Long: asLong, msl.ULong: asUlong,
	msl.Half: asFloat, msl.BFloat: asFloat, msl.Float: asFloat,
}

// operations are those of one operator or function, by the type of its operands.
type operations [operandTypes]operation

// arithmeticOps are the binary operators that give the type of their operands.
var arithmeticOps = map[msl.Op]operations{
	msl.Add: {asInt: addInt[int32], asUint: addInt[uint32], asLong: addInt[int64], asUlong: addInt[uint64], asFloat: addFloat},
	msl.Sub: {asInt: subInt[int32], asUint: subInt[uint32], asLong: subInt[int64], asUlong: subInt[uint64], asFloat: subFloat},
	msl.Mul: {asInt: mulInt[int32], asUint: mulInt[uint32], asLong: mulInt[int64], asUlong: mulInt[uint64], asFloat: mulFloat},
	msl.Div: {asInt: divInt[int32], asUint: divInt[uint32], asLong: divInt[int64], asUlong: divInt[uint64], asFloat: divFloat},
	msl.Mod: {asInt: modInt[int32], asUint: modInt[uint32], asLong: modInt[int64], asUlong: modInt[uint64]},
	msl.And: {asBool: maskAnd, asInt: andInt[int32], asUint: andInt[uint32], asLong: andInt[int64], asUlong: andInt[uint64]},
	msl.Or:  {asBool: maskOr, asInt: orInt[int32], asUint: orInt[uint32], asLong: orInt[int64], asUlong: orInt[uint64]},
	msl.Xor: {asBool: maskXor, asInt: xorInt[int32], asUint: xorInt[uint32], asLong: xorInt[int64], asUlong: xorInt[uint64]},
	msl.Shl: {asInt: shlInt[int32], asUint: shlInt[uint32], asLong: shlInt[int64], asUlong: shlInt[uint64]},
	msl.Shr: {asInt: shrInt[int32], asUint: shrInt[uint32], asLong: shrInt[int64], asUlong: shrInt[uint64]},
}

// compareOps are the comparisons; those with > are their mirror images.
var compareOps = map[msl.Op]operations{
	msl.Equal: {asBool: maskEqual, asInt: equal[int32], asUint: equal[uint32], asLong: equal[int64], asUlong: equal[uint64], asFloat: equal[float32]},
	msl.NotEqual: {asBool: maskXor, asInt: notEqual[int32], asUint: notEqual[uint32], asLong: notEqual[int64], asUlong: notEqual[uint64],
		asFloat: notEqual[float32]},
	msl.Less: {asInt: less[int32], asUint: less[uint32], asLong: less[int64], asUlong: less[uint64], asFloat: less[float32]},
	msl.LessEqual: {asInt: lessEqual[int32], asUint: lessEqual[uint32], asLong: lessEqual[int64], asUlong: lessEqual[uint64],
		asFloat: lessEqual[float32]},
}

var mirrored = map[msl.Op]msl.Op{msl.Greater: msl.Less, msl.GreaterEqual: msl.LessEqual}

// unaryOps are the prefix operators.
var unaryOps = map[msl.Op]operations{
	msl.Neg:        {asInt: negInt[int32], asUint: negInt[uint32], asLong: negInt[int64], asUlong: negInt[uint64], asFloat: negFloat},
	msl.BitNot:     {asInt: notInt[int32], asUint: notInt[uint32], asLong: notInt[int64], asUlong: notInt[uint64]},
	msl.LogicalNot: {asBool: maskNot},
}

var fits = [...]operation{
	msl.Char: wrapChar, msl.UChar: wrapUChar, msl.Short: wrapShort, msl.UShort: wrapUShort,
	msl.Half: roundHalf, msl.BFloat: roundBFloat, msl.Float: nil,
}

var fromFloatNarrow = map[msl.ScalarKind]operation{
	msl.Char: floatToChar, msl.UChar: floatToUchar, msl.Short: floatToShort, msl.UShort: floatToUshort,
}

var (
	fromBool  = operations{asInt: numberOf[int32], asUint: numberOf[uint32], asLong: numberOf[int64], asUlong: numberOf[uint64], asFloat: numberOf[float32]}
	toBool    = operations{asInt: isNotZero[int32], asUint: isNotZero[uint32], asLong: isNotZero[int64], asUlong: isNotZero[uint64], asFloat: isNotZero[float32]}
	toFloat   = operations{asInt: floatFromInt[int32], asUint: floatFromUint, asLong: floatFromInt[int64], asUlong: floatFromInt[uint64]}
	roundOdd  = operations{asInt: oddInt[int32], asUint: oddInt[uint32], asLong: oddInt[int64], asUlong: oddInt[uint64]}
	fromFloat = operations{asInt: floatToInt, asUint: floatToUint, asLong: floatToLong, asUlong: floatToUlong}
)
