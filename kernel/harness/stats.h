/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Order statistics of samples, in integers. Pure.
 *
 * Percentiles are exact, by nearest rank: p is the smallest sample with at least p% of all at or
 * below it. The interval of the median is distribution-free: between two order statistics whose
 * ranks the binomial distribution gives (David and Nagaraja, "Order Statistics", "Distribution-Free
 * Confidence Intervals for Quantiles"), so it holds for times of any shape, if they are
 * independent.
 */
#ifndef KERNEL_HARNESS_STATS_H
#define KERNEL_HARNESS_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stats {
	size_t n;
	int64_t min, p5, p25, p50, p75, p95, p99, max;
	/* At least 95% for the median; [min, max] for n < 6, which can't give it. */
	int64_t ci_lo, ci_hi;
};

void stats_sort(int64_t *samples, size_t n);

/* Of sorted samples; n > 0. */
void stats_compute(const int64_t *sorted, size_t n, struct stats *s);

#define STATS_TURN_MAX 64

/*
 * Samples taken in a row have more in common than that interval supposes. This widens it, where it
 * is narrower, to that of the medians of the turns in which the samples came: `turn` samples each,
 * in their first order. A machine that changes between turns shows in it; one that changes between
 * boots can't. `scratch` has room for n / turn.
 */
void stats_widen_by_turns(struct stats *s, const int64_t *samples, size_t n, size_t turn,
			  int64_t *scratch);

/* 1-based ranks of the interval of the median of n samples. */
void stats_median_ranks(size_t n, size_t *lo, size_t *hi);

/*
 * How coarse the counter is: the smallest difference between two readings that are not the same,
 * over as many samples as are added. Two neighbours may be one reading, of a clock whose step is no
 * whole number of ticks, rounded down and up; three in a row can't be, and the counter counts every
 * tick. Starts with zeros.
 */
struct stats_step {
	int64_t smallest;
	size_t differences;
	bool fine; /* every tick */
};

/* Sorted samples, n > 0. */
void stats_step_add(struct stats_step *step, const int64_t *sorted, size_t n);

/*
 * No interval is narrower than the counter resolves: less than a step to each side of the median.
 * Changes nothing where there were too few differences to know the step by.
 */
void stats_widen_by_step(struct stats *s, const struct stats_step *step);

#endif
