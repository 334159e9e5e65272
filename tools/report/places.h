/* SPDX-License-Identifier: BSD-2-Clause */
/* Where CPUs are, by a report's cpu_at records: neighbours beside each other. */
#ifndef TOOLS_REPORT_PLACES_H
#define TOOLS_REPORT_PLACES_H

#include "tools/report/plots.h"

#define PLACES_MAX 2048 /* a record has no room for a row of more */

struct place {
	unsigned cpu;
	bool known; /* the rest */
	int package, llc, core, thread;
};

/* The CPUs of a matrix, by package, last-level cache, core, thread; and between them its values. */
struct places {
	struct place *places;
	size_t n;
	double *values; /* [from * n + to], by their index here; NAN where there is none */
};

struct places *places_of_matrix(const struct plot *plot);

/* NULL is fine. */
void places_free(struct places *p);

/* How near two CPUs are; the nearest first. */
enum relation { SAME_CPU, SAME_CORE, SAME_LLC, SAME_PACKAGE, OTHER_PACKAGE, NOT_KNOWN, RELATIONS };

extern const char *const relation_names[RELATIONS];

enum relation relation_of(const struct place *a, const struct place *b);

#endif
