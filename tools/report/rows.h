/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows in lots for tables: by group, and what parameters a table need not repeat in each line.
 * Without memory the program ends.
 */
#ifndef TOOLS_REPORT_ROWS_H
#define TOOLS_REPORT_ROWS_H

#include "tools/report/report.h"

/* Group i has rows[order[begin[i]]] up to rows[order[begin[i + 1]]], in their order. */
struct groups {
	size_t n;
	size_t *begin;
	size_t *order;
};

/* In the order in which they come first. */
struct groups groups_find(const struct row *const *rows, size_t n);
void groups_drop(struct groups *g);

/* What stands above a table, and what its rows leave out in turn. */
struct shared {
	json_t *params;
	char *above; /* as text */
};

/*
 * Parameters with the same value in all rows. Where both modes come, latency is not repeated, nor
 * the one `unroll` of throughput, as long as rows can be told apart without. Of a single row only
 * what says how it was measured.
 */
struct shared shared_find(const struct row *const *rows, size_t n);
void shared_drop(struct shared *s);

/* The row's own parameters, a new string. */
char *own_params(const struct row *row, const struct shared *s);

#endif
