/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows of some reports put together by a key, each row looked at once: a log may have very many,
 * and very many groups. Without memory the program ends.
 */
#ifndef TOOLS_REPORT_GROUPS_H
#define TOOLS_REPORT_GROUPS_H

#include <jansson.h>
#include <stddef.h>

#include "tools/report/report.h"

struct member {
	size_t report;
	const struct row *row;
};

struct group {
	struct member *members; /* as they were added; never none */
	size_t n;
};

/* In the order of their first members. All 0 is none. */
struct groups {
	struct group *groups;
	size_t n;
	json_t *numbers; /* by key */
};

void groups_add(struct groups *groups, const char *key, size_t report, const struct row *row);
void groups_free(struct groups *groups);

/* The number that a key has among those that were given one, from 0 on; of a new one the next. */
size_t key_number(json_t **numbers, const char *key);

#endif
