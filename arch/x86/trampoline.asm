; SPDX-License-Identifier: BSD-2-Clause
; Takes an AP from real mode to 64-bit mode. Copied to a page below 1 MiB, and run there only: every
; address in it is an offset from the page, and what can't be is in the parameters at its end
; (struct trampoline_params), which smp_start.c fills.

%include "asm_offsets.inc"

global trampoline_start, trampoline_32, trampoline_64, trampoline_params, trampoline_end

%define AT(label) (label - trampoline_start)

section .rodata
align 16
bits 16
trampoline_start:
	cli
	cld
	mov	ax, cs
	mov	ds, ax
	xor	ebx, ebx
	mov	bx, ax
	shl	ebx, 4				; EBX = linear address of the page
	o32 lgdt [AT(trampoline_params) + PARAMS_GDT_LIMIT]
	mov	eax, cr0
	or	al, 1				; CR0.PE
	mov	cr0, eax
	jmp	dword far [AT(trampoline_params) + PARAMS_FAR32]

bits 32
trampoline_32:
	mov	ax, TRAMPOLINE_DATA
	mov	ds, ax
	mov	es, ax
	mov	ss, ax
	lea	esi, [ebx + AT(trampoline_params)]
	mov	eax, [esi + PARAMS_CR4]
	mov	cr4, eax
	mov	eax, [esi + PARAMS_CR3]
	mov	cr3, eax
	mov	ecx, MSR_EFER_NUMBER
	rdmsr
	or	eax, [esi + PARAMS_EFER]
	wrmsr
	mov	eax, [esi + PARAMS_CR0]		; paging on: long mode is active from here
	mov	cr0, eax
	jmp	far dword [esi + PARAMS_FAR64]

bits 64
trampoline_64:
	jmp	qword [rsi + PARAMS_ENTRY]	; the upper half of RSI is 0 after the mode switch

align 16
trampoline_params:
	times PARAMS_SIZE db 0
trampoline_end:

section .note.GNU-stack noalloc noexec nowrite progbits
