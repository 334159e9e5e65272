/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What there is to draw in some reports: curves, strips of percentiles, matrices. Several reports
 * are laid over each other where that can be read, else each has a plot of its own. Without memory
 * the program ends.
 */
#ifndef TOOLS_REPORT_PLOTS_H
#define TOOLS_REPORT_PLOTS_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/report/input.h"
#include "tools/report/report.h"

/* In the order of a page. */
enum plot_section {
	SECTION_SCALING, /* rates over CPUs, all policies */
	SECTION_PRIVATE, /* the same, policies that stay local against those that never do */
	SECTION_RATES,   /* those of something else, without a policy */
	SECTION_MATRIX,
	SECTION_RANGE, /* flush against range, of advice */
	SECTION_SWEEP, /* benchmarks over a parameter */
	SECTION_SPREAD,
	SECTIONS,
};

enum plot_kind { PLOT_LINES, PLOT_STRIPS, PLOT_HEAT };

struct point {
	double x, y, lo, hi; /* lo and hi are y where there is no interval */
};

struct series {
	char *label;
	unsigned ink;         /* of pictures' inks; the same for the same in other reports */
	unsigned dash;        /* tells apart what has the same ink */
	struct point *points; /* by x */
	size_t n;
};

enum strip_point {
	STRIP_MIN,
	STRIP_P5,
	STRIP_P25,
	STRIP_P50,
	STRIP_P75,
	STRIP_P95,
	STRIP_MAX,
	STRIP_POINTS
};

struct strip {
	char *label;
	unsigned ink;
	double at[STRIP_POINTS];
	double baseline; /* NAN where there is none */
};

struct plot {
	char *name; /* "scaling:shootdown/..." */
	char *title;
	char *x_title, *y_title;
	char *note; /* more of it, in words; NULL: none */
	enum plot_section section;
	enum plot_kind kind;
	bool published; /* from elsewhere, not measured */
	bool from_zero; /* y */
	bool log_x, log_y;
	struct series *series; /* PLOT_LINES */
	size_t nr_series;
	double mark; /* an x to mark; NAN: none */
	char *mark_label;
	struct strip *strips; /* PLOT_STRIPS, from the top */
	size_t nr_strips;
	const struct report *report; /* PLOT_HEAT, the only one */
	const struct row **rows;
	size_t nr_rows;
	double scale; /* of its values */
};

struct plots {
	struct plot *plots; /* by section */
	size_t n;
};

struct plots *plots_find(const struct input *in);

/* NULL is fine. */
void plots_free(struct plots *plots);

/* What a policy is always drawn with; for others and for NULL by `n`. */
unsigned policy_ink(const char *policy, unsigned n);

/* A published table: figures of two ways over a number of threads or processes. */
struct published {
	enum plot_section section;
	const char *name, *title, *source, *x_title, *y_title;
	const char *ways[2], *policies[2]; /* what they are called there, and here */
	double factor;                     /* of the figures as they stand there */
	size_t n;
	double rows[10][3]; /* x, and one of each way */
};

#define NR_PUBLISHED 2
extern const struct published published[NR_PUBLISHED];

/* For the files that find them. A new plot at the end, all else 0. Takes its texts. */
struct plot *plots_add(struct plots *plots, enum plot_section section, enum plot_kind kind,
		       char *name, char *title);
void plots_drop_last(struct plots *plots);
struct series *plot_series(struct plot *plot, const char *label);
void series_add(struct series *series, struct point point);
/* Sorts points, drops empty series, chooses axes. False where nothing is left. */
bool plot_finish_lines(struct plot *plot);
__attribute__((format(printf, 1, 2))) char *new_text(const char *fmt, ...);
bool is_latency(const struct row *row);

void plots_find_rates(struct plots *plots, const struct input *in);
void plots_find_published(struct plots *plots);
void plots_find_advice(struct plots *plots, const struct input *in);
void plots_find_sweeps(struct plots *plots, const struct input *in);
void plots_find_matrices(struct plots *plots, const struct input *in);
void plots_find_strips(struct plots *plots, const struct input *in);

#endif
