/* SPDX-License-Identifier: BSD-2-Clause */
/* The compare command: what differs between two logs, or two lots of logs, and what is noise. */
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/commands.h"
#include "tools/report/compare_checks.h"
#include "tools/report/comparison.h"
#include "tools/report/output.h"
#include "tools/report/rows.h"
#include "tools/report/table.h"

#define THRESHOLD_PERCENT 5

struct compare {
	const enum report_unit *unit; /* NULL: whatever both have */
	enum report_unit chosen_unit;
	const char *match;
	double threshold; /* percent */
	bool changed;     /* only what differs */
	int width;
	struct side sides[2];
	struct comparison *comparison;
	struct check_changes *checks;
};

static const char *const outcome_names[OUTCOMES] = {
	[OUTCOME_SAME] = "",
	[OUTCOME_SLOWER] = "slower",
	[OUTCOME_FASTER] = "faster",
	[OUTCOME_DIFFERS] = "differs",
	[OUTCOME_ONLY_A] = "only in A",
	[OUTCOME_ONLY_B] = "only in B",
	[OUTCOME_MODELLED] = "modelled",
	[OUTCOME_NONE] = "no figure",
};

/* Where two machines or runs may differ, so that their figures do. */
static const struct fact {
	const char *title;
	enum verdict_part part;
	const char *key;
} facts[] = {
	{"machine", VERDICT_MACHINE, "product"},   {"made by", VERDICT_MACHINE, "vendor"},
	{"memory", VERDICT_MACHINE, "memory_mib"}, {"BIOS", VERDICT_MACHINE, "bios"},
	{"firmware", VERDICT_RUN, "firmware"},     {"boot", VERDICT_RUN, "boot"},
	{"hypervisor", VERDICT_RUN, "hypervisor"}, {"cpu", VERDICT_CPU, "brand"},
	{"family", VERDICT_CPU, "family"},         {"model", VERDICT_CPU, "model"},
	{"stepping", VERDICT_CPU, "stepping"},     {"microcode", VERDICT_CPU, "microcode"},
	{"features", VERDICT_CPU, "features"},     {"disabled", VERDICT_CPU, "disabled"},
	{"errata", VERDICT_CPU, "errata"},         {"cpus", VERDICT_CPUS, "online"},
	{"APIC", VERDICT_CPUS, "apic_mode"},       {"clock", VERDICT_CLOCK, "source"},
	{"cmdline", VERDICT_RUN, "cmdline"},       {"version", VERDICT_RUN, "version"},
	{"commit", VERDICT_RUN, "commit"},         {"compiler", VERDICT_RUN, "compiler"},
};

#define NR_FACTS (sizeof(facts) / sizeof(facts[0]))

static const json_t *fact_of(const struct report *r, const struct fact *f)
{
	return json_object_get(report_part(r, f->part), f->key);
}

static bool same_fact(const json_t *a, const json_t *b)
{
	return a == b || (a && b && json_equal(a, b));
}

static bool list_has(const json_t *list, const json_t *wanted)
{
	size_t i;
	json_t *item;

	json_array_foreach((json_t *)list, i, item)
	{
		if (json_equal(item, wanted))
			return true;
	}
	return false;
}

/* Numbers in hexadecimal where all the world has them so. */
static void print_value(FILE *to, const struct fact *f, const json_t *value)
{
	char *text;

	if (json_is_integer(value) && !strcmp(f->key, "microcode")) {
		fprintf(to, "%#" PRIx64, (uint64_t)json_integer_value(value));
		return;
	}
	if (json_is_string(value)) {
		fputs(json_string_value(value), to);
		return;
	}
	text = value ? must_have(json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT)) : NULL;
	fputs(text ? text : "unknown", to);
	free(text);
}

/* Of a list what the other has not got. */
static void print_fact(FILE *to, const struct fact *f, const json_t *value, const json_t *other)
{
	size_t i;
	json_t *item;

	if (!json_is_array(value) || !json_is_array(other)) {
		print_value(to, f, value);
		return;
	}
	json_array_foreach((json_t *)value, i, item)
	{
		if (list_has(other, item))
			continue;
		if (ftell(to))
			putc(' ', to);
		print_value(to, f, item);
	}
}

static char *fact_text(const struct side *side, const struct fact *f, const json_t *other)
{
	const json_t *value = fact_of(side->reports[0], f);
	char *text = NULL;
	size_t length = 0, same = 1;
	FILE *to = must_have(open_memstream(&text, &length));

	print_fact(to, f, value, other);
	while (same < side->n && same_fact(value, fact_of(side->reports[same], f)))
		same++;
	if (same < side->n)
		fprintf(to, " (and others)");
	if (fclose(to))
		must_have(NULL);
	return text;
}

/* Whether any report of either side has another value than the first. */
static bool fact_differs(const struct compare *c, const struct fact *f)
{
	const json_t *value = fact_of(c->sides[0].reports[0], f);

	for (int side = 0; side < 2; side++) {
		for (size_t i = 0; i < c->sides[side].n; i++) {
			if (!same_fact(value, fact_of(c->sides[side].reports[i], f)))
				return true;
		}
	}
	return false;
}

static void print_facts(const struct compare *c)
{
	static const struct column columns[] = {
		{"", ALIGN_LEFT, 0}, {"A", ALIGN_LEFT, 0}, {"B", ALIGN_LEFT, 0}};
	struct table *t = table_new(columns, sizeof(columns) / sizeof(columns[0]));
	size_t n = 0;

	for (size_t i = 0; i < NR_FACTS; i++) {
		const json_t *first = fact_of(c->sides[0].reports[0], &facts[i]);
		const json_t *second = fact_of(c->sides[1].reports[0], &facts[i]);
		char *a, *b;

		if (!fact_differs(c, &facts[i]))
			continue;
		a = fact_text(&c->sides[0], &facts[i], second);
		b = fact_text(&c->sides[1], &facts[i], first);
		table_add(t, "%s", facts[i].title);
		table_add(t, "%s", a);
		table_add(t, "%s", b);
		free(a);
		free(b);
		n++;
	}
	if (!c->comparison->scale) {
		table_add(t, "TSC MHz");
		table_add(t, "%.1f", c->sides[0].reports[0]->tsc_hz / 1e6);
		table_add(t, "%.1f", c->sides[1].reports[0]->tsc_hz / 1e6);
		n++;
	}
	if (n)
		table_print(t, c->width);
	else
		printf("the same machine, firmware, microcode, command line and build\n");
	table_free(t);
}

/* What the times of a side are of, where it is no CPU. */
static const char *emulator_of(const struct side *side)
{
	for (size_t i = 0; i < side->n; i++) {
		if (side->reports[i]->emulator)
			return side->reports[i]->emulator;
	}
	return NULL;
}

static void print_side(const struct compare *c, int side)
{
	const struct report *r = c->sides[side].reports[0];
	const char *emulator = emulator_of(&c->sides[side]);

	printf("%c  ", "AB"[side]);
	print_safe(stdout, r->file, SIZE_MAX);
	if (c->sides[side].n > 1)
		printf(" and %zu more", c->sides[side].n - 1);
	printf("  ");
	print_member(stdout, report_part(r, VERDICT_CPU), "brand");
	if (emulator)
		printf("  (emulated: %s)", emulator);
	putchar('\n');
}

static void print_sides(const struct compare *c)
{
	print_side(c, 0);
	print_side(c, 1);
	if (!emulator_of(&c->sides[0]) != !emulator_of(&c->sides[1]))
		printf("One side's times are an emulator's, the other's a CPU's.\n");
	print_facts(c);
}

static void print_drift(const struct comparison *c)
{
	if (!c->drift_rows)
		printf("none, as no row varies.\n");
	else if (c->drift_rows < DRIFT_ROWS_MIN)
		printf("x%.2f is supposed, as %zu row%s can't tell.\n", c->drift, c->drift_rows,
		       c->drift_rows == 1 ? " that varies" : "s that vary");
	else if (c->drift < c->drift_most)
		printf("x%.3f, taken from the %zu rows that vary.\n", c->drift, c->drift_rows);
	else
		printf("x%.2f, the most supposed of such a machine.\n"
		       "Half of the rows moved by x%.2f or more: the machine drifts, or they have "
		       "changed.\nSeveral runs of each would tell.\n",
		       c->drift, cbrt(c->drift));
}

/* The earliest or the latest date of a side's runs, or NULL where one has none. ISO 8601. */
static const char *side_date(const struct side *side, bool latest)
{
	const char *found = NULL;

	for (size_t i = 0; i < side->n; i++) {
		const char *date = record_text(report_part(side->reports[i], VERDICT_RUN), "date");

		if (!date || !*date)
			return NULL;
		if (!found || (strcmp(date, found) > 0) == latest)
			found = date;
	}
	return found;
}

static bool is_after(const struct side *a, const struct side *b)
{
	const char *first = side_date(a, false), *last = side_date(b, true);

	return first && last && strcmp(first, last) > 0;
}

static void print_order(const struct comparison *c)
{
	if (is_after(&c->sides[0], &c->sides[1]) || is_after(&c->sides[1], &c->sides[0]))
		printf("All runs of one side came before those of the other: a change with "
		       "time\nlooks like one between them.\n");
}

/* How the verdicts came about: the same words as in the manual. */
static void print_method(const struct comparison *c)
{
	size_t a = c->sides[0].n, b = c->sides[1].n;

	printf("\n%zu run%s of A, %zu of B", a, a == 1 ? "" : "s", b);
	if (c->tested) {
		printf(": a row differs where the 95%% interval of B/A (Mann-Whitney),\n"
		       "a step of the counter wider on either side, does not include 1.\n");
		print_order(c);
	} else {
		printf(", too few for a tested 95%% interval (4 and 4 would do): a row\n"
		       "differs where the middle halves of its samples lie further apart than the "
		       "drift\nfrom boot to boot: ");
		print_drift(c);
	}
	if (c->alike)
		printf("All rows moved alike, by x%.3f, as a frequency would.\n", c->alike);
}

static bool has_changed(const struct subject *s)
{
	return s->outcome == OUTCOME_SLOWER || s->outcome == OUTCOME_FASTER ||
	       s->outcome == OUTCOME_DIFFERS;
}

/* The greater the sooner it is printed; what has not changed keeps its place. */
static double change_size(const struct subject *s)
{
	if (!has_changed(s))
		return -1;
	return s->has_ratio && s->ratio > 0 ? fabs(log(s->ratio)) : INFINITY;
}

static int by_change(const void *a, const void *b)
{
	const struct subject *x = *(const struct subject *const *)a;
	const struct subject *y = *(const struct subject *const *)b;
	double p = change_size(x), q = change_size(y);

	return p == q ? (x > y) - (x < y) : (p < q) - (p > q);
}

static enum color outcome_color(const struct subject *s)
{
	switch (s->outcome) {
	case OUTCOME_SLOWER:
		return COLOR_BAD;
	case OUTCOME_FASTER:
		return COLOR_GOOD;
	case OUTCOME_SAME:
	case OUTCOME_DIFFERS:
		return COLOR_NONE;
	default:
		return COLOR_FAINT;
	}
}

static void add_extent(struct table *t, const struct extent *e)
{
	table_add(t, "%s", e->n ? figure(e->middle).text : "-");
}

/* Three decimals tell a percent from its half. */
static void add_ratio(struct table *t, const struct subject *s)
{
	if (!s->has_ratio) {
		table_add(t, "-");
		table_add(t, "%s", "");
		return;
	}
	table_add(t, s->ratio < 1e4 ? "x%.3f" : "x%.3g", s->ratio);
	if (s->ratio_interval.hi < 1e4)
		table_add(t, "[%.3f, %.3f]", s->ratio_interval.lo, s->ratio_interval.hi);
	else
		table_add(t, "[%.3f, ...]", s->ratio_interval.lo);
}

static const char *unit_name(const struct compare *c, const struct row *row)
{
	static const char *const units[] = {
		[UNIT_TICKS] = "ticks", [UNIT_NS] = "ns", [UNIT_CORE] = "core cycles"};
	const char *own = record_text(row->record, "unit");

	return own && strcmp(own, "tsc") ? own : units[c->comparison->unit];
}

static void add_subject(struct table *t, const struct compare *c, const struct subject *s,
			const struct shared *shared)
{
	const char *what = s->row->name + s->row->group_length;
	char *params = own_params(s->row, shared);
	bool own_unit = s->row->kind == ROW_RATE || s->row->kind == ROW_MATRIX;
	double row;

	table_color(t, outcome_color(s));
	if (record_number(s->row->record, "row", &row))
		table_add(t, "%s row %s", *what ? what + 1 : s->row->name, figure(row).text);
	else
		table_add(t, "%s", *what == '/' && what[1] ? what + 1 : s->row->name);
	table_add(t, "%s", params);
	add_extent(t, &s->sides[0]);
	add_extent(t, &s->sides[1]);
	table_add(t, "%s", own_unit ? unit_name(c, s->row) : "");
	add_ratio(t, s);
	table_add(t, "%s", outcome_names[s->outcome]);
	table_add(t, "%s", s->untested ? "too few runs have it" : "");
	free(params);
}

static void print_heading(const struct compare *c, const struct row *row, const char *params)
{
	static const char *const whats[] = {
		[ROW_BENCH] = ", less those of the empty section",
		[ROW_RATE] = "rates, more is better",
		[ROW_MATRIX] = "medians of a table's rows",
		[ROW_RETENTION] = "% of TLB entries that outlived a flush of others",
	};

	putchar('\n');
	color_begin(COLOR_TITLE);
	print_safe(stdout, row->name, row->group_length);
	printf("/  %s%s", row->kind == ROW_BENCH ? unit_name(c, row) : "", whats[row->kind]);
	if (*params) {
		printf("; ");
		print_safe(stdout, params, SIZE_MAX);
	}
	color_end(COLOR_TITLE);
	putchar('\n');
}

/* Of one group and kind. */
static void print_table(const struct compare *c, const struct subject *const *subjects, size_t n)
{
	static const struct column columns[] = {
		{"", ALIGN_LEFT, 0},   {"", ALIGN_LEFT, 0}, {"A", ALIGN_RIGHT, 0},
		{"B", ALIGN_RIGHT, 0}, {"", ALIGN_LEFT, 0}, {"B/A", ALIGN_RIGHT, 0},
		{"", ALIGN_LEFT, 1},   {"", ALIGN_LEFT, 0}, {"", ALIGN_LEFT, 0},
	};
	struct table *t = table_new(columns, sizeof(columns) / sizeof(columns[0]));
	const struct row **rows = must_have(calloc(n, sizeof(rows[0])));
	struct shared shared;

	for (size_t i = 0; i < n; i++)
		rows[i] = subjects[i]->row;
	shared = shared_find(rows, n);
	print_heading(c, rows[0], shared.above);
	for (size_t i = 0; i < n; i++)
		add_subject(t, c, subjects[i], &shared);
	table_print(t, c->width);
	shared_drop(&shared);
	free(rows);
	table_free(t);
}

/* Of those of a group the ones of a kind that are wanted, changed ones first. Returns how many. */
static size_t collect(const struct compare *c, enum row_kind kind, const size_t *order, size_t n,
		      const struct subject **out)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		const struct subject *s = &c->comparison->subjects[order[i]];

		if (s->row->kind == kind && (!c->changed || has_changed(s)))
			out[found++] = s;
	}
	qsort(out, found, sizeof(out[0]), by_change);
	return found;
}

/* Tables with a change, or those without. */
static void print_tables(const struct compare *c, const struct groups *groups, bool changed)
{
	const struct subject **some =
		must_have(calloc(c->comparison->nr_subjects + 1, sizeof(some[0])));

	for (size_t i = 0; i < groups->n; i++) {
		size_t begin = groups->begin[i], n = groups->begin[i + 1] - begin;

		for (enum row_kind kind = ROW_BENCH; kind <= ROW_RETENTION; kind++) {
			size_t found = collect(c, kind, groups->order + begin, n, some);

			if (found && has_changed(some[0]) == changed)
				print_table(c, some, found);
		}
	}
	free(some);
}

static void print_groups(const struct compare *c)
{
	const struct comparison *all = c->comparison;
	const struct row **rows = must_have(calloc(all->nr_subjects + 1, sizeof(rows[0])));
	struct groups groups;

	for (size_t i = 0; i < all->nr_subjects; i++)
		rows[i] = all->subjects[i].row;
	groups = groups_find(rows, all->nr_subjects);
	print_tables(c, &groups, true);
	print_tables(c, &groups, false);
	groups_drop(&groups);
	free(rows);
}

static void print_counts(const struct comparison *c)
{
	printf("\n%zu row%s: %zu slower, %zu faster", c->nr_subjects,
	       c->nr_subjects == 1 ? "" : "s", c->counts[OUTCOME_SLOWER],
	       c->counts[OUTCOME_FASTER]);
	if (c->counts[OUTCOME_DIFFERS])
		printf(", %zu differ", c->counts[OUTCOME_DIFFERS]);
	printf(", %zu without a difference", c->counts[OUTCOME_SAME]);
	if (c->counts[OUTCOME_ONLY_A] || c->counts[OUTCOME_ONLY_B])
		printf("; %zu only in A, %zu only in B", c->counts[OUTCOME_ONLY_A],
		       c->counts[OUTCOME_ONLY_B]);
	if (c->counts[OUTCOME_MODELLED])
		printf("; %zu modelled, without times", c->counts[OUTCOME_MODELLED]);
	if (c->counts[OUTCOME_NONE])
		printf("; %zu without a figure", c->counts[OUTCOME_NONE]);
	putchar('\n');
}

/* How many rows got slower by more than the threshold; says so. */
static size_t count_slower(const struct compare *c)
{
	const struct comparison *all = c->comparison;
	size_t n = 0;

	for (size_t i = 0; i < all->nr_subjects; i++) {
		const struct subject *s = &all->subjects[i];

		n += s->outcome == OUTCOME_SLOWER && s->worse > 1 + c->threshold / 100;
	}
	if (n)
		printf("%zu slower by more than %s%% (--threshold)\n", n,
		       figure(c->threshold).text);
	return n;
}

/* Whether there is anything to compare. If not, says so. */
static bool has_common(const struct compare *c)
{
	const struct comparison *all = c->comparison;
	size_t single = all->counts[OUTCOME_ONLY_A] + all->counts[OUTCOME_ONLY_B];

	if (single + all->counts[OUTCOME_NONE] < all->nr_subjects || c->checks->in_both)
		return true;
	fprintf(stderr, "shootdown-report: there is nothing to compare: ");
	if (c->match && !all->nr_subjects && !c->checks->n)
		fprintf(stderr, "nothing matches '%s'\n", c->match);
	else if (all->counts[OUTCOME_NONE])
		fprintf(stderr, "no row has a figure in that unit in both\n");
	else
		fprintf(stderr, "no row is in both\n");
	return false;
}

static void print_all(const struct compare *c)
{
	if (c->comparison->nr_subjects) {
		print_method(c->comparison);
		print_groups(c);
	}
	check_changes_print(c->checks, c->width);
	if (c->comparison->nr_subjects)
		print_counts(c->comparison);
}

static int compare(struct compare *c)
{
	int status = STATUS_GOOD;

	c->comparison = comparison_new(c->sides, c->unit, c->match);
	c->checks = check_changes_new(c->sides, c->match);
	print_sides(c);
	if (!has_common(c)) {
		status = STATUS_DAMAGED;
	} else {
		print_all(c);
		if (count_slower(c) + c->checks->failing)
			status = STATUS_FAILED;
	}
	check_changes_free(c->checks);
	comparison_free(c->comparison);
	return status;
}

static void free_side(struct side *side)
{
	for (size_t i = 0; i < side->n; i++)
		report_free((struct report *)side->reports[i]);
	free(side->reports);
}

/* The status by which loading ended; all are tried. */
static int load_side(struct side *side, char **paths, int n)
{
	int worst = STATUS_GOOD;

	side->reports = must_have(calloc(n, sizeof(side->reports[0])));
	for (int i = 0; i < n; i++) {
		struct report *r = command_load(paths[i]);
		int status = !r                     ? STATUS_USAGE
			     : !r->verdict->records ? STATUS_DAMAGED
						    : command_status(r);

		if (r)
			side->reports[side->n++] = r;
		worst = status > worst ? status : worst;
	}
	return worst;
}

static int load_and_compare(struct compare *c, char **a, int nr_a, char **b, int nr_b)
{
	int first = load_side(&c->sides[0], a, nr_a), second = load_side(&c->sides[1], b, nr_b);
	int worst = first > second ? first : second, status;

	if (worst < STATUS_USAGE) {
		status = compare(c);
		worst = status > worst ? status : worst;
	}
	free_side(&c->sides[0]);
	free_side(&c->sides[1]);
	return worst;
}

static bool take_threshold(struct compare *c)
{
	char *end;

	c->threshold = strtod(optarg, &end);
	if (!*end && end != optarg && c->threshold >= 0 && isfinite(c->threshold))
		return true;
	fprintf(stderr, "shootdown-report: '%s' is no percentage\n", optarg);
	return false;
}

static bool take_option(struct compare *c, int option)
{
	switch (option) {
	case 'u':
		c->unit = &c->chosen_unit;
		return command_unit(optarg, &c->chosen_unit);
	case 'm':
		c->match = optarg;
		return true;
	case 't':
		return take_threshold(c);
	case 'c':
		c->changed = true;
		return true;
	case 'w':
		return command_width(optarg, &c->width);
	default:
		return false;
	}
}

/* The "--" between the two sides, or argc. */
static int find_divide(int argc, char **argv)
{
	int i = 1;

	while (i < argc && strcmp(argv[i], "--"))
		i++;
	return i;
}

int compare_run(int argc, char **argv)
{
	static const struct option options[] = {{"unit", required_argument, NULL, 'u'},
						{"match", required_argument, NULL, 'm'},
						{"threshold", required_argument, NULL, 't'},
						{"changed", no_argument, NULL, 'c'},
						{"width", required_argument, NULL, 'w'},
						{NULL, 0, NULL, 0}};
	struct compare c = {.threshold = THRESHOLD_PERCENT, .width = terminal_width()};
	int divide = find_divide(argc, argv), option, nr_a;

	while ((option = getopt_long(divide, argv, "", options, NULL)) != -1) {
		if (!take_option(&c, option))
			return command_usage(argv[0]);
	}
	nr_a = divide - optind;
	if (divide == argc)
		return nr_a == 2 ? load_and_compare(&c, argv + optind, 1, argv + optind + 1, 1)
				 : command_usage(argv[0]);
	if (nr_a < 1 || divide + 1 == argc)
		return command_usage(argv[0]);
	return load_and_compare(&c, argv + optind, nr_a, argv + divide + 1, argc - divide - 1);
}
