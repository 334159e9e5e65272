/* SPDX-License-Identifier: BSD-2-Clause */
/* String operations. */
#include "kernel/text.h"

#define MAX_WORD 63

size_t text_length(const char *s, size_t max)
{
	size_t n = 0;

	while (n < max && s[n])
		n++;
	return n;
}

int text_compare(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return (unsigned char)*a - (unsigned char)*b;
}

bool text_equal(const char *a, const char *b)
{
	return text_compare(a, b) == 0;
}

bool slice_equals(struct slice s, const char *word)
{
	for (size_t i = 0; i < s.length; i++) {
		if (s.at[i] != word[i] || !word[i])
			return false;
	}
	return !word[s.length];
}

bool text_matches(struct slice pattern, const char *s)
{
	size_t p = 0, star = SIZE_MAX;
	const char *resume = s;

	/* On a mismatch the latest star takes one character more: linear space, no recursion. */
	while (*s) {
		if (p < pattern.length && pattern.at[p] == '*') {
			star = p++;
			resume = s;
		} else if (p < pattern.length && (pattern.at[p] == '?' || pattern.at[p] == *s)) {
			p++;
			s++;
		} else if (star != SIZE_MAX) {
			p = star + 1;
			s = ++resume;
		} else {
			return false;
		}
	}
	while (p < pattern.length && pattern.at[p] == '*')
		p++;
	return p == pattern.length;
}

unsigned text_distance(struct slice a, const char *b)
{
	unsigned row[MAX_WORD + 1];
	size_t n = text_length(b, MAX_WORD + 1);

	if (a.length > MAX_WORD || n > MAX_WORD)
		return MAX_WORD + 1;
	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 1; i <= a.length; i++) {
		unsigned diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= n; j++) {
			unsigned best = diagonal + (a.at[i - 1] != b[j - 1]);

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[n];
}
