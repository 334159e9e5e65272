/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The harness measuring itself: nothing, and known numbers of NOPs, once and back to back. Where
 * one instruction takes one tick (QEMU -icount shift=0) the net of n NOPs is n. On a CPU it tells
 * how finely it resolves.
 */
#include "kernel/harness/bench.h"

#define NOPS(count, sampler, back_to_back)                                                    \
	ALWAYS_INLINE void op_nop_##count(uint64_t a, uint64_t b, uint64_t c)                 \
	{                                                                                     \
		(void)a, (void)b, (void)c;                                                    \
		__asm__ volatile(".rept " #count "\n\tnop\n\t.endr");                         \
	}                                                                                     \
	sampler(sample_nop_##count, op_nop_##count) static const struct bench nop_##count = { \
		.name = "self/nop-" #count,                                                   \
		.what = #count " NOPs",                                                       \
		.throughput = back_to_back,                                                   \
		.sample = sample_nop_##count,                                                 \
	};                                                                                    \
	BENCH(nop_##count);

ALWAYS_INLINE void op_empty(uint64_t a, uint64_t b, uint64_t c)
{
	(void)a, (void)b, (void)c;
}

BENCH_SAMPLER(sample_empty, op_empty)

static const struct bench empty = {
	.name = "self/empty",
	.what = "nothing between the counter reads",
	.throughput = true,
	.sample = sample_empty,
};
BENCH(empty);

/* For the throughput of 100 and 1000 it would take 53,900 NOPs, a fifth of the kernel. */
#define SAMPLER_ONCE(name, op) BENCH_SAMPLER_ONCE(name, bench_touch, op)

NOPS(1, BENCH_SAMPLER, true)
NOPS(10, BENCH_SAMPLER, true)
NOPS(100, SAMPLER_ONCE, false)
NOPS(1000, SAMPLER_ONCE, false)
