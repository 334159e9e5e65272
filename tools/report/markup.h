/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HTML and SVG of strings that are anybody's. What print_safe() makes of them, and no character of
 * it is markup.
 */
#ifndef TOOLS_REPORT_MARKUP_H
#define TOOLS_REPORT_MARKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* For an element's text and for an attribute's value in either kind of quotes. NULL is "". */
void put_text(FILE *to, const char *text);

/* At most `max` characters of it. */
void put_part(FILE *to, const char *text, size_t max);

/*
 * Writes a file so that it is there whole or not at all: a name that is taken keeps what it has
 * until then, and its mode after. A link stays, and what it leads to is written, there or not. What
 * is no regular file (a device, a pipe) is written to; "-" is standard output. False, and said on
 * standard error, where it fails.
 */
bool write_whole(const char *path, const char *text, size_t length);

#endif
