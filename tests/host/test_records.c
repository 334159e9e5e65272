/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests kernel/harness/records.c: the exact bytes of lines, escaping and what does not fit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/harness/crc32c.h"
#include "kernel/harness/records.h"
#include "tests/host/random.h"

#define PREFIX       "@SD1 "
#define PREFIX_BYTES 5
#define SUFFIX_BYTES 10 /* a blank, eight digits, a line feed */
#define LINE_MAX     (PREFIX_BYTES + RECORD_JSON_MAX + SUFFIX_BYTES)

static char line[LINE_MAX + 1];
static size_t line_length;
static unsigned nr_lines;

static void emit(const char *text, size_t length)
{
	assert_in_range(length, PREFIX_BYTES + SUFFIX_BYTES, LINE_MAX);
	memcpy(line, text, length);
	line[length] = 0;
	line_length = length;
	nr_lines++;
}

/* The last line's JSON, terminated in place, once everything around it has been checked. */
static char *checked_json(void)
{
	char *json = line + PREFIX_BYTES, *suffix = line + line_length - SUFFIX_BYTES, crc[16];

	assert_memory_equal(line, PREFIX, PREFIX_BYTES);
	for (const char *c = json; c < suffix; c++)
		assert_in_range((unsigned char)*c, ' ', '~');
	snprintf(crc, sizeof(crc), " %08x\n", crc32c(json, suffix - json));
	assert_memory_equal(suffix, crc, SUFFIX_BYTES);
	*suffix = 0;
	return json;
}

static void assert_json(const char *expected)
{
	assert_string_equal(checked_json(), expected);
}

/* Undoes the escapes of a JSON string up to its closing quote. */
static size_t unescape(const char *json, char *out)
{
	size_t n = 0;

	for (; *json != '"'; json++) {
		unsigned code;

		assert_int_not_equal(*json, 0);
		if (*json != '\\') {
			out[n++] = *json;
		} else if (*++json == 'u') {
			assert_int_equal(sscanf(json + 1, "%4x", &code), 1);
			out[n++] = code;
			json += 4;
		} else {
			out[n++] = *json;
		}
	}
	return n;
}

static int setup(void **unused)
{
	(void)unused;
	records_init(emit);
	nr_lines = 0;
	line_length = 0;
	return 0;
}

static void literal_line(void **unused)
{
	struct record r;

	(void)unused;
	record_begin(&r, "cpu");
	record_unsigned(&r, "id", 7);
	record_string(&r, "name", "a\"b");
	record_end(&r);
	/* The CRC comes from another implementation, by polynomial division with the top bit first.
	 */
	assert_string_equal(line, "@SD1 {\"seq\":0,\"type\":\"cpu\",\"id\":7,\"name\":\"a\\\"b\"} "
				  "a31823b2\n");
}

static void empty_record(void **unused)
{
	struct record r;

	(void)unused;
	record_begin(&r, "end");
	record_end(&r);
	assert_json("{\"seq\":0,\"type\":\"end\"}");
}

static void every_kind_of_value(void **unused)
{
	struct record r;

	(void)unused;
	record_begin(&r, "t");
	record_unsigned(&r, "u", UINT64_MAX);
	record_signed(&r, "i", INT64_MIN);
	record_signed(&r, "z", 0);
	record_fixed(&r, "f", -1, 3);
	record_fixed(&r, "g", 12345, 2);
	record_fixed(&r, "h", -9, 0);
	record_bool(&r, "y", true);
	record_bool(&r, "n", false);
	record_null(&r, "x");
	record_string(&r, "s", "");
	record_string_n(&r, "p", "abcdef", 3);
	record_end(&r);
	assert_json("{\"seq\":0,\"type\":\"t\",\"u\":18446744073709551615,"
		    "\"i\":-9223372036854775808,\"z\":0,\"f\":-0.001,\"g\":123.45,\"h\":-9,"
		    "\"y\":true,\"n\":false,\"x\":null,\"s\":\"\",\"p\":\"abc\"}");
}

static void nesting(void **unused)
{
	struct record r;

	(void)unused;
	record_begin(&r, "t");
	record_open(&r, "a", '[');
	record_unsigned(&r, NULL, 1);
	record_open(&r, NULL, '[');
	record_close(&r, ']');
	record_open(&r, NULL, '{');
	record_string(&r, "k", "v");
	record_null(&r, "l");
	record_close(&r, '}');
	record_string(&r, NULL, "s");
	record_close(&r, ']');
	record_open(&r, "o", '{');
	record_close(&r, '}');
	record_bool(&r, "b", true);
	record_end(&r);
	assert_json("{\"seq\":0,\"type\":\"t\",\"a\":[1,[],{\"k\":\"v\",\"l\":null},\"s\"],"
		    "\"o\":{},\"b\":true}");
}

static void escaping(void **unused)
{
	struct record r;

	(void)unused;
	record_begin(&r, "t");
	record_string_n(&r, "q\"", "\"\\/\0\n\t\x1f ~\x7f\x80\xff", 12);
	record_end(&r);
	assert_json("{\"seq\":0,\"type\":\"t\",\"q\\\"\":\"\\\"\\\\/\\u0000\\u000a\\u0009\\u001f "
		    "~\\u007f\\u0080\\u00ff\"}");
}

static void long_strings_are_cut(void **unused)
{
	static const char head[] = "{\"seq\":0,\"type\":\"t\",\"s\":\"";
	char text[RECORD_STRING_MAX + 2];

	(void)unused;
	memset(text, 'x', sizeof(text));
	for (size_t n = RECORD_STRING_MAX - 1; n <= RECORD_STRING_MAX + 1; n++) {
		struct record r;
		char *bare = malloc(n);
		const char *json, *tail = n > RECORD_STRING_MAX ? "...\"}" : "\"}";
		size_t kept = n > RECORD_STRING_MAX ? RECORD_STRING_MAX : n;

		memset(bare, 'x', n);
		setup(NULL);
		record_begin(&r, "t");
		record_string_n(&r, "s", bare, n);
		record_end(&r);
		json = checked_json();
		assert_memory_equal(json, head, strlen(head));
		assert_memory_equal(json + strlen(head), text, kept);
		assert_string_equal(json + strlen(head) + kept, tail);
		free(bare);
	}
}

/* The limit is on what is written: an escape counts whole, and is never cut itself. */
static void long_escapes_are_cut(void **unused)
{
	static const struct {
		char c;
		size_t fit;
	} cases[] = {
		{'"', RECORD_STRING_MAX / 2},
		{'\\', RECORD_STRING_MAX / 2},
		{'\1', RECORD_STRING_MAX / 6},
		{'\x80', RECORD_STRING_MAX / 6},
	};
	char text[RECORD_STRING_MAX];

	(void)unused;
	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		size_t fit = cases[i / 2].fit, n = fit + i % 2;
		char back[RECORD_STRING_MAX + 3], *value;
		struct record r;

		memset(text, cases[i / 2].c, n);
		record_begin(&r, "t");
		record_string_n(&r, "s", text, n);
		record_end(&r);
		value = strstr(checked_json(), "\"s\":\"") + strlen("\"s\":\"");
		assert_int_equal(unescape(value, back), i % 2 ? fit + 3 : fit);
		assert_memory_equal(back, text, fit);
		assert_memory_equal(back + fit, "...", i % 2 ? 3 : 0);
	}
}

static void seq_counts_up(void **unused)
{
	struct record r;
	char expected[64];

	(void)unused;
	for (unsigned i = 0; i < 12; i++) {
		assert_int_equal(records_count(), i);
		record_begin(&r, "t");
		record_end(&r);
		snprintf(expected, sizeof(expected), "{\"seq\":%u,\"type\":\"t\"}", i);
		assert_json(expected);
	}
	assert_int_equal(records_count(), 12);
	records_init(emit);
	assert_int_equal(records_count(), 0);
}

/* A record whose JSON would take `bytes` in all. */
static void send_record_of(size_t bytes)
{
	static char text[RECORD_STRING_MAX];
	struct record r;

	memset(text, 'x', sizeof(text));
	record_begin(&r, "big");
	while (bytes - r.length > 1000)
		record_string_n(&r, "s", text, 500);
	assert_int_equal(record_room(&r), RECORD_JSON_MAX - r.length);
	record_string_n(&r, "s", text, bytes - r.length - strlen(",\"s\":\"\"}"));
	record_end(&r);
}

static void largest_record(void **unused)
{
	(void)unused;
	send_record_of(RECORD_JSON_MAX);
	assert_int_equal(line_length, LINE_MAX);
	assert_int_equal(strlen(checked_json()), RECORD_JSON_MAX);
}

static void assert_too_long(unsigned seq)
{
	char expected[64];

	snprintf(expected, sizeof(expected), "{\"seq\":%u,\"type\":\"big\",\"error\":\"too long\"}",
		 seq);
	assert_json(expected);
	assert_int_equal(records_count(), seq + 1);
}

static void too_long(void **unused)
{
	static char text[RECORD_STRING_MAX];
	struct record r;

	(void)unused;
	record_begin(&r, "t");
	record_end(&r);
	/* Only the record's closing bracket does not fit; then the string's closing quote. */
	send_record_of(RECORD_JSON_MAX + 1);
	assert_too_long(1);
	send_record_of(RECORD_JSON_MAX + 2);
	assert_too_long(2);
	record_begin(&r, "big");
	for (int i = 0; i < 10; i++)
		record_string_n(&r, "s", text, sizeof(text));
	record_end(&r);
	assert_too_long(3);
	record_begin(&r, "t");
	record_end(&r);
	assert_json("{\"seq\":4,\"type\":\"t\"}");
	assert_int_equal(nr_lines, 5);
}

static void room(void **unused)
{
	struct record r;

	(void)unused;
	record_begin(&r, "t");
	assert_int_equal(record_room(&r), RECORD_JSON_MAX - strlen("{\"seq\":0,\"type\":\"t\""));
	record_open(&r, "a", '[');
	while (record_room(&r) > 20)
		record_unsigned(&r, NULL, 12345);
	record_close(&r, ']');
	record_unsigned(&r, "more", 7);
	record_end(&r);
	assert_null(strstr(line, "too long"));
	assert_memory_equal(checked_json() + line_length - PREFIX_BYTES - SUFFIX_BYTES - 11,
			    "],\"more\":7}", 11);
}

/* How many of the characters fit, none of their escapes being cut. */
static size_t kept_of(const char *text, size_t n)
{
	size_t written = 0, kept = 0;

	for (; kept < n; kept++) {
		unsigned char c = text[kept];

		written += c < ' ' || c > '~' ? 6 : c == '"' || c == '\\' ? 2 : 1;
		if (written > RECORD_STRING_MAX)
			break;
	}
	return kept;
}

static void random_strings(void **unused)
{
	static const char head[] = "\"type\":\"t\",\"s\":\"";
	static char text[1500], back[RECORD_JSON_MAX];

	(void)unused;
	for (int i = 0; i < 400; i++) {
		size_t n = random64() % (i % 2 ? 200 : sizeof(text)), kept, length;
		struct record r;

		for (size_t j = 0; j < n; j++)
			text[j] = i % 4 ? ' ' + random64() % 95 : random64();
		record_begin(&r, "t");
		record_string_n(&r, "s", text, n);
		record_end(&r);
		length = unescape(strstr(checked_json(), head) + strlen(head), back);
		kept = kept_of(text, n);
		assert_int_equal(length, kept + (kept < n ? 3 : 0));
		assert_memory_equal(back, text, kept);
		assert_memory_equal(back + kept, "...", length - kept);
	}
	assert_int_equal(nr_lines, 400);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(literal_line, setup),
		cmocka_unit_test_setup(empty_record, setup),
		cmocka_unit_test_setup(every_kind_of_value, setup),
		cmocka_unit_test_setup(nesting, setup),
		cmocka_unit_test_setup(escaping, setup),
		cmocka_unit_test_setup(long_strings_are_cut, setup),
		cmocka_unit_test_setup(long_escapes_are_cut, setup),
		cmocka_unit_test_setup(seq_counts_up, setup),
		cmocka_unit_test_setup(largest_record, setup),
		cmocka_unit_test_setup(too_long, setup),
		cmocka_unit_test_setup(room, setup),
		cmocka_unit_test_setup(random_strings, setup),
	};

	return cmocka_run_group_tests_name("records", tests, NULL, NULL);
}
