/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests kernel/text.c, its matcher and its distance against the simplest ones that can be right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/text.h"
#include "tests/host/random.h"

static struct slice slice_of(const char *s)
{
	return (struct slice){s, strlen(s)};
}

/* Up to `max` characters of `alphabet`, terminated. */
static void random_word(char *out, size_t max, const char *alphabet)
{
	size_t n = random64() % (max + 1);

	for (size_t i = 0; i < n; i++)
		out[i] = alphabet[random64() % strlen(alphabet)];
	out[n] = 0;
}

/* A heap copy without terminator, so that ASan sees a read past its end. */
static struct slice bare_copy(const char *s)
{
	size_t n = strlen(s);
	char *copy = malloc(n);

	memcpy(copy, s, n);
	return (struct slice){copy, n};
}

static void length(void **unused)
{
	static const char bare[3] = {'a', 'b', 'c'};

	(void)unused;
	assert_int_equal(text_length("", SIZE_MAX), 0);
	assert_int_equal(text_length("abc", SIZE_MAX), 3);
	assert_int_equal(text_length("abc", 2), 2);
	assert_int_equal(text_length(bare, sizeof(bare)), 3);
	assert_int_equal(text_length(bare, 0), 0);
}

static int sign(int value)
{
	return (value > 0) - (value < 0);
}

static void compare(void **unused)
{
	static const char *const words[] = {"", "a", "aa", "ab", "b", "\x7f", "\x80", "\xff"};
	const size_t n = sizeof(words) / sizeof(words[0]);

	(void)unused;
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < n; j++) {
			assert_int_equal(sign(text_compare(words[i], words[j])),
					 sign(strcmp(words[i], words[j])));
			assert_int_equal(text_equal(words[i], words[j]), i == j);
		}
	}
}

static void slice_equality(void **unused)
{
	(void)unused;
	assert_true(slice_equals(slice_of("run"), "run"));
	assert_true(slice_equals(slice_of(""), ""));
	assert_true(slice_equals((struct slice){NULL, 0}, ""));
	assert_false(slice_equals(slice_of("ru"), "run"));
	assert_false(slice_equals(slice_of("runs"), "run"));
	assert_false(slice_equals(slice_of(""), "run"));
	assert_false(slice_equals(slice_of("run"), ""));
	assert_true(slice_equals((struct slice){"run=x", 3}, "run"));
	assert_false(slice_equals((struct slice){"run\0x", 5}, "run"));
	assert_false(slice_equals((struct slice){"run\0", 4}, "run"));
}

static void matches_known(void **unused)
{
	static const struct {
		const char *pattern, *s;
		bool expected;
	} cases[] = {
		{"", "", true},
		{"", "a", false},
		{"*", "", true},
		{"**", "abc", true},
		{"?", "", false},
		{"?", "a", true},
		{"a?c", "abc", true},
		{"cr3/*", "cr3/flush", true},
		{"cr3/*", "cr4/flush", false},
		{"*flush", "cr3/flush/flush", true},
		{"*a*b", "xaxbxb", true},
		{"*a*b", "xaxbx", false},
		{"abc", "ab", false},
		{"ab", "abc", false},
		{"a*", "*", false},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(text_matches(slice_of(cases[i].pattern), cases[i].s),
				 cases[i].expected);
}

static bool simple_match(const char *p, const char *s)
{
	if (!*p)
		return !*s;
	if (*p == '*')
		return simple_match(p + 1, s) || (*s && simple_match(p, s + 1));
	return *s && (*p == '?' || *p == *s) && simple_match(p + 1, s + 1);
}

static void matches_brute_force(void **unused)
{
	char pattern[8], s[10];

	(void)unused;
	for (int i = 0; i < 100000; i++) {
		struct slice bare;

		random_word(pattern, sizeof(pattern) - 1, "ab*?");
		random_word(s, sizeof(s) - 1, "ab");
		bare = bare_copy(pattern);
		assert_int_equal(text_matches(bare, s), simple_match(pattern, s));
		free((void *)bare.at);
	}
}

static unsigned least(unsigned a, unsigned b, unsigned c)
{
	unsigned ab = a < b ? a : b;

	return ab < c ? ab : c;
}

static unsigned full_matrix(const char *a, const char *b)
{
	unsigned d[64][64];
	size_t n = strlen(a), m = strlen(b);

	for (size_t i = 0; i <= n; i++) {
		for (size_t j = 0; j <= m; j++) {
			if (!i || !j)
				d[i][j] = i + j;
			else
				d[i][j] = least(d[i - 1][j] + 1, d[i][j - 1] + 1,
						d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
		}
	}
	return d[n][m];
}

static void distance_full_matrix(void **unused)
{
	char a[64], b[64];

	(void)unused;
	assert_int_equal(text_distance(slice_of("kitten"), "sitting"), 3);
	for (int i = 0; i < 20000; i++) {
		size_t max = i % 100 ? 8 : 63;
		struct slice bare;

		random_word(a, max, "abc");
		random_word(b, max, "abc");
		bare = bare_copy(a);
		assert_int_equal(text_distance(bare, b), full_matrix(a, b));
		free((void *)bare.at);
	}
}

static void distance_of_long_words(void **unused)
{
	char long_word[66];

	(void)unused;
	memset(long_word, 'a', sizeof(long_word));
	long_word[63] = 0;
	assert_int_equal(text_distance(slice_of(long_word), long_word), 0);
	assert_int_equal(text_distance(slice_of(long_word), ""), 63);
	assert_int_equal(text_distance(slice_of(""), long_word), 63);
	long_word[63] = 'a';
	long_word[64] = 0;
	assert_int_equal(text_distance(slice_of(long_word), long_word), 64);
	assert_int_equal(text_distance(slice_of(long_word), "a"), 64);
	assert_int_equal(text_distance(slice_of("a"), long_word), 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(length),
		cmocka_unit_test(compare),
		cmocka_unit_test(slice_equality),
		cmocka_unit_test(matches_known),
		cmocka_unit_test(matches_brute_force),
		cmocka_unit_test(distance_full_matrix),
		cmocka_unit_test(distance_of_long_words),
	};

	return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
