/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How far one sample lies from another, without supposing a shape. Pure.
 *
 * Source: Hollander, Wolfe and Chicken, "Nonparametric Statistical Methods", "The Two-Sample
 * Location Problem": the Hodges-Lehmann estimate, and the interval that the Mann-Whitney test gives
 * when turned round.
 */
#ifndef TOOLS_REPORT_INTERVAL_H
#define TOOLS_REPORT_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>

struct interval {
	double lo, hi;
};

/* Of n > 0 values, which it sorts. */
double median(double *values, size_t n);

/* The q quantile (0 to 1) by nearest rank, of n > 0 sorted values. */
double quantile(const double *sorted, size_t n, double q);

/*
 * Of the n * m differences between two samples in order, the rank from either end of those that
 * bound the shift between the two with a probability of at least 95%. 0 where even the first and
 * the last would not: 4 and 4 are enough, 3 and 4 are not.
 */
size_t shift_rank(size_t n, size_t m);

/* By how much b is greater than a, and the interval by that rank. False where it is 0. */
bool shift_estimate(const double *a, size_t n, const double *b, size_t m, double *shift,
		    struct interval *i);

/* Of the probability of what happened `hits` of `n` > 0 times: Wilson's, 95%. */
struct interval share_interval(double hits, double n);

#endif
