/* SPDX-License-Identifier: BSD-2-Clause */
/* The statistics of shootdown-report compare, against published tables and by trial. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "tools/report/interval.h"

static void expect_near(double value, double expected)
{
	assert_true(fabs(value - expected) < 1e-4);
}

static void test_median(void **state)
{
	double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2}, one[] = {7};

	(void)state;
	assert_true(median(odd, 3) == 2);
	assert_true(median(even, 4) == 2.5);
	assert_true(median(one, 1) == 7);
	assert_true(quantile(even, 4, 0.25) == 1);
	assert_true(quantile(even, 4, 0.75) == 3);
	assert_true(quantile(even, 4, 0) == 1);
	assert_true(quantile(even, 4, 1) == 4);
}

/* The rank is one more than the greatest U that the usual tables call significant at 5%. */
static void test_ranks_of_the_tables(void **state)
{
	static const struct {
		size_t n, m, rank;
	} table[] = {
		{1, 1, 0},    {1, 39, 1}, {1, 38, 0},  {2, 7, 0},     {2, 8, 1}, {3, 3, 0},
		{3, 4, 0},    {3, 5, 1},  {4, 4, 1},   {5, 5, 3},     {5, 8, 7}, {8, 8, 14},
		{10, 10, 24}, {10, 5, 9}, {12, 9, 27}, {20, 20, 128},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		assert_int_equal(shift_rank(table[i].n, table[i].m), table[i].rank);
		assert_int_equal(shift_rank(table[i].m, table[i].n), table[i].rank);
	}
	/* The normal distribution takes over smoothly. */
	assert_in_range(shift_rank(25, 25), 210, 213);
	assert_in_range(shift_rank(25, 26), 219, 224);
}

static void test_shift(void **state)
{
	static const double a[] = {1, 2, 3, 4}, b[] = {11, 13, 12, 14};
	struct interval i;
	double shift;

	(void)state;
	assert_false(shift_estimate(a, 3, b, 4, &shift, &i));
	assert_true(shift_estimate(a, 4, b, 4, &shift, &i));
	assert_true(shift == 10);
	assert_true(i.lo == 7 && i.hi == 13);
}

/* Uniform from 0 to 1. */
static double next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (*state >> 11) / 9007199254740992.0;
}

/* That samples of one skewed distribution, moved by 3, are said to be so in 95% of all trials. */
static void expect_coverage(size_t n, size_t m)
{
	unsigned trials = 4000, covered = 0;
	uint64_t seed = n * 100 + m;

	for (unsigned trial = 0; trial < trials; trial++) {
		double a[16], b[16], shift;
		struct interval i;

		for (size_t j = 0; j < n; j++)
			a[j] = -log(next_random(&seed) + 1e-9);
		for (size_t j = 0; j < m; j++)
			b[j] = 3 - log(next_random(&seed) + 1e-9);
		assert_true(shift_estimate(a, n, b, m, &shift, &i));
		assert_true(i.lo <= shift && shift <= i.hi);
		covered += i.lo <= 3 && 3 <= i.hi;
	}
	/* Three standard deviations of the trials. */
	assert_true(covered > trials * 0.95 - 3 * sqrt(trials * 0.95 * 0.05));
	assert_true(covered < trials * 0.99);
}

static void test_coverage(void **state)
{
	(void)state;
	expect_coverage(4, 4);
	expect_coverage(5, 5);
	expect_coverage(3, 8);
	expect_coverage(10, 10);
}

static void test_share(void **state)
{
	struct interval none = share_interval(0, 10), half = share_interval(50, 100);

	(void)state;
	expect_near(none.lo, 0);
	expect_near(none.hi, 0.27753);
	expect_near(half.lo, 0.40383);
	expect_near(half.hi, 0.59617);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_median), cmocka_unit_test(test_ranks_of_the_tables),
		cmocka_unit_test(test_shift),  cmocka_unit_test(test_coverage),
		cmocka_unit_test(test_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
