/* SPDX-License-Identifier: BSD-2-Clause */
/* Strings: the few operations the harness needs. Pure. */
#ifndef KERNEL_TEXT_H
#define KERNEL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece of somebody's text; not terminated. */
struct slice {
	const char *at;
	size_t length;
};

/* Length of `s`, at most `max`. */
size_t text_length(const char *s, size_t max);

bool text_equal(const char *a, const char *b);
bool slice_equals(struct slice s, const char *word);

/* Whether `s` matches a pattern of '*' (any run), '?' (any one) and literal characters. */
bool text_matches(struct slice pattern, const char *s);

/*
 * Edit distance (insert, delete, replace) of two words; words over 63 characters count as 64 apart.
 */
unsigned text_distance(struct slice a, const char *b);

/* Order of two strings: negative, 0 or positive. */
int text_compare(const char *a, const char *b);

#endif
