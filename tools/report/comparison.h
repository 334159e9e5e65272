/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two sides, each of one or several reports, row by row.
 *
 * With enough runs (shift_rank()) a row differs where the 95% interval of the shift between the
 * runs' medians, a step of the counter wider on either side, leaves out zero. With fewer no test
 * can say that much. Then a side is what the middle halves of its runs' samples span, moved out by
 * the drift, and a row differs where the two sides lie apart.
 *
 * The drift is what samples of one boot can't show: how far a machine moves from boot to boot.
 * It is taken from the rows themselves: three times the median of their |log(B / A)|, for most rows
 * have not changed. Where most have, as between two machines, that would hide it; so it is at most
 * what is ever seen of such machines (drift_most). Rows whose samples are all equal are left out,
 * and it is not applied to them: what is exact within a run is exact between two, but for a step of
 * the counter, as a section may begin anywhere between two steps.
 */
#ifndef TOOLS_REPORT_COMPARISON_H
#define TOOLS_REPORT_COMPARISON_H

#include "tools/report/interval.h"
#include "tools/report/report.h"

#define DRIFT_ROWS_MIN 5 /* with fewer that vary, the most is supposed */

enum outcome {
	OUTCOME_SAME, /* or not to be told apart */
	OUTCOME_SLOWER,
	OUTCOME_FASTER,
	OUTCOME_DIFFERS, /* of what is neither better nor worse */
	OUTCOME_ONLY_A,
	OUTCOME_ONLY_B,
	OUTCOME_MODELLED, /* no times */
	OUTCOME_NONE,     /* no figure */
	OUTCOMES,
};

/* One side's view of a row. */
struct extent {
	double *values;       /* each run's figure */
	double *gross_values; /* with the empty section, 0 where there is none */
	size_t n;
	double middle; /* the median of the values */
	double gross;  /* that of the others */
	struct interval span;
	bool exact; /* no sample differs from another within its run */
};

struct subject {
	const struct row *row; /* of the first report that has it */
	struct extent sides[2];
	double step; /* by which a figure may differ though the same was measured */
	bool modelled;
	bool untested; /* there are enough runs, but too few that have this row */
	enum outcome outcome;
	bool has_ratio;
	double ratio; /* B / A, as the figures are: of a rate more is better */
	struct interval ratio_interval;
	double worse; /* how many times as slow B is, as slowdown() has it; 0 if not known */
};

struct side {
	const struct report **reports;
	size_t n;
};

struct comparison {
	struct side sides[2];
	enum report_unit unit;
	bool tested;       /* there were enough runs */
	double drift;      /* at least 1 */
	double drift_most; /* which is its limit */
	size_t drift_rows; /* by which it was told, if they were enough */
	double alike;      /* how many times as slow all rows are; 0 where they are not alike */
	struct subject *subjects;
	size_t nr_subjects;
	size_t counts[OUTCOMES];
	double step;  /* of the counter of the report that is being read, in ticks */
	double scale; /* ns of a tick, where all clocks agree; else 0, and each report has its own */
};

/* Of rows whose names match `match`, all if it is NULL. The sides stay the caller's. */
struct comparison *comparison_new(const struct side sides[2], const enum report_unit *unit,
				  const char *match);

/* NULL is fine. */
void comparison_free(struct comparison *c);

#endif
