/* SPDX-License-Identifier: BSD-2-Clause */
/* What the benchmarks of local invalidation vary: how many pages are live, and of which size. */
#ifndef TESTS_BENCH_LIVE_AXES_H
#define TESTS_BENCH_LIVE_AXES_H

#include "kernel/harness/bench.h"
#include "kernel/harness/page_names.h"

/*
 * For .enter and .leave: EFER.TCE on, which lets INVLPG and INVPCID keep upper-level entries that do
 * not belong to the address. Source: AMD APM vol. 2, "Translation Cache Extension".
 */
const char *bench_refuse_tce(void); /* for setup: NULL, or why it can't be */
void bench_enter_tce(const struct bench_args *args);
void bench_leave_tce(const struct bench_args *args);

/* Of `.axes = LIVE_AXES`, with `.applies = live_applies`; live_set() is for the setup. */
extern const struct axis live_axis, live_page_axis;
#define LIVE_AXES                           \
	{                                   \
		&live_axis, &live_page_axis \
	}
enum { AT_LIVE, AT_PAGE };

/* No page has one size only. */
bool live_applies(const struct axis_point *p);

/* args->live from args->at. NULL, or why it can't be. */
const char *live_set(struct bench_args *args);

#endif
