; SPDX-License-Identifier: BSD-2-Clause
; One stub per vector: makes every frame a struct trap_frame and calls trap_dispatch.
; User code never touches GS, so GS.base is the kernel's on every entry and needs no SWAPGS.

%include "asm_offsets.inc"
default rel
bits 64

extern trap_dispatch
global trap_stubs

section .text

; What two vectors are to tell is taken before anything else is done, but for saving the registers
; that it takes: a flag that the sender of an IPI stored before it, and when the timer fired.
%macro take_flag 0
	push	rax
	mov	rax, [gs:CPU_ORDER_FLAG]
	mov	rax, [rax]
	mov	[gs:CPU_ORDER_SAW], rax
	pop	rax
%endmacro
%macro take_time 0
	push	rax
	push	rdx
	rdtsc
	mov	[gs:CPU_TIMER_STAMP], eax
	mov	[gs:CPU_TIMER_STAMP + 4], edx
	pop	rdx
	pop	rax
%endmacro

%assign vector 0
%rep 256
align 8
stub_%+vector:
%if vector = ORDER_VECTOR
	take_flag
%elif vector = TIMER_VECTOR
	take_time
%endif
	; These push an error code (Intel SDM vol. 3A, "Error Code"); for the others a 0 fills its place.
%if vector = 8 || (vector >= 10 && vector <= 14) || vector = 17 || vector = 21 || vector = 29 || vector = 30
%else
	push	0
%endif
	push	vector
	jmp	save_and_dispatch
%assign vector vector + 1
%endrep

align 16
save_and_dispatch:
	cld
	push	rax
	push	rbx
	push	rcx
	push	rdx
	push	rsi
	push	rdi
	push	rbp
	push	r8
	push	r9
	push	r10
	push	r11
	push	r12
	push	r13
	push	r14
	push	r15
	mov	rdi, rsp
	and	rsp, -16			; the System V ABI's alignment, whatever was interrupted
	mov	rbx, rdi			; kept by the callee
	push	qword [rdi + TRAP_FRAME_RIP]	; what was interrupted looks like a caller to backtraces
	push	qword [rdi + TRAP_FRAME_RBP]
	mov	rbp, rsp
	call	trap_dispatch
	mov	rsp, rbx
	pop	r15
	pop	r14
	pop	r13
	pop	r12
	pop	r11
	pop	r10
	pop	r9
	pop	r8
	pop	rbp
	pop	rdi
	pop	rsi
	pop	rdx
	pop	rcx
	pop	rbx
	pop	rax
	add	rsp, 16				; vector and error code
	iretq

section .rodata
align 8
trap_stubs:
%assign vector 0
%rep 256
	dq	stub_%+vector
%assign vector vector + 1
%endrep

section .note.GNU-stack noalloc noexec nowrite progbits
