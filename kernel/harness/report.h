/* SPDX-License-Identifier: BSD-2-Clause */
/* What the report says, as text and as records: one function for each thing that can be said. */
#ifndef KERNEL_HARNESS_REPORT_H
#define KERNEL_HARNESS_REPORT_H

#include "boot/boot_info.h"
#include "kernel/cmdline.h"
#include "kernel/harness/check.h"
#include "kernel/harness/measure.h"
#include "kernel/harness/runner.h"

/* Records `run`, `machine`, `cpu`, `cpus`, `cpu_at`, `clock`, and the header. */
void report_header(const struct boot_info *info, struct slice cmdline);

/* Place of an item among all that run. */
struct report_place {
	uint32_t number, of;
};

void report_bench(struct report_place place, const struct measurement *m);
void report_bench_skip(struct report_place place, const struct measurement *m);

/* What a benchmark's own finish found: a failed check, and no figures. */
void report_bench_failure(struct report_place place, const struct measurement *m, const char *why);

/* The verdicts of one check: a record each, and a line of text for them all. */
struct report_check_rows {
	struct report_place place;
	const struct check *check;
	uint32_t counts[CHECK_RESULTS];
	struct check_report last; /* of the row that decides what the line says */
};

void report_check_begin(struct report_check_rows *rows, struct report_place place,
			const struct check *check);
void report_check_row(struct report_check_rows *rows, const struct axis_point *at,
		      enum check_result result, const struct check_report *report);

/* In place of all rows: the machine has not got what the check needs. */
void report_check_unmet(struct report_check_rows *rows, const char *why);
void report_check_end(const struct report_check_rows *rows);

/* Two rows of one group, measured together, against each other. */
struct report_comparison {
	const struct measurement *one, *other;
	const char *text; /* names them, `other` against `one` */
	const char *published;
};

/* other / one with the bounds that both intervals leave it, and both in ns. A line of text; the figures are records. */
void report_comparison(const struct report_comparison *c);

#define ADVICE_POINTS_MAX 12
#define ADVICE_CURVES_MAX 2

/* A value for something that a kernel can be told, and the curves it was read from. */
struct report_advice {
	const char *tunable;
	int64_t value, least, most; /* the bounds are those that the curves' intervals leave it */
	char why[CHECK_TEXT_MAX];
	axes_t axes; /* where the advice holds; NULL: everywhere */
	struct axis_point at;
	const char *x_name;
	uint32_t nr_points;
	uint32_t x[ADVICE_POINTS_MAX];
	struct {
		const char *name;
		int64_t ticks[ADVICE_POINTS_MAX];
	} curves[ADVICE_CURVES_MAX];
};

void report_advice(const struct report_advice *advice);

/* How often something went per second, for a check that counts what it did; a record and a line. */
struct report_rate {
	const char *name;
	axes_t axes; /* NULL: no parameters */
	struct axis_point at;
	const char *unit; /* "IPI/s" */
	int64_t *rounds;  /* a figure each; sorted on return */
	uint32_t nr_rounds;
	uint64_t ipis, invlpgbs; /* sent in all rounds together */
	bool modelled;           /* software carried those out: a record without figures, no line */
};

void report_rate(const struct report_rate *rate);

#define MATRIX_MAX  128       /* columns that fit in a record */
#define MATRIX_NONE INT64_MIN /* no figure: null */

/* One row of a table of medians in ticks; a record and no text. */
struct report_matrix_row {
	const char *name;
	axes_t axes; /* NULL: no parameters */
	struct axis_point at;
	uint32_t row;
	const uint32_t *columns; /* the CPUs that they stand for; NULL: from 0 on */
	const int64_t *p50;
	uint32_t nr; /* up to MATRIX_MAX */
};

void report_matrix_row(const struct report_matrix_row *row);

/* The table of a group's benchmarks. */
void report_table(const char *group, size_t group_length, const struct measurement *m, size_t n);

/* Lists what was skipped and what failed, the record `end`, and the last line. */
void report_end(const struct run_totals *totals, uint64_t elapsed_ms);

#endif
