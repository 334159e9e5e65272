/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests kernel/harness/stats.c against known answers, a brute-force count and the binomial. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/harness/stats.h"
#include "tests/host/random.h"

#define MAX_N 10000

static void known_vectors(void **unused)
{
	/* The samples are 1 to n, so that a value is its own rank. */
	static const struct {
		size_t n;
		struct stats expected;
	} cases[] = {
		{1, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
		{2, {2, 1, 1, 1, 1, 2, 2, 2, 2, 1, 2}},
		{5, {5, 1, 1, 2, 3, 4, 5, 5, 5, 1, 5}},
		{6, {6, 1, 1, 2, 3, 5, 6, 6, 6, 1, 6}},
		{100, {100, 1, 5, 25, 50, 75, 95, 99, 100, 40, 61}},
	};
	int64_t samples[100];
	struct stats s;

	(void)unused;
	for (size_t i = 0; i < 100; i++)
		samples[i] = i + 1;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		stats_compute(samples, cases[i].n, &s);
		assert_memory_equal(&s, &cases[i].expected, sizeof(s));
	}
}

enum shape { ANY, FEW_VALUES, ASCENDING, DESCENDING, ALL_EQUAL, EXTREMES, NR_SHAPES };

static int64_t sample_of(enum shape shape, size_t i)
{
	static const int64_t extremes[] = {INT64_MIN, INT64_MAX, INT64_MIN + 1, -1, 0};

	switch (shape) {
	case FEW_VALUES:
		return (int64_t)(random64() % 7) - 3;
	case ASCENDING:
		return (int64_t)i * 3 - 100;
	case DESCENDING:
		return 100 - (int64_t)i * 3;
	case ALL_EQUAL:
		return -42;
	case EXTREMES:
		return extremes[random64() % 5];
	default:
		return (int64_t)random64();
	}
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* By the definition: the smallest sample with at least p% of all at or below it. */
static int64_t counted_percentile(const int64_t *sorted, size_t n, unsigned p)
{
	size_t at_or_below = 0;

	for (size_t i = 0; i < n; i++) {
		at_or_below++;
		if (i + 1 < n && sorted[i + 1] == sorted[i])
			continue;
		if (at_or_below * 100 >= n * p)
			return sorted[i];
	}
	fail();
	return 0;
}

static void check_samples(enum shape shape, size_t n)
{
	int64_t *a = malloc(n * sizeof(*a)), *b = malloc(n * sizeof(*b));
	struct stats s;
	size_t lo, hi;

	for (size_t i = 0; i < n; i++)
		a[i] = b[i] = sample_of(shape, i);
	stats_sort(a, n);
	qsort(b, n, sizeof(*b), by_value);
	assert_memory_equal(a, b, n * sizeof(*a));
	stats_compute(a, n, &s);
	stats_median_ranks(n, &lo, &hi);
	assert_int_equal(s.n, n);
	assert_true(s.min == b[0] && s.max == b[n - 1]);
	assert_true(s.p5 == counted_percentile(b, n, 5));
	assert_true(s.p25 == counted_percentile(b, n, 25));
	assert_true(s.p50 == counted_percentile(b, n, 50));
	assert_true(s.p75 == counted_percentile(b, n, 75));
	assert_true(s.p95 == counted_percentile(b, n, 95));
	assert_true(s.p99 == counted_percentile(b, n, 99));
	assert_true(s.ci_lo == b[lo - 1] && s.ci_hi == b[hi - 1]);
	free(a);
	free(b);
}

static void any_samples(void **unused)
{
	(void)unused;
	stats_sort(NULL, 0);
	for (enum shape shape = ANY; shape < NR_SHAPES; shape++) {
		for (size_t n = 1; n <= 300; n++)
			check_samples(shape, n);
		check_samples(shape, MAX_N - 1);
		check_samples(shape, MAX_N);
	}
}

/* P(X < k) for X of Binomial(n, 1/2), summed from its largest term down until nothing is added. */
static long double tail(size_t n, size_t k)
{
	long double term, sum = 0;
	size_t i = k - 1;

	if (!k)
		return 0;
	term = expl(lgammal(n + 1) - lgammal(i + 1) - lgammal(n - i + 1) - n * logl(2));
	for (;; i--) {
		sum += term;
		if (!i || term < 1e-25L)
			return sum;
		term = term * i / (n - i + 1);
	}
}

static void median_interval_covers(void **unused)
{
	(void)unused;
	for (size_t n = 6; n <= 5000; n++) {
		size_t lo = 0, hi = 0;

		stats_median_ranks(n, &lo, &hi);
		assert_in_range(lo, 1, (n + 1) / 2);
		assert_int_equal(lo + hi, n + 1);
		assert_true(1 - 2 * tail(n, lo) >= 0.95L);
		/* Up to 60 exact; above it, at most one rank of safety. */
		assert_true(1 - 2 * tail(n, lo + (n <= 60 ? 1 : 2)) < 0.95L);
	}
}

static void median_interval_of_few(void **unused)
{
	(void)unused;
	for (size_t n = 1; n < 6; n++) {
		size_t lo = 0, hi = 0;

		stats_median_ranks(n, &lo, &hi);
		assert_int_equal(lo, 1);
		assert_int_equal(hi, n);
	}
}

/* `turns` of 32 samples around a level that each turn has from `level_of`. */
static struct stats stats_of_turns(size_t turns, int64_t (*level_of)(size_t turn))
{
	size_t n = turns * 32;
	int64_t *samples = malloc(n * sizeof(*samples)), *sorted = malloc(n * sizeof(*sorted));
	struct stats s;

	for (size_t i = 0; i < n; i++)
		sorted[i] = samples[i] = level_of(i / 32) + (int64_t)(random64() % 5) - 2;
	stats_sort(sorted, n);
	stats_compute(sorted, n, &s);
	stats_widen_by_turns(&s, samples, n, 32, sorted);
	free(samples);
	free(sorted);
	return s;
}

static int64_t steady(size_t turn)
{
	(void)turn;
	return 1000;
}

/* The machine is slow for a while. */
static int64_t two_states(size_t turn)
{
	return turn % 16 < 10 ? 1000 : 2000;
}

static int64_t drifting(size_t turn)
{
	return 1000 + (int64_t)turn * 10;
}

static void turns_that_differ_widen_the_interval(void **unused)
{
	struct stats s = stats_of_turns(64, steady);

	(void)unused;
	assert_in_range(s.ci_lo, 999, 1000);
	assert_in_range(s.ci_hi, 1000, 1001);
	s = stats_of_turns(16, two_states);
	assert_in_range(s.p50, 998, 1002);
	assert_in_range(s.ci_lo, 998, 1002);
	assert_in_range(s.ci_hi, 1998, 2002);
	/* 64 turns: the 24th and the 41st. */
	s = stats_of_turns(64, drifting);
	assert_in_range(s.ci_lo, 1000 + 22 * 10, 1000 + 24 * 10);
	assert_in_range(s.ci_hi, 1000 + 39 * 10, 1000 + 41 * 10);
}

static void less_than_a_turn_changes_nothing(void **unused)
{
	int64_t samples[31] = {5, 1, 9};
	struct stats s = {.ci_lo = 3, .ci_hi = 4};

	(void)unused;
	stats_widen_by_turns(&s, samples, 31, 32, NULL);
	assert_int_equal(s.ci_lo, 3);
	assert_int_equal(s.ci_hi, 4);
}

static void expect_widened(const struct stats_step *step, int64_t lo, int64_t hi)
{
	struct stats s = {.p50 = 98, .ci_lo = 98, .ci_hi = 98};

	stats_widen_by_step(&s, step);
	assert_int_equal(s.ci_lo, lo);
	assert_int_equal(s.ci_hi, hi);
}

static void a_coarse_counter_widens_the_interval(void **unused)
{
	/* A clock of 10 ns in ticks of 2445.4 MHz: readings come rounded down and up. */
	static const int64_t coarse[] = {48, 49, 49, 73, 74, 97, 98, 98, 122, 146, 147, 171, 195};
	struct stats_step step = {.smallest = 0};
	struct stats s = {.p50 = 98, .ci_lo = 10, .ci_hi = 200};

	(void)unused;
	stats_step_add(&step, coarse, 13);
	assert_int_equal(step.smallest, 24);
	assert_int_equal(step.differences, 6);
	assert_false(step.fine);
	expect_widened(&step, 98, 98); /* too few to tell */
	for (unsigned i = 0; i < 5; i++)
		stats_step_add(&step, coarse, 13);
	expect_widened(&step, 75, 121);
	stats_widen_by_step(&s, &step); /* wide as it is */
	assert_true(s.ci_lo == 10 && s.ci_hi == 200);
}

static void a_fine_counter_widens_nothing(void **unused)
{
	static const int64_t dense[] = {96, 96, 97, 98, 500};
	struct stats_step step = {.smallest = 0};
	int64_t coarse[64];

	(void)unused;
	for (unsigned i = 0; i < 64; i++)
		coarse[i] = 1000 + 36 * i;
	stats_step_add(&step, coarse, 64);
	assert_int_equal(step.smallest, 36);
	expect_widened(&step, 98 - 35, 98 + 35);
	stats_step_add(&step, dense, 5);
	assert_true(step.fine);
	expect_widened(&step, 98, 98);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_vectors),
		cmocka_unit_test(any_samples),
		cmocka_unit_test(median_interval_covers),
		cmocka_unit_test(median_interval_of_few),
		cmocka_unit_test(turns_that_differ_widen_the_interval),
		cmocka_unit_test(less_than_a_turn_changes_nothing),
		cmocka_unit_test(a_coarse_counter_widens_the_interval),
		cmocka_unit_test(a_fine_counter_widens_nothing),
	};

	return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
