/* SPDX-License-Identifier: BSD-2-Clause */
/* shootdown-report's model of a log: the last boot's records, its rows, their figures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/harness/crc32c.h"
#include "tools/report/output.h"
#include "tools/report/report.h"

#define LOG_MAX 65536

#define RUN   "\"run\",\"hypervisor\":\"none\""
#define CLOCK "\"clock\",\"tsc_hz\":2000000000"
#define BENCH                                                                                   \
	"\"bench\",\"name\":\"local/invlpg-4k\",\"params\":{\"mode\":\"latency\",\"live\":64}," \
	"\"p50\":140,\"ci\":[138,144],\"baseline\":40,\"net\":100"

struct text {
	char at[LOG_MAX];
	size_t length;
	unsigned seq;
};

/* A record from its type on, with the next seq. */
static void add(struct text *t, const char *rest)
{
	char json[4096];
	int n = snprintf(json, sizeof(json), "{\"seq\":%u,\"type\":%s}", t->seq++, rest);

	t->length += snprintf(t->at + t->length, LOG_MAX - t->length, "@SD1 %s %08x\n", json,
			      crc32c(json, n));
	assert_true(t->length < LOG_MAX);
}

static struct report *read_text(const struct text *t)
{
	FILE *from = fmemopen((void *)t->at, t->length, "r");
	struct report *r = report_read(from, "log");

	assert_non_null(r);
	fclose(from);
	return r;
}

static void expect_time(const struct report *r, size_t row, const char *key, enum report_unit unit,
			double expected)
{
	double value = -1;

	assert_true(row_time(r, &r->rows[row], key, unit, &value));
	assert_true(value > expected - 1e-6 && value < expected + 1e-6);
}

static void test_figures(void **state)
{
	static struct text t;
	struct report *r;
	double lo, hi;

	(void)state;
	add(&t, RUN);
	add(&t, CLOCK);
	add(&t, BENCH ",\"core\":null");
	add(&t, BENCH ",\"core\":{\"p50\":130,\"net\":90}");
	r = read_text(&t);
	assert_int_equal(r->nr_records, 4);
	assert_int_equal(r->nr_rows, 2);
	assert_string_equal(r->file, "log");
	assert_null(r->emulator);
	expect_time(r, 0, "net", UNIT_TICKS, 100);
	expect_time(r, 0, "net", UNIT_NS, 50);
	expect_time(r, 1, "net", UNIT_CORE, 90);
	assert_false(row_time(r, &r->rows[0], "net", UNIT_CORE, &lo));
	assert_false(row_time(r, &r->rows[0], "p99", UNIT_TICKS, &lo));
	assert_true(row_interval(r, &r->rows[0], false, UNIT_TICKS, &lo, &hi));
	assert_true(lo == 138 && hi == 144);
	assert_true(row_interval(r, &r->rows[0], true, UNIT_NS, &lo, &hi));
	assert_true(lo == 49 && hi == 52);
	report_free(r);
}

static void test_identity(void **state)
{
	static struct text t;
	struct report *r;

	(void)state;
	add(&t, RUN);
	add(&t, "\"rate\",\"name\":\"shootdown/loop\",\"params\":{\"b\":true,\"a\":\"x y\"}");
	add(&t, "\"rate\",\"name\":\"shootdown/loop\",\"params\":{\"a\":\"x y\",\"b\":true}");
	add(&t, "\"matrix\",\"name\":\"ipi/pairs\",\"row\":0,\"p50\":[null,1]");
	add(&t, "\"matrix\",\"name\":\"ipi/pairs\",\"row\":1,\"p50\":[1,null]");
	add(&t, "\"advice\",\"tunable\":\"ceiling\",\"value\":33");
	add(&t, "\"check\",\"name\":\"stale/a\",\"params\":{},\"result\":\"pass\"");
	add(&t, "\"unheard-of\",\"name\":\"stale/a\"");
	add(&t, "\"bench\",\"name\":5");
	r = read_text(&t);
	assert_int_equal(r->nr_records, 9);
	assert_int_equal(r->nr_rows, 6);
	assert_string_equal(r->rows[0].params, "b=true a=x y");
	assert_string_equal(r->rows[0].id,
			    "[\"rate\",\"shootdown/loop\",{\"a\":\"x y\",\"b\":true}]");
	assert_string_equal(r->rows[1].id,
			    "[\"rate\",\"shootdown/loop\",{\"a\":\"x y\",\"b\":true}]#2");
	assert_string_equal(r->rows[2].id, "[\"matrix\",\"ipi/pairs\",0]");
	assert_string_equal(r->rows[3].id, "[\"matrix\",\"ipi/pairs\",1]");
	assert_string_equal(r->rows[4].name, "ceiling");
	assert_int_equal(r->rows[5].group_length, 5);
	assert_string_equal(r->rows[5].params, "");
	assert_ptr_equal(report_find(r, r->rows[3].id), &r->rows[3]);
	assert_null(report_find(r, "nothing"));
	assert_true(same_group(&r->rows[0], &r->rows[1]));
	assert_false(same_group(&r->rows[1], &r->rows[2]));
	report_free(r);
}

static void test_modelled_rows_have_no_times(void **state)
{
	static struct text t;
	struct report *r;
	double lo, hi;

	(void)state;
	add(&t, RUN);
	add(&t, BENCH ",\"modelled\":true");
	r = read_text(&t);
	assert_true(r->rows[0].modelled);
	assert_false(row_time(r, &r->rows[0], "net", UNIT_TICKS, &lo));
	assert_false(row_interval(r, &r->rows[0], true, UNIT_TICKS, &lo, &hi));
	report_free(r);
}

/* Nothing of another type than it should be is taken for a figure. */
static void test_wrong_types(void **state)
{
	static struct text t;
	struct report *r;
	double lo, hi;

	(void)state;
	add(&t, RUN);
	add(&t, "\"clock\",\"tsc_hz\":\"fast\"");
	add(&t, "\"bench\",\"name\":\"a\",\"params\":[1],\"p50\":\"1\",\"ci\":[3,2],\"net\":null");
	r = read_text(&t);
	assert_true(r->tsc_hz == 0);
	assert_string_equal(r->rows[0].params, "");
	assert_false(row_time(r, &r->rows[0], "p50", UNIT_TICKS, &lo));
	assert_false(row_time(r, &r->rows[0], "p50", UNIT_NS, &lo));
	assert_false(row_interval(r, &r->rows[0], false, UNIT_TICKS, &lo, &hi));
	report_free(r);
}

static void test_last_boot_only(void **state)
{
	static struct text t;
	struct report *r;

	(void)state;
	add(&t, RUN);
	add(&t, BENCH);
	t.seq = 0;
	add(&t, RUN);
	t.seq = 2; /* a line moved */
	add(&t, CLOCK);
	t.seq = 1;
	add(&t, "\"skip\",\"name\":\"local/x\",\"why\":\"\"");
	r = read_text(&t);
	assert_int_equal(r->verdict->earlier, 1);
	assert_int_equal(r->nr_records, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(json_integer_value(json_object_get(r->records[i], "seq")), i);
	assert_int_equal(r->nr_rows, 1);
	assert_false(verdict_whole(r->verdict));
	report_free(r);
}

static void test_emulators(void **state)
{
	static const char *const signs[] = {
		"\"run\",\"hypervisor\":\"TCGTCGTCGTCG\"",
		"QEMU TCG",
		"\"run\",\"hypervisor\":\"KVMKVMKVM\"",
		NULL,
	};

	(void)state;
	for (size_t i = 0; i < 4; i += 2) {
		static struct text t;
		struct report *r;

		t = (struct text){.length = 0};
		add(&t, signs[i]);
		r = read_text(&t);
		if (signs[i + 1])
			assert_string_equal(r->emulator, signs[i + 1]);
		else
			assert_null(r->emulator);
		report_free(r);
	}
}

static void test_no_report(void **state)
{
	struct report *r;
	FILE *from = fmemopen("nothing\n", 8, "r");

	(void)state;
	r = report_read(from, "log");
	assert_non_null(r);
	assert_int_equal(r->nr_records, 0);
	assert_null(report_part(r, VERDICT_RUN));
	report_free(r);
	fclose(from);
	assert_null(report_load("/nowhere"));
	assert_int_equal(errno, ENOENT);
	assert_null(report_load("/"));
	assert_int_equal(errno, EISDIR);
	report_free(NULL);
}

static void test_safe_text(void **state)
{
	char *copy = safe_copy("a\033[2J\n\x9b~\x7f");

	(void)state;
	assert_string_equal(copy, "a?[2J??~?");
	free(copy);
}

static void test_short_figures(void **state)
{
	static const struct {
		double value;
		const char *text;
	} figures[] = {
		{0, "0"},           {5144.4, "5144"},   {367.26, "367.3"}, {1.254, "1.25"},
		{-0.0001, "0.00"},  {-12.34, "-12.3"},  {1e300, "1e+300"}, {-1e300, "-1e+300"},
		{123456, "123456"}, {2.5e9, "2.5e+09"}, {100, "100"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
		assert_string_equal(figure(figures[i].value).text, figures[i].text);
	assert_string_equal(figure(1e308 * 10).text, "-");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_figures),
		cmocka_unit_test(test_identity),
		cmocka_unit_test(test_modelled_rows_have_no_times),
		cmocka_unit_test(test_wrong_types),
		cmocka_unit_test(test_last_boot_only),
		cmocka_unit_test(test_emulators),
		cmocka_unit_test(test_no_report),
		cmocka_unit_test(test_safe_text),
		cmocka_unit_test(test_short_figures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
