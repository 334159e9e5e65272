/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the list of plots, and what all their finders need. */
#define _GNU_SOURCE /* vasprintf */
#include "tools/report/plots.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/output.h"

char *new_text(const char *fmt, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	va_end(args);
	return must_have(text);
}

bool is_latency(const struct row *row)
{
	const char *mode = record_text(json_object_get(row->record, "params"), "mode");

	return row->kind == ROW_BENCH && (!mode || !strcmp(mode, "latency"));
}

struct plot *plots_add(struct plots *plots, enum plot_section section, enum plot_kind kind,
		       char *name, char *title)
{
	size_t n = plots->n++;

	/* Room doubles at each power of two. */
	if (!(n & (n - 1)))
		plots->plots =
			must_have(realloc(plots->plots, (n ? 2 * n : 1) * sizeof(plots->plots[0])));
	plots->plots[n] = (struct plot){.section = section,
					.kind = kind,
					.name = name,
					.title = title,
					.mark = NAN,
					.scale = 1};
	return &plots->plots[n];
}

/* `times` has how often each name was asked for, `taken` those that are given. Takes `name`. */
static char *free_name(char *name, json_t *times, json_t *taken)
{
	json_int_t n = json_integer_value(json_object_get(times, name));
	char *numbered = new_text("%s", name);

	while (json_object_get(taken, numbered)) {
		free(numbered);
		numbered = new_text("%s#%" JSON_INTEGER_FORMAT, name, ++n + 1);
	}
	if (json_object_set_new_nocheck(times, name, json_integer(n)) ||
	    json_object_set_new_nocheck(taken, numbered, json_true()))
		must_have(NULL);
	free(name);
	return numbered;
}

/* What comes again under a name has a number behind it. */
static void number_names(struct plots *plots)
{
	json_t *times = must_have(json_object()), *taken = must_have(json_object());

	for (size_t i = 0; i < plots->n; i++)
		plots->plots[i].name = free_name(plots->plots[i].name, times, taken);
	json_decref(times);
	json_decref(taken);
}

static void plot_clear(struct plot *plot)
{
	for (size_t i = 0; i < plot->nr_series; i++) {
		free(plot->series[i].label);
		free(plot->series[i].points);
	}
	for (size_t i = 0; i < plot->nr_strips; i++)
		free(plot->strips[i].label);
	free(plot->series);
	free(plot->strips);
	free(plot->rows);
	free(plot->name);
	free(plot->title);
	free(plot->x_title);
	free(plot->y_title);
	free(plot->note);
	free(plot->mark_label);
}

void plots_drop_last(struct plots *plots)
{
	plot_clear(&plots->plots[--plots->n]);
}

void plots_free(struct plots *plots)
{
	if (!plots)
		return;
	while (plots->n)
		plots_drop_last(plots);
	free(plots->plots);
	free(plots);
}

struct series *plot_series(struct plot *plot, const char *label)
{
	struct series *series;

	for (size_t i = 0; i < plot->nr_series; i++) {
		if (!strcmp(plot->series[i].label, label))
			return &plot->series[i];
	}
	plot->series =
		must_have(realloc(plot->series, (plot->nr_series + 1) * sizeof(plot->series[0])));
	series = &plot->series[plot->nr_series++];
	*series = (struct series){.label = must_have(strdup(label))};
	return series;
}

void series_add(struct series *series, struct point point)
{
	series->points =
		must_have(realloc(series->points, (series->n + 1) * sizeof(series->points[0])));
	series->points[series->n++] = point;
}

static int by_x(const void *a, const void *b)
{
	const struct point *p = a, *q = b;

	return (p->x > q->x) - (p->x < q->x);
}

static void drop_empty_series(struct plot *plot)
{
	size_t kept = 0;

	for (size_t i = 0; i < plot->nr_series; i++) {
		struct series *series = &plot->series[i];

		if (series->n) {
			qsort(series->points, series->n, sizeof(series->points[0]), by_x);
			plot->series[kept++] = *series;
		} else {
			free(series->label);
		}
	}
	plot->nr_series = kept;
}

struct range {
	double least, most;
};

static void extend(struct range *range, double value)
{
	range->least = fmin(range->least, value);
	range->most = fmax(range->most, value);
}

/* Worth a logarithmic axis: positive, and over a factor of `factor`. */
static bool is_wide(const struct range *range, double factor)
{
	return range->least > 0 && range->most >= factor * range->least;
}

bool plot_finish_lines(struct plot *plot)
{
	struct range x = {INFINITY, -INFINITY}, y = x;

	drop_empty_series(plot);
	for (size_t i = 0; i < plot->nr_series; i++) {
		for (size_t j = 0; j < plot->series[i].n; j++) {
			extend(&x, plot->series[i].points[j].x);
			extend(&y, plot->series[i].points[j].lo);
			extend(&y, plot->series[i].points[j].hi);
		}
	}
	plot->log_x = is_wide(&x, 8);
	plot->log_y = !plot->from_zero && is_wide(&y, 30);
	plot->from_zero = !plot->log_y && y.least >= 0;
	return plot->nr_series;
}

/* Those of a section stay as they were found. */
static void sort_by_section(struct plots *plots)
{
	struct plot *sorted = must_have(calloc(plots->n + 1, sizeof(sorted[0])));
	size_t n = 0;

	for (enum plot_section section = 0; section < SECTIONS; section++) {
		for (size_t i = 0; i < plots->n; i++) {
			if (plots->plots[i].section == section)
				sorted[n++] = plots->plots[i];
		}
	}
	free(plots->plots);
	plots->plots = sorted;
}

struct plots *plots_find(const struct input *in)
{
	struct plots *plots = must_have(calloc(1, sizeof(*plots)));

	plots_find_rates(plots, in);
	plots_find_published(plots);
	plots_find_matrices(plots, in);
	plots_find_advice(plots, in);
	plots_find_sweeps(plots, in);
	plots_find_strips(plots, in);
	sort_by_section(plots);
	number_names(plots);
	return plots;
}
