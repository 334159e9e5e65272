/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks whose results on one side are not those of the other. Without memory the program ends. */
#ifndef TOOLS_REPORT_COMPARE_CHECKS_H
#define TOOLS_REPORT_COMPARE_CHECKS_H

#include "tools/report/comparison.h"

/* A check with another result. */
struct check_change {
	const struct row *row; /* of the first report that has it */
	const char *results[2];
	const char *why; /* of B's result; "" if it is not said */
};

struct check_changes {
	struct check_change *list; /* those that fail in B first */
	size_t nr_changed;
	size_t n;              /* checks of either side */
	size_t in_both;        /* of which so many */
	size_t only[2];        /* and so many on one side only */
	size_t only_failed[2]; /* of which so many fail */
	size_t failing;        /* passed in A, or failed as expected, and fail in B */
};

/* Of checks whose names match `match`, all if it is NULL. */
struct check_changes *check_changes_new(const struct side sides[2], const char *match);

void check_changes_print(const struct check_changes *c, int width);
void check_changes_free(struct check_changes *c);

#endif
