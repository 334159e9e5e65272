; SPDX-License-Identifier: BSD-2-Clause
; Where GRUB2 enters, from BIOS or UEFI: 32-bit protected mode, no paging, no stack, anywhere below
; 4 GiB. Goes to 64-bit mode with all memory below 4 GiB mapped at its own address.
; Source: Multiboot2 specification, "OS image format" and "Machine state".

%include "asm_offsets.inc"

extern multiboot2_entry_load_address, multiboot2_main, entry_in_high_half, boot_stack_top
global multiboot2_entry

HEADER_MAGIC	equ 0xe85250d6
LOADER_MAGIC	equ 0x36d76289
TAG_ENTRY	equ 3
TAG_FRAMEBUFFER	equ 5
TAG_RELOCATABLE	equ 10
OPTIONAL	equ 1
PREFER_LOWEST	equ 1

section .multiboot2 alloc noexec nowrite progbits align=8
header:
	dd	HEADER_MAGIC, 0, header_end - header
	dd	-(HEADER_MAGIC + 0 + (header_end - header)) & 0xffffffff
	align	8
	dw	TAG_ENTRY, 0
	dd	12, multiboot2_entry_load_address
	align	8
	dw	TAG_FRAMEBUFFER, OPTIONAL
	dd	20, 0, 0, 32			; any size, 32 bits a pixel
	align	8
	dw	TAG_RELOCATABLE, 0
	dd	24, 0x100000, 0xffffffff, 4096, PREFER_LOWEST
	align	8
	dw	0, 0
	dd	8				; the end
header_end:

section .bss
alignb 4096
identity_pml4:	resb 4096
identity_pdpt:	resb 4096
identity_pd:	resb 4 * 4096

section .rodata
align 8
gdt:
	dq	0
	dq	0x00209b0000000000		; 64-bit code
	dq	0x0000930000000000		; data
gdt_end:
no_long_mode:
	db	13, 10, "Shootdown needs a CPU with 64-bit mode (CPUID 8000_0001:EDX[29])", 13, 10, 0

section .text
bits 32

; Everything is addressed from EBP, as the image may lie anywhere.
%define AT(label) ebp + (label - .here)

multiboot2_entry:
	cli
	cld
	cmp	eax, LOADER_MAGIC
	jne	.stop
	lea	esp, [ebx + 8]			; the one word known to be free: `reserved` of the
	call	.here				; information structure takes the return address
.here:
	pop	ebp
	lea	esp, [AT(boot_stack_top)]

	mov	edi, ebx
	mov	eax, 0x80000000
	cpuid
	cmp	eax, 0x80000001
	jb	.complain
	mov	eax, 0x80000001
	cpuid
	bt	edx, 29				; LM
	jnc	.complain

	lea	eax, [AT(identity_pdpt)]
	or	eax, PTE_PRESENT_WRITE
	mov	[AT(identity_pml4)], eax
	lea	eax, [AT(identity_pd)]
	or	eax, PTE_PRESENT_WRITE
	lea	esi, [AT(identity_pdpt)]
	mov	ecx, 4
.directory:
	mov	[esi], eax
	add	eax, 4096
	add	esi, 8
	loop	.directory

	lea	esi, [AT(identity_pd)]
	mov	eax, PTE_PRESENT_WRITE_LARGE
	mov	ecx, 4 * 512
.large_page:
	mov	[esi], eax
	add	eax, 0x200000
	add	esi, 8
	loop	.large_page

	mov	eax, CR4_PAE_FLAG
	mov	cr4, eax
	lea	eax, [AT(identity_pml4)]
	mov	cr3, eax
	mov	ecx, MSR_EFER_NUMBER
	xor	edx, edx
	mov	eax, EFER_LME_FLAG
	wrmsr
	mov	eax, CR0_PAGING
	mov	cr0, eax

	lea	eax, [AT(gdt)]			; LGDT takes limit and base from memory: the stack
	push	eax
	push	word gdt_end - gdt - 1
	lgdt	[esp]
	add	esp, 6
	push	dword 8				; a far return loads CS with the 64-bit segment
	lea	eax, [AT(.long_mode)]
	push	eax
	retf

bits 64
.long_mode:
	mov	edi, edi			; its upper half is undefined after the mode switch
	mov	rsi, qword multiboot2_main
	jmp	entry_in_high_half

bits 32
.complain:
	lea	esi, [AT(no_long_mode)]
	mov	edi, 0xb8000			; text mode, and COM1 as firmware left it
.character:
	lodsb
	test	al, al
	jz	.stop
	mov	ah, 0x07
	stosw
	mov	dx, 0x3f8
	out	dx, al
	jmp	.character
.stop:
	hlt
	jmp	.stop

section .note.GNU-stack noalloc noexec nowrite progbits
