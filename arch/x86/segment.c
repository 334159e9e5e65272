/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads a CPU's own GDT and TSS, and the IDT that all share. */
#include "arch/x86/cpu.h"
#include "arch/x86/insn.h"
#include "arch/x86/trap.h"

/* Intel SDM vol. 3A, "Segment Descriptors": type, S, DPL, P, and L for 64-bit code. */
#define GDT_CODE64 0x00209a0000000000ull
#define GDT_DATA   0x0000920000000000ull
#define GDT_DPL3   (3ull << 45)
#define GDT_TSS    (0x89ull << 40) /* available 64-bit TSS, present */

struct table_register {
	uint16_t limit;
	uint64_t base;
} __attribute__((packed));
_Static_assert(sizeof(struct table_register) == 10, "operand of LGDT and LIDT");

static void fill_gdt(struct cpu *cpu)
{
	uint64_t base = (uint64_t)&cpu->tss;

	cpu->gdt[SEL_CODE64 / 8] = GDT_CODE64;
	cpu->gdt[SEL_DATA / 8] = GDT_DATA;
	cpu->gdt[SEL_USER_DS / 8] = GDT_DATA | GDT_DPL3;
	cpu->gdt[SEL_USER_CS / 8] = GDT_CODE64 | GDT_DPL3;
	cpu->gdt[SEL_TSS / 8] = GDT_TSS | (sizeof(cpu->tss) - 1) | (base & 0xffffff) << 16 |
				(base >> 24 & 0xff) << 56;
	cpu->gdt[SEL_TSS / 8 + 1] = base >> 32;
}

static void fill_tss(struct cpu *cpu)
{
	cpu->tss.rsp[0] = cpu->stack_top;
	cpu->tss.ist[IST_NMI - 1] = cpu->ist_tops[0];
	cpu->tss.ist[IST_DOUBLE_FAULT - 1] = cpu->ist_tops[1];
	cpu->tss.ist[IST_MCE - 1] = cpu->ist_tops[2];
	cpu->tss.io_map_base = sizeof(cpu->tss); /* beyond the limit: no I/O from CPL 3 */
}

void segments_load(struct cpu *cpu)
{
	struct table_register gdtr = {sizeof(cpu->gdt) - 1, (uint64_t)cpu->gdt};
	struct table_register idtr = {trap_idt_bytes - 1, (uint64_t)trap_idt};

	cpu->self = cpu;
	cpu->order_flag = &cpu->order_near_flag; /* never to fault, whenever the vector comes */
	fill_gdt(cpu);
	fill_tss(cpu);
	__asm__ volatile("lgdt %0" : : "m"(gdtr) : "memory");
	/* A far return is the one way to load CS in 64-bit mode. */
	__asm__ volatile("push %0\n\tlea 1f(%%rip), %%rax\n\tpush %%rax\n\tlretq\n1:"
			 :
			 : "i"(SEL_CODE64)
			 : "rax", "memory");
	__asm__ volatile("mov %0, %%ss" : : "r"(SEL_DATA) : "memory");
	/*
	 * Null selectors survive the way to CPL 3; others would be cleared there, GS.base with
	 * them.
	 */
	__asm__ volatile("mov %0, %%ds\n\tmov %0, %%es\n\tmov %0, %%fs\n\tmov %0, %%gs"
			 :
			 : "r"(0)
			 : "memory");
	wrmsr(MSR_GS_BASE, (uint64_t)cpu); /* after the selector, whose load clears the base */
	__asm__ volatile("ltr %w0" : : "r"(SEL_TSS) : "memory");
	__asm__ volatile("lidt %0" : : "m"(idtr) : "memory");
}
