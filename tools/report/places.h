/* SPDX-License-Identifier: BSD-2-Clause */
/* Where CPUs are, by a report's cpu_at records: neighbours beside each other. */
#ifndef TOOLS_REPORT_PLACES_H
#define TOOLS_REPORT_PLACES_H

#include "tools/report/plots.h"

#define PLACES_MAX 4096 /* CPUs with a higher number are left out */

struct place {
	unsigned cpu;
	bool known; /* the rest */
	int package, llc, core, thread;
};

/*
 * The CPUs of a matrix, by package, last-level cache, core, thread; and between them its values.
 * They are those that its records name, no more than the log has figures and records.
 */
struct places {
	struct place *places;
	size_t n;
	double **rows; /* [from][to], by their index here; NULL where a CPU has no row */
};

struct places *places_of_matrix(const struct plot *plot);

/* NAN where there is none. */
double places_value(const struct places *p, size_t from, size_t to);

/* NULL is fine. */
void places_free(struct places *p);

/* How near two CPUs are; the nearest first. */
enum relation { SAME_CPU, SAME_CORE, SAME_LLC, SAME_PACKAGE, OTHER_PACKAGE, NOT_KNOWN, RELATIONS };

extern const char *const relation_names[RELATIONS];

enum relation relation_of(const struct place *a, const struct place *b);

#endif
