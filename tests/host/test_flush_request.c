/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests mm/flush_request.c: which pages a flush covers, and what a CPU has to do for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mm/flush_request.h"

#define K4 0x1000ull
#define M2 0x200000ull
#define G1 0x40000000ull

static void ranges(void **unused)
{
	static const struct {
		uint64_t start, end, stride, ceiling;
		bool freed, any;
		uint64_t first, last; /* [first, last) */
		bool all;
	} cases[] = {
		/* Nothing */
		{0, 0, K4, 33, false, false, 0, 0, false},
		{M2, M2, K4, 33, true, false, 0, 0, false},
		{M2 + 1, M2, K4, 33, false, false, 0, 0, false},
		/* One page, and parts of pages */
		{M2, M2 + K4, K4, 33, false, true, M2, M2 + K4, false},
		{M2, M2 + 1, K4, 33, false, true, M2, M2 + K4, false},
		{M2 + K4 - 1, M2 + K4, K4, 33, false, true, M2, M2 + K4, false},
		{M2 + K4 - 1, M2 + K4 + 1, K4, 33, false, true, M2, M2 + 2 * K4, false},
		/* The ceiling */
		{M2, M2 + 33 * K4, K4, 33, false, true, M2, M2 + 33 * K4, false},
		{M2, M2 + 33 * K4 + 1, K4, 33, false, true, M2, M2 + 34 * K4, true},
		{M2, M2 + K4, K4, 1, false, true, M2, M2 + K4, false},
		{M2, M2 + 2 * K4, K4, 1, false, true, M2, M2 + 2 * K4, true},
		/* Across 2 MiB and 1 GiB */
		{M2 - K4, M2 + K4, K4, 33, false, true, M2 - K4, M2 + K4, false},
		{G1 - 3 * K4, G1 + 2 * K4, K4, 33, false, true, G1 - 3 * K4, G1 + 2 * K4, false},
		/* Large pages */
		{M2 + K4, M2 + 2 * K4, M2, 33, false, true, M2, 2 * M2, false},
		{0, 33 * M2, M2, 33, false, true, 0, 33 * M2, false},
		{0, 34 * M2, M2, 33, false, true, 0, 34 * M2, true},
		/* Tables, everything, the top of the address space */
		{M2, M2 + K4, K4, 33, true, true, M2, M2 + K4, true},
		{0, FLUSH_TO_END, K4, 33, false, true, 0, 0, true},
		{0ull - K4, FLUSH_TO_END, K4, 33, false, true, 0ull - K4, 0, true},
		{0ull - 2 * K4, 0ull - K4, K4, 33, false, true, 0ull - 2 * K4, 0ull - K4, false},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct flush_request r;

		assert_int_equal(flush_request_make(&r, cases[i].start, cases[i].end,
						    cases[i].stride, cases[i].freed,
						    cases[i].ceiling),
				 cases[i].any);
		if (!cases[i].any)
			continue;
		assert_int_equal(r.all, cases[i].all);
		assert_int_equal(r.start, cases[i].first);
		assert_int_equal(r.end, cases[i].last);
		assert_int_equal(r.stride, cases[i].stride);
	}
}

static void plans(void **unused)
{
	static const struct {
		uint64_t generation, now, seen;
		bool all;
		enum flush_step step;
		uint64_t then_seen;
	} cases[] = {
		{7, 7, 6, false, FLUSH_RANGE, 7}, /* one behind: the range is what it missed */
		{7, 7, 6, true, FLUSH_ALL, 7},
		{7, 7, 7, false, FLUSH_NOTHING, 7}, /* has it already */
		{7, 9, 8, true, FLUSH_NOTHING, 8},
		{7, 7, 5, false, FLUSH_ALL, 7},   /* missed one that it was not shown yet */
		{7, 9, 5, false, FLUSH_ALL, 9},   /* and then has all up to now */
		{7, 9, 6, false, FLUSH_RANGE, 7}, /* 8 and 9 are still to come */
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct flush_request r = {.generation = cases[i].generation, .all = cases[i].all};
		uint64_t seen = cases[i].seen;

		assert_int_equal(flush_request_plan(&r, cases[i].now, &seen), cases[i].step);
		assert_int_equal(seen, cases[i].then_seen);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges),
		cmocka_unit_test(plans),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
