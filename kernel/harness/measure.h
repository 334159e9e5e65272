/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes the samples of a group of benchmarks, interleaved, and makes statistics of them. */
#ifndef KERNEL_HARNESS_MEASURE_H
#define KERNEL_HARNESS_MEASURE_H

#include "kernel/harness/bench.h"
#include "kernel/harness/check.h"
#include "kernel/harness/stats.h"

/* Throughput samples are in thousandths of a tick for one operation. */
#define THROUGHPUT_DECIMALS 3

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
 * `args` are set up. On CPU 0.
 * False: no memory for the samples.
 */
bool measure_group(struct measurement *group, size_t n, const struct measure_limits *limits);

#endif
