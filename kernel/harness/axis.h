/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a benchmark or check varies: each axis is a parameter with its values, and every combination
 * of values is a row of the report, told apart by the record's `params`. Pure.
 */
#ifndef KERNEL_HARNESS_AXIS_H
#define KERNEL_HARNESS_AXIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/cmdline.h"

#define AXES_MAX        4
#define AXIS_VALUES_MAX 12
#define AXES_TEXT_MAX   96

/*
 * As values: how many CPUs are online, and how many pages an INVLPGB takes at most. Left out where
 * another of the axis' values in the suite is that.
 */
#define AXIS_ALL_CPUS   UINT32_MAX
#define AXIS_MOST_PAGES (UINT32_MAX - 1)

struct axis {
	const char *key;
	const char *const *names; /* of the values, for the report; NULL: they are numbers */
	uint32_t quick;           /* bit i: suite=quick has values[i] too; 0: it has all */
	uint32_t nr;
	uint32_t values[AXIS_VALUES_MAX];
};

/* 1, 2, 4 CPUs and so on, and all; in suite=quick 1, 2 and all. */
extern const struct axis axis_cpus;

/* One combination: a value for each axis. */
struct axis_point {
	uint32_t values[AXES_MAX];
};

/* AXES_MAX of them, those in use first, then NULL. */
typedef const struct axis *const *axes_t;

/* Combinations that are no row of the report. NULL: there are none. */
typedef bool (*axes_applies_fn)(const struct axis_point *p);

/* What AXIS_ALL_CPUS and AXIS_MOST_PAGES stand for. Once, before any of the functions below. */
void axes_set(uint32_t cpus, uint32_t pages);

/*
 * Goes through the combinations that are rows; the first axis turns slowest. Starts at *index = 0
 * and moves it; false at the end. Without axes there is one, with no values.
 */
bool axes_next(axes_t axes, axes_applies_fn applies, enum suite suite, uint32_t *index,
	       struct axis_point *p);

uint32_t axes_count(axes_t axes, axes_applies_fn applies, enum suite suite);

/* The name of a value, or NULL where it is a number. */
const char *axis_value_name(const struct axis *axis, uint32_t value);

/* "live=64 page=2m"; "" without axes. */
void axes_text(axes_t axes, const struct axis_point *p, char *text, size_t size);

#endif
