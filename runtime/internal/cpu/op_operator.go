package cpu

import "github.com/metalgen/metalgen/internal/msl/tree"

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
func operandOf(k tree.ScalarKind) operandType { return operandsOf[k] }

var operandsOf = [...]operandType{
	tree.Bool: asBool, tree.Char: asInt, tree.Short: asInt, tree.Int: asInt,
	tree.UChar: asUint, tree.UShort: asUint, tree.UInt: asUint,
	tree.Long: asLong, tree.ULong: asUlong,
	tree.Half: asFloat, tree.BFloat: asFloat, tree.Float: asFloat,
}

// operations are those of one operator or function, by the type of its operands.
type operations [operandTypes]operation

// arithmeticOps are the binary operators that give the type of their operands.
var arithmeticOps = map[tree.Op]operations{
	tree.Add: {asInt: addInt[int32], asUint: addInt[uint32], asLong: addInt[int64], asUlong: addInt[uint64], asFloat: addFloat},
	tree.Sub: {asInt: subInt[int32], asUint: subInt[uint32], asLong: subInt[int64], asUlong: subInt[uint64], asFloat: subFloat},
	tree.Mul: {asInt: mulInt[int32], asUint: mulInt[uint32], asLong: mulInt[int64], asUlong: mulInt[uint64], asFloat: mulFloat},
	tree.Div: {asInt: divInt[int32], asUint: divInt[uint32], asLong: divInt[int64], asUlong: divInt[uint64], asFloat: divFloat},
	tree.Mod: {asInt: modInt[int32], asUint: modInt[uint32], asLong: modInt[int64], asUlong: modInt[uint64]},
	tree.And: {asBool: maskAnd, asInt: andInt[int32], asUint: andInt[uint32], asLong: andInt[int64], asUlong: andInt[uint64]},
	tree.Or:  {asBool: maskOr, asInt: orInt[int32], asUint: orInt[uint32], asLong: orInt[int64], asUlong: orInt[uint64]},
	tree.Xor: {asBool: maskXor, asInt: xorInt[int32], asUint: xorInt[uint32], asLong: xorInt[int64], asUlong: xorInt[uint64]},
	tree.Shl: {asInt: shlInt[int32], asUint: shlInt[uint32], asLong: shlInt[int64], asUlong: shlInt[uint64]},
	tree.Shr: {asInt: shrInt[int32], asUint: shrInt[uint32], asLong: shrInt[int64], asUlong: shrInt[uint64]},
}

// compareOps are the comparisons; those with > are their mirror images.
var compareOps = map[tree.Op]operations{
	tree.Equal: {asBool: maskEqual, asInt: equal[int32], asUint: equal[uint32], asLong: equal[int64], asUlong: equal[uint64], asFloat: equal[float32]},
	tree.NotEqual: {asBool: maskXor, asInt: notEqual[int32], asUint: notEqual[uint32], asLong: notEqual[int64], asUlong: notEqual[uint64],
		asFloat: notEqual[float32]},
	tree.Less: {asInt: less[int32], asUint: less[uint32], asLong: less[int64], asUlong: less[uint64], asFloat: less[float32]},
	tree.LessEqual: {asInt: lessEqual[int32], asUint: lessEqual[uint32], asLong: lessEqual[int64], asUlong: lessEqual[uint64],
		asFloat: lessEqual[float32]},
}

var mirrored = map[tree.Op]tree.Op{tree.Greater: tree.Less, tree.GreaterEqual: tree.LessEqual}

// unaryOps are the prefix operators.
var unaryOps = map[tree.Op]operations{
	tree.Neg:        {asInt: negInt[int32], asUint: negInt[uint32], asLong: negInt[int64], asUlong: negInt[uint64], asFloat: negFloat},
	tree.BitNot:     {asInt: notInt[int32], asUint: notInt[uint32], asLong: notInt[int64], asUlong: notInt[uint64]},
	tree.LogicalNot: {asBool: maskNot},
}

var fits = [...]operation{
	tree.Char: wrapChar, tree.UChar: wrapUChar, tree.Short: wrapShort, tree.UShort: wrapUShort,
	tree.Half: roundHalf, tree.BFloat: roundBFloat, tree.Float: nil,
}

var fromFloatNarrow = map[tree.ScalarKind]operation{
	tree.Char: floatToChar, tree.UChar: floatToUchar, tree.Short: floatToShort, tree.UShort: floatToUshort,
}

var (
	fromBool  = operations{asInt: numberOf[int32], asUint: numberOf[uint32], asLong: numberOf[int64], asUlong: numberOf[uint64], asFloat: numberOf[float32]}
	toBool    = operations{asInt: isNotZero[int32], asUint: isNotZero[uint32], asLong: isNotZero[int64], asUlong: isNotZero[uint64], asFloat: isNotZero[float32]}
	toFloat   = operations{asInt: floatFromInt[int32], asUint: floatFromUint, asLong: floatFromInt[int64], asUlong: floatFromInt[uint64]}
	roundOdd  = operations{asInt: oddInt[int32], asUint: oddInt[uint32], asLong: oddInt[int64], asUlong: oddInt[uint64]}
	fromFloat = operations{asInt: floatToInt, asUint: floatToUint, asLong: floatToLong, asUlong: floatToUlong}
)
