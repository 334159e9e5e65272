/* SPDX-License-Identifier: BSD-2-Clause */
/* How far another CPU's TSC is ahead of CPU 0's. */
#ifndef TESTS_BENCH_TSC_OFFSET_H
#define TESTS_BENCH_TSC_OFFSET_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86/cpu.h"

/* In ticks; the truth is within `error` of it on either side. */
struct tsc_offset {
	int64_t ticks, error;
};

/*
 * Measures it for an online CPU without work, by messages through memory: CPU 0 asks, the other
 * answers with its TSC, which lies between CPU 0's before and after. The shortest of many exchanges
 * counts, with half its length for the error. On CPU 0. False: it did not answer in time.
 */
bool tsc_offset_measure(struct cpu *cpu, struct tsc_offset *offset);

#endif
