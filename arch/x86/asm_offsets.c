/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The C constants that assembly needs. Compiled to assembly text only; the Makefile turns each "->"
 * line into a %define of build/asm_offsets.inc, so no number is written twice.
 */
#include <stddef.h>

#include "arch/x86/cpu.h"
#include "arch/x86/regs.h"
#include "arch/x86/smp_start.h"
#include "arch/x86/trap.h"

#define DEFINE(name, value) __asm__ volatile(".ascii \"->" #name " %c0\"" : : "i"(value))

void asm_offsets(void);

void asm_offsets(void)
{
	DEFINE(TRAP_FRAME_RBP, offsetof(struct trap_frame, rbp));
	DEFINE(TRAP_FRAME_RIP, offsetof(struct trap_frame, rip));
	DEFINE(CPU_APIC_ID, offsetof(struct cpu, apic_id));
	DEFINE(CPU_STACK_TOP, offsetof(struct cpu, stack_top));
	DEFINE(CPU_ORDER_FLAG, offsetof(struct cpu, order_flag));
	DEFINE(CPU_ORDER_SAW, offsetof(struct cpu, order_saw));
	DEFINE(CPU_TIMER_STAMP, offsetof(struct cpu, timer_stamp));
	DEFINE(ORDER_VECTOR, VECTOR_ORDER);
	DEFINE(TIMER_VECTOR, VECTOR_TIMER);
	DEFINE(PARAMS_CR0, offsetof(struct trampoline_params, cr0));
	DEFINE(PARAMS_CR3, offsetof(struct trampoline_params, cr3));
	DEFINE(PARAMS_CR4, offsetof(struct trampoline_params, cr4));
	DEFINE(PARAMS_EFER, offsetof(struct trampoline_params, efer));
	DEFINE(PARAMS_ENTRY, offsetof(struct trampoline_params, entry));
	DEFINE(PARAMS_GDT_LIMIT, offsetof(struct trampoline_params, gdt_limit));
	DEFINE(PARAMS_FAR32, offsetof(struct trampoline_params, far32));
	DEFINE(PARAMS_FAR64, offsetof(struct trampoline_params, far64));
	DEFINE(PARAMS_SIZE, sizeof(struct trampoline_params));
	DEFINE(TRAMPOLINE_DATA, TRAMPOLINE_SEL_DATA);
	DEFINE(PTE_PRESENT_WRITE, PTE_PRESENT | PTE_WRITE);
	DEFINE(PTE_PRESENT_WRITE_LARGE, PTE_PRESENT | PTE_WRITE | PTE_LARGE);
	DEFINE(CR0_PAGING, (unsigned)(CR0_PG | CR0_ET | CR0_PE));
	DEFINE(CR4_PAE_FLAG, CR4_PAE);
	DEFINE(EFER_LME_FLAG, EFER_LME);
	DEFINE(CR4_LA57_FLAG, CR4_LA57);
	DEFINE(CR3_ADDR_LOW_MASK, CR3_PCID_MASK);
	DEFINE(TSS_RSP0, offsetof(struct tss, rsp));
	DEFINE(SELECTOR_USER_CS, SEL_USER_CS);
	DEFINE(SELECTOR_USER_DS, SEL_USER_DS);
	DEFINE(RFLAGS_OF_USER, RFLAGS_FIXED);
	DEFINE(MSR_EFER_NUMBER, (unsigned)MSR_EFER);
}
