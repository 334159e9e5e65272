/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Printing what came from a log. Its strings are anybody's: none may control the terminal, or end a
 * line or a field early.
 */
#ifndef TOOLS_REPORT_OUTPUT_H
#define TOOLS_REPORT_OUTPUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Printable ASCII as it is, every other byte as '?', at most `max` bytes. Returns how many. */
int print_safe(FILE *to, const char *text, size_t max);

/* A string of a record, all of it; "unknown" where it is missing or empty. */
void print_member(FILE *to, const json_t *record, const char *key);

/* A new string with what print_safe() would print. NULL without memory. */
char *safe_copy(const char *text);

/* `p`, unless it is NULL: then the program ends, saying that there is no memory. */
void *must_have(void *p);

/* A figure with as many decimals as are worth it: 5144, 367.3, 1.25. At most 15 characters. */
struct figure {
	char text[16];
};

struct figure figure(double value);

enum color {
	COLOR_NONE,
	COLOR_GOOD,
	COLOR_BAD,
	COLOR_FAINT,
	COLOR_TITLE,
};

/* On a terminal, unless NO_COLOR says no (https://no-color.org) or TERM that it has none. */
void color_begin(enum color color);
void color_end(enum color color);

/* Columns of the terminal; 0, which is no limit, where standard output is none. */
int terminal_width(void);

#endif
