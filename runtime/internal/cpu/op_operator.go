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

func onIntegers(i, u, l, ul operation) operations {
	return operations{asInt: i, asUint: u, asLong: l, asUlong: ul}
}

func onNumbers(i, u, l, ul, f operation) operations {
	return operations{asInt: i, asUint: u, asLong: l, asUlong: ul, asFloat: f}
}

func onBoolsAndIntegers(b, i, u, l, ul operation) operations {
	return operations{asBool: b, asInt: i, asUint: u, asLong: l, asUlong: ul}
}

func onScalars(b, i, u, l, ul, f operation) operations {
	return operations{asBool: b, asInt: i, asUint: u, asLong: l, asUlong: ul, asFloat: f}
}

// arithmeticOps are the binary operators whose result has the type of their operands.
var arithmeticOps = map[tree.Op]operations{
	tree.Add: onNumbers(addInt[int32], addInt[uint32], addInt[int64], addInt[uint64], addFloat),
	tree.Sub: onNumbers(subInt[int32], subInt[uint32], subInt[int64], subInt[uint64], subFloat),
	tree.Mul: onNumbers(mulInt[int32], mulInt[uint32], mulInt[int64], mulInt[uint64], mulFloat),
	tree.Div: onNumbers(divInt[int32], divInt[uint32], divInt[int64], divInt[uint64], divFloat),
	tree.Mod: onIntegers(modInt[int32], modInt[uint32], modInt[int64], modInt[uint64]),
	tree.And: onBoolsAndIntegers(maskAnd, andInt[int32], andInt[uint32], andInt[int64], andInt[uint64]),
	tree.Or:  onBoolsAndIntegers(maskOr, orInt[int32], orInt[uint32], orInt[int64], orInt[uint64]),
	tree.Xor: onBoolsAndIntegers(maskXor, xorInt[int32], xorInt[uint32], xorInt[int64], xorInt[uint64]),
	tree.Shl: onIntegers(shlInt[int32], shlInt[uint32], shlInt[int64], shlInt[uint64]),
	tree.Shr: onIntegers(shrInt[int32], shrInt[uint32], shrInt[int64], shrInt[uint64]),
}

// compareOps are the comparisons; those with > are their mirror images.
var compareOps = map[tree.Op]operations{
	tree.Equal: onScalars(maskEqual,
		equal[int32], equal[uint32], equal[int64], equal[uint64], equal[float32]),
	tree.NotEqual: onScalars(maskXor,
		notEqual[int32], notEqual[uint32], notEqual[int64], notEqual[uint64], notEqual[float32]),
	tree.Less: onNumbers(
		less[int32], less[uint32], less[int64], less[uint64], less[float32]),
	tree.LessEqual: onNumbers(
		lessEqual[int32], lessEqual[uint32], lessEqual[int64], lessEqual[uint64], lessEqual[float32]),
}

var mirrored = map[tree.Op]tree.Op{tree.Greater: tree.Less, tree.GreaterEqual: tree.LessEqual}

// unaryOps are the prefix operators.
var unaryOps = map[tree.Op]operations{
	tree.Neg:        onNumbers(negInt[int32], negInt[uint32], negInt[int64], negInt[uint64], negFloat),
	tree.BitNot:     onIntegers(notInt[int32], notInt[uint32], notInt[int64], notInt[uint64]),
	tree.LogicalNot: {asBool: maskNot},
}

var fits = [...]operation{
	tree.Char: wrapChar, tree.UChar: wrapUChar, tree.Short: wrapShort, tree.UShort: wrapUShort,
	tree.Half: roundHalf, tree.BFloat: roundBFloat, tree.Float: nil,
}

var fromFloatNarrow = map[tree.ScalarKind]operation{
	tree.Char: floatToChar, tree.UChar: floatToUchar, tree.Short: floatToShort, tree.UShort: floatToUshort,
}

// The conversions between scalars, by the type that is not bool or float.
var (
	fromBool = onNumbers(
		numberOf[int32], numberOf[uint32], numberOf[int64], numberOf[uint64], numberOf[float32])
	toBool = onNumbers(
		isNotZero[int32], isNotZero[uint32], isNotZero[int64], isNotZero[uint64], isNotZero[float32])
	toFloat   = onIntegers(floatFromInt[int32], floatFromInt[uint32], floatFromInt[int64], floatFromInt[uint64])
	roundOdd  = onIntegers(oddInt[int32], oddInt[uint32], oddInt[int64], oddInt[uint64])
	fromFloat = onIntegers(floatToInt, floatToUint, floatToLong, floatToUlong)
)
