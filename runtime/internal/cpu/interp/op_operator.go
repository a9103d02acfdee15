package interp

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// Operation is what an instruction does to the registers of a frame.
type Operation = func(*Frame, *program.Instruction)

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
type operations [operandTypes]Operation

func onIntegers(i, u, l, ul Operation) operations {
	return operations{asInt: i, asUint: u, asLong: l, asUlong: ul}
}

func onNumbers(i, u, l, ul, f Operation) operations {
	return operations{asInt: i, asUint: u, asLong: l, asUlong: ul, asFloat: f}
}
