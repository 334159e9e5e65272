/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ordered reads of the time-stamp counter.
 *
 * Intel SDM vol. 2B, RDTSC: an LFENCE before keeps the read behind every earlier instruction, one
 * after keeps later instructions behind the read. AMD APM vol. 3, LFENCE: the same where LFENCE is
 * dispatch-serializing, which cpu_setup() turns on. LFENCE;RDTSC also ends a section: RDTSCP;LFENCE
 * orders no more than it does, and not every 64-bit CPU has RDTSCP. Stores may still be in the
 * store buffer at either end; an operation that must wait for them carries its own MFENCE.
 *
 * The two moves after the first read are inside the section, so the empty section measures them: it
 * is the baseline of every benchmark. An operation that leaves the compiler no register to keep
 * their result in would add a spill; docs/adding-a-benchmark.md says how to look.
 */
#ifndef ARCH_X86_CYCLES_H
#define ARCH_X86_CYCLES_H

#include "arch/x86/insn.h"

struct cycles {
	uint64_t lo, hi;
};

ALWAYS_INLINE struct cycles cycles_begin(void)
{
	struct cycles c;

	__asm__ volatile("lfence\n\trdtsc\n\tlfence\n\tmov %%rax, %0\n\tmov %%rdx, %1"
			 : "=&r"(c.lo), "=&r"(c.hi)
			 :
			 : "rax", "rdx", "memory");
	return c;
}

/* Ticks since `begin`. */
ALWAYS_INLINE uint64_t cycles_end(struct cycles begin)
{
	uint32_t lo, hi;

	__asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(lo), "=d"(hi) : : "memory");
	return ((uint64_t)hi << 32 | lo) - (begin.hi << 32 | begin.lo);
}

/*
 * The same with the performance counter `index` (arch/x86/pmu.h), whose operand is RDPMC's. AMD APM
 * vol. 3, RDPMC: it is not serializing; Intel SDM vol. 2B, RDPMC: nor there, and LFENCE orders it.
 * The end takes the operand out of a register that the operation left alone: one move more in the
 * section, in the empty one as in all.
 */
ALWAYS_INLINE struct cycles counter_begin(uint32_t index)
{
	struct cycles c;

	__asm__ volatile("lfence\n\trdpmc\n\tlfence\n\tmov %%rax, %0\n\tmov %%rdx, %1"
			 : "=&r"(c.lo), "=&r"(c.hi)
			 : "c"(index)
			 : "rax", "rdx", "memory");
	return c;
}

/* Counted since `begin`, modulo the counter's width. */
ALWAYS_INLINE uint64_t counter_end(struct cycles begin, uint32_t index)
{
	uint32_t lo, hi;

	__asm__ volatile("mov %2, %%ecx\n\tlfence\n\trdpmc\n\tlfence"
			 : "=&a"(lo), "=&d"(hi)
			 : "r"(index)
			 : "rcx", "memory");
	return ((uint64_t)hi << 32 | lo) - (begin.hi << 32 | begin.lo);
}

/* The TSC behind every earlier instruction and before every later one. */
ALWAYS_INLINE uint64_t cycles_ordered(void)
{
	uint32_t lo, hi;

	__asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(lo), "=d"(hi) : : "memory");
	return (uint64_t)hi << 32 | lo;
}

/* A time stamp for deadlines and long intervals, not for benchmarks. */
ALWAYS_INLINE uint64_t cycles_now(void)
{
	uint32_t lo, hi;

	__asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi) : : "memory");
	return (uint64_t)hi << 32 | lo;
}

#endif
