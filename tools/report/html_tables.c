/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tables of a page hold. */
#include <stdlib.h>
#include <string.h>

#include "tools/report/groups.h"
#include "tools/report/html.h"
#include "tools/report/markup.h"
#include "tools/report/output.h"

#define HEAD_CELLS(page, titles, numbers) \
	head_cells(page, titles, sizeof(titles) / sizeof((titles)[0]), numbers)

static void heading(struct page *page, const struct row *group, const char *text)
{
	int level = html_named(page) ? 4 : 3;

	fprintf(page->to, "<h%d>", level);
	if (group) {
		put_part(page->to, group->name, group->group_length);
		fprintf(page->to, "%s <span class=\"soft\">",
			group->name[group->group_length] ? "/" : "");
	}
	put_text(page->to, text);
	fprintf(page->to, "%s</h%d>\n", group ? "</span>" : "", level);
}

/* Its name without the group, and the parameters that are its own. */
static void name_cells(struct page *page, const struct row *row, const json_t *common)
{
	const char *what = row->name + row->group_length;
	char *params = must_have(params_text(json_object_get(row->record, "params"), common));

	row_head(page, *what == '/' && what[1] ? what + 1 : row->name);
	fprintf(page->to, "<td class=\"params\">");
	put_text(page->to, params);
	if (row->modelled)
		fprintf(page->to, "%smodelled, no times", *params ? "; " : "");
	fprintf(page->to, "</td>");
	free(params);
}

static void bench_cells(struct page *page, const struct report *r, const struct row *row)
{
	static const char *const keys[] = {"min", "p5",  "p25", "p50",     "p75",
					   "p95", "p99", "max", "baseline"};
	double value = 0, lo = 0, hi = 0;
	bool there = row_time(r, row, "net", UNIT_TICKS, &value);

	number_cell(page, there, value);
	there = row_interval(r, row, true, UNIT_TICKS, &lo, &hi);
	interval_cell(page, there, lo, hi);
	there = row_time(r, row, "net", UNIT_NS, &value);
	number_cell(page, there, value);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		there = row_time(r, row, keys[i], UNIT_TICKS, &value);
		number_cell(page, there, value);
	}
	member_cell(page, row->record, "n");
	member_cell(page, row->record, "discarded");
}

static void bench_head(struct page *page)
{
	static const char *const names[] = {"", ""};
	static const char *const titles[] = {
		"net, ticks", "95% of median", "net, ns", "min", "p5",    "p25",     "p50",
		"p75",        "p95",           "p99",     "max", "empty", "samples", "dropped"};

	HEAD_CELLS(page, names, false);
	HEAD_CELLS(page, titles, true);
}

static void rate_cells(struct page *page, const struct report *r, const struct row *row)
{
	const char *unit = record_text(row->record, "unit");
	double lo = 0, hi = 0;
	bool there;

	(void)r;
	member_cell(page, row->record, "value");
	text_cell(page, unit && !strcmp(unit, "tsc") ? "ticks" : unit);
	there = record_pair(row->record, "ci", &lo, &hi);
	interval_cell(page, there, lo, hi);
	member_cell(page, row->record, "ipis");
	member_cell(page, row->record, "invlpgbs");
	member_cell(page, row->record, "rounds");
}

static void rate_head(struct page *page)
{
	static const char *const titles[] = {"95%", "IPIs", "INVLPGBs", "rounds"};

	head_cell(page, "", false);
	head_cell(page, "", false);
	head_cell(page, "rate", true);
	head_cell(page, "", false);
	HEAD_CELLS(page, titles, true);
}

static void retention_cells(struct page *page, const struct report *r, const struct row *row)
{
	double kept = 0, of = 0;
	bool there =
		record_number(row->record, "kept", &kept) && record_number(row->record, "of", &of);

	(void)r;
	member_cell(page, row->record, "kept");
	member_cell(page, row->record, "of");
	number_cell(page, there && of > 0, of > 0 ? 100 * kept / of : 0);
}

static void retention_head(struct page *page)
{
	static const char *const titles[] = {"kept", "of", "%"};

	head_cell(page, "", false);
	head_cell(page, "", false);
	HEAD_CELLS(page, titles, true);
}

/* Kinds of records whose rows make a table for each group. */
static const struct group_table {
	enum row_kind kind;
	const char *title;
	void (*head)(struct page *page);
	void (*cells)(struct page *page, const struct report *r, const struct row *row);
} group_tables[] = {
	{ROW_BENCH, "percentiles are of the whole section, in ticks; net is without the empty one",
	 bench_head, bench_cells},
	{ROW_RATE, "rates, more is better", rate_head, rate_cells},
	{ROW_RETENTION, "TLB entries that outlived a flush of others", retention_head,
	 retention_cells},
};

#define NR_GROUP_TABLES (sizeof(group_tables) / sizeof(group_tables[0]))

/* A report's rows by their kind and their name's first part. */
static struct groups find_groups(const struct report *r)
{
	struct groups groups = {0};

	for (size_t i = 0; i < r->nr_rows; i++) {
		const struct row *row = &r->rows[i];
		char *group = must_have(strndup(row->name, row->group_length));
		char *key = new_text("%d %s", row->kind, group);

		groups_add(&groups, key, 0, row);
		free(group);
		free(key);
	}
	return groups;
}

/* What is the same in all rows of a table stands above it. */
static json_t *common_params(const struct group *group)
{
	const json_t *params = json_object_get(group->members[0].row->record, "params");
	json_t *common = must_have(params ? json_copy((json_t *)params) : json_object());

	for (size_t i = 1; i < group->n; i++)
		keep_common_params(common, group->members[i].row);
	if (group->n < 2)
		json_object_clear(common);
	return common;
}

static void group_heading(struct page *page, const struct row *like, const char *title,
			  const json_t *common)
{
	char *params = must_have(params_text(common, NULL));
	char *text = new_text("%s%s%s", title, *params ? "; " : "", params);

	heading(page, like, text);
	free(params);
	free(text);
}

static void put_group(struct page *page, const struct report *r, const struct group *group,
		      const struct group_table *table)
{
	json_t *common = common_params(group);

	group_heading(page, group->members[0].row, table->title, common);
	table_open(page, table->title);
	table->head(page);
	table_body(page);
	for (size_t i = 0; i < group->n; i++) {
		const struct row *row = group->members[i].row;

		row_open(page);
		name_cells(page, row, common);
		table->cells(page, r, row);
		row_close(page);
	}
	table_close(page);
	json_decref(common);
}

static void put_groups(struct page *page, const struct report *r, const struct groups *groups)
{
	for (size_t t = 0; t < NR_GROUP_TABLES; t++) {
		for (size_t i = 0; i < groups->n; i++) {
			if (groups->groups[i].members[0].row->kind == group_tables[t].kind)
				put_group(page, r, &groups->groups[i], &group_tables[t]);
		}
	}
}

/* Verdicts as they are shown: never by colour alone. */
static const struct verdict_word {
	const char *result, *class_name, *word;
} verdict_words[] = {
	{"fail", "fail", "✗ FAIL"},
	{"xfail", "xfail", "! xfail"},
	{"pass", "pass", "✓ pass"},
	{"skip", "skip", "– skip"},
};

#define NR_WORDS        (sizeof(verdict_words) / sizeof(verdict_words[0]))
#define NR_FAILED_WORDS 2 /* of them, the first */

/* NULL where the result is none that there is. */
static const struct verdict_word *word_of(const struct row *row)
{
	const char *result = record_text(row->record, "result");

	for (size_t i = 0; result && i < NR_WORDS; i++) {
		if (!strcmp(result, verdict_words[i].result))
			return &verdict_words[i];
	}
	return NULL;
}

static void verdict_cell(struct page *page, const struct row *row)
{
	const struct verdict_word *word = word_of(row);

	if (!word) {
		text_cell(page, "?");
		return;
	}
	fprintf(page->to, "<td class=\"%s\" title=\"", word->class_name);
	put_text(page->to, record_text(row->record, "why"));
	fprintf(page->to, "\">%s</td>", word->word);
}

static void check_row(struct page *page, const struct row *row)
{
	row_open(page);
	verdict_cell(page, row);
	row_head(page, row->name);
	class_cell(page, "params", row->params);
	class_cell(page, "why", record_text(row->record, "why"));
	class_cell(page, "why", record_text(row->record, "control"));
	row_close(page);
}

static void put_checks(struct page *page, const struct report *r)
{
	static const char *const titles[] = {"", "check", "", "why", "what the control saw"};

	heading(page, NULL, "All checks");
	table_open(page, "all checks");
	HEAD_CELLS(page, titles, false);
	table_body(page);
	for (size_t word = 0; word < NR_WORDS; word++) {
		for (size_t i = 0; i < r->nr_rows; i++) {
			if (r->rows[i].kind == ROW_CHECK &&
			    word_of(&r->rows[i]) == &verdict_words[word])
				check_row(page, &r->rows[i]);
		}
	}
	table_close(page);
}

static void put_failure(struct page *page, const struct row *row, const struct verdict_word *word)
{
	const char *why = record_text(row->record, "why");
	const char *control = record_text(row->record, "control");

	fprintf(page->to, "<li><span class=\"%s\">%s</span> <b>", word->class_name, word->word);
	put_text(page->to, row->name);
	fprintf(page->to, "</b> <span class=\"soft\">");
	put_text(page->to, row->params);
	fprintf(page->to, "</span><br>");
	put_text(page->to, why && *why ? why : "no reason given");
	if (control && *control) {
		fprintf(page->to, " <span class=\"soft\">(control: ");
		put_text(page->to, control);
		fprintf(page->to, ")</span>");
	}
	fprintf(page->to, "</li>\n");
}

void html_failures(struct page *page, size_t report)
{
	const struct report *r = page->in->reports[report];

	fprintf(page->to, "<ul class=\"failures\">\n");
	for (size_t word = 0; word < NR_FAILED_WORDS; word++) {
		for (size_t i = 0; i < r->nr_rows; i++) {
			if (r->rows[i].kind == ROW_CHECK &&
			    word_of(&r->rows[i]) == &verdict_words[word])
				put_failure(page, &r->rows[i], &verdict_words[word]);
		}
	}
	fprintf(page->to, "</ul>\n");
}

static bool has_kind(const struct report *r, enum row_kind kind)
{
	for (size_t i = 0; i < r->nr_rows; i++) {
		if (r->rows[i].kind == kind)
			return true;
	}
	return false;
}

/* Checks of a group by their name and their parameters, where they have some. */
struct cells {
	const struct row **rows;    /* the first of each name */
	const struct row **columns; /* the first with each parameters */
	size_t nr_rows, nr_columns;
	const struct row *
		*worst; /* by row and column; a check that came twice is the worst of them */
	bool any;       /* parameters */
};

static const struct row *worse(const struct row *a, const struct row *b)
{
	if (!a || !word_of(b))
		return word_of(b) ? b : a;
	return word_of(b) < word_of(a) ? b : a;
}

static void find_worst(struct cells *cells, const struct group *group, json_t *names,
		       json_t *params)
{
	cells->worst =
		must_have(calloc(cells->nr_rows * cells->nr_columns, sizeof(cells->worst[0])));
	for (size_t i = 0; i < group->n; i++) {
		const struct row *row = group->members[i].row;
		const struct row **worst =
			&cells->worst[key_number(&names, row->name) * cells->nr_columns +
				      key_number(&params, row->params)];

		*worst = worse(*worst, row);
	}
}

#define CELLS_MAX 4000 /* more, and it is no table to look at */

static struct cells find_cells(const struct group *group)
{
	struct cells cells = {
		.rows = must_have(calloc(group->n, sizeof(cells.rows[0]))),
		.columns = must_have(calloc(group->n, sizeof(cells.columns[0]))),
	};
	json_t *names = NULL, *params = NULL;

	for (size_t i = 0; i < group->n; i++) {
		const struct row *row = group->members[i].row;

		if (key_number(&names, row->name) == cells.nr_rows)
			cells.rows[cells.nr_rows++] = row;
		if (key_number(&params, row->params) == cells.nr_columns)
			cells.columns[cells.nr_columns++] = row;
		cells.any = cells.any || *row->params;
	}
	if (cells.any && cells.nr_rows * cells.nr_columns <= CELLS_MAX)
		find_worst(&cells, group, names, params);
	json_decref(names);
	json_decref(params);
	return cells;
}

static void cells_free(struct cells *cells)
{
	free(cells->rows);
	free(cells->columns);
	free(cells->worst);
}

/* A line for each parameter, so that columns are narrow. */
static void params_head(struct page *page, const struct row *row)
{
	const char *key;
	json_t *value;
	bool any = false;

	fprintf(page->to, "<th scope=\"col\">");
	json_object_foreach(json_object_get(row->record, "params"), key, value)
	{
		const char *text = json_string_value(value);

		if (any)
			fprintf(page->to, "<br>");
		any = true;
		if (json_is_boolean(value)) {
			fprintf(page->to, "%s", json_is_true(value) ? "" : "not ");
			put_text(page->to, key);
		} else if (text) {
			put_text(page->to, text);
		} else {
			char *number = must_have(json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT));

			put_text(page->to, key);
			putc(' ', page->to);
			put_text(page->to, number);
			free(number);
		}
	}
	fprintf(page->to, "%s</th>", any ? "" : "-");
}

static void put_cells(struct page *page, const struct cells *cells)
{
	const struct row *like = cells->rows[0];

	heading(page, like, "each primitive, each case");
	fprintf(page->to, "<div class=\"cells\">\n");
	table_open(page, "verdicts by primitive and case");
	head_cell(page, "", false);
	for (size_t j = 0; j < cells->nr_columns; j++)
		params_head(page, cells->columns[j]);
	table_body(page);
	for (size_t i = 0; i < cells->nr_rows; i++) {
		const char *name = cells->rows[i]->name;

		row_open(page);
		row_head(page, name[like->group_length] ? name + like->group_length + 1 : name);
		for (size_t j = 0; j < cells->nr_columns; j++) {
			const struct row *row = cells->worst[i * cells->nr_columns + j];

			if (row)
				verdict_cell(page, row);
			else
				text_cell(page, "");
		}
		row_close(page);
	}
	table_close(page);
	fprintf(page->to, "</div>\n");
}

#define GROUPS_MAX 100 /* the other checks are among all of them */

static void put_matrices_of_checks(struct page *page, const struct groups *groups)
{
	unsigned n = 0;

	for (size_t i = 0; i < groups->n && n < GROUPS_MAX; i++) {
		struct cells cells;

		if (groups->groups[i].members[0].row->kind != ROW_CHECK)
			continue;
		n++;
		cells = find_cells(&groups->groups[i]);
		if (cells.worst)
			put_cells(page, &cells);
		cells_free(&cells);
	}
}

/* What a record's figures are in, as they are shown. "" where it does not say. */
static const char *shown_unit(const struct page *page, const struct row *row)
{
	const char *unit = record_text(row->record, "unit");

	if (unit && !strcmp(unit, "tsc"))
		return unit_name(page->in->unit);
	return unit ? unit : "";
}

static void curves_heading(struct page *page, const struct row *row)
{
	const char *unit = shown_unit(page, row);
	char *text = new_text("%s%swhat it is by%s%s", row->params, *row->params ? "; " : "",
			      *unit ? ", in " : "", unit);

	heading(page, row, text);
	free(text);
}

static void put_curves(struct page *page, const struct report *r, const struct row *row)
{
	json_t *curves = json_object_get(row->record, "curves"), *curve;
	size_t points = json_array_size(json_object_iter_value(json_object_iter(curves)));
	double scale = row_scale(r, row, page->in->unit);
	const char *key;

	if (!points || !scale)
		return;
	curves_heading(page, row);
	table_open(page, "the curves");
	json_object_foreach(curves, key, curve)
	{
		head_cell(page, key, true);
	}
	table_body(page);
	for (size_t i = 0; i < points; i++) {
		bool first = true;

		row_open(page);
		json_object_foreach(curves, key, curve)
		{
			const json_t *y = json_array_get(curve, i);

			number_cell(page, json_is_number(y),
				    json_number_value(y) * (first ? 1 : scale));
			first = false;
		}
		row_close(page);
	}
	table_close(page);
}

static void put_advice(struct page *page, const struct report *r)
{
	static const char *const titles[] = {"tunable", "", "value", "why"};
	if (has_kind(r, ROW_ADVICE)) {
		heading(page, NULL, "Advice");
		table_open(page, "advice");
		HEAD_CELLS(page, titles, false);
		table_body(page);
	}
	for (size_t i = 0; i < r->nr_rows; i++) {
		if (r->rows[i].kind != ROW_ADVICE)
			continue;
		row_open(page);
		row_head(page, r->rows[i].name);
		class_cell(page, "params", r->rows[i].params);
		member_cell(page, r->rows[i].record, "value");
		class_cell(page, "why", record_text(r->rows[i].record, "why"));
		row_close(page);
	}
	if (has_kind(r, ROW_ADVICE))
		table_close(page);
	for (size_t i = 0; i < r->nr_rows; i++) {
		if (r->rows[i].kind != ROW_ADVICE || !json_object_get(r->rows[i].record, "curves"))
			continue;
		put_curves(page, r, &r->rows[i]);
	}
}

void html_tables(struct page *page, size_t report)
{
	const struct report *r = page->in->reports[report];
	struct groups groups = find_groups(r);

	put_matrices_of_checks(page, &groups);
	put_groups(page, r, &groups);
	put_advice(page, r);
	if (has_kind(r, ROW_CHECK))
		put_checks(page, r);
	groups_free(&groups);
}

static bool rate_figure(const struct page *page, size_t report, const struct row *row,
			double *value)
{
	double scale = row_scale(page->in->reports[report], row, page->in->unit);

	if (row->modelled || !scale || !record_number(row->record, "value", value))
		return false;
	*value *= scale;
	return true;
}

/* The figure to set side by side. */
static bool main_value(const struct page *page, size_t report, const struct row *row, double *value)
{
	if (row->kind == ROW_BENCH)
		return row_time(page->in->reports[report], row, "net", page->in->unit, value);
	return row->kind == ROW_RATE && rate_figure(page, report, row, value);
}

static void compared_row(struct page *page, const struct row *like)
{
	double first = 0, value;
	bool have_first = false;

	row_open(page);
	fprintf(page->to, "<th scope=\"row\" class=\"name\">");
	put_text(page->to, like->name);
	fprintf(page->to, "<span class=\"params\">");
	put_text(page->to, like->params);
	fprintf(page->to, "</span></th>");
	for (size_t r = 0; r < page->in->n; r++) {
		const struct row *row = report_find(page->in->reports[r], like->id);
		bool there = row && main_value(page, r, row, &value);

		number_cell(page, there, there ? value : 0);
		if (!r) {
			have_first = there && value > 0;
			first = there ? value : 0;
		} else {
			there = there && have_first;
			number_cell(page, there, there ? value / first : 0);
		}
	}
	row_close(page);
}

static bool is_in_earlier(const struct page *page, size_t report, const char *id)
{
	for (size_t r = 0; r < report; r++) {
		if (report_find(page->in->reports[r], id))
			return true;
	}
	return false;
}

void html_comparison(struct page *page)
{
	fprintf(page->to, "<h3 class=\"report\">Side by side</h3>\n");
	fprintf(page->to,
		"<p>Net medians in %s, and rates; beside each the ratio to A. These are no "
		"verdicts: a ratio may be noise, and machines drift from boot to boot. What differs "
		"beyond that, <code>shootdown-report compare</code> tells.</p>\n",
		unit_name(page->in->unit));
	table_open(page, "side by side");
	head_cell(page, "", false);
	for (size_t r = 0; r < page->in->n; r++) {
		struct letter name = letter(page->in, r);
		char *ratio = new_text("%s/A", name.text);

		head_cell(page, name.text, true);
		if (r)
			head_cell(page, ratio, true);
		free(ratio);
	}
	table_body(page);
	for (size_t r = 0; r < page->in->n; r++) {
		for (size_t i = 0; i < page->in->reports[r]->nr_rows; i++) {
			const struct row *row = &page->in->reports[r]->rows[i];

			if ((row->kind == ROW_BENCH || row->kind == ROW_RATE) &&
			    !is_in_earlier(page, r, row->id))
				compared_row(page, row);
		}
	}
	table_close(page);
}

/* A benchmark or a check that was skipped. */
static bool is_skip(const struct row *row)
{
	const char *result = record_text(row->record, "result");

	return row->kind == ROW_SKIP ||
	       (row->kind == ROW_CHECK && result && !strcmp(result, "skip"));
}

static const char *reason(const struct row *row)
{
	const char *why = record_text(row->record, "why");

	return why && *why ? why : "no reason given";
}

/* {reason: [rows]}, in the order of the report. */
static json_t *find_reasons(const struct report *r)
{
	json_t *reasons = must_have(json_object());

	for (size_t i = 0; i < r->nr_rows; i++) {
		json_t *rows;

		if (!is_skip(&r->rows[i]))
			continue;
		rows = json_object_get(reasons, reason(&r->rows[i]));
		if (!rows) {
			rows = must_have(json_array());
			json_object_set_new(reasons, reason(&r->rows[i]), rows);
		}
		json_array_append_new(rows, json_integer(i));
	}
	return reasons;
}

static void put_skipped(struct page *page, const struct row *row)
{
	fprintf(page->to, "<dd>");
	put_text(page->to, row->name);
	fprintf(page->to, " <span class=\"soft\">");
	put_text(page->to, row->params);
	fprintf(page->to, "</span></dd>\n");
}

void html_skips(struct page *page, size_t report)
{
	const struct report *r = page->in->reports[report];
	json_t *reasons = find_reasons(r), *rows, *row;
	const char *why;
	size_t i;

	if (!json_object_size(reasons))
		fprintf(page->to, "<p>Nothing was skipped.</p>\n");
	fprintf(page->to, "<dl>\n");
	json_object_foreach(reasons, why, rows)
	{
		fprintf(page->to, "<dt>");
		put_text(page->to, why);
		fprintf(page->to, "</dt>\n");
		json_array_foreach(rows, i, row)
		{
			put_skipped(page, &r->rows[json_integer_value(row)]);
		}
	}
	fprintf(page->to, "</dl>\n");
	json_decref(reasons);
}
