/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Starts the application processors, all at once, and says of each whether it came.
 * Sources: Intel SDM vol. 3A, "Multiple-Processor (MP) Initialization"; AMD APM vol. 2,
 * "Multiple Processor Management".
 */
#ifndef ARCH_X86_SMP_START_H
#define ARCH_X86_SMP_START_H

#include <stdint.h>

struct cpu;

/* Selectors of the trampoline's own GDT. */
#define TRAMPOLINE_SEL_CODE32 0x08
#define TRAMPOLINE_SEL_DATA   0x10
#define TRAMPOLINE_SEL_CODE64 0x18

/* Stands at the end of the copied trampoline; written before the SIPIs, only read by the APs. */
struct trampoline_params {
	uint32_t cr0, cr3, cr4, efer;
	uint64_t entry;
	uint32_t far32[2]; /* offset, selector */
	uint32_t far64[2];
	uint16_t gdt_limit;
	uint32_t gdt_base;
	uint16_t pad;
	uint64_t gdt[4];
} __attribute__((packed));
_Static_assert(sizeof(struct trampoline_params) == 80, "read by trampoline.asm");

struct smp_start {
	uint64_t low_page;             /* physical, below 1 MiB */
	void *low_page_map;            /* the same page, writable */
	uint32_t cr3;                  /* tables that map low_page executable at its own address */
	void (*loop)(struct cpu *cpu); /* where each AP goes for good, interrupts off */
	uint32_t timeout_us;           /* for all of them together */
	const struct cpu *mute;        /* is sent nothing, so that it fails; NULL: none */
};

/*
 * Starts every CPU of the table but the first, CPUs whose state is already CPU_FAILED excepted.
 * When it returns each is CPU_ONLINE, or CPU_FAILED with a reason. A CPU that comes later parks
 * itself, so low_page and the tables behind cr3 must stay. Needs the clock and the APIC. On CPU 0.
 */
void smp_start_all(const struct smp_start *start);

#endif
