/* SPDX-License-Identifier: BSD-2-Clause */
/* The show command: the machine, then what was found, a table for each group. */
#define _GNU_SOURCE /* strverscmp */
#include <fnmatch.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/commands.h"
#include "tools/report/output.h"
#include "tools/report/rows.h"
#include "tools/report/table.h"

enum sort { SORT_NAME, SORT_VALUE, SORT_LOG };

struct show {
	const struct report *report;
	enum report_unit unit;
	const char *match; /* NULL: all */
	enum sort sort;
	int width;
	bool printed; /* a table, so that the next needs a line between */
};

/* Rows for one table. */
struct selection {
	const struct row **rows;
	size_t n;
};

static const char *const unit_titles[] = {
	[UNIT_TICKS] = "ticks", [UNIT_NS] = "ns", [UNIT_CORE] = "core cycles"};

/* What the row's figures are in. */
static const char *unit_title(const struct show *s, const struct row *row)
{
	const char *own = record_text(row->record, "unit");

	return own && strcmp(own, "tsc") ? own : unit_titles[s->unit];
}

static void label(const char *name)
{
	printf("%-11s", name);
}

static void print_integer(const json_t *record, const char *key, const char *fmt)
{
	const json_t *value = json_object_get(record, key);

	if (json_is_integer(value))
		printf(fmt, json_integer_value(value));
	else
		printf("?");
}

static void print_strings(const char *name, const json_t *list)
{
	size_t i;
	json_t *item;

	if (!json_array_size(list))
		return;
	label(name);
	json_array_foreach((json_t *)list, i, item)
	{
		const char *text = json_string_value(item);

		if (i)
			putchar(' ');
		print_safe(stdout, text ? text : "?", SIZE_MAX);
	}
	putchar('\n');
}

static void print_machine(const struct report *r)
{
	const json_t *run = report_part(r, VERDICT_RUN);
	const json_t *machine = report_part(r, VERDICT_MACHINE);

	label("machine");
	print_member(stdout, machine, "vendor");
	putchar(' ');
	print_member(stdout, machine, "product");
	print_integer(machine, "memory_mib", ", %" JSON_INTEGER_FORMAT " MiB");
	printf(", BIOS ");
	print_member(stdout, machine, "bios");
	putchar('\n');
	label("firmware");
	print_member(stdout, run, "firmware");
	printf(", Secure Boot ");
	print_member(stdout, run, "secure_boot");
	printf(", hypervisor ");
	print_member(stdout, run, "hypervisor");
	putchar('\n');
}

static void print_cpu(const struct report *r)
{
	const json_t *cpu = report_part(r, VERDICT_CPU), *cpus = report_part(r, VERDICT_CPUS);

	label("cpu");
	print_member(stdout, cpu, "brand");
	printf(", ");
	print_member(stdout, cpu, "vendor");
	print_integer(cpu, "family", " %" JSON_INTEGER_FORMAT);
	print_integer(cpu, "model", "/%" JSON_INTEGER_FORMAT);
	print_integer(cpu, "stepping", "/%" JSON_INTEGER_FORMAT);
	print_integer(cpu, "microcode", ", microcode %#" PRIx64);
	putchar('\n');
	print_strings("features", json_object_get(cpu, "features"));
	print_strings("disabled", json_object_get(cpu, "disabled"));
	print_strings("errata", json_object_get(cpu, "errata"));
	label("cpus");
	print_integer(cpus, "online", "%" JSON_INTEGER_FORMAT);
	print_integer(cpus, "expected", " of %" JSON_INTEGER_FORMAT " online, ");
	print_member(stdout, cpus, "apic_mode");
	putchar('\n');
	print_failed_cpus(cpus, "           ");
}

/* The name of a counter, or why there is none. */
static void print_counter(const json_t *clock, const char *key, const char *why_key)
{
	const char *name = record_text(clock, key), *why = record_text(clock, why_key);

	print_safe(stdout, name ? name : "none", SIZE_MAX);
	if (!name && why && *why) {
		printf(" (");
		print_safe(stdout, why, SIZE_MAX);
		putchar(')');
	}
}

static void print_counters(const json_t *clock)
{
	if (!json_object_get(clock, "core_counter") && !json_object_get(clock, "walk_counter"))
		return;
	label("counters");
	printf("core cycles: ");
	print_counter(clock, "core_counter", "core_counter_why");
	printf("; page walks: ");
	print_counter(clock, "walk_counter", "walk_counter_why");
	putchar('\n');
}

static void print_clock(const struct report *r)
{
	const json_t *clock = report_part(r, VERDICT_CLOCK);
	const json_t *invariant = json_object_get(clock, "invariant");
	size_t i;
	json_t *check;

	label("clock");
	if (r->tsc_hz > 0)
		printf("TSC %.1f MHz", r->tsc_hz / 1e6);
	else
		printf("TSC unknown");
	printf(", by ");
	print_member(stdout, clock, "source");
	if (json_is_boolean(invariant))
		printf(", %sinvariant", json_is_true(invariant) ? "" : "not ");
	json_array_foreach(json_object_get(clock, "checks"), i, check)
	{
		printf("; ");
		print_member(stdout, check, "source");
		print_integer(check, "ppm", " %+" JSON_INTEGER_FORMAT " ppm");
	}
	putchar('\n');
	print_counters(clock);
}

static void print_run(const struct report *r)
{
	const json_t *run = report_part(r, VERDICT_RUN);
	const char *cmdline = record_text(run, "cmdline");

	label("shootdown");
	print_member(stdout, run, "version");
	printf(" (");
	print_member(stdout, run, "commit");
	printf(", ");
	print_member(stdout, run, "compiler");
	printf("), boot ");
	print_member(stdout, run, "boot");
	printf(", date ");
	print_member(stdout, run, "date");
	putchar('\n');
	if (cmdline && *cmdline) {
		label("cmdline");
		print_member(stdout, run, "cmdline");
		putchar('\n');
	}
	if (r->emulator) {
		label("note");
		printf("times are those of an emulator, %s, not of a CPU\n", r->emulator);
	}
}

static bool matches(const struct show *s, const struct row *row)
{
	return !s->match || !fnmatch(s->match, row->name, 0);
}

/* What to sort a row by: the dearest last. */
static double sort_value(const struct show *s, const struct row *row)
{
	double value = 0;

	if (!row_time(s->report, row, "net", s->unit, &value))
		record_number(row->record, "value", &value);
	return value;
}

static int by_name(const void *a, const void *b)
{
	const struct row *x = *(const struct row *const *)a, *y = *(const struct row *const *)b;
	int order = strverscmp(x->name, y->name);

	order = order ? order : strverscmp(x->params, y->params);
	return order ? order : (x > y) - (x < y);
}

static const struct show *sorting; /* qsort() has no argument to spare */

static int by_value(const void *a, const void *b)
{
	double x = sort_value(sorting, *(const struct row *const *)a);
	double y = sort_value(sorting, *(const struct row *const *)b);

	return x == y ? by_name(a, b) : (x > y) - (x < y);
}

static void sort_rows(const struct show *s, struct selection *rows)
{
	sorting = s;
	if (s->sort == SORT_NAME)
		qsort(rows->rows, rows->n, sizeof(rows->rows[0]), by_name);
	else if (s->sort == SORT_VALUE)
		qsort(rows->rows, rows->n, sizeof(rows->rows[0]), by_value);
}

/* All of some kinds, in the order of the log. */
static struct selection select_rows(const struct show *s, enum row_kind first, enum row_kind last)
{
	const struct report *r = s->report;
	struct selection out = {must_have(calloc(r->nr_rows + 1, sizeof(out.rows[0]))), 0};

	for (size_t i = 0; i < r->nr_rows; i++) {
		const struct row *row = &r->rows[i];

		if (row->kind >= first && row->kind <= last && matches(s, row))
			out.rows[out.n++] = row;
	}
	return out;
}

static struct selection select_kind(const struct show *s, enum row_kind kind)
{
	struct selection out = select_rows(s, kind, kind);

	sort_rows(s, &out);
	return out;
}

/* The line above a table. */
static void print_heading(struct show *s, const struct row *row, const char *what,
			  const char *params)
{
	putchar('\n');
	s->printed = true;
	color_begin(COLOR_TITLE);
	if (row) {
		print_safe(stdout, row->name, row->group_length);
		printf("/  ");
	}
	fputs(what, stdout);
	if (*params) {
		printf("; ");
		print_safe(stdout, params, SIZE_MAX);
	}
	color_end(COLOR_TITLE);
	putchar('\n');
}

/* The name without its group, and the parameters that are its own. */
static void add_name(struct table *t, const struct row *row, const struct shared *shared)
{
	const char *what = row->name + row->group_length;
	char *params = own_params(row, shared);

	table_add(t, "%s", *what == '/' && what[1] ? what + 1 : row->name);
	table_add(t, "%s", params);
	free(params);
}

static void add_number(struct table *t, bool there, double value)
{
	table_add(t, "%s", there ? figure(value).text : "-");
}

static void add_member(struct table *t, const json_t *record, const char *key)
{
	double value = 0;
	bool there = record_number(record, key, &value);

	add_number(t, there, value);
}

/* A percentile without the empty section. Core cycles have none. */
static void add_net_of(struct table *t, const struct show *s, const struct row *row,
		       const char *key)
{
	double value = 0, baseline = 0;
	bool there = row_time(s->report, row, key, s->unit, &value) &&
		     row_time(s->report, row, "baseline", s->unit, &baseline);

	if (s->unit == UNIT_CORE)
		table_add(t, "%s", "");
	else
		add_number(t, there, value - baseline);
}

static const char *mark(const struct row *row)
{
	return row->modelled ? "modelled" : "";
}

/* What page walks took, where that was counted. */
static void add_walk(struct table *t, const struct row *row)
{
	const json_t *walk = json_object_get(row->record, "walk");
	const char *unit = record_text(walk, "unit");
	double net;

	if (record_number(walk, "net", &net))
		table_add(t, "%s %s", figure(net).text, unit ? unit : "");
	else
		table_add(t, "%s", "");
}

static void add_bench(struct table *t, const struct show *s, const struct row *row)
{
	double value = 0, lo, hi;
	bool there = row_time(s->report, row, "net", s->unit, &value);

	add_number(t, there, value);
	if (row_interval(s->report, row, true, s->unit, &lo, &hi))
		table_add(t, "[%s, %s]", figure(lo).text, figure(hi).text);
	else
		table_add(t, "-");
	add_net_of(t, s, row, "min");
	add_net_of(t, s, row, "p5");
	add_net_of(t, s, row, "p95");
	add_net_of(t, s, row, "max");
	add_member(t, s->unit == UNIT_CORE ? json_object_get(row->record, "core") : row->record,
		   "n");
	add_walk(t, row);
	table_add(t, "%s", mark(row));
}

static void print_benches(struct show *s, const struct selection *rows)
{
	static const struct column columns[] = {
		{"", ALIGN_LEFT, 0},     {"", ALIGN_LEFT, 0},
		{"net", ALIGN_RIGHT, 0}, {"95% of median", ALIGN_RIGHT, 1},
		{"min", ALIGN_RIGHT, 5}, {"p5", ALIGN_RIGHT, 4},
		{"p95", ALIGN_RIGHT, 3}, {"max", ALIGN_RIGHT, 6},
		{"n", ALIGN_RIGHT, 8},   {"page walks", ALIGN_RIGHT, 7},
		{"", ALIGN_LEFT, 0},
	};
	struct table *t = table_new(columns, sizeof(columns) / sizeof(columns[0]));
	struct shared shared = shared_find(rows->rows, rows->n);
	char what[64];

	snprintf(what, sizeof(what), "%s, less those of the empty section", unit_titles[s->unit]);
	print_heading(s, rows->rows[0], what, shared.above);
	for (size_t i = 0; i < rows->n; i++) {
		add_name(t, rows->rows[i], &shared);
		add_bench(t, s, rows->rows[i]);
	}
	table_print(t, s->width);
	table_free(t);
	shared_drop(&shared);
}

static void add_rate(struct table *t, const struct row *row)
{
	double lo, hi;
	const char *unit = record_text(row->record, "unit");

	add_member(t, row->record, "value");
	table_add(t, "%s", unit ? unit : "");
	if (record_pair(row->record, "ci", &lo, &hi))
		table_add(t, "[%s, %s]", figure(lo).text, figure(hi).text);
	else
		table_add(t, "-");
	add_member(t, row->record, "ipis");
	add_member(t, row->record, "invlpgbs");
	add_member(t, row->record, "rounds");
	table_add(t, "%s", mark(row));
}

static void print_rates(struct show *s, const struct selection *rows)
{
	static const struct column columns[] = {
		{"", ALIGN_LEFT, 0},          {"", ALIGN_LEFT, 0},        {"rate", ALIGN_RIGHT, 0},
		{"", ALIGN_LEFT, 0},          {"95%", ALIGN_RIGHT, 1},    {"ipis", ALIGN_RIGHT, 3},
		{"invlpgbs", ALIGN_RIGHT, 4}, {"rounds", ALIGN_RIGHT, 5}, {"", ALIGN_LEFT, 0},
	};
	struct table *t = table_new(columns, sizeof(columns) / sizeof(columns[0]));
	struct shared shared = shared_find(rows->rows, rows->n);

	print_heading(s, rows->rows[0], "rates, more is better", shared.above);
	for (size_t i = 0; i < rows->n; i++) {
		add_name(t, rows->rows[i], &shared);
		add_rate(t, rows->rows[i]);
	}
	table_print(t, s->width);
	table_free(t);
	shared_drop(&shared);
}

/* How many of rows[0..] are of one matrix. */
static size_t matrix_rows(const struct selection *rows, size_t first)
{
	size_t n = 1;

	while (first + n < rows->n &&
	       !strcmp(rows->rows[first]->name, rows->rows[first + n]->name) &&
	       !strcmp(rows->rows[first]->params, rows->rows[first + n]->params))
		n++;
	return n;
}

static size_t matrix_columns(const struct row *const *rows, size_t n)
{
	size_t columns = 0;

	for (size_t i = 0; i < n; i++) {
		size_t size = json_array_size(json_object_get(rows[i]->record, "p50"));

		columns = size > columns ? size : columns;
	}
	return columns;
}

static void print_matrix(struct show *s, const struct row *const *rows, size_t n)
{
	size_t nr_columns = matrix_columns(rows, n) + 1;
	struct column *columns = must_have(calloc(nr_columns, sizeof(columns[0])));
	char(*titles)[24] = must_have(calloc(nr_columns, sizeof(titles[0])));
	struct table *t = table_new(columns, nr_columns);

	columns[0] = (struct column){"row", ALIGN_RIGHT, 0};
	for (size_t i = 1; i < nr_columns; i++) {
		snprintf(titles[i], sizeof(titles[i]), "%zu", i - 1);
		/* Too many for the terminal: the last are left out. */
		columns[i] = (struct column){titles[i], ALIGN_RIGHT, i + 1};
	}
	for (size_t i = 0; i < n; i++) {
		const json_t *cells = json_object_get(rows[i]->record, "p50");
		double scale = row_scale(s->report, rows[i], s->unit);

		add_member(t, rows[i]->record, "row");
		for (size_t j = 1; j < nr_columns; j++) {
			const json_t *cell = json_array_get(cells, j - 1);

			add_number(t, scale && json_is_number(cell),
				   json_number_value(cell) * scale);
		}
	}
	table_print(t, s->width);
	table_free(t);
	free(titles);
	free(columns);
}

static void print_matrices(struct show *s, const struct selection *rows)
{
	size_t n;

	for (size_t i = 0; i < rows->n; i += n) {
		const struct row *row = rows->rows[i];
		char what[160];

		n = matrix_rows(rows, i);
		snprintf(what, sizeof(what), "%.60s, medians in %.60s%s",
			 row->name + row->group_length + (row->name[row->group_length] == '/'),
			 unit_title(s, row), row->modelled ? ", modelled" : "");
		for (char *c = what; *c; c++)
			*c = *c >= ' ' && *c <= '~' ? *c : '?';
		print_heading(s, row, what, row->params);
		print_matrix(s, rows->rows + i, n);
	}
}

static void print_retention(struct show *s, const struct selection *rows)
{
	static const struct column columns[] = {
		{"", ALIGN_LEFT, 0},    {"", ALIGN_LEFT, 0},   {"kept", ALIGN_RIGHT, 0},
		{"of", ALIGN_RIGHT, 0}, {"%", ALIGN_RIGHT, 1}, {"", ALIGN_LEFT, 0},
	};
	struct table *t = table_new(columns, sizeof(columns) / sizeof(columns[0]));
	struct shared shared = shared_find(rows->rows, rows->n);

	print_heading(s, rows->rows[0], "TLB entries that outlived a flush of others",
		      shared.above);
	for (size_t i = 0; i < rows->n; i++) {
		const json_t *record = rows->rows[i]->record;
		double kept = 0, of = 0;
		bool there = record_number(record, "kept", &kept) &&
			     record_number(record, "of", &of) && of > 0;

		add_name(t, rows->rows[i], &shared);
		add_member(t, record, "kept");
		add_member(t, record, "of");
		add_number(t, there, there ? 100 * kept / of : 0);
		table_add(t, "%s", mark(rows->rows[i]));
	}
	table_print(t, s->width);
	table_free(t);
	shared_drop(&shared);
}

/* The tables of one group: rows[order[0..n]]. */
static void print_group(struct show *s, const struct row *const *rows, const size_t *order,
			size_t n)
{
	static void (*const printers[])(struct show *, const struct selection *) = {
		[ROW_BENCH] = print_benches,
		[ROW_RATE] = print_rates,
		[ROW_MATRIX] = print_matrices,
		[ROW_RETENTION] = print_retention,
	};
	struct selection some = {must_have(calloc(n, sizeof(some.rows[0]))), 0};

	for (enum row_kind kind = ROW_BENCH; kind <= ROW_RETENTION; kind++) {
		some.n = 0;
		for (size_t i = 0; i < n; i++) {
			if (rows[order[i]]->kind == kind)
				some.rows[some.n++] = rows[order[i]];
		}
		sort_rows(s, &some);
		if (some.n)
			printers[kind](s, &some);
	}
	free(some.rows);
}

static void print_groups(struct show *s)
{
	struct selection all = select_rows(s, ROW_BENCH, ROW_RETENTION);
	struct groups groups = groups_find(all.rows, all.n);

	for (size_t i = 0; i < groups.n; i++)
		print_group(s, all.rows, groups.order + groups.begin[i],
			    groups.begin[i + 1] - groups.begin[i]);
	groups_drop(&groups);
	free(all.rows);
}

static void add_point(struct table *t, const json_t *point, double scale)
{
	add_number(t, scale && json_is_number(point), json_number_value(point) * scale);
}

/* The columns are the curves, the first of which is what they are drawn over. */
static void print_curves(const struct show *s, const struct row *row)
{
	json_t *curves = json_object_get(row->record, "curves"), *curve;
	size_t nr_columns = json_object_size(curves), i = 0;
	size_t points = json_array_size(json_object_iter_value(json_object_iter(curves)));
	double scale = row_scale(s->report, row, s->unit);
	struct column *columns;
	struct table *t;
	const char *key;

	if (!nr_columns)
		return;
	columns = must_have(calloc(nr_columns, sizeof(columns[0])));
	json_object_foreach(curves, key, curve) columns[i++] = (struct column){key, ALIGN_RIGHT, 0};
	t = table_new(columns, nr_columns);
	for (size_t point = 0; point < points; point++) {
		i = 0;
		json_object_foreach(curves, key, curve)
		{
			add_point(t, json_array_get(curve, point), i++ ? scale : 1);
		}
	}
	table_print(t, s->width);
	table_free(t);
	free(columns);
}

static void print_tunable(struct show *s, const struct row *row)
{
	static const struct column columns[] = {{"", ALIGN_LEFT, 0},
						{"", ALIGN_RIGHT, 0},
						{"", ALIGN_LEFT, 0},
						{"", ALIGN_NOTE, 0}};
	struct table *t = table_new(columns, sizeof(columns) / sizeof(columns[0]));
	const char *why = record_text(row->record, "why");

	table_add(t, "%s", row->name);
	add_member(t, row->record, "value");
	table_add(t, "%s", row->params);
	table_add(t, "%s", why ? why : "");
	table_print(t, s->width);
	table_free(t);
	if (json_object_size(json_object_get(row->record, "curves"))) {
		printf("by curves in ");
		print_safe(stdout, unit_title(s, row), 60);
		putchar('\n');
	}
	print_curves(s, row);
}

static void print_advice(struct show *s)
{
	struct selection rows = select_kind(s, ROW_ADVICE);

	if (rows.n)
		print_heading(s, NULL, "advice", "");
	for (size_t i = 0; i < rows.n; i++)
		print_tunable(s, rows.rows[i]);
	free(rows.rows);
}

static enum color result_color(const char *result)
{
	if (!strcmp(result, "pass"))
		return COLOR_GOOD;
	return strcmp(result, "fail") ? COLOR_FAINT : COLOR_BAD;
}

static void add_check(struct table *t, const struct row *row, const char *result)
{
	const char *why = record_text(row->record, "why");
	const char *control = record_text(row->record, "control");

	why = why ? why : "";
	control = control ? control : "";
	table_color(t, result_color(result));
	table_add(t, "%s", result);
	table_add(t, "%s", row->name);
	table_add(t, "%s", row->params);
	table_add(t, "%s%s%s", why, *why && *control ? "; " : "", control);
}

/* With the failures first, and last what benchmarks were left out. */
static void print_checks(struct show *s)
{
	static const struct column columns[] = {
		{"", ALIGN_LEFT, 0}, {"", ALIGN_LEFT, 0}, {"", ALIGN_LEFT, 0}, {"", ALIGN_NOTE, 0}};
	static const char *const order[] = {"fail", "xfail", "pass", "skip"};
	struct table *t = table_new(columns, sizeof(columns) / sizeof(columns[0]));
	struct selection checks = select_kind(s, ROW_CHECK);
	struct selection skips = select_kind(s, ROW_SKIP);

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		for (size_t j = 0; j < checks.n; j++) {
			const char *result = record_text(checks.rows[j]->record, "result");

			if (result && !strcmp(result, order[i]))
				add_check(t, checks.rows[j], result);
		}
	}
	for (size_t i = 0; i < skips.n; i++)
		add_check(t, skips.rows[i], "skip");
	if (checks.n || skips.n) {
		print_heading(s, NULL, "checks, and what was skipped", "");
		table_print(t, s->width);
	}
	table_free(t);
	free(checks.rows);
	free(skips.rows);
}

static void print_totals(const struct report *r)
{
	const struct verdict *v = r->verdict;

	printf("\n%u record%s", v->records, v->records == 1 ? "" : "s");
	if (!verdict_whole(v))
		printf(", DAMAGED OR INCOMPLETE");
	printf("; %u passed, %u failed, %u skipped", v->counts[VERDICT_PASS],
	       v->counts[VERDICT_FAIL], v->counts[VERDICT_SKIP]);
	if (v->counts[VERDICT_XFAIL])
		printf(", %u failed as expected", v->counts[VERDICT_XFAIL]);
	putchar('\n');
}

static void show(struct show *s)
{
	print_machine(s->report);
	print_cpu(s->report);
	print_clock(s->report);
	print_run(s->report);
	print_groups(s);
	print_advice(s);
	print_checks(s);
	if (s->match && !s->printed)
		printf("\nnothing matches\n");
	print_totals(s->report);
}

/* False where the option is not good. */
static bool take_sort(struct show *s, const char *name)
{
	static const char *const names[] = {
		[SORT_NAME] = "name", [SORT_VALUE] = "value", [SORT_LOG] = "log"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(name, names[i])) {
			s->sort = i;
			return true;
		}
	}
	fprintf(stderr, "shootdown-report: no order '%s': name, value or log\n", name);
	return false;
}

static bool take_option(struct show *s, int option)
{
	switch (option) {
	case 'u':
		return command_unit(optarg, &s->unit);
	case 'm':
		s->match = optarg;
		return true;
	case 's':
		return take_sort(s, optarg);
	case 'w':
		return command_width(optarg, &s->width);
	default:
		return false;
	}
}

int show_run(int argc, char **argv)
{
	static const struct option options[] = {{"unit", required_argument, NULL, 'u'},
						{"match", required_argument, NULL, 'm'},
						{"sort", required_argument, NULL, 's'},
						{"width", required_argument, NULL, 'w'},
						{NULL, 0, NULL, 0}};
	struct show s = {.unit = UNIT_NS, .width = terminal_width()};
	struct report *r;
	int option, status;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (!take_option(&s, option))
			return command_usage(argv[0]);
	}
	if (optind + 1 != argc)
		return command_usage(argv[0]);
	r = command_load(argv[optind]);
	if (!r)
		return STATUS_USAGE;
	s.report = r;
	if (r->verdict->records)
		show(&s);
	status = command_status(r);
	report_free(r);
	return status;
}
