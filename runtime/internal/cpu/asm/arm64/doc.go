// Package arm64 encodes machine code of arm64: general-purpose instructions, and those on vectors of 128 bits.
//
// An instruction is a constant, whose lower 32 bits are its encoding. Its type says what operands it takes, a letter
// each: FADD is a [VVV], of three vector registers. The method Put of the type appends the instruction to an
// [Assembler], so operands of a wrong kind do not compile:
//
//	a := new(arm64.Assembler)
//	loop := a.Label()
//	a.Bind(loop)
//	arm64.LDR_Q.Put(a, arm64.V0, arm64.Mem{Base: arm64.X1})
//	arm64.FMUL.Put(a, arm64.S4, arm64.V0, arm64.V0, arm64.V1)
//	arm64.STR_Q.Put(a, arm64.V0, arm64.Mem{Base: arm64.X2})
//	arm64.SUBS_XI.Put(a, arm64.X0, arm64.X0, 1)
//	a.JumpIf(arm64.NE, loop)
//	arm64.RET.Put(a, arm64.X30)
//	code, err := a.Code()
//
// The letters of types:
//
//	V  a vector register           E  an element of one
//	R  a general-purpose register  M  memory
//	I  a number                    C  a condition
//	O  nothing
//
// Names are those of Arm's manual. Those on general-purpose registers end with what they work on: _W are 32 bits, _X
// are 64, and an I after that says that the last operand is a number. Vector instructions are told how registers are
// divided, by an [Arrangement]; _Z compares with zero, _E takes an element, _N a number.
//
// What instructions need besides the first version of the architecture: SDOT and UDOT need dot products, the atomic
// ones those of LSE. The package knows no more than encodings. It runs on every system, and what it does not take is
// reported once, by [Assembler.Code].
package arm64
