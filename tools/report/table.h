/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables of text, aligned, no wider than the terminal. What does not fit loses columns first, then
 * the ends of texts. Cells are made harmless (output.h). Without memory the program ends.
 */
#ifndef TOOLS_REPORT_TABLE_H
#define TOOLS_REPORT_TABLE_H

#include <stddef.h>

#include "tools/report/output.h"

struct column {
	const char *title;
	enum { ALIGN_LEFT, ALIGN_RIGHT } align;
	unsigned spare; /* 0: always there; else the greater the sooner it is left out */
};

struct table;

/* `columns` stays the caller's, and as it is. */
struct table *table_new(const struct column *columns, size_t nr_columns);

/* The next cell: from left to right, row by row. */
__attribute__((format(printf, 2, 3))) void table_add(struct table *t, const char *fmt, ...);

/* Of the row whose cells come next. */
void table_color(struct table *t, enum color color);

/* Columns with nothing in them are left out. `width` 0 is no limit. */
void table_print(const struct table *t, int width);

/* NULL is fine. */
void table_free(struct table *t);

#endif
