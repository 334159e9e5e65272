/* SPDX-License-Identifier: BSD-2-Clause */
/* shootdown-report's reading of logs: a whole report is accepted, any damage is noticed. */
#define _GNU_SOURCE /* memmem */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/harness/crc32c.h"
#include "kernel/harness/records.h"
#include "tools/report/log.h"
#include "tools/report/verdict.h"

#define LINES 9

/* The record with each seq. */
static const char *const report[LINES] = {
	"{\"seq\":0,\"type\":\"run\",\"version\":\"1\",\"boot\":\"efi\",\"date\":\"2024-05-06\"}",
	"{\"seq\":1,\"type\":\"machine\",\"vendor\":\"QEMU\",\"product\":\"\\u00e9\"}",
	"{\"seq\":2,\"type\":\"clock\",\"tsc_hz\":3000000000}",
	"{\"seq\":3,\"type\":\"bench\",\"name\":\"self/empty\",\"net\":-1.5}",
	"{\"seq\":4,\"type\":\"check\",\"name\":\"smp/a\",\"result\":\"pass\",\"why\":\"\"}",
	"{\"seq\":5,\"type\":\"skip\",\"name\":\"cr3/b\",\"why\":\"no PCID\"}",
	"{\"seq\":6,\"type\":\"check\",\"name\":\"smp/c\",\"result\":\"skip\",\"why\":\"1 CPU\"}",
	"{\"seq\":7,\"type\":\"check\",\"name\":\"smp/d\",\"result\":\"xfail\",\"why\":\"\"}",
	"{\"seq\":8,\"type\":\"end\",\"records\":9,\"pass\":1,\"fail\":0,\"skip\":2,\"xfail\":1}",
};

struct text {
	char *at;
	size_t length, room;
};

static void append(struct text *t, const void *bytes, size_t n)
{
	if (t->length + n + 1 > t->room) {
		t->room = 2 * (t->length + n + 1);
		t->at = realloc(t->at, t->room);
		assert_non_null(t->at);
	}
	memcpy(t->at + t->length, bytes, n);
	t->length += n;
	t->at[t->length] = 0;
}

static void append_string(struct text *t, const char *s)
{
	append(t, s, strlen(s));
}

static void append_record(struct text *t, const char *json, const char *newline)
{
	char crc[16];

	append_string(t, "@SD1 ");
	append_string(t, json);
	snprintf(crc, sizeof(crc), " %08x", crc32c(json, strlen(json)));
	append_string(t, crc);
	append_string(t, newline);
}

static void append_report(struct text *t, int first, int last)
{
	for (int i = first; i <= last && i < LINES; i++)
		append_record(t, report[i], "\n");
}

static struct text whole_report(void)
{
	struct text t = {0};

	append_report(&t, 0, LINES - 1);
	return t;
}

/* Also asserts that every record is one of the report's, unless `foreign`. */
static struct verdict *judge_records(const char *bytes, size_t n, bool foreign)
{
	FILE *from = fmemopen((void *)bytes, n, "r");
	struct log *log = log_open(from);
	struct verdict *v = verdict_new();
	struct log_item item;

	assert_non_null(from);
	assert_non_null(log);
	assert_non_null(v);
	while (log_next(log, &item) != LOG_END) {
		assert_int_not_equal(item.kind, LOG_ERROR);
		if (item.kind == LOG_RECORD && !foreign) {
			json_t *expected;

			assert_true(item.seq < LINES);
			expected = json_loads(report[item.seq], 0, NULL);
			assert_true(json_equal(item.record, expected));
			json_decref(expected);
		}
		verdict_add(v, &item);
	}
	verdict_finish(v);
	log_close(log);
	fclose(from);
	return v;
}

static void expect_whole(const struct text *t, uint64_t earlier)
{
	struct verdict *v = judge_records(t->at, t->length, false);

	if (v->nr_problems)
		print_error("%s\n", v->problems[0]);
	assert_true(verdict_whole(v));
	assert_int_equal(v->records, LINES);
	assert_int_equal(v->expected, LINES);
	assert_int_equal(v->earlier, earlier);
	assert_int_equal(v->counts[VERDICT_PASS], 1);
	assert_int_equal(v->counts[VERDICT_FAIL], 0);
	assert_int_equal(v->counts[VERDICT_SKIP], 2);
	assert_int_equal(v->counts[VERDICT_XFAIL], 1);
	verdict_free(v);
}

static void expect_damaged(const struct text *t)
{
	struct verdict *v = judge_records(t->at, t->length, false);

	assert_false(verdict_whole(v));
	verdict_free(v);
}

/* That the first problem is `problem`. */
static void expect_problem(struct text *t, const char *problem)
{
	struct verdict *v = judge_records(t->at, t->length, true);

	assert_true(v->nr_problems > 0);
	assert_string_equal(v->problems[0], problem);
	verdict_free(v);
	free(t->at);
}

static void test_good(void **state)
{
	struct text t = whole_report();

	(void)state;
	expect_whole(&t, 0);
	t.length--; /* no line feed at the end */
	expect_whole(&t, 0);
	free(t.at);
}

/* Each record wrapped in what captures put around them. */
static void expect_whole_between(const void *before, size_t n, const char *after)
{
	struct text t = {0};

	for (int i = 0; i < LINES; i++) {
		append(&t, before, n);
		append_record(&t, report[i], after);
	}
	expect_whole(&t, 0);
	free(t.at);
}

static void test_surroundings(void **state)
{
	static const char *const befores[] = {
		"",
		"[2024-05-06 07:08:09.123] ",
		"ttyS0: <6>",
		"\x1b[0m\x1b[?25h\x1b[2J\x1b[01;01H",
		"\x1b]0;title\a",
		"\x1b]0;title\x1b\\",
		"\033c\033(B\033=",
		"\x1b[31mBdsDxe: loading\x1b[0m\r\n",
		"\x1b]never ended\n",
		"\x1b[\n",
		"half a line\r",
		"\xff\xfe\x80\x9b\x01\x7f",
		"@SD1",
		"@SD@SD1",
	};
	static const char *const afters[] = {
		"\n",      "\r\n",       "\r\r\n", "\r",
		" \t\r\n", "\x1b[K\r\n", "\n\n\n", "\r\nShootdown: text\r\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(befores) / sizeof(befores[0]); i++) {
		for (size_t j = 0; j < sizeof(afters) / sizeof(afters[0]); j++)
			expect_whole_between(befores[i], strlen(befores[i]), afters[j]);
	}
	expect_whole_between("\0\0x\0", 4, "\r\n");
}

/* A terminal multiplexer's escape or padding in any place of a record changes nothing. */
static void test_escape_inside(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
	} inserts[] = {{"\x1b[0m", 4}, {"\0", 1}, {"\x1b]2;t\a", 6}, {"\0337", 2}};
	struct text whole = whole_report();

	(void)state;
	for (size_t i = 0; i < sizeof(inserts) / sizeof(inserts[0]); i++) {
		for (size_t at = 0; at <= whole.length; at++) {
			struct text t = {0};

			append(&t, whole.at, at);
			append(&t, inserts[i].bytes, inserts[i].n);
			append(&t, whole.at + at, whole.length - at);
			expect_whole(&t, 0);
			free(t.at);
		}
	}
	free(whole.at);
}

static void test_flipped_bytes(void **state)
{
	struct text t = whole_report();

	(void)state;
	for (size_t i = 0; i < t.length; i++) {
		for (unsigned bit = 0; bit < 8; bit++) {
			t.at[i] ^= 1 << bit;
			/* A blank or a NUL as the very last byte is no damage. */
			if (i < t.length - 1)
				expect_damaged(&t);
			t.at[i] ^= 1 << bit;
		}
	}
	free(t.at);
}

static void test_lost_and_added_bytes(void **state)
{
	struct text whole = whole_report();

	(void)state;
	for (size_t i = 0; i < whole.length - 1; i++) {
		struct text t = {0};

		append(&t, whole.at, i);
		append(&t, whole.at + i + 1, whole.length - i - 1);
		expect_damaged(&t);
		free(t.at);
	}
	free(whole.at);
}

static void test_cut(void **state)
{
	struct text t = whole_report();
	size_t whole = t.length - 1; /* the last line feed is not needed */

	(void)state;
	for (t.length = 0; t.length < whole; t.length++)
		expect_damaged(&t);
	free(t.at);
}

/* One line cut short, with and without its line feed. */
static void test_cut_line(void **state)
{
	(void)state;
	for (int line = 0; line < LINES; line++) {
		struct text cut = {0};

		append_record(&cut, report[line], "");
		for (size_t n = 0; n < cut.length; n++) {
			for (size_t feed = 0; feed < 2; feed++) {
				struct text t = {0};

				append_report(&t, 0, line - 1);
				append(&t, cut.at, n);
				append(&t, "\n", feed);
				append_report(&t, line + 1, LINES - 1);
				expect_damaged(&t);
				free(t.at);
			}
		}
		free(cut.at);
	}
}

static void test_dropped_lines(void **state)
{
	(void)state;
	for (int first = 0; first < LINES; first++) {
		for (int last = first; last < LINES; last++) {
			struct text t = {0};

			append_report(&t, 0, first - 1);
			append_report(&t, last + 1, LINES - 1);
			expect_damaged(&t);
			free(t.at);
		}
	}
}

/* A line once more, there or anywhere later. */
static void test_doubled_lines(void **state)
{
	(void)state;
	for (int line = 0; line < LINES; line++) {
		for (int after = line; after < LINES; after++) {
			struct text t = {0};

			append_report(&t, 0, after);
			append_report(&t, line, line);
			append_report(&t, after + 1, LINES - 1);
			expect_damaged(&t);
			free(t.at);
		}
	}
}

static void test_swapped_lines(void **state)
{
	(void)state;
	for (int a = 0; a < LINES; a++) {
		for (int b = a + 1; b < LINES; b++) {
			struct text t = {0};

			append_report(&t, 0, a - 1);
			append_report(&t, b, b);
			append_report(&t, a + 1, b - 1);
			append_report(&t, a, a);
			append_report(&t, b + 1, LINES - 1);
			expect_damaged(&t);
			free(t.at);
		}
	}
}

static void test_problem_texts(void **state)
{
	struct text t = {0};

	(void)state;
	append_string(&t, "BIOS\n");
	append_report(&t, 0, 2);
	append_report(&t, 6, 8);
	expect_problem(&t, "line 5: records 3 to 5 are missing before this");
	t = (struct text){0};
	append_report(&t, 0, 2);
	append_report(&t, 4, 8);
	expect_problem(&t, "line 4: record 3 is missing before this");
	t = (struct text){0};
	append_report(&t, 0, 3);
	append_report(&t, 3, 8);
	expect_problem(&t, "line 5: record 3 comes again");
	t = (struct text){0};
	append_report(&t, 0, 7);
	expect_problem(&t, "there is no end: the last record is 7");
	t = whole_report();
	memcpy(strstr(t.at, "QEMU"), "qemu", 4);
	expect_problem(&t, "line 2: damaged, as it seems record 1: its CRC is wrong");
	t = whole_report();
	*strchr(t.at, '\n') = '!';
	expect_problem(&t, "line 1: damaged, as it seems record 0: something follows its CRC");
	t = (struct text){0};
	append_string(&t, "@SD1 \n");
	expect_problem(&t, "line 1: a damaged record: it is cut, or its CRC is garbled");
}

/* A report that is sound but for its end, or for what comes after it. */
static void expect_end_problem(const char *end, const char *problem)
{
	struct text t = {0};

	append_report(&t, 0, 7);
	append_record(&t, end, "\n");
	expect_problem(&t, problem);
}

static void test_end_counts(void **state)
{
	(void)state;
	expect_end_problem(
		"{\"seq\":8,\"type\":\"end\",\"records\":8,\"pass\":1,\"fail\":0,\"skip\":2,"
		"\"xfail\":1}",
		"the end counts 8 records, but is itself record 8");
	expect_end_problem(
		"{\"seq\":8,\"type\":\"end\",\"pass\":1,\"fail\":0,\"skip\":2,\"xfail\":1}",
		"the end counts -1 records, but is itself record 8");
	expect_end_problem(
		"{\"seq\":8,\"type\":\"end\",\"records\":9,\"pass\":2,\"fail\":0,\"skip\":2,"
		"\"xfail\":1}",
		"the end counts 2 pass, the records 1");
	expect_end_problem(
		"{\"seq\":8,\"type\":\"end\",\"records\":9,\"pass\":1,\"fail\":1,\"skip\":2,"
		"\"xfail\":1}",
		"the end counts 1 fail, the records 0");
	expect_end_problem(
		"{\"seq\":8,\"type\":\"end\",\"records\":9,\"pass\":1,\"fail\":0,\"skip\":1,"
		"\"xfail\":1}",
		"the end counts 1 skip, the records 2");
	expect_end_problem(
		"{\"seq\":8,\"type\":\"end\",\"records\":9,\"pass\":1,\"fail\":0,\"skip\":2,"
		"\"xfail\":\"1\"}",
		"the end counts -1 xfail, the records 1");
}

static void test_after_the_end(void **state)
{
	struct text t = whole_report();

	(void)state;
	append_record(&t, "{\"seq\":9,\"type\":\"skip\",\"name\":\"x\",\"why\":\"\"}", "\n");
	expect_problem(&t, "line 10: record 9 comes after the end");
}

static void test_bad_records(void **state)
{
	static const struct {
		const char *json, *problem;
	} bad[] = {
		{"[1]", "line 9: a damaged record: its seq is not a number in range"},
		{"{\"seq\":8}", "line 9: a damaged record: it has no type"},
		{"{\"seq\":8,\"type\":1}", "line 9: damaged, as it seems record 8: it has no type"},
		{"{\"seq\":-8,\"type\":\"end\"}",
		 "line 9: a damaged record: its seq is not a number in range"},
		{"{\"seq\":99999999999,\"type\":\"end\"}",
		 "line 9: a damaged record: its seq is not a number in range"},
		{"{\"seq\":8,\"type\":\"end\"",
		 "line 9: damaged, as it seems record 8: its JSON is broken"},
		{"{\"seq\":8,\"seq\":8,\"type\":\"end\"}",
		 "line 9: damaged, as it seems record 8: its JSON is broken"},
		{"", "line 9: a damaged record: its JSON is broken"},
		{"{\"seq\":8,\"type\":\"\x80\"}",
		 "line 9: damaged, as it seems record 8: it is not printable ASCII"},
		{"{\"seq\":8,\"type\":\"run\"}", "line 9: record 8 should not be of type run"},
		{"{\"seq\":8,\"type\":\"check\",\"error\":\"too long\"}",
		 "line 9: record 8 was too long to be sent"},
		{"{\"seq\":8,\"type\":\"check\"}", "line 9: a check without a known result"},
		{"{\"seq\":0,\"type\":\"end\"}", "line 9: record 0 should be of type run"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct text t = {0};

		append_report(&t, 0, 7);
		append_record(&t, bad[i].json, "\n");
		expect_problem(&t, bad[i].problem);
	}
}

static void test_upper_case_crc(void **state)
{
	(void)state;
	for (int line = 0; line < LINES; line++) {
		struct text t = {0};
		bool changed = false;

		append_report(&t, 0, line);
		for (char *p = t.at + t.length - 9; *p != '\n'; p++) {
			changed |= *p >= 'a';
			*p -= *p >= 'a' ? 'a' - 'A' : 0;
		}
		append_report(&t, line + 1, LINES - 1);
		if (changed)
			expect_damaged(&t);
		free(t.at);
	}
}

static void test_boots(void **state)
{
	struct text t = {0};

	(void)state;
	append_report(&t, 5, 8); /* from the middle */
	append_report(&t, 0, 8); /* whole */
	append_report(&t, 0, 3); /* cut */
	append_string(&t, "@SD1 {\"seq\":4,\"ty\n");
	append_report(&t, 0, 8);
	expect_whole(&t, 3);
	append_report(&t, 0, 2);
	expect_damaged(&t);
	free(t.at);
}

/* The second boot's record 0 is lost, the rest of it is there. */
static void test_boot_without_start(void **state)
{
	struct text t = {0};
	struct verdict *v;

	(void)state;
	append_report(&t, 0, 2);
	append_record(&t, "{\"seq\":3,\"type\":\"bench\",\"net\":9}", "\n");
	append_report(&t, 3, 8);
	v = judge_records(t.at, t.length, true);
	assert_int_equal(v->earlier, 1);
	assert_int_equal(v->records, 6);
	assert_int_equal(v->expected, 9);
	assert_string_equal(v->problems[0], "line 5: records 0 to 2 are missing before this");
	verdict_free(v);
	free(t.at);
}

static void test_failures(void **state)
{
	struct text t = {0};
	struct verdict *v;

	(void)state;
	append_report(&t, 0, 0);
	append_record(
		&t,
		"{\"seq\":1,\"type\":\"check\",\"name\":\"a/b\",\"result\":\"fail\",\"why\":\"w\"}",
		"\n");
	append_record(&t,
		      "{\"seq\":2,\"type\":\"end\",\"records\":3,\"pass\":0,\"fail\":1,\"skip\":0,"
		      "\"xfail\":0}",
		      "\n");
	v = judge_records(t.at, t.length, true);
	assert_true(verdict_whole(v));
	assert_int_equal(v->counts[VERDICT_FAIL], 1);
	assert_int_equal(v->nr_failed, 1);
	assert_string_equal(json_string_value(json_object_get(v->failed[0], "why")), "w");
	verdict_free(v);
	free(t.at);
}

static void test_many_problems(void **state)
{
	struct text t = {0};
	struct verdict *v;

	(void)state;
	for (int i = 0; i < 1000; i++)
		append_string(&t, "@SD1 {\n");
	v = judge_records(t.at, t.length, false);
	assert_int_equal(v->nr_problems, 1000);
	assert_int_equal(v->records, 0);
	assert_false(verdict_whole(v));
	verdict_free(v);
	free(t.at);
}

static void append_noise(struct text *t, size_t n)
{
	char *noise = malloc(n);

	assert_non_null(noise);
	memset(noise, '#', n);
	append(t, noise, n);
	free(noise);
}

/* A record of the greatest length. */
static struct text longest_record(void)
{
	struct text t = {0};
	char json[RECORD_JSON_MAX + 1];
	size_t n = strlen(report[0]) - 1;

	memset(json, 'x', RECORD_JSON_MAX);
	memcpy(json, report[0], n);
	memcpy(json + n, ",\"x\":\"", 6);
	memcpy(json + RECORD_JSON_MAX - 2, "\"}", 3);
	append_record(&t, json, "\n");
	return t;
}

/* Noise without line feeds, so that a record lies anywhere across the end of the buffer. */
static void test_long_lines(void **state)
{
	struct text longest = longest_record();
	size_t line = 64 * 1024, step;

	(void)state;
	for (size_t left = 0; left < 8192; left += step) {
		struct text t = {0};
		struct verdict *v;
		bool edge =
			left < 16 || (left > 4000 && left < 4032) || (left > 7984 && left < 8016);

		step = edge ? 1 : 101;
		append_noise(&t, line - left);
		append(&t, longest.at, longest.length);
		append_noise(&t, line + left);
		append_report(&t, 1, LINES - 1);
		v = judge_records(t.at, t.length, true);
		assert_true(verdict_whole(v));
		assert_int_equal(v->records, LINES);
		verdict_free(v);
		free(t.at);
	}
	free(longest.at);
}

static void test_too_long_record(void **state)
{
	char json[RECORD_JSON_MAX + 2];
	struct text t = {0};

	(void)state;
	memset(json, ' ', sizeof(json));
	memcpy(json, report[0], strlen(report[0]) - 1);
	memcpy(json + RECORD_JSON_MAX, "}", 2);
	append_record(&t, json, "\n");
	expect_problem(&t, "line 1: damaged, as it seems record 0: it is too long");
}

static void test_joined_lines(void **state)
{
	struct text t = {0};
	struct verdict *v;

	(void)state;
	append_record(&t, report[0], "");
	append_report(&t, 1, 8);
	v = judge_records(t.at, t.length, false);
	assert_int_equal(v->records, LINES - 1);
	assert_false(verdict_whole(v));
	verdict_free(v);
	free(t.at);
}

/* The prefix in a record's own text, as on the command line of the run. */
static void test_prefix_inside(void **state)
{
	struct text t = {0};
	struct verdict *v;

	(void)state;
	append_record(&t, "{\"seq\":0,\"type\":\"run\",\"cmdline\":\"@SD1 {@SD1 \"}", "\n");
	v = judge_records(t.at, t.length, true);
	assert_int_equal(v->records, 1);
	assert_int_equal(v->nr_problems, 1); /* no end */
	verdict_free(v);
	free(t.at);
}

static void test_empty_and_noise(void **state)
{
	struct text t = {0};
	struct verdict *v;
	uint32_t random = 1;

	(void)state;
	append(&t, "", 0);
	expect_damaged(&t);
	for (int i = 0; i < 300000; i++) {
		/* Few values, so that prefixes, escapes and line ends come up often. */
		static const char alphabet[] = "@SD1 {}\":0,\r\n\x1b[]mP\a\x80\x9b";
		char c;

		random = random * 1664525 + 1013904223;
		c = alphabet[(random >> 16) % sizeof(alphabet)];
		append(&t, &c, 1);
		if (random >> 28 == 0)
			append_string(&t, "@SD1 {\"seq\":3");
	}
	v = judge_records(t.at, t.length, false);
	assert_false(verdict_whole(v));
	verdict_free(v);
	free(t.at);
}

static void test_unreadable(void **state)
{
	FILE *from = fopen("/", "r");
	struct log *log = log_open(from);
	struct log_item item;

	(void)state;
	assert_non_null(from);
	assert_int_equal(log_next(log, &item), LOG_ERROR);
	log_close(log);
	fclose(from);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_surroundings),
		cmocka_unit_test(test_escape_inside),
		cmocka_unit_test(test_flipped_bytes),
		cmocka_unit_test(test_lost_and_added_bytes),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_cut_line),
		cmocka_unit_test(test_dropped_lines),
		cmocka_unit_test(test_doubled_lines),
		cmocka_unit_test(test_swapped_lines),
		cmocka_unit_test(test_problem_texts),
		cmocka_unit_test(test_end_counts),
		cmocka_unit_test(test_after_the_end),
		cmocka_unit_test(test_bad_records),
		cmocka_unit_test(test_upper_case_crc),
		cmocka_unit_test(test_boots),
		cmocka_unit_test(test_boot_without_start),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_many_problems),
		cmocka_unit_test(test_long_lines),
		cmocka_unit_test(test_too_long_record),
		cmocka_unit_test(test_joined_lines),
		cmocka_unit_test(test_prefix_inside),
		cmocka_unit_test(test_empty_and_noise),
		cmocka_unit_test(test_unreadable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
