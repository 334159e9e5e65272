/* SPDX-License-Identifier: BSD-2-Clause */
/* Ranks and order statistics. */
#include "tools/report/interval.h"

#include <math.h>
#include <stdlib.h>

#include "tools/report/output.h"

#define TAIL      0.025    /* on either side */
#define Z         1.959964 /* the normal distribution leaves that much above it */
#define EXACT_MAX 50       /* more values than these in all are as good as normal */

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double median(double *values, size_t n)
{
	qsort(values, n, sizeof(values[0]), by_size);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

double quantile(const double *sorted, size_t n, double q)
{
	size_t rank = ceil(q * n);

	rank = rank ? rank : 1;
	return sorted[(rank < n ? rank : n) - 1];
}

/*
 * In how many of the orders of n and m values the Mann-Whitney count is u, for each u up to n * m:
 * the coefficients of the product over i of (1 - x^(m+i)) / (1 - x^i). Whole numbers, and exact up
 * to EXACT_MAX.
 */
static double *count_orders(size_t n, size_t m)
{
	size_t top = n * m;
	double *ways = must_have(calloc(top + 1, sizeof(ways[0])));

	ways[0] = 1;
	for (size_t i = 1; i <= n; i++) {
		for (size_t u = top; u >= m + i; u--)
			ways[u] -= ways[u - m - i];
		for (size_t u = i; u <= top; u++)
			ways[u] += ways[u - i];
	}
	return ways;
}

static size_t exact_rank(size_t n, size_t m)
{
	double *ways = count_orders(n, m), all = 0, below = 0;
	size_t rank = 0;

	for (size_t u = 0; u <= n * m; u++)
		all += ways[u];
	while (rank < n * m && (below + ways[rank]) / all <= TAIL)
		below += ways[rank++];
	free(ways);
	return rank;
}

size_t shift_rank(size_t n, size_t m)
{
	double pairs = (double)n * m, rank;

	if (n + m <= EXACT_MAX)
		return exact_rank(n, m);
	rank = floor(pairs / 2 - Z * sqrt(pairs * (n + m + 1) / 12));
	return rank > 0 ? rank : 0;
}

bool shift_estimate(const double *a, size_t n, const double *b, size_t m, double *shift,
		    struct interval *i)
{
	size_t rank = shift_rank(n, m);
	double *differences;

	if (!rank)
		return false;
	differences = must_have(calloc(n * m, sizeof(differences[0])));
	for (size_t j = 0; j < n * m; j++)
		differences[j] = b[j % m] - a[j / m];
	*shift = median(differences, n * m);
	*i = (struct interval){differences[rank - 1], differences[n * m - rank]};
	free(differences);
	return true;
}

struct interval share_interval(double hits, double n)
{
	double p = hits / n, square = Z * Z / n;
	double center = (p + square / 2) / (1 + square);
	double half = Z * sqrt(p * (1 - p) / n + square / (4 * n)) / (1 + square);

	return (struct interval){center - half, center + half};
}
