/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds curves: rates over CPUs, flushes over a range's length, benchmarks over a parameter. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/groups.h"
#include "tools/report/output.h"
#include "tools/report/plots.h"

/* In the order of the inks. */
static const char *const policies[] = {"ipi", "ipi-all", "private", "broadcast",
				       "broadcast-always"};

#define NR_POLICIES (sizeof(policies) / sizeof(policies[0]))

#define LINES_MAX  64 /* in one picture: more can't be told apart */
#define PARAMS_MAX 16 /* of a row that makes curves; no benchmark has as many */

const struct published published[NR_PUBLISHED] = {
	{
		.section = SECTION_SCALING,
		.name = "published:scaling",
		.title = "IPI and INVLPGB, AMD Milan with 72 CPUs",
		.source = "Linux, x86/mm: broadcast TLB invalidation with INVLPGB, version 14, "
			  "patch 10/13, March 2025; will-it-scale tlb_flush2_threads, loops/s "
			  "over all threads",
		.x_title = "threads",
		.y_title = "loops/s",
		.ways = {"IPI", "INVLPGB"},
		.policies = {"ipi", "broadcast"},
		.factor = 1000,
		.n = 8,
		.rows = {{1, 315, 304},
			 {2, 423, 424},
			 {4, 644, 1032},
			 {8, 652, 1267},
			 {16, 737, 1368},
			 {32, 759, 1199},
			 {64, 636, 1094},
			 {72, 609, 993}},
	},
	{
		.section = SECTION_PRIVATE,
		.name = "published:private",
		.title = "broadcast and local, arm64",
		.source =
			"Linux, arm64: local TLB invalidation while no other CPU can have seen "
			"the entry, RFC, August 2025; stress-ng --tlb-shootdown, ops/s of real time",
		.x_title = "processes",
		.y_title = "ops/s",
		.ways = {"broadcast", "local while private"},
		.policies = {"broadcast-always", "private"},
		.factor = 1,
		.n = 7,
		.rows = {{1, 9109, 8903},
			 {4, 8115, 9892},
			 {8, 5119, 11854},
			 {16, 4796, 14176},
			 {32, 1593, 15328},
			 {64, 1486, 8096},
			 {128, 1315, 8257}},
	},
};

unsigned policy_ink(const char *policy, unsigned n)
{
	for (unsigned i = 0; policy && i < NR_POLICIES; i++) {
		if (!strcmp(policy, policies[i]))
			return i;
	}
	return policy ? NR_POLICIES + n : n;
}

/* Rows that make curves: of one kind and name, in all reports, over one parameter. */
struct sweep {
	const struct group *rows;
	const char *name, *param;
};

static const json_t *params_of(const struct row *row)
{
	return json_object_get(row->record, "params");
}

static bool is_swept(const struct row *row, const char *param)
{
	return json_is_number(json_object_get(params_of(row), param)) &&
	       json_object_size(params_of(row)) <= PARAMS_MAX;
}

/* Parameters that are the same in all of its rows, so that labels need not have them. */
static json_t *common_params(const struct sweep *sweep)
{
	const struct member *members = sweep->rows->members;
	json_t *common = must_have(json_copy((json_t *)params_of(members[0].row)));

	for (size_t i = 1; i < sweep->rows->n; i++)
		keep_common_params(common, members[i].row);
	return common;
}

/* "private live=64, A" */
static char *series_label(const struct row *row, const struct sweep *sweep, const json_t *common,
			  struct letter file)
{
	json_t *without = must_have(json_copy((json_t *)params_of(row)));
	const char *policy = record_text(params_of(row), "policy");
	char *rest, *label;

	json_object_del(without, sweep->param);
	json_object_del(without, "policy");
	rest = must_have(params_text(without, common));
	label = new_text("%s%s%s%s%s", policy ? policy : "", policy && *rest ? " " : "", rest,
			 *file.text && (policy || *rest) ? ", " : "", file.text);
	if (!*label) {
		free(label);
		label = new_text("%s", row->name);
	}
	json_decref(without);
	free(rest);
	return label;
}

static bool rate_point(const struct report *r, const struct row *row, enum report_unit unit,
		       struct point *point)
{
	double scale = row_scale(r, row, unit);

	if (row->modelled || !scale || !record_number(row->record, "value", &point->y))
		return false;
	point->lo = point->hi = point->y;
	record_pair(row->record, "ci", &point->lo, &point->hi);
	point->y *= scale;
	point->lo *= scale;
	point->hi *= scale;
	return true;
}

static bool bench_point(const struct report *r, const struct row *row, enum report_unit unit,
			struct point *point)
{
	if (!row_time(r, row, "net", unit, &point->y))
		return false;
	point->lo = point->hi = point->y;
	row_interval(r, row, true, unit, &point->lo, &point->hi);
	return true;
}

static bool find_point(const struct report *r, const struct row *row, const struct sweep *sweep,
		       enum report_unit unit, struct point *point)
{
	bool (*find)(const struct report *, const struct row *, enum report_unit, struct point *) =
		row->kind == ROW_RATE ? rate_point : bench_point;

	return record_number(params_of(row), sweep->param, &point->x) && find(r, row, unit, point);
}

/* How many lines have an ink already: each gets another dash. */
static unsigned times_inked(const struct plot *plot, unsigned ink)
{
	unsigned times = 0;

	for (size_t i = 0; i < plot->nr_series; i++)
		times += plot->series[i].n && plot->series[i].ink == ink;
	return times;
}

/* What is the same but for its file has the ink of the first. */
static unsigned choose_ink(const struct plot *plot, const char *policy, const char *label)
{
	size_t length = strcspn(label, ",");
	unsigned n = 0;

	for (size_t i = 0; !policy && i < plot->nr_series; i++) {
		const struct series *series = &plot->series[i];

		if (!series->n)
			continue;
		if (!strncmp(series->label, label, length) && strcspn(series->label, ",") == length)
			return series->ink;
		n = series->ink >= n ? series->ink + 1 : n;
	}
	return policy_ink(policy, n);
}

/* Where a row's point goes; NULL where there are lines enough. `labels` numbers the plot's. */
static struct series *find_series(struct plot *plot, json_t **labels, const char *policy,
				  const char *label)
{
	size_t number = key_number(labels, label);
	struct series *series;

	if (number >= LINES_MAX)
		return NULL;
	if (number < plot->nr_series)
		return &plot->series[number];
	series = plot_series(plot, label);
	series->ink = choose_ink(plot, policy, label);
	series->dash = times_inked(plot, series->ink);
	return series;
}

static void note_left_out(struct plot *plot, size_t lines)
{
	if (lines > LINES_MAX)
		plot->note = new_text("the first %d of %zu lines", LINES_MAX, lines);
}

/* `wanted` chooses rows by their policy, which may be NULL; NULL wants all. */
static void add_lines(struct plot *plot, const struct input *in, const struct sweep *sweep,
		      bool (*wanted)(const char *policy))
{
	json_t *common = common_params(sweep), *labels = NULL;

	for (size_t i = 0; i < sweep->rows->n; i++) {
		const struct member *member = &sweep->rows->members[i];
		const char *policy = record_text(params_of(member->row), "policy");
		struct letter file = letter(in, member->report);
		struct series *series;
		struct point point;
		char *label;

		if (wanted && !wanted(policy))
			continue;
		if (!find_point(in->reports[member->report], member->row, sweep, in->unit, &point))
			continue;
		label = series_label(member->row, sweep, common, file);
		series = find_series(plot, &labels, policy, label);
		if (series)
			series_add(series, point);
		free(label);
	}
	note_left_out(plot, json_object_size(labels));
	json_decref(labels);
	json_decref(common);
}

static bool wants_private(const char *policy)
{
	return policy && (!strcmp(policy, "private") || !strcmp(policy, "broadcast-always"));
}

/* Without INVLPGB the IPI to everyone is what always reaches all CPUs. */
static bool wants_private_by_ipi(const char *policy)
{
	return policy && (!strcmp(policy, "private") || !strcmp(policy, "ipi-all"));
}

static bool has_policy(const struct plot *plot, const char *policy)
{
	for (size_t i = 0; i < plot->nr_series; i++) {
		if (plot->series[i].n && plot->series[i].ink == policy_ink(policy, 0))
			return true;
	}
	return false;
}

static const char *rate_unit(const struct input *in, const struct sweep *sweep)
{
	const char *unit = record_text(sweep->rows->members[0].row->record, "unit");

	if (unit && !strcmp(unit, "tsc"))
		return unit_name(in->unit);
	return unit ? unit : "rate";
}

static struct plot *add_rates(struct plots *plots, const struct input *in,
			      const struct sweep *sweep, enum plot_section section)
{
	static const char *const names[] = {[SECTION_SCALING] = "scaling",
					    [SECTION_PRIVATE] = "private",
					    [SECTION_RATES] = "rate"};
	struct plot *plot = plots_add(plots, section, PLOT_LINES,
				      new_text("%s:%s", names[section], sweep->name),
				      new_text("%s", sweep->name));

	plot->from_zero = true;
	plot->x_title = new_text("CPUs");
	plot->y_title = new_text("%s", rate_unit(in, sweep));
	return plot;
}

static void find_private(struct plots *plots, const struct input *in, const struct sweep *sweep)
{
	struct plot *plot = add_rates(plots, in, sweep, SECTION_PRIVATE);

	add_lines(plot, in, sweep, wants_private);
	if (!has_policy(plot, "broadcast-always")) {
		plots_drop_last(plots);
		plot = add_rates(plots, in, sweep, SECTION_PRIVATE);
		add_lines(plot, in, sweep, wants_private_by_ipi);
	}
	if (!has_policy(plot, "private") || !plot_finish_lines(plot) || plot->nr_series < 2)
		plots_drop_last(plots);
}

static bool any_policy(const struct sweep *sweep)
{
	for (size_t i = 0; i < sweep->rows->n; i++) {
		if (record_text(params_of(sweep->rows->members[i].row), "policy"))
			return true;
	}
	return false;
}

/* What is nothing but that comparison has no plot of all policies besides. */
static void find_scaling(struct plots *plots, const struct input *in, const struct sweep *sweep)
{
	size_t before = plots->n;
	struct plot *plot;

	find_private(plots, in, sweep);
	plot = add_rates(plots, in, sweep, any_policy(sweep) ? SECTION_SCALING : SECTION_RATES);
	add_lines(plot, in, sweep, NULL);
	if (!plot_finish_lines(plot) ||
	    (plots->n - before == 2 && plots->plots[before].nr_series == plot->nr_series))
		plots_drop_last(plots);
}

void plots_find_rates(struct plots *plots, const struct input *in)
{
	struct groups groups = {0};

	for (size_t r = 0; r < in->n; r++) {
		for (size_t i = 0; i < in->reports[r]->nr_rows; i++) {
			const struct row *row = &in->reports[r]->rows[i];

			if (row->kind == ROW_RATE && is_swept(row, "cpus"))
				groups_add(&groups, row->name, r, row);
		}
	}
	for (size_t i = 0; i < groups.n; i++) {
		const struct group *rows = &groups.groups[i];
		struct sweep sweep = {rows, rows->members[0].row->name, "cpus"};

		find_scaling(plots, in, &sweep);
	}
	groups_free(&groups);
}

static bool has_section(const struct plots *plots, enum plot_section section)
{
	for (size_t i = 0; i < plots->n; i++) {
		if (plots->plots[i].section == section &&
		    !strncmp(plots->plots[i].title, "shootdown/", sizeof("shootdown/") - 1))
			return true;
	}
	return false;
}

/* Beside what was measured of the same shape, where something was. */
void plots_find_published(struct plots *plots)
{
	for (size_t i = 0; i < NR_PUBLISHED; i++) {
		const struct published *table = &published[i];
		struct plot *plot;

		if (!has_section(plots, table->section))
			continue;
		plot = plots_add(plots, table->section, PLOT_LINES, new_text("%s", table->name),
				 new_text("Published: %s", table->title));
		plot->published = plot->from_zero = true;
		plot->x_title = new_text("%s", table->x_title);
		plot->y_title = new_text("%s", table->y_title);
		for (size_t row = 0; row < table->n; row++) {
			for (size_t way = 0; way < 2; way++) {
				struct series *series = plot_series(plot, table->ways[way]);
				double y = table->rows[row][way + 1] * table->factor;

				series->ink = policy_ink(table->policies[way], 0);
				series_add(series, (struct point){table->rows[row][0], y, y, y});
			}
		}
		plot_finish_lines(plot);
	}
}

/* A record's curves over its first. */
static void add_curves(struct plot *plot, const json_t *curves, double scale)
{
	const json_t *xs = json_object_iter_value(json_object_iter((json_t *)curves));
	const char *key;
	json_t *curve;
	unsigned ink = 0;

	json_object_foreach((json_t *)curves, key, curve)
	{
		struct series *series;

		if (curve == xs)
			continue;
		series = plot_series(plot, key);
		series->ink = ink++;
		for (size_t i = 0; i < json_array_size(curve); i++) {
			const json_t *x = json_array_get(xs, i), *y = json_array_get(curve, i);
			double value = json_number_value(y) * scale;

			if (json_is_number(x) && json_is_number(y))
				series_add(series, (struct point){json_number_value(x), value,
								  value, value});
		}
	}
}

/* "41: up to here page by page costs less" */
static char *advice_text(const struct row *row)
{
	const char *why = record_text(row->record, "why");
	double value = 0;
	bool there = record_number(row->record, "value", &value);

	why = why ? why : "";
	return new_text("%s%s%s", there ? figure(value).text : "no value", *why ? ": " : "", why);
}

static void find_advice(struct plots *plots, const struct input *in, size_t report,
			const struct row *row)
{
	json_t *curves = json_object_get(row->record, "curves");
	const char *unit = record_text(row->record, "unit");
	double scale = row_scale(in->reports[report], row, in->unit);
	struct letter file = letter(in, report);
	struct plot *plot;

	if (row->modelled || !scale || json_object_size(curves) < 2)
		return;
	plot = plots_add(plots, SECTION_RANGE, PLOT_LINES,
			 new_text("range:%s%s%s", row->name, *file.text ? ":" : "", file.text),
			 new_text("%s%s%s%s%s", row->name, *row->params ? " " : "", row->params,
				  *file.text ? ", " : "", file.text));
	plot->x_title = new_text("%s", json_object_iter_key(json_object_iter(curves)));
	plot->y_title = new_text("%s", unit && strcmp(unit, "tsc") ? unit : unit_name(in->unit));
	plot->note = advice_text(row);
	add_curves(plot, curves, scale);
	if (record_number(row->record, "value", &plot->mark))
		plot->mark_label = new_text("%s", figure(plot->mark).text);
	if (!plot_finish_lines(plot))
		plots_drop_last(plots);
}

void plots_find_advice(struct plots *plots, const struct input *in)
{
	for (size_t r = 0; r < in->n; r++) {
		for (size_t i = 0; i < in->reports[r]->nr_rows; i++) {
			if (in->reports[r]->rows[i].kind == ROW_ADVICE)
				find_advice(plots, in, r, &in->reports[r]->rows[i]);
		}
	}
}

/* Different x, of the curve with the most. */
static size_t longest(const struct plot *plot)
{
	size_t most = 0;

	for (size_t i = 0; i < plot->nr_series; i++) {
		const struct series *series = &plot->series[i];
		size_t n = series->n > 0;

		for (size_t j = 1; j < series->n; j++)
			n += series->points[j].x != series->points[j - 1].x;
		most = n > most ? n : most;
	}
	return most;
}

static void find_sweep(struct plots *plots, const struct input *in, const struct sweep *sweep)
{
	struct plot *plot = plots_add(plots, SECTION_SWEEP, PLOT_LINES,
				      new_text("sweep:%s:%s", sweep->name, sweep->param),
				      new_text("%s over %s", sweep->name, sweep->param));

	plot->x_title = new_text("%s", sweep->param);
	plot->y_title = new_text("net, %s", unit_name(in->unit));
	add_lines(plot, in, sweep, NULL);
	/* Two points are a line, but no curve. */
	if (!plot_finish_lines(plot) || longest(plot) < 3)
		plots_drop_last(plots);
}

static void add_to_sweeps(struct groups *groups, size_t report, const struct row *row)
{
	const char *param;
	json_t *value;

	json_object_foreach((json_t *)params_of(row), param, value)
	{
		char *key;

		if (!is_swept(row, param))
			continue;
		key = new_text("%zu %s%s", strlen(row->name), row->name, param);
		groups_add(groups, key, report, row);
		free(key);
	}
}

/* As in `key`, of add_to_sweeps(). */
static const char *param_of(const char *key, const char *name)
{
	return strchr(key, ' ') + 1 + strlen(name);
}

void plots_find_sweeps(struct plots *plots, const struct input *in)
{
	struct groups groups = {0};
	const char *key;
	json_t *number;

	for (size_t r = 0; r < in->n; r++) {
		for (size_t i = 0; i < in->reports[r]->nr_rows; i++) {
			if (is_latency(&in->reports[r]->rows[i]))
				add_to_sweeps(&groups, r, &in->reports[r]->rows[i]);
		}
	}
	json_object_foreach(groups.numbers, key, number)
	{
		const struct group *rows = &groups.groups[json_integer_value(number)];
		const char *name = rows->members[0].row->name;
		struct sweep sweep = {rows, name, param_of(key, name)};

		find_sweep(plots, in, &sweep);
	}
	groups_free(&groups);
}
