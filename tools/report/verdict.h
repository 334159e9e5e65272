/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Judges whether a log's last boot is reported whole: no record lost, doubled, moved or damaged.
 *
 * A boot begins at a record with seq 0; also where a seq comes again with other content, as its
 * record 0 may be lost. Damage belongs to the boot whose records came before it.
 */
#ifndef TOOLS_REPORT_VERDICT_H
#define TOOLS_REPORT_VERDICT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "tools/report/log.h"

#define VERDICT_PROBLEM_MAX 20  /* problems kept */
#define VERDICT_FAILED_MAX  256 /* failed checks kept */
#define VERDICT_TEXT_MAX    160

enum verdict_result {
	VERDICT_PASS,
	VERDICT_FAIL,
	VERDICT_SKIP, /* of checks and benchmarks */
	VERDICT_XFAIL,
	VERDICT_RESULTS,
};

/* Record types of which each report has one; their first is kept. */
enum verdict_part {
	VERDICT_RUN,
	VERDICT_MACHINE,
	VERDICT_CPU,
	VERDICT_CPUS,
	VERDICT_CLOCK,
	VERDICT_END,
	VERDICT_PARTS,
};

/* The last boot so far. Read it after verdict_finish(). */
struct verdict {
	uint64_t earlier;  /* boots before it, whole or cut */
	uint32_t records;  /* valid ones, none counted twice */
	uint32_t expected; /* of which it should have so many; more, where there is no end */
	uint32_t counts[VERDICT_RESULTS];

	json_t *parts[VERDICT_PARTS]; /* NULL if absent */

	json_t *failed[VERDICT_FAILED_MAX]; /* "check" records */
	uint32_t nr_failed;                 /* kept; counts[VERDICT_FAIL] counts all */

	/* Clauses without a full stop; none where the report is whole. */
	char problems[VERDICT_PROBLEM_MAX][VERDICT_TEXT_MAX];
	uint64_t nr_problems; /* also those not kept */

	/* Private: what came at each seq, and in which boot, the first being 1. */
	bool begun;
	uint32_t crcs[LOG_SEQ_LIMIT];
	uint64_t boots[LOG_SEQ_LIMIT];
};

/* NULL without memory. */
struct verdict *verdict_new(void);

/* Takes the next LOG_RECORD or LOG_DAMAGED of a log. */
void verdict_add(struct verdict *v, const struct log_item *item);

/* After the last item: what only the end can tell. Once. */
void verdict_finish(struct verdict *v);

/* A report is there, and whole. */
bool verdict_whole(const struct verdict *v);

/* NULL is fine. */
void verdict_free(struct verdict *v);

#endif
