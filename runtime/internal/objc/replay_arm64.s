//go:build darwin || (linux && !android)

#include "go_asm.h"
#include "textflag.h"

GLOBL ·replayAddress(SB), NOPTR|RODATA, $8
DATA ·replayAddress(SB)/8, $replay<>(SB)

// AAPCS64: R0 first, R1 end, R2 msgSend, R3 target, R4 where the last result goes that is a
// double, or 0. R19 to R30 belong to the caller, R18 to the platform, and R27 and R28 are not
// touched because Go's assembler and runtime have plans for them. The copies of MTLSize are on the stack: the callee may
// write to them, and the record has to survive for another replay.
TEXT replay<>(SB), NOSPLIT|NOFRAME, $0
	SUB  $112, RSP
	STP  (R29, R30), 0(RSP)
	STP  (R19, R20), 16(RSP)
	STP  (R21, R22), 32(RSP)
	STP  (R3, R4), 96(RSP)
	MOVD RSP, R29
	MOVD R0, R19
	MOVD R1, R20
	MOVD R2, R21

message:
	MOVD record_shape(R19), R9
	MOVD record_id(R19), R0
	MOVD 96(RSP), R10
	CMP  $0, R0
	CSEL EQ, R10, R0, R0
	MOVD record_sel(R19), R1
	LDP  (record_words+0)(R19), (R2, R3)
	LDP  (record_words+16)(R19), (R4, R5)
	LDP  (record_words+32)(R19), (R6, R7)
	CBZ  R9, send
	CMP  $const_shapeMixed, R9
	BEQ  mixed
	STP  (R2, R3), 48(RSP)
	STP  (R4, R5), 64(RSP)
	STP  (R6, R7), 80(RSP)
	ADD  $48, RSP, R2
	ADD  $72, RSP, R3
	B    send

mixed:
	STP  (R5, R6), 48(RSP)
	MOVD R7, 64(RSP)
	ADD  $48, RSP, R4

send:
	CALL (R21)
	ADD  $record__size, R19
	CMP  R20, R19
	BLO  message
	MOVD 104(RSP), R9
	CBZ  R9, done
	FMOVD F0, (R9)

done:
	LDP 32(RSP), (R21, R22)
	LDP 16(RSP), (R19, R20)
	LDP 0(RSP), (R29, R30)
	ADD $112, RSP
	RET
