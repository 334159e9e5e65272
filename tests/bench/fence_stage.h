/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the benchmarks of fences share: stores that are outstanding when the fence comes, and lines
 * for them to go to. On CPU 0.
 */
#ifndef TESTS_BENCH_FENCE_STAGE_H
#define TESTS_BENCH_FENCE_STAGE_H

#include "arch/x86/fence_variants.h"
#include "kernel/harness/bench.h"

/* Every way to order; its values are enum fence_variant. */
extern const struct axis fence_variant_axis;

enum fence_line {
	FENCE_LINE_NONE,    /* of no stores */
	FENCE_LINE_CACHED,  /* this CPU has written them last */
	FENCE_LINE_REMOTE,  /* another CPU has written them since */
	FENCE_LINE_UNCACHED /* in an uncached page */
};

/* .axes and .applies of benchmarks with stores: some always, or none as well. */
extern const struct axis fence_stores_axis, fence_some_stores_axis;
extern const struct axis fence_line_axis, fence_some_line_axis;
#define FENCE_AXES                                    \
	{                                             \
		&fence_stores_axis, &fence_line_axis, \
	}
#define FENCE_SOME_AXES                                         \
	{                                                       \
		&fence_some_stores_axis, &fence_some_line_axis, \
	}
enum { AT_FENCE_STORES, AT_FENCE_LINE };

bool fence_applies(const struct axis_point *p);

/* Operands a and b of store_lines(). NULL, or why there are no such lines. */
const char *fence_stage_setup(struct bench_args *args);

/* .enter and .leave: starts and stops the CPU that dirties lines, where there is to be one. */
void fence_stage_enter(const struct bench_args *args);
void fence_stage_leave(const struct bench_args *args);

/* Before each section: the lines are as they should be, and no store is outstanding. */
void fence_stage_prepare(const struct bench_args *args);

/* .finish: NULL, or what went wrong with the other CPU. */
const char *fence_stage_finish(const struct bench_args *args);

#endif
