package cpu

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

// operations are those of one operator or function, by the type of its operands.
type operations [operandTypes]operation

func onIntegers(i, u, l, ul operation) operations {
	return operations{asInt: i, asUint: u, asLong: l, asUlong: ul}
}

func onNumbers(i, u, l, ul, f operation) operations {
	return operations{asInt: i, asUint: u, asLong: l, asUlong: ul, asFloat: f}
}
