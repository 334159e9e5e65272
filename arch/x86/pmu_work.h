/* SPDX-License-Identifier: BSD-2-Clause */
/* The known work by which arch/x86/pmu.c probes counters. Apart, as the host tests have their own. */
#ifndef ARCH_X86_PMU_WORK_H
#define ARCH_X86_PMU_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86/insn.h"
#include "arch/x86/tlb.h"

/*
 * `n` multiplications, a multiple of 16, each of which waits for the one before: 3 to 10 cycles
 * each on every 64-bit CPU, whatever its width. Done when it returns, as are the loads below.
 */
static inline void pmu_work_multiply(uint64_t n)
{
	uint64_t product = 3;

	__asm__ volatile("1:\n\t.rept 16\n\timul %0, %0\n\t.endr\n\tsub $16, %1\n\tjnz 1b\n\tlfence"
			 : "+r"(product), "+r"(n)
			 :
			 : "cc");
}

/* Loads from `from`, `n` times, each after a flush of the whole TLB where `flush` says so. */
static inline void pmu_work_load(uint64_t n, const uint64_t *from, bool flush)
{
	for (uint64_t i = 0; i < n; i++) {
		if (flush)
			tlb_flush_all_local();
		(void)*(const volatile uint64_t *)from;
		lfence();
	}
}

#endif
