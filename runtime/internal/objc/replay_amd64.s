//go:build darwin || (linux && !android)

#include "go_asm.h"
#include "textflag.h"

GLOBL ·replayAddress(SB), NOPTR|RODATA, $8
DATA ·replayAddress(SB)/8, $replay<>(SB)

// System V ABI, which macOS shares: DI first, SI end, DX msgSend, CX target, R8 where the
// last result goes that is a double, or 0. BX, BP and R12 to R15 belong to the caller. With
// four pushes and the return address, 72 bytes keep the stack aligned to 16; the lowest 48
// are the outgoing arguments, and the target and R8 lie above them.
TEXT replay<>(SB), NOSPLIT|NOFRAME, $0
	PUSHQ BP
	MOVQ  SP, BP
	PUSHQ BX
	PUSHQ R12
	PUSHQ R13
	ADJSP $72
	MOVQ  DI, BX
	MOVQ  SI, R12
	MOVQ  DX, R13
	MOVQ  CX, 48(SP)
	MOVQ  R8, 56(SP)

message:
	MOVQ record_id(BX), DI
	TESTQ DI, DI
	CMOVQEQ 48(SP), DI
	MOVQ record_sel(BX), SI
	MOVQ record_shape(BX), AX
	CMPQ AX, $const_shapeSizes
	JEQ  sizes
	JA   mixed
	MOVQ (record_words+0)(BX), DX
	MOVQ (record_words+8)(BX), CX
	MOVQ (record_words+16)(BX), R8
	MOVQ (record_words+24)(BX), R9
	MOVQ (record_words+32)(BX), AX
	MOVQ (record_words+40)(BX), R10
	MOVQ AX, 0(SP)
	MOVQ R10, 8(SP)
	JMP  send

sizes:
	MOVOU (record_words+0)(BX), X0
	MOVOU (record_words+16)(BX), X1
	MOVOU (record_words+32)(BX), X2
	MOVOU X0, 0(SP)
	MOVOU X1, 16(SP)
	MOVOU X2, 32(SP)
	JMP  send

mixed:
	MOVQ  (record_words+0)(BX), DX
	MOVQ  (record_words+8)(BX), CX
	MOVOU (record_words+24)(BX), X0
	MOVQ  (record_words+40)(BX), AX
	MOVOU X0, 0(SP)
	MOVQ  AX, 16(SP)

send:
	CALL R13
	ADDQ $record__size, BX
	CMPQ BX, R12
	JB   message
	MOVQ 56(SP), AX
	TESTQ AX, AX
	JEQ  done
	MOVSD X0, (AX)

done:
	ADJSP $-72
	POPQ R13
	POPQ R12
	POPQ BX
	POPQ BP
	RET
