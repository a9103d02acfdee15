//go:build darwin || (linux && !android)

#include "textflag.h"

GLOBL ·invokeAddress(SB), NOPTR|RODATA, $8
DATA ·invokeAddress(SB)/8, $invoke<>(SB)

// AAPCS64: R0 is the block, R1 to R4 are its arguments. crosscall2 takes a function in R0, its
// argument in R1 and a context in R3, and saves what belongs to the caller, but R30. R27 is the
// caller's too, and Go's assembler uses it for addresses.
TEXT invoke<>(SB), NOSPLIT|NOFRAME, $0
	SUB  $64, RSP
	STP  (R29, R30), 0(RSP)
	STP  (R0, R1), 16(RSP)
	STP  (R2, R3), 32(RSP)
	STP  (R4, R27), 48(RSP)
	MOVD RSP, R29
	ADD  $16, RSP, R1
	MOVD ·blockHandler(SB), R0
	MOVD (R0), R0
	MOVD $0, R2
	MOVD $0, R3
	BL   crosscall2(SB)
	LDP  48(RSP), (R4, R27)
	LDP  0(RSP), (R29, R30)
	ADD  $64, RSP
	RET
