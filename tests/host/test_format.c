/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests kernel/format.c against known text and against libc's vsnprintf. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/format.h"
#include "tests/host/random.h"

/* Not marked as a printf: the tests also use what the compiler warns of, as "%-05d". */
static void check(const char *expected, const char *fmt, ...)
{
	char ours[128], libc[128];
	va_list args;
	size_t n;

	va_start(args, fmt);
	n = format_args(ours, sizeof(ours), fmt, args);
	va_end(args);
	assert_string_equal(ours, expected);
	assert_int_equal(n, strlen(expected));
	va_start(args, fmt);
	vsnprintf(libc, sizeof(libc), fmt, args);
	va_end(args);
	assert_string_equal(libc, expected);
}

static void integers(void **unused)
{
	(void)unused;
	check("0 -1 42", "%d %d %d", 0, -1, 42);
	check("-2147483648 2147483647", "%d %d", INT_MIN, INT_MAX);
	check("4294967295 ffffffff", "%u %x", UINT_MAX, UINT_MAX);
	check("-9223372036854775808", "%ld", INT64_MIN);
	check("9223372036854775807", "%lld", (long long)INT64_MAX);
	check("18446744073709551615", "%lu", UINT64_MAX);
	check("ffffffffffffffff", "%llx", (unsigned long long)UINT64_MAX);
	check("12345678901", "%zu", (size_t)12345678901);
	check("0 0", "%u %x", 0, 0);
	check("-1 and -2", "%zd and %d", (size_t)-1, -2);
}

static void widths(void **unused)
{
	(void)unused;
	check("[   42][42   ][00042]", "[%5d][%-5d][%05d]", 42, 42, 42);
	check("[  -42][-42  ][-0042]", "[%5d][%-5d][%05d]", -42, -42, -42);
	check("[-42  ]", "[%-05d]", -42);
	check("[-42  ]", "[%0-5d]", -42);
	check("[123456][-123456]", "[%3d][%03d]", 123456, -123456);
	check("[   ff][000ff]", "[%5x][%05x]", 255, 255);
	check("[   7][7   ][0007]", "[%*u][%-*u][%0*u]", 4, 7, 4, 7, 4, 7);
	check("[9]", "[%*d]", 0, 9);
	check("[00000000000000ab]", "[%016lx]", (uint64_t)0xab);
	check("[-0000000000000000000000000000005]", "[%032d]", -5);
}

static void text_and_characters(void **unused)
{
	(void)unused;
	check("abc", "%s", "abc");
	check("[]", "[%s]", "");
	check("[  abc][abc  ]", "[%5s][%-5s]", "abc", "abc");
	check("[abc]", "[%2s]", "abc");
	check("[   ab][ab   ]", "[%5.2s][%-5.2s]", "abc", "abc");
	check("[][abc]", "[%.0s][%.9s]", "abc", "abc");
	check("[abc]", "[%.*s]", -1, "abc");
	check("[x][  x][x  ]", "[%c][%3c][%-3c]", 'x', 'x', 'x');
	check("[ abc]", "[%*s]", 4, "abc");
	check("100%", "%d%%", 100);
	check("plain", "plain");
	check("", "");
}

static void unterminated_text(void **unused)
{
	(void)unused;
	for (int n = 0; n < 20; n++) {
		char *bare = malloc(n), out[32];

		memset(bare, 'q', n);
		assert_int_equal(format(out, sizeof(out), "<%.*s>", n, bare), n + 2);
		assert_int_equal(strlen(out), n + 2);
		assert_int_equal(strspn(out + 1, "q"), n);
		free(bare);
	}
}

static void zero_character(void **unused)
{
	char out[8];

	(void)unused;
	assert_int_equal(format(out, sizeof(out), "a%cb", 0), 3);
	assert_memory_equal(out, "a\0b", 4);
}

static void truncation(void **unused)
{
	static const char whole[] = "value -00042 text";

	(void)unused;
	for (size_t size = 0; size < sizeof(whole) + 3; size++) {
		char *out = malloc(size);
		size_t kept = size < sizeof(whole) ? size - 1 : sizeof(whole) - 1;

		assert_int_equal(format(out, size, "value %06d %s", -42, "text"),
				 sizeof(whole) - 1);
		if (size) {
			assert_memory_equal(out, whole, kept);
			assert_int_equal(out[kept], 0);
		}
		free(out);
	}
	assert_int_equal(format(NULL, 0, "%s", "abc"), 3);
}

static void random_integers(void **unused)
{
	static const char *const flags[] = {"", "-", "0", "-0"}, *const lengths[] = {"", "l", "ll",
										     "z"};

	(void)unused;
	for (int i = 0; i < 50000; i++) {
		const char *length = lengths[random64() % 4];
		uint64_t value = random64() >> random64() % 64;
		char fmt[16], width[4] = "", ours[64], libc[64];
		size_t n, m;

		if (random64() & 1)
			value = -value;
		if (random64() & 1)
			snprintf(width, sizeof(width), "%u", (unsigned)(1 + random64() % 30));
		snprintf(fmt, sizeof(fmt), "<%%%s%s%s%c>", flags[random64() % 4], width, length,
			 "dux"[random64() % 3]);
		if (*length) {
			n = format(ours, sizeof(ours), fmt, value);
			m = snprintf(libc, sizeof(libc), fmt, value);
		} else {
			n = format(ours, sizeof(ours), fmt, (unsigned)value);
			m = snprintf(libc, sizeof(libc), fmt, (unsigned)value);
		}
		assert_string_equal(ours, libc);
		assert_int_equal(n, m);
	}
}

static void fixed(void **unused)
{
	static const struct {
		int64_t value;
		unsigned decimals;
		const char *expected;
	} cases[] = {
		{0, 0, "0"},
		{0, 3, "0.000"},
		{7, 0, "7"},
		{-7, 0, "-7"},
		{1, 3, "0.001"},
		{-1, 3, "-0.001"},
		{-500, 3, "-0.500"},
		{999, 3, "0.999"},
		{1000, 3, "1.000"},
		{-12345, 3, "-12.345"},
		{1005, 1, "100.5"},
		{INT64_MAX, 0, "9223372036854775807"},
		{INT64_MIN, 0, "-9223372036854775808"},
		{INT64_MAX, 3, "9223372036854775.807"},
		{INT64_MIN, 3, "-9223372036854775.808"},
		{INT64_MIN, 18, "-9.223372036854775808"},
	};
	char out[64];

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t n = format_fixed(out, sizeof(out), cases[i].value, cases[i].decimals);

		assert_string_equal(out, cases[i].expected);
		assert_int_equal(n, strlen(cases[i].expected));
	}
	assert_int_equal(format_fixed(out, 4, -12345, 3), 7);
	assert_string_equal(out, "-12");
	assert_int_equal(format_fixed(NULL, 0, -12345, 3), 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers),
		cmocka_unit_test(widths),
		cmocka_unit_test(text_and_characters),
		cmocka_unit_test(unterminated_text),
		cmocka_unit_test(zero_character),
		cmocka_unit_test(truncation),
		cmocka_unit_test(random_integers),
		cmocka_unit_test(fixed),
	};

	return cmocka_run_group_tests_name("format", tests, NULL, NULL);
}
