//go:build (linux || darwin) && !purego

#include "textflag.h"

// The frame is the scratch memory of the code, which begins 16 bytes above the stack pointer. It is NOSPLIT, so that
// nothing but the code runs between the prologue of Call and its end. R28, where signals find the goroutine, R18 and
// R29 are the code's to keep; the others are free between functions.
//
// func call(code *byte, argument unsafe.Pointer) uint64
TEXT ·call(SB), NOSPLIT, $272-24
	MOVD code+0(FP), R1
	MOVD argument+8(FP), R0
	CALL (R1)
	MOVD R0, ret+16(FP)
	RET

// What is written to memory is in the cache of data, from where the processor takes no instructions. No processor that
// runs these systems has shorter lines than 64 bytes. The instructions by number are DC CVAU and IC IVAU, of R2.
//
// func synchronize(from, to uintptr)
TEXT ·synchronize(SB), NOSPLIT, $0-16
	MOVD from+0(FP), R0
	MOVD to+8(FP), R1
	MOVD R0, R2
clean:
	WORD $0xd50b7b22
	ADD  $64, R2
	CMP  R1, R2
	BLO  clean
	DSB  $11
	MOVD R0, R2
drop:
	WORD $0xd50b7522
	ADD  $64, R2
	CMP  R1, R2
	BLO  drop
	DSB  $11
	ISB  $15
	RET
