/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests kernel/harness/axis.c: which combinations there are, in which order, and their text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/harness/axis.h"

static const char *const page_names[] = {"4k", "2m", "1g"};
static const struct axis live = {.key = "live", .quick = 5, .nr = 3, .values = {0, 16, 512}};
static const struct axis page = {
	.key = "page", .names = page_names, .quick = 1, .nr = 2, .values = {2, 0}};
static const struct axis tce = {.key = "tce", .nr = 2, .values = {1, 0}};

static const struct axis *const none[AXES_MAX] = {NULL};
static const struct axis *const two[AXES_MAX] = {&live, &page};
static const struct axis *const four[AXES_MAX] = {&live, &page, &tce, &tce};

/* Without live pages their size is nothing. */
static bool applies(const struct axis_point *p)
{
	return p->values[0] || p->values[1] == 0;
}

static bool never(const struct axis_point *p)
{
	(void)p;
	return false;
}

static void no_axes_are_one_row(void **unused)
{
	struct axis_point p = {{9, 9, 9, 9}};
	uint32_t index = 0;
	char text[AXES_TEXT_MAX] = "x";

	(void)unused;
	assert_true(axes_next(none, NULL, SUITE_QUICK, &index, &p));
	assert_int_equal(p.values[0], 0);
	assert_false(axes_next(none, NULL, SUITE_QUICK, &index, &p));
	assert_int_equal(axes_count(none, NULL, SUITE_FULL), 1);
	axes_text(none, &p, text, sizeof(text));
	assert_string_equal(text, "");
}

static void expect_rows(enum suite suite, axes_applies_fn fn, const char *const *expected)
{
	struct axis_point p;
	uint32_t index = 0, rows = 0;
	char text[AXES_TEXT_MAX];

	while (axes_next(two, fn, suite, &index, &p)) {
		axes_text(two, &p, text, sizeof(text));
		assert_non_null(expected[rows]);
		assert_string_equal(text, expected[rows]);
		rows++;
	}
	assert_null(expected[rows]);
	assert_int_equal(axes_count(two, fn, suite), rows);
}

static void every_combination_in_order(void **unused)
{
	static const char *const all[] = {
		"live=0 page=1g",
		"live=0 page=4k",
		"live=16 page=1g",
		"live=16 page=4k",
		"live=512 page=1g",
		"live=512 page=4k",
		NULL,
	};

	(void)unused;
	expect_rows(SUITE_FULL, NULL, all);
}

static void quick_has_some(void **unused)
{
	static const char *const some[] = {"live=0 page=1g", "live=512 page=1g", NULL};

	(void)unused;
	expect_rows(SUITE_QUICK, NULL, some);
}

static void what_does_not_apply_is_left_out(void **unused)
{
	static const char *const full[] = {"live=0 page=4k",   "live=16 page=1g",
					   "live=16 page=4k",  "live=512 page=1g",
					   "live=512 page=4k", NULL};
	static const char *const quick[] = {"live=512 page=1g", NULL};

	(void)unused;
	expect_rows(SUITE_FULL, applies, full);
	expect_rows(SUITE_QUICK, applies, quick);
	assert_int_equal(axes_count(two, never, SUITE_FULL), 0);
}

static void four_axes_fit(void **unused)
{
	(void)unused;
	assert_int_equal(axes_count(four, NULL, SUITE_FULL), 3 * 2 * 2 * 2);
	assert_int_equal(axes_count(four, NULL, SUITE_QUICK), 2 * 1 * 2 * 2);
}

/* The number of CPUs online is a row of its own, unless it is one already. */
static void all_cpus_once(void **unused)
{
	static const struct axis count = {
		.key = "cpus", .quick = 9, .nr = 4, .values = {2, 4, 8, AXIS_ALL_CPUS}};
	static const struct axis *const axes[AXES_MAX] = {&count};
	static const uint32_t full[] = {2, 4, 8, 6}, quick[] = {2, 6};
	struct axis_point p;
	uint32_t index = 0;

	(void)unused;
	axes_set(6, 0);
	for (unsigned i = 0; i < 4; i++) {
		assert_true(axes_next(axes, NULL, SUITE_FULL, &index, &p));
		assert_int_equal(p.values[0], full[i]);
	}
	assert_false(axes_next(axes, NULL, SUITE_FULL, &index, &p));
	index = 0;
	for (unsigned i = 0; i < 2; i++) {
		assert_true(axes_next(axes, NULL, SUITE_QUICK, &index, &p));
		assert_int_equal(p.values[0], quick[i]);
	}
	assert_false(axes_next(axes, NULL, SUITE_QUICK, &index, &p));
	axes_set(4, 0);
	assert_int_equal(axes_count(axes, NULL, SUITE_FULL), 3);
	/* 4 itself is not in it. */
	assert_int_equal(axes_count(axes, NULL, SUITE_QUICK), 2);
}

static void most_pages_once(void **unused)
{
	static const struct axis pages = {
		.key = "pages", .nr = 3, .values = {1, 2, AXIS_MOST_PAGES}};
	static const struct axis *const axes[AXES_MAX] = {&pages};
	struct axis_point p;
	uint32_t index = 2;

	(void)unused;
	axes_set(2, 8);
	assert_int_equal(axes_count(axes, NULL, SUITE_FULL), 3);
	assert_true(axes_next(axes, NULL, SUITE_FULL, &index, &p));
	assert_int_equal(p.values[0], 8);
	axes_set(8, 2);
	assert_int_equal(axes_count(axes, NULL, SUITE_FULL), 2);
}

static void text_is_cut_where_it_does_not_fit(void **unused)
{
	struct axis_point p = {{512, 2}};
	char text[] = "0123456789abcdefghi";

	(void)unused;
	for (size_t size = 0; size <= 16; size++) {
		memset(text, '#', 19);
		axes_text(two, &p, text, size);
		if (size) {
			assert_int_equal(strlen(text), size - 1 < 16 ? size - 1 : 16);
			assert_memory_equal(text, "live=512 page=1g", strlen(text));
		}
		assert_int_equal(text[size], '#');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_axes_are_one_row),
		cmocka_unit_test(every_combination_in_order),
		cmocka_unit_test(quick_has_some),
		cmocka_unit_test(what_does_not_apply_is_left_out),
		cmocka_unit_test(four_axes_fit),
		cmocka_unit_test(all_cpus_once),
		cmocka_unit_test(most_pages_once),
		cmocka_unit_test(text_is_cut_where_it_does_not_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
