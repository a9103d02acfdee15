// Message sending: finds the method, and jumps to it with every argument where
// the caller put it, so that the C compiler alone decides how they are read. x8
// is one of them: the place for a structure that the method returns.

	.text
	.hidden	fakeLookup
	.globl	objc_msgSend
	.type	objc_msgSend, %function
objc_msgSend:
	.cfi_startproc
	stp	x29, x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset x29, -16
	.cfi_offset x30, -8
	mov	x29, sp
	.cfi_def_cfa_register x29
	sub	sp, sp, #208
	stp	x0, x1, [sp, #0]
	stp	x2, x3, [sp, #16]
	stp	x4, x5, [sp, #32]
	stp	x6, x7, [sp, #48]
	str	x8, [sp, #64]
	stp	q0, q1, [sp, #80]
	stp	q2, q3, [sp, #112]
	stp	q4, q5, [sp, #144]
	stp	q6, q7, [sp, #176]
	mov	x0, sp
	add	x1, x29, #16
	mov	w2, #0
	bl	fakeLookup
	mov	x16, x0
	ldp	x0, x1, [sp, #0]
	ldp	x2, x3, [sp, #16]
	ldp	x4, x5, [sp, #32]
	ldp	x6, x7, [sp, #48]
	ldr	x8, [sp, #64]
	ldp	q0, q1, [sp, #80]
	ldp	q2, q3, [sp, #112]
	ldp	q4, q5, [sp, #144]
	ldp	q6, q7, [sp, #176]
	mov	sp, x29
	ldp	x29, x30, [sp], #16
	.cfi_def_cfa sp, 0
	br	x16
	.cfi_endproc
	.size	objc_msgSend, .-objc_msgSend

	.section .note.GNU-stack,"",%progbits
