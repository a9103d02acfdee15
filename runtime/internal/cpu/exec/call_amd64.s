//go:build (linux || darwin || windows) && !purego

#include "textflag.h"

// The frame is the scratch memory of the code, above its return address. It is NOSPLIT, so that
// nothing but the code runs between the prologue of Call and its end; what the code pushes is within the
// 800 bytes that such functions may use in all.
//
// func call(code *byte, argument unsafe.Pointer) uint64
TEXT ·call(SB), NOSPLIT, $256-24
	MOVQ code+0(FP), AX
	MOVQ argument+8(FP), DI
	CALL AX
	MOVQ AX, ret+16(FP)
	RET
