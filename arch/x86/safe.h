/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions that may fault, in forms that return the fault instead of taking it.
 *
 * Each puts its address and a landing place in the section .ex_table; the trap handler finds the
 * faulting address there, writes the fault to RAX and continues at the landing place. Anyone may
 * call them once traps_init() has run.
 */
#ifndef ARCH_X86_SAFE_H
#define ARCH_X86_SAFE_H

#include "arch/x86/insn.h"

/* 0: no fault. Otherwise bit 63, the vector in bits 47:32 and the error code in bits 31:0. */
typedef uint64_t fault_t;

#define FAULT_NONE          0ull
#define FAULT(vector, code) (1ull << 63 | (uint64_t)(vector) << 32 | (uint32_t)(code))

static inline unsigned fault_vector(fault_t fault)
{
	return fault >> 32 & 0xffff;
}

#define GUARDED(insn)                       \
	"1:\t" insn "\n\t"                  \
	"xor %%eax, %%eax\n"                \
	"2:\n\t"                            \
	".pushsection .ex_table, \"a\"\n\t" \
	".quad 1b, 2b\n\t"                  \
	".popsection"

static inline fault_t rdmsr_safe(uint32_t msr, uint64_t *value)
{
	fault_t fault;
	uint32_t lo = 0, hi = 0;

	/* The value leaves RAX before the fault code takes its place. */
	__asm__ volatile(GUARDED("rdmsr\n\tmov %%eax, %1")
			 : "=a"(fault), "+r"(lo), "+d"(hi)
			 : "c"(msr)
			 : "memory", "cc");
	*value = fault ? 0 : (uint64_t)hi << 32 | lo;
	return fault;
}

static inline fault_t wrmsr_safe(uint32_t msr, uint64_t value)
{
	fault_t fault;

	__asm__ volatile(GUARDED("wrmsr")
			 : "=a"(fault)
			 : "0"((uint64_t)(uint32_t)value), "c"(msr), "d"((uint32_t)(value >> 32))
			 : "memory", "cc");
	return fault;
}

static inline fault_t rdpmc_safe(uint32_t index, uint64_t *value)
{
	fault_t fault;
	uint32_t lo = 0, hi = 0;

	__asm__ volatile(GUARDED("rdpmc\n\tmov %%eax, %1")
			 : "=a"(fault), "+r"(lo), "+d"(hi)
			 : "c"(index)
			 : "memory", "cc");
	*value = fault ? 0 : (uint64_t)hi << 32 | lo;
	return fault;
}

static inline fault_t write_cr0_safe(uint64_t value)
{
	fault_t fault;

	__asm__ volatile(GUARDED("mov %1, %%cr0") : "=a"(fault) : "r"(value) : "memory", "cc");
	return fault;
}

static inline fault_t write_cr3_safe(uint64_t value)
{
	fault_t fault;

	__asm__ volatile(GUARDED("mov %1, %%cr3") : "=a"(fault) : "r"(value) : "memory", "cc");
	return fault;
}

static inline fault_t write_cr4_safe(uint64_t value)
{
	fault_t fault;

	__asm__ volatile(GUARDED("mov %1, %%cr4") : "=a"(fault) : "r"(value) : "memory", "cc");
	return fault;
}

/*
 * Of those below the address is in RDI: based on RBP or RSP it would be of the stack segment, and
 * not canonical raise #SS instead of #GP.
 */
static inline fault_t invpcid_safe(uint64_t type, const struct invpcid_desc *desc)
{
	fault_t fault;

	__asm__ volatile(GUARDED("invpcid (%1), %2")
			 : "=a"(fault)
			 : "D"(desc), "r"(type)
			 : "memory", "cc");
	return fault;
}

/* No assembler takes a LOCK prefix with these. */
static inline fault_t invpcid_lock_safe(uint64_t type, const struct invpcid_desc *desc)
{
	fault_t fault;

	__asm__ volatile(GUARDED(".byte 0xf0\n\tinvpcid (%1), %2")
			 : "=a"(fault)
			 : "D"(desc), "r"(type)
			 : "memory", "cc");
	return fault;
}

static inline fault_t invlpg_safe(uint64_t va)
{
	fault_t fault;

	__asm__ volatile(GUARDED("invlpg (%1)") : "=a"(fault) : "D"(va) : "memory", "cc");
	return fault;
}

static inline fault_t invlpg_lock_safe(uint64_t va)
{
	fault_t fault;

	__asm__ volatile(GUARDED(".byte 0xf0\n\tinvlpg (%1)")
			 : "=a"(fault)
			 : "D"(va)
			 : "memory", "cc");
	return fault;
}

static inline fault_t load_safe(const uint64_t *from, uint64_t *value)
{
	fault_t fault;
	uint64_t loaded = 0;

	__asm__ volatile(GUARDED("mov (%2), %1")
			 : "=&a"(fault), "+r"(loaded)
			 : "D"(from)
			 : "memory", "cc");
	*value = loaded;
	return fault;
}

static inline fault_t store_safe(uint64_t *to, uint64_t value)
{
	fault_t fault;

	__asm__ volatile(GUARDED("mov %2, (%1)")
			 : "=&a"(fault)
			 : "D"(to), "r"(value)
			 : "memory", "cc");
	return fault;
}

#endif
