//go:build darwin || (linux && !android)

#include "textflag.h"

GLOBL ·invokeAddress(SB), NOPTR|RODATA, $8
DATA ·invokeAddress(SB)/8, $invoke<>(SB)

// System V ABI: DI is the block, SI, DX, CX and R8 are its arguments. crosscall2 takes a
// function in DI, its argument in SI and a context in CX, and saves what belongs to the caller.
TEXT invoke<>(SB), NOSPLIT|NOFRAME, $0
	PUSHQ BP
	MOVQ  SP, BP
	ADJSP $48
	MOVQ  DI, 0(SP)
	MOVQ  SI, 8(SP)
	MOVQ  DX, 16(SP)
	MOVQ  CX, 24(SP)
	MOVQ  R8, 32(SP)
	MOVQ  ·blockHandler(SB), DI
	MOVQ  (DI), DI
	MOVQ  SP, SI
	XORL  DX, DX
	XORL  CX, CX
	CALL  crosscall2(SB)
	ADJSP $-48
	POPQ  BP
	RET
