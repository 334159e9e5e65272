/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables of text, aligned, no wider than the terminal. What does not fit loses columns that can be
 * spared; texts go on in a line below, and are never cut. Cells are made harmless (output.h).
 * Without memory the program ends.
 */
#ifndef TOOLS_REPORT_TABLE_H
#define TOOLS_REPORT_TABLE_H

#include <stddef.h>

#include "tools/report/output.h"

struct column {
	const char *title;
	/* A note is the last column. Where it does not fit it has lines of its own, all as wide. */
	enum { ALIGN_LEFT, ALIGN_RIGHT, ALIGN_NOTE } align;
	/* 0: always there; 1: unless texts can give the room; more: the greater the sooner left out */
	unsigned spare;
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
