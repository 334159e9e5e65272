/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a benchmark is: one const struct, one operation, one file (docs/adding-a-benchmark.md).
 *
 * The operation is inlined between ordered counter reads; its up to three operands are in registers
 * before the first read. The harness owns everything else: warm-up, blocks interleaved with the
 * other benchmarks of the group and with the empty baseline, statistics, records, tables.
 * A benchmark with axes is measured at each combination of their values.
 */
#ifndef KERNEL_HARNESS_BENCH_H
#define KERNEL_HARNESS_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/x86/cycles.h"
#include "kernel/harness/axis.h"
#include "kernel/harness/live_pages.h"
#include "kernel/harness/need.h"

struct bench_args {
	uint64_t a, b, c;
	struct axis_point at; /* the values of the axes; the harness fills it before setup */

	/* Read before each section, untimed, so that the TLB has their entries. */
	struct live_pages live;
	uint64_t touch[2]; /* more addresses, read last; 0: none */

	uint64_t error;   /* all samples may be off by so many ticks alike: the interval is wider */
	uint32_t counter; /* of BENCH_ONE_COUNTED; the harness fills it */
	void *state; /* the row's own, from its setup to its finish; the harness leaves it alone */
};

/*
 * How many operations stand between the reads. Throughput is the difference of the middle two. The
 * last is one operation between reads of a performance counter in place of the TSC.
 */
enum bench_length { BENCH_ONE, BENCH_UNROLL, BENCH_UNROLL_TWICE, BENCH_ONE_COUNTED };

#define BENCH_UNROLL_COUNT 16

struct bench {
	const char *name; /* "group/what" */
	const char *what; /* one line: what is measured */
	struct need need;
	const struct axis *axes[AXES_MAX];
	axes_applies_fn applies; /* or NULL */
	bool throughput;         /* also measured back to back, where no pages are live */
	bool reference; /* the table of the group gives ratios to the first row of this one */
	bool tsc_only;  /* its sampler compares two TSCs or a deadline: no other counter will do */
	bool absolute;  /* samples are no sections that hold two reads: nothing is taken off */

	/*
	 * Both on CPU 0 with interrupts on, and optional, once for each combination of the axes'
	 * values; all of a group are set up before the first is measured. Each returns NULL or what
	 * went wrong: setup's reason becomes a skip; finish's, which may check what the operations
	 * did, a failed check in place of the figures.
	 */
	const char *(*setup)(struct bench_args *args);
	const char *(*finish)(const struct bench_args *args);

	/* Around each turn of it, with interrupts off; optional. */
	void (*enter)(const struct bench_args *args);
	void (*leave)(const struct bench_args *args);

	/* From a BENCH_SAMPLER: n times of one, 16 or 32 operations, or counts. Interrupts off. */
	void (*sample)(const struct bench_args *args, enum bench_length length, int64_t *ticks,
		       size_t n);
};

typedef void (*bench_op)(uint64_t a, uint64_t b, uint64_t c);

/* What comes untimed before a section where the benchmark does not say otherwise. */
ALWAYS_INLINE void bench_touch(const struct bench_args *args)
{
	live_pages_touch(args->live);
	for (unsigned i = 0; i < 2; i++) {
		if (args->touch[i])
			(void)*(const volatile uint64_t *)args->touch[i];
	}
}

#define BENCH_4(op, a, b, c) \
	op(a, b, c);         \
	op(a, b, c);         \
	op(a, b, c);         \
	op(a, b, c)
#define BENCH_16(op, a, b, c) \
	BENCH_4(op, a, b, c); \
	BENCH_4(op, a, b, c); \
	BENCH_4(op, a, b, c); \
	BENCH_4(op, a, b, c)

/*
 * The template. All but `args` are constants in every use, so that they cost no branch or call.
 */
ALWAYS_INLINE uint64_t bench_time(const struct bench_args *args, enum bench_length length,
				  bench_op op)
{
	uint64_t a = args->a, b = args->b, c = args->c, ticks;
	uint32_t counter = args->counter;
	bool counted = length == BENCH_ONE_COUNTED;
	struct cycles begin;

	/* Operands are in registers, and nothing is known of them, before the first read. */
	__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c));
	begin = counted ? counter_begin(counter) : cycles_begin();
	if (length == BENCH_ONE || counted)
		op(a, b, c);
	if (length == BENCH_UNROLL || length == BENCH_UNROLL_TWICE) {
		BENCH_16(op, a, b, c);
	}
	if (length == BENCH_UNROLL_TWICE) {
		BENCH_16(op, a, b, c);
	}
	ticks = counted ? counter_end(begin, counter) : cycles_end(begin);
	/*
	 * Still in registers: the compiler may not drop one half way and load it again. The length
	 * makes each end one of its own: where size counts, the compiler lets sections that end
	 * alike share that, and jump there from within.
	 */
	__asm__ volatile("" : : "r"(a), "r"(b), "r"(c), "i"(length));
	return ticks;
}

/* Defines `name`, a bench.sample for `op`, an always-inline function of three operands. */
#define BENCH_SAMPLER(name, op)                                                                   \
	static void name(const struct bench_args *args, enum bench_length length, int64_t *ticks, \
			 size_t n)                                                                \
	{                                                                                         \
		for (size_t i = 0; i < n; i++) {                                                  \
			bench_touch(args);                                                        \
			switch (length) {                                                         \
			case BENCH_ONE:                                                           \
				ticks[i] = bench_time(args, BENCH_ONE, op);                       \
				break;                                                            \
			case BENCH_UNROLL:                                                        \
				ticks[i] = bench_time(args, BENCH_UNROLL, op);                    \
				break;                                                            \
			case BENCH_UNROLL_TWICE:                                                  \
				ticks[i] = bench_time(args, BENCH_UNROLL_TWICE, op);              \
				break;                                                            \
			case BENCH_ONE_COUNTED:                                                   \
				ticks[i] = bench_time(args, BENCH_ONE_COUNTED, op);               \
				break;                                                            \
			}                                                                         \
		}                                                                                 \
	}

/*
 * The same for a benchmark without throughput, with an always-inline function of its own untimed
 * before each section.
 */
#define BENCH_SAMPLER_ONCE(name, prepare, op)                                                     \
	static void name(const struct bench_args *args, enum bench_length length, int64_t *ticks, \
			 size_t n)                                                                \
	{                                                                                         \
		for (size_t i = 0; i < n; i++) {                                                  \
			prepare(args);                                                            \
			if (length == BENCH_ONE_COUNTED)                                          \
				ticks[i] = bench_time(args, BENCH_ONE_COUNTED, op);               \
			else                                                                      \
				ticks[i] = bench_time(args, BENCH_ONE, op);                       \
		}                                                                                 \
	}

/* Registers a benchmark: its address goes to a section of its own, which the runner walks. */
#define BENCH(symbol)                                   \
	static const struct bench *const symbol##_entry \
		__attribute__((used, section(".benches"))) = &(symbol)

#endif
