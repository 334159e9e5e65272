/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A log's last boot, whole in memory: what every command but check works on.
 *
 * The records are as they came, valid each by itself, and hostile still: any member may be missing
 * or of another type, any string may hold anything. What is printed of them goes through output.h.
 */
#ifndef TOOLS_REPORT_REPORT_H
#define TOOLS_REPORT_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/report/verdict.h"

/* The types of records that say something of a subject with a name. */
enum row_kind {
	ROW_BENCH,
	ROW_RATE,
	ROW_MATRIX,
	ROW_RETENTION,
	ROW_ADVICE, /* its name is the tunable's */
	ROW_CHECK,
	ROW_SKIP,
	ROW_KINDS,
};

extern const char *const row_type_names[ROW_KINDS]; /* as in the records' "type" */

/* Times come in ticks of the TSC; the others are for people. */
enum report_unit {
	UNIT_TICKS,
	UNIT_NS,
	UNIT_CORE, /* core cycles, where the record has them */
};

struct row {
	enum row_kind kind;
	const json_t *record;
	const char *name;    /* "group/what" */
	size_t group_length; /* of the name's first part, without the slash */
	char *params;        /* "mode=latency live=64", in the record's order; "" without */
	/*
	 * Type, name, parameters in a canonical order and, of a matrix, the row; a number more where
	 * the same comes again. One in a report, and the same for the same thing in another.
	 */
	char *id;
	bool modelled; /* INVLPGB was carried out by software: no times */
};

struct report {
	char *file; /* its name, for messages */
	struct verdict *verdict;
	json_t **records; /* valid ones by seq, none twice */
	size_t nr_records;
	struct row *rows; /* in the order of their records */
	size_t nr_rows;
	json_t *places;       /* the number of the row with each id */
	const char *emulator; /* what the times are of where it is no CPU; else NULL */
	double tsc_hz;        /* 0 where it is not known */
};

/*
 * The report in the file `path`, "-" being standard input. A damaged or empty log makes a report
 * too: see its verdict. NULL where it can't be read; errno says why.
 */
struct report *report_load(const char *path);

/* The same from an open file, which stays the caller's. */
struct report *report_read(FILE *from, const char *name);

/* NULL is fine. */
void report_free(struct report *r);

/* A record's member. NULL, or false and `value` as it was, where it is missing or another type. */
const char *record_text(const json_t *record, const char *key);
bool record_number(const json_t *record, const char *key, double *value);
bool record_pair(const json_t *record, const char *key, double *lo, double *hi);

/* Of one of the records that there is one of; the verdict's part may be missing. */
const json_t *report_part(const struct report *r, enum verdict_part part);

/*
 * A figure of a bench record ("p50", "net", "min"...) in a unit, false where it has none: always if
 * modelled; core cycles are there for "p50", "baseline" and "net" only.
 */
bool row_time(const struct report *r, const struct row *row, const char *key, enum report_unit unit,
	      double *value);

/* The interval of its net, or of its p50 where `net` is false. */
bool row_interval(const struct report *r, const struct row *row, bool net, enum report_unit unit,
		  double *lo, double *hi);

/* What its values are to be multiplied with where its own unit is ticks; 1 for other units, 0 where
 * `unit` can't be had. For rates and matrices. */
double row_scale(const struct report *r, const struct row *row, enum report_unit unit);

/* "key=value key=value" of those that are not the same in `common`, which may be NULL. NULL without
 * memory. */
char *params_text(const json_t *params, const json_t *common);

/* The row with that id, or NULL. */
const struct row *report_find(const struct report *r, const char *id);

/* Whether two rows' names are of one group. */
bool same_group(const struct row *a, const struct row *b);

#endif
