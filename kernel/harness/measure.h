/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes the samples of a group of benchmarks, interleaved, and makes statistics of them. */
#ifndef KERNEL_HARNESS_MEASURE_H
#define KERNEL_HARNESS_MEASURE_H

#include "arch/x86/pmu.h"
#include "kernel/harness/bench.h"
#include "kernel/harness/check.h"
#include "kernel/harness/stats.h"

/* Throughput samples are in thousandths of a tick for one operation. */
#define THROUGHPUT_DECIMALS 3

/*
 * What a performance counter says of one operation, in blocks of its own that follow those of the
 * TSC in each turn.
 */
struct counted {
	int64_t *samples; /* NULL where nothing counts */
	size_t n;
	struct stats stats;
	int64_t baseline, net; /* as of the TSC: the empty section's p50, and what is beyond it */
};

/* A benchmark being measured at one point of its axes, and what came of it. */
struct measurement {
	const struct bench *bench;
	struct bench_args args;
	uint32_t number;               /* its place among all that run, for the report */
	bool back_to_back;             /* throughput is measured too */
	uint64_t budget_ticks;         /* together they may use the sum */
	char skipped[CHECK_TEXT_MAX];  /* why it can't be measured; "": it can */
	bool unmet;                    /* because of what the machine has not got: no row can */
	int64_t *latency, *throughput; /* samples; throughput NULL where there is none */
	size_t n;                      /* of each */
	size_t discarded;
	uint64_t spent; /* ticks used for it so far */

	struct counted counted[PMU_EVENTS]; /* n = 0: not counted */

	struct stats latency_stats, throughput_stats;
	int64_t baseline; /* p50 of the empty section measured along with it */
	int64_t net;      /* latency p50 - baseline */
};

struct measure_limits {
	size_t samples; /* at most, for each */
	uint64_t seed;  /* of the order in which they take turns */
};

/*
 * Measures all of `group` together, in blocks that take turns, with the empty section among them,
 * until all medians' intervals are within 1% or a limit is reached; those `skipped` are left out.
 * `args` are set up. On CPU 0, whose performance counters are probed again at the end: where one has
 * lost its trust, nothing of this group is counted by it. False: no memory for the samples.
 */
bool measure_group(struct measurement *group, size_t n, const struct measure_limits *limits);

#endif
