	.intel_syntax noprefix
	.text

// Counts calls that find the stack misaligned, spoils what a caller may not count
// on, and tail-jumps to the method that is stored in front of the selector's name.
	.macro send sel
	lea  rax, [rsp+8]
	test al, 15
	jz   1f
	.irp r, rdi, rsi, rdx, rcx, r8, r9, rbx
	push \r
	.endr
	mov  rbx, rsp
	and  rsp, -16
	call fake_count_misaligned@PLT
	mov  rsp, rbx
	.irp r, rbx, r9, r8, rcx, rdx, rsi, rdi
	pop  \r
	.endr
1:	mov  rax, [\sel-8]
	test rax, rax
	jnz  2f
	mov  rdi, \sel
	and  rsp, -16
	call fake_unknown@PLT
2:	mov  r10, -1
	mov  r11, -1
	jmp  rax
	.endm

	.globl objc_msgSend
	.type objc_msgSend, @function
objc_msgSend:
	test rdi, rdi // nil answers 0
	jnz  1f
	xor  eax, eax
	ret
1:	send rsi

	.globl objc_msgSend_stret
	.type objc_msgSend_stret, @function
objc_msgSend_stret:
	send rdx

// A method that leaves nothing in the registers that a callee may use.
	.globl fake_scramble
	.type fake_scramble, @function
fake_scramble:
	.irp r, rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11
	mov  \r, -1
	.endr
	.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	pcmpeqd xmm\n, xmm\n
	.endr
	ret

// long fake_saved(void (*fn)(word, word, word, word, word), word, word, word, word) calls fn with
// its last argument as the fifth, and returns a bit for each register of the caller's that fn changed.
	.globl fake_saved
	.type fake_saved, @function
fake_saved:
	.irp r, rbx, rbp, r12, r13, r14, r15
	push \r
	.endr
	sub  rsp, 8
	mov  rax, rdi
	mov  rdi, rsi
	mov  rsi, rdx
	mov  rdx, rcx
	.set i, 0
	.irp r, rbx, rbp, r12, r13, r14, r15
	mov  \r, 1000+i
	.set i, i+1
	.endr
	mov  rcx, rsp
	push rcx
	push rcx
	call rax
	pop  rcx
	pop  rcx
	xor  eax, eax
	.set i, 0
	.irp r, rbx, rbp, r12, r13, r14, r15
	cmp  \r, 1000+i
	je   1f
	or   eax, 1<<i
1:	.set i, i+1
	.endr
	cmp  rcx, rsp
	je   1f
	or   eax, 1<<i
1:	add  rsp, 8
	.irp r, r15, r14, r13, r12, rbp, rbx
	pop  \r
	.endr
	ret
	.section .note.GNU-stack,"",@progbits
