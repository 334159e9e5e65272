/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds what shows many values at once: strips of percentiles, and matrices. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/output.h"
#include "tools/report/plots.h"

#define STRIPS_MAX 40 /* in one picture */

static const char *const strip_keys[STRIP_POINTS] = {
	[STRIP_MIN] = "min", [STRIP_P5] = "p5",   [STRIP_P25] = "p25", [STRIP_P50] = "p50",
	[STRIP_P75] = "p75", [STRIP_P95] = "p95", [STRIP_MAX] = "max",
};

/* Parameters that are the same in all that is measured of a group. */
static json_t *common_params(const struct input *in, const struct row *like)
{
	const json_t *params = json_object_get(like->record, "params");
	json_t *common = must_have(params ? json_copy((json_t *)params) : json_object());

	for (size_t r = 0; r < in->n; r++) {
		for (size_t i = 0; i < in->reports[r]->nr_rows; i++) {
			const struct row *row = &in->reports[r]->rows[i];

			if (is_latency(row) && same_group(row, like))
				keep_common_params(common, row);
		}
	}
	return common;
}

/* "cr3-reload live=64, A" */
static char *strip_label(const struct row *row, const json_t *common, struct letter file)
{
	const char *what = row->name + row->group_length;
	char *params = must_have(params_text(json_object_get(row->record, "params"), common));
	char *label = new_text("%s%s%s%s%s", *what == '/' && what[1] ? what + 1 : row->name,
			       *params ? " " : "", params, *file.text ? ", " : "", file.text);

	free(params);
	return label;
}

static void add_strip(struct plot *plot, const struct input *in, size_t report,
		      const struct row *row, const json_t *common)
{
	const struct report *r = in->reports[report];
	struct strip strip = {.ink = report, .baseline = NAN};

	for (size_t i = 0; i < STRIP_POINTS; i++) {
		if (!row_time(r, row, strip_keys[i], in->unit, &strip.at[i]))
			return;
		if (i && strip.at[i] < strip.at[i - 1])
			return; /* no percentiles */
	}
	row_time(r, row, "baseline", in->unit, &strip.baseline);
	strip.label = strip_label(row, common, letter(in, report));
	plot->strips =
		must_have(realloc(plot->strips, (plot->nr_strips + 1) * sizeof(plot->strips[0])));
	plot->strips[plot->nr_strips++] = strip;
}

/* A row is followed by the same of the other reports. */
static void add_strips(struct plot *plot, const struct input *in, size_t report, size_t row,
		       const json_t *common)
{
	const struct row *first = &in->reports[report]->rows[row];

	for (size_t r = 0; r < report; r++) {
		if (report_find(in->reports[r], first->id))
			return; /* there already */
	}
	for (size_t r = report; r < in->n; r++) {
		const struct row *same = report_find(in->reports[r], first->id);

		if (same)
			add_strip(plot, in, r, same, common);
	}
}

/* A ratio of the largest to the least, of what the eye is to tell apart. */
static bool wants_log(const struct plot *plot)
{
	double least = INFINITY, most = 0;

	for (size_t i = 0; i < plot->nr_strips; i++) {
		least = fmin(least, plot->strips[i].at[STRIP_MIN]);
		most = fmax(most, plot->strips[i].at[STRIP_MAX]);
	}
	return least > 0 && most > 8 * least;
}

static struct plot *new_strips(struct plots *plots, const struct input *in, const struct row *row)
{
	int length = row->group_length < 1000 ? (int)row->group_length : 1000;
	struct plot *plot = plots_add(plots, SECTION_SPREAD, PLOT_STRIPS,
				      new_text("spread:%.*s", length, row->name),
				      new_text("%.*s/", length, row->name));

	plot->x_title = new_text("%s, the whole section", unit_name(in->unit));
	return plot;
}

static void finish_strips(struct plots *plots)
{
	struct plot *plot = &plots->plots[plots->n - 1];

	plot->log_x = wants_log(plot);
	if (!plot->nr_strips)
		plots_drop_last(plots);
}

static bool is_first_of_group(const struct input *in, size_t report, size_t row)
{
	for (size_t r = 0; r <= report; r++) {
		const struct report *other = in->reports[r];
		size_t n = r == report ? row : other->nr_rows;

		for (size_t i = 0; i < n; i++) {
			if (is_latency(&other->rows[i]) &&
			    same_group(&other->rows[i], &in->reports[report]->rows[row]))
				return false;
		}
	}
	return is_latency(&in->reports[report]->rows[row]);
}

static void find_group(struct plots *plots, const struct input *in, const struct row *like)
{
	struct plot *plot = new_strips(plots, in, like);
	json_t *common = common_params(in, like);

	for (size_t r = 0; r < in->n; r++) {
		const struct report *report = in->reports[r];

		for (size_t i = 0; i < report->nr_rows; i++) {
			if (!is_latency(&report->rows[i]) || !same_group(&report->rows[i], like))
				continue;
			if (plot->nr_strips >= STRIPS_MAX) {
				finish_strips(plots);
				plot = new_strips(plots, in, like);
			}
			add_strips(plot, in, r, i, common);
		}
	}
	finish_strips(plots);
	json_decref(common);
}

void plots_find_strips(struct plots *plots, const struct input *in)
{
	for (size_t r = 0; r < in->n; r++) {
		for (size_t i = 0; i < in->reports[r]->nr_rows; i++) {
			if (is_first_of_group(in, r, i))
				find_group(plots, in, &in->reports[r]->rows[i]);
		}
	}
}

static bool same_matrix(const struct row *a, const struct row *b)
{
	return a->kind == ROW_MATRIX && b->kind == ROW_MATRIX && !strcmp(a->name, b->name) &&
	       !strcmp(a->params, b->params);
}

/* In a row that says which it is. */
static bool has_number(const struct row *row)
{
	const json_t *cells = json_object_get(row->record, "p50");
	const json_t *from = json_object_get(row->record, "row");

	if (!json_is_integer(from) || json_integer_value(from) < 0)
		return false;
	for (size_t i = 0; i < json_array_size(cells); i++) {
		if (json_is_number(json_array_get(cells, i)))
			return true;
	}
	return false;
}

/* The matrix whose first row that is. */
static void find_matrix(struct plots *plots, const struct input *in, size_t report, size_t first)
{
	const struct report *r = in->reports[report];
	const struct row *row = &r->rows[first];
	struct letter file = letter(in, report);
	struct plot *plot =
		plots_add(plots, SECTION_MATRIX, PLOT_HEAT,
			  new_text("matrix:%s%s%s", row->name, *file.text ? ":" : "", file.text),
			  new_text("%s%s%s%s%s", row->name, *row->params ? " " : "", row->params,
				   *file.text ? ", " : "", file.text));
	const char *unit = record_text(row->record, "unit");
	bool any = false;

	plot->report = r;
	plot->rows = must_have(calloc(r->nr_rows, sizeof(plot->rows[0])));
	plot->scale = row_scale(r, row, in->unit);
	plot->y_title = new_text("%s", unit && strcmp(unit, "tsc") ? unit : unit_name(in->unit));
	for (size_t i = first; i < r->nr_rows; i++) {
		if (!same_matrix(row, &r->rows[i]))
			continue;
		plot->rows[plot->nr_rows++] = &r->rows[i];
		any = any || has_number(&r->rows[i]);
	}
	if (!any || !plot->scale)
		plots_drop_last(plots);
}

void plots_find_matrices(struct plots *plots, const struct input *in)
{
	for (size_t r = 0; r < in->n; r++) {
		const struct report *report = in->reports[r];

		for (size_t i = 0; i < report->nr_rows; i++) {
			bool first = report->rows[i].kind == ROW_MATRIX;

			for (size_t j = 0; first && j < i; j++)
				first = !same_matrix(&report->rows[i], &report->rows[j]);
			if (first && !report->rows[i].modelled)
				find_matrix(plots, in, r, i);
		}
	}
}
