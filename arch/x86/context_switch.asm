; SPDX-License-Identifier: BSD-2-Clause
; From one stack to another: see context.h.

bits 64

global context_switch, context_begin

section .text

; In: RDI = where to keep RSP, RSI = where the other's is. The frame is struct context_frame.
context_switch:
	push	rbp
	push	rbx
	push	r12
	push	r13
	push	r14
	push	r15
	mov	[rdi], rsp
	mov	rsp, [rsi]
	pop	r15
	pop	r14
	pop	r13
	pop	r12
	pop	rbx
	pop	rbp
	ret

; The first of a new context, as context_create() left its registers.
context_begin:
	mov	rdi, r13
	call	r12
	ud2					; it does not return

section .note.GNU-stack noalloc noexec nowrite progbits
