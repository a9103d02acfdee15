	.text

// Spoils what a caller may not count on, and tail-jumps to the method that is
// stored in front of the selector's name. The hardware itself faults on a stack
// that is not aligned to 16, so that is not counted.
	.globl objc_msgSend
	.type objc_msgSend, %function
objc_msgSend:
	cbnz x0, 1f // nil answers 0
	ret
1:	ldr  x16, [x1, #-8]
	cbnz x16, 2f
	mov  x0, x1
	b    fake_unknown
2:	.irp n, 9, 10, 11, 12, 13, 14, 15, 17
	mov  x\n, #-1
	.endr
	br   x16

// A method that leaves nothing in the registers that a callee may use.
	.globl fake_scramble
	.type fake_scramble, %function
fake_scramble:
	.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18
	mov  x\n, #-1
	.endr
	.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	movi v\n\().2d, #0xffffffffffffffff
	.endr
	ret

// long fake_saved(void (*fn)(word, word, word, word, word), word, word, word, word) calls fn with
// its last argument as the fifth, and returns a bit for each register of the caller's that fn changed.
	.globl fake_saved
	.type fake_saved, %function
fake_saved:
	stp  x29, x30, [sp, #-192]!
	stp  x19, x20, [sp, #16]
	stp  x21, x22, [sp, #32]
	stp  x23, x24, [sp, #48]
	stp  x25, x26, [sp, #64]
	stp  x27, x28, [sp, #80]
	stp  d8, d9, [sp, #96]
	stp  d10, d11, [sp, #112]
	stp  d12, d13, [sp, #128]
	stp  d14, d15, [sp, #144]
	mov  x9, x0
	mov  x0, x1
	mov  x1, x2
	mov  x2, x3
	.irp n, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29
	mov  x\n, #1000+\n
	.endr
	.irp n, 8, 9, 10, 11, 12, 13, 14, 15
	fmov d\n, #\n
	.endr
	mov  x10, sp
	str  x10, [sp, #160]
	blr  x9
	mov  x0, #0
	.irp n, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29
	cmp  x\n, #1000+\n
	b.eq 1f
	orr  x0, x0, #(1<<\n)
1:
	.endr
	.irp n, 8, 9, 10, 11, 12, 13, 14, 15
	fmov d0, #\n
	fcmp d\n, d0
	b.eq 1f
	orr  x0, x0, #(1<<\n)
1:
	.endr
	ldr  x9, [sp, #160]
	mov  x10, sp
	cmp  x9, x10
	b.eq 1f
	orr  x0, x0, #1
1:	ldp  d14, d15, [sp, #144]
	ldp  d12, d13, [sp, #128]
	ldp  d10, d11, [sp, #112]
	ldp  d8, d9, [sp, #96]
	ldp  x27, x28, [sp, #80]
	ldp  x25, x26, [sp, #64]
	ldp  x23, x24, [sp, #48]
	ldp  x21, x22, [sp, #32]
	ldp  x19, x20, [sp, #16]
	ldp  x29, x30, [sp], #192
	ret
	.section .note.GNU-stack,"",@progbits
