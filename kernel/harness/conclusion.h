/* SPDX-License-Identifier: BSD-2-Clause */
/* What follows from several benchmarks of one group together: a comparison, a piece of advice. */
#ifndef KERNEL_HARNESS_CONCLUSION_H
#define KERNEL_HARNESS_CONCLUSION_H

#include "kernel/harness/measure.h"

struct conclusion {
	const char *group;
	/*
	 * `m` are all rows of the group, in the report's order; those with n = 0 have no figures.
	 * False: nothing follows, and nothing was said.
	 */
	bool (*draw)(const struct measurement *m, size_t n);
};

/*
 * The first row of that name that has figures, at the parameters of `like` where that is not NULL;
 * or NULL.
 */
const struct measurement *measurement_find(const struct measurement *m, size_t n, const char *name,
					   const struct measurement *like);

/* Registers a conclusion, as BENCH does a benchmark. There need not be any. */
#define CONCLUSION(symbol)                                   \
	static const struct conclusion *const symbol##_entry \
		__attribute__((used, section(".conclusions"))) = &(symbol)

#endif
