/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a check is: one const struct and one function that gives a verdict.
 *
 * A check that could not tell right from wrong is skipped, never passed: its negative control says
 * whether it could. For every check there is an inject= that it catches (docs/checks.md).
 */
#ifndef KERNEL_HARNESS_CHECK_H
#define KERNEL_HARNESS_CHECK_H

#include <stdint.h>

#include "kernel/harness/axis.h"
#include "kernel/harness/need.h"

enum check_result {
	CHECK_PASS,
	CHECK_FAIL,
	CHECK_SKIP,
	CHECK_XFAIL,
	CHECK_RETENTION, /* no verdict: how much of what may survive did */
	CHECK_RESULTS
};

#define CHECK_TEXT_MAX 160

/* What the check tells beside its verdict. All of its starts empty. */
struct check_report {
	char why[CHECK_TEXT_MAX];     /* of any verdict but pass; may be given with pass */
	char control[CHECK_TEXT_MAX]; /* what the negative control saw, where there is one */
	uint32_t kept, of;            /* of CHECK_RETENTION: entries that survived, of so many */
	enum suite suite;             /* not the check's to tell: how thorough it is to be */
	uint64_t budget_ms;           /* nor this: how long, where it is said; 0: as suite */
	uint64_t seed;                /* nor this: of what it draws at random */
	bool modelled;                /* nor this: software carried out INVLPGB or TLBSYNC for it */
};

struct check {
	const char *name; /* "group/what" */
	const char *what; /* one line: what is proved */
	struct need need;
	const struct axis *axes[AXES_MAX]; /* a verdict for each combination of their values */
	axes_applies_fn applies;           /* or NULL */
	/* On CPU 0, interrupts on. Must leave the machine as it found it. */
	enum check_result (*run)(struct check_report *report, const struct axis_point *at);
};

/* Writes report->why and returns the result, for `return check_end(report, CHECK_FAIL, "...")`. */
enum check_result check_end(struct check_report *report, enum check_result result, const char *fmt,
			    ...) __attribute__((format(printf, 3, 4)));

/* Registers a check, as BENCH does a benchmark. */
#define CHECK(symbol)                                   \
	static const struct check *const symbol##_entry \
		__attribute__((used, section(".checks"))) = &(symbol)

#endif
