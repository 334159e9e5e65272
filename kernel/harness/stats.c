/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting and order statistics. */
#include "kernel/harness/stats.h"

static void sift_down(int64_t *a, size_t root, size_t n)
{
	int64_t value = a[root];

	for (;;) {
		size_t child = 2 * root + 1;

		if (child >= n)
			break;
		if (child + 1 < n && a[child + 1] > a[child])
			child++;
		if (a[child] <= value)
			break;
		a[root] = a[child];
		root = child;
	}
	a[root] = value;
}

/* Heapsort: in place, and no input makes it slow. */
void stats_sort(int64_t *a, size_t n)
{
	for (size_t i = n / 2; i-- > 0;)
		sift_down(a, i, n);
	while (n > 1) {
		int64_t largest = a[0];

		n--;
		a[0] = a[n];
		a[n] = largest;
		sift_down(a, 0, n);
	}
}

static uint64_t isqrt_up(uint64_t value)
{
	uint64_t root = 0;

	for (uint64_t bit = 1ull << 31; bit; bit >>= 1) {
		if ((root + bit) * (root + bit) <= value)
			root += bit;
	}
	return root * root < value ? root + 1 : root;
}

#define EXACT_MAX 60 /* 2^60 still fits */

/*
 * The largest k with P(X < k) <= 2.5% for X of Binomial(n, 1/2): sums of C(n, i) against 2^n / 40.
 */
static size_t exact_rank(size_t n)
{
	uint64_t limit = (1ull << n) / 40, term = 1, sum = 0;
	size_t k = 0;

	while (sum + term <= limit) {
		sum += term;
		term = term * (n - k) / (k + 1);
		k++;
	}
	return k;
}

void stats_median_ranks(size_t n, size_t *lo, size_t *hi)
{
	size_t k;

	if (n <= EXACT_MAX) {
		k = exact_rank(n);
	} else {
		/* Normal approximation, n/2 - 1.96 sqrt(n)/2, one rank wider for its error. */
		uint64_t width = isqrt_up((uint64_t)n * 38416);

		k = (n * 100 - width) / 200;
	}
	*lo = k ? k : 1;
	*hi = n + 1 - *lo;
}

static int64_t percentile(const int64_t *sorted, size_t n, unsigned p)
{
	return sorted[(n * p + 99) / 100 - 1];
}

static int64_t median_of_turn(const int64_t *samples, size_t turn)
{
	int64_t sorted[STATS_TURN_MAX];

	for (size_t i = 0; i < turn; i++)
		sorted[i] = samples[i];
	stats_sort(sorted, turn);
	return percentile(sorted, turn, 50);
}

void stats_widen_by_turns(struct stats *s, const int64_t *samples, size_t n, size_t turn,
			  int64_t *scratch)
{
	size_t turns = n / turn, lo, hi;

	if (!turns)
		return;
	for (size_t i = 0; i < turns; i++)
		scratch[i] = median_of_turn(samples + i * turn, turn);
	stats_sort(scratch, turns);
	stats_median_ranks(turns, &lo, &hi);
	if (scratch[lo - 1] < s->ci_lo)
		s->ci_lo = scratch[lo - 1];
	if (scratch[hi - 1] > s->ci_hi)
		s->ci_hi = scratch[hi - 1];
}

void stats_compute(const int64_t *sorted, size_t n, struct stats *s)
{
	size_t lo, hi;

	stats_median_ranks(n, &lo, &hi);
	*s = (struct stats){
		.n = n,
		.min = sorted[0],
		.p5 = percentile(sorted, n, 5),
		.p25 = percentile(sorted, n, 25),
		.p50 = percentile(sorted, n, 50),
		.p75 = percentile(sorted, n, 75),
		.p95 = percentile(sorted, n, 95),
		.p99 = percentile(sorted, n, 99),
		.max = sorted[n - 1],
		.ci_lo = sorted[lo - 1],
		.ci_hi = sorted[hi - 1],
	};
}

#define STEP_MIN_DIFFERENCES 32

void stats_step_add(struct stats_step *step, const int64_t *sorted, size_t n)
{
	int64_t reading = sorted[0], highest = sorted[0]; /* of one reading, and as rounded */

	for (size_t i = 1; i < n; i++) {
		int64_t difference = sorted[i] - reading;

		if (sorted[i] == highest + 1 && highest == reading) {
			highest++;
			continue;
		}
		if (sorted[i] == highest)
			continue;
		if (sorted[i] == highest + 1)
			step->fine = true;
		if (!step->differences || difference < step->smallest)
			step->smallest = difference;
		step->differences++;
		reading = highest = sorted[i];
	}
}

void stats_widen_by_step(struct stats *s, const struct stats_step *step)
{
	int64_t less = step->smallest - 1;

	if (step->fine || step->differences < STEP_MIN_DIFFERENCES)
		return;
	if (s->p50 - less < s->ci_lo)
		s->ci_lo = s->p50 - less;
	if (s->p50 + less > s->ci_hi)
		s->ci_hi = s->p50 + less;
}
