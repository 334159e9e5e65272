/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds what shows many values at once: strips of percentiles, and matrices. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/groups.h"
#include "tools/report/output.h"
#include "tools/report/places.h"
#include "tools/report/plots.h"

#define STRIPS_MAX 40 /* in one picture */

static const char *const strip_keys[STRIP_POINTS] = {
	[STRIP_MIN] = "min", [STRIP_P5] = "p5",   [STRIP_P25] = "p25", [STRIP_P50] = "p50",
	[STRIP_P75] = "p75", [STRIP_P95] = "p95", [STRIP_MAX] = "max",
};

/* Parameters that are the same in all that is measured of a group. */
static json_t *common_params(const struct group *group)
{
	const json_t *params = json_object_get(group->members[0].row->record, "params");
	json_t *common = must_have(params ? json_copy((json_t *)params) : json_object());

	for (size_t i = 1; i < group->n; i++)
		keep_common_params(common, group->members[i].row);
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
static void add_strips(struct plot *plot, const struct input *in, size_t report,
		       const struct row *first, const json_t *common)
{
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

static void find_group(struct plots *plots, const struct input *in, const struct group *group)
{
	const struct row *like = group->members[0].row;
	struct plot *plot = new_strips(plots, in, like);
	json_t *common = common_params(group);

	for (size_t i = 0; i < group->n; i++) {
		if (plot->nr_strips >= STRIPS_MAX) {
			finish_strips(plots);
			plot = new_strips(plots, in, like);
		}
		add_strips(plot, in, group->members[i].report, group->members[i].row, common);
	}
	finish_strips(plots);
	json_decref(common);
}

void plots_find_strips(struct plots *plots, const struct input *in)
{
	struct groups groups = {0};

	for (size_t r = 0; r < in->n; r++) {
		for (size_t i = 0; i < in->reports[r]->nr_rows; i++) {
			const struct row *row = &in->reports[r]->rows[i];
			char *key;

			if (!is_latency(row))
				continue;
			key = must_have(strndup(row->name, row->group_length));
			groups_add(&groups, key, r, row);
			free(key);
		}
	}
	for (size_t i = 0; i < groups.n; i++)
		find_group(plots, in, &groups.groups[i]);
	groups_free(&groups);
}

/* In a row that says which it is. */
static bool has_number(const struct row *row)
{
	const json_t *cells = json_object_get(row->record, "p50");
	const json_t *from = json_object_get(row->record, "row");

	if (!json_is_integer(from) || json_integer_value(from) < 0 ||
	    json_integer_value(from) >= PLACES_MAX)
		return false;
	for (size_t i = 0; i < json_array_size(cells); i++) {
		if (json_is_number(json_array_get(cells, i)))
			return true;
	}
	return false;
}

static void find_matrix(struct plots *plots, const struct input *in, const struct group *group)
{
	size_t report = group->members[0].report;
	const struct row *row = group->members[0].row;
	struct letter file = letter(in, report);
	struct plot *plot =
		plots_add(plots, SECTION_MATRIX, PLOT_HEAT,
			  new_text("matrix:%s%s%s", row->name, *file.text ? ":" : "", file.text),
			  new_text("%s%s%s%s%s", row->name, *row->params ? " " : "", row->params,
				   *file.text ? ", " : "", file.text));
	const char *unit = record_text(row->record, "unit");
	bool any = false;

	plot->report = in->reports[report];
	plot->rows = must_have(calloc(group->n, sizeof(plot->rows[0])));
	plot->scale = row_scale(plot->report, row, in->unit);
	plot->y_title = new_text("%s", unit && strcmp(unit, "tsc") ? unit : unit_name(in->unit));
	for (size_t i = 0; i < group->n; i++) {
		plot->rows[plot->nr_rows++] = group->members[i].row;
		any = any || has_number(group->members[i].row);
	}
	if (!any || !plot->scale)
		plots_drop_last(plots);
}

void plots_find_matrices(struct plots *plots, const struct input *in)
{
	struct groups groups = {0};

	for (size_t r = 0; r < in->n; r++) {
		for (size_t i = 0; i < in->reports[r]->nr_rows; i++) {
			const struct row *row = &in->reports[r]->rows[i];
			char *key;

			if (row->kind != ROW_MATRIX)
				continue;
			key = new_text("%zu %zu %s%s", r, strlen(row->name), row->name,
				       row->params);
			groups_add(&groups, key, r, row);
			free(key);
		}
	}
	for (size_t i = 0; i < groups.n; i++) {
		if (!groups.groups[i].members[0].row->modelled)
			find_matrix(plots, in, &groups.groups[i]);
	}
	groups_free(&groups);
}
