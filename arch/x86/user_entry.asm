; SPDX-License-Identifier: BSD-2-Clause
; The way to CPL 3 and back: see user.h.

%include "asm_offsets.inc"
default rel
bits 64

global user_enter, user_resume

section .text

; In: RDI = RIP there, RSI, RDX = its operands, RCX = where to keep RSP, R8 = the TSS.
user_enter:
	push	rbx
	push	rbp
	push	r12
	push	r13
	push	r14
	push	r15
	mov	[rcx], rsp
	mov	[r8 + TSS_RSP0], rsp		; exceptions from there push below what is in use here
	mov	rax, rdi
	mov	rdi, rsi
	mov	rsi, rdx
	push	SELECTOR_USER_DS
	push	0				; RSP: the code has no stack
	push	RFLAGS_OF_USER
	push	SELECTOR_USER_CS
	push	rax
	iretq

; user_leave made the exception return here, with RSP as kept and the fault in RAX.
user_resume:
	pop	r15
	pop	r14
	pop	r13
	pop	r12
	pop	rbp
	pop	rbx
	ret

section .note.GNU-stack noalloc noexec nowrite progbits
