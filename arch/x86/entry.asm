; SPDX-License-Identifier: BSD-2-Clause
; The kernel's first instructions on each CPU: kernel_entry or another boot path's on the one the
; firmware booted, ap_entry on the others.

%include "asm_offsets.inc"
default rel
bits 64

extern kernel_main, ap_main, boot_stack_top
extern ap_table, ap_table_count
extern __kernel_start, __kernel_pages
global kernel_entry, entry_in_high_half, ap_entry

section .bss
alignb 4096
boot_top:	resb 4096
boot_pml4:	resb 4096
boot_pdpt:	resb 4096
boot_pd:	resb 4096
boot_pt:	resb 4096

section .text

; In: RDI = physical address of boot_info, identity mapping of the boot path in CR3, interrupts off.
kernel_entry:
	mov	rsi, qword kernel_main

; In: RDI = argument, RSI = function (by its link address) that gets it and the physical address of
; the image, and does not return; CR3 and interrupts as above.
; The image runs at whatever address it was loaded, so every address is taken relative to RIP until
; the jump to where it is linked. The tables made here keep the boot path's own mappings and add
; the image at its link address; mm/ replaces them once it can.
entry_in_high_half:
	cli
	cld
	mov	r8, rsi
	lea	rbx, [__kernel_start]		; where the image lies

	lea	rsi, [boot_pt]			; boot_pt: the image, page by page
	mov	rax, rbx
	or	rax, PTE_PRESENT_WRITE
	mov	ecx, __kernel_pages
.page:
	mov	[rsi], rax
	add	rax, 4096
	add	rsi, 8
	dec	ecx
	jnz	.page

	lea	rax, [boot_pt]
	or	rax, PTE_PRESENT_WRITE
	mov	[boot_pd], rax			; the last 2 GiB: PDPT entry 510, PD entry 0
	lea	rax, [boot_pd]
	or	rax, PTE_PRESENT_WRITE
	mov	[boot_pdpt + 510 * 8], rax

	mov	rsi, cr3			; the boot path's top table, copied whole
	and	rsi, ~CR3_ADDR_LOW_MASK
	mov	rdx, rdi
	lea	rdi, [boot_top]
	mov	ecx, 512
	rep	movsq

	lea	rax, [boot_pdpt]
	or	rax, PTE_PRESENT_WRITE
	mov	rcx, cr4
	test	ecx, CR4_LA57_FLAG
	jz	.four_levels
	mov	[boot_pml4 + 511 * 8], rax
	lea	rax, [boot_pml4]
	or	rax, PTE_PRESENT_WRITE
.four_levels:
	mov	[boot_top + 511 * 8], rax
	lea	rax, [boot_top]
	mov	cr3, rax

	mov	rax, qword .linked
	jmp	rax
.linked:
	lea	rsp, [boot_stack_top]
	xor	ebp, ebp			; the end of every backtrace
	mov	rdi, rdx
	mov	rsi, rbx
	call	r8
	ud2					; it does not return

; In: 64-bit mode, the trampoline's tables, no stack. Finds this CPU's struct cpu by its APIC ID, by
; the widest ID that CPUID gives (Intel SDM vol. 3A, "Hierarchical Mapping of Shared Resources"). A
; CPU that is not in the table is none of ours and stops.
ap_entry:
	xor	eax, eax
	cpuid
	cmp	eax, 0x0b
	jb	.legacy_id
	mov	eax, 0x0b
	xor	ecx, ecx
	cpuid
	test	ebx, ebx			; 0: the CPU has no such leaf
	jz	.legacy_id
	mov	eax, edx
	jmp	.search
.legacy_id:
	mov	eax, 1
	cpuid
	mov	eax, ebx
	shr	eax, 24
.search:
	mov	rsi, [ap_table]
	mov	ecx, [ap_table_count]
.next:
	mov	rdi, [rsi]
	cmp	[rdi + CPU_APIC_ID], eax
	je	.found
	add	rsi, 8
	dec	ecx
	jnz	.next
.stop:
	cli
	hlt
	jmp	.stop
.found:
	mov	rsp, [rdi + CPU_STACK_TOP]
	xor	ebp, ebp
	call	ap_main
	ud2

section .note.GNU-stack noalloc noexec nowrite progbits
