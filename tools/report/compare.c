/* SPDX-License-Identifier: BSD-2-Clause */
/* The compare command: what differs between two logs, or two lots of logs, and what is noise. */
#include <fnmatch.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/commands.h"
#include "tools/report/comparison.h"
#include "tools/report/output.h"
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

static void print_side(const struct compare *c, int side)
{
	const struct report *r = c->sides[side].reports[0];

	printf("%c  ", "AB"[side]);
	print_safe(stdout, r->file, SIZE_MAX);
	if (c->sides[side].n > 1)
		printf(" and %zu more", c->sides[side].n - 1);
	printf("  ");
	print_member(stdout, report_part(r, VERDICT_CPU), "brand");
	if (r->emulator)
		printf("  (emulated: %s)", r->emulator);
	putchar('\n');
}

static void print_drift(const struct comparison *c)
{
	if (!c->drift_rows)
		printf("of which there is none: no row varies.\n");
	else if (c->drift_rows < DRIFT_ROWS_MIN)
		printf("which %zu varying rows can't tell: x%.2f is supposed.\n", c->drift_rows,
		       c->drift);
	else if (c->drift < c->drift_most)
		printf("x%.3f by the %zu rows that vary.\n", c->drift, c->drift_rows);
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

/* How the verdicts came about: the same words as in the manual. */
static void print_method(const struct comparison *c)
{
	static const char *const units[] = {
		[UNIT_TICKS] = "ticks", [UNIT_NS] = "ns", [UNIT_CORE] = "core cycles"};

	printf("\nIn %s, less those of the empty section. ", units[c->unit]);
	if (c->tested) {
		printf("%zu and %zu runs: a row differs where the 95%% interval\nof the shift "
		       "between the runs (Mann-Whitney) leaves out none at all.\n",
		       c->sides[0].n, c->sides[1].n);
		if (is_after(&c->sides[0], &c->sides[1]) || is_after(&c->sides[1], &c->sides[0]))
			printf("All runs of one side came before those of the other: a change with "
			       "time\nlooks like one between them.\n");
		return;
	}
	printf("%zu and %zu runs are too few for a tested 95%% interval\n"
	       "(4 and 4 would do). A row differs where the middle halves of its samples lie "
	       "apart\nby more than the drift from boot to boot, ",
	       c->sides[0].n, c->sides[1].n);
	print_drift(c);
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
		table_add(t, "-");
		return;
	}
	table_add(t, s->ratio < 1e4 ? "x%.3f" : "x%.3g", s->ratio);
	if (s->ratio_interval.hi < 1e4)
		table_add(t, "[%.3f, %.3f]", s->ratio_interval.lo, s->ratio_interval.hi);
	else
		table_add(t, "[%.3f, ...]", s->ratio_interval.lo);
}

static void add_subject(struct table *t, const struct subject *s)
{
	const char *what = s->row->name + s->row->group_length;
	double row;

	table_color(t, outcome_color(s));
	if (record_number(s->row->record, "row", &row))
		table_add(t, "%s row %s", *what ? what + 1 : s->row->name, figure(row).text);
	else
		table_add(t, "%s", *what == '/' && what[1] ? what + 1 : s->row->name);
	table_add(t, "%s", s->row->params);
	add_extent(t, &s->sides[0]);
	add_extent(t, &s->sides[1]);
	add_ratio(t, s);
	table_add(t, "%s", outcome_names[s->outcome]);
	table_add(t, "%s", s->emulated && s->outcome != OUTCOME_MODELLED ? "emulated" : "");
}

static void print_group(const struct compare *c, const struct subject *const *rows, size_t n)
{
	static const struct column columns[] = {
		{"", ALIGN_LEFT, 0},   {"", ALIGN_LEFT, 0},     {"A", ALIGN_RIGHT, 0},
		{"B", ALIGN_RIGHT, 0}, {"B/A", ALIGN_RIGHT, 0}, {"", ALIGN_LEFT, 2},
		{"", ALIGN_LEFT, 0},   {"", ALIGN_LEFT, 1},
	};
	struct table *t = table_new(columns, sizeof(columns) / sizeof(columns[0]));
	size_t printed = 0;

	for (size_t i = 0; i < n; i++) {
		if (c->changed && !has_changed(rows[i]))
			continue;
		add_subject(t, rows[i]);
		printed++;
	}
	if (printed) {
		putchar('\n');
		color_begin(COLOR_TITLE);
		print_safe(stdout, rows[0]->row->name, rows[0]->row->group_length);
		putchar('/');
		color_end(COLOR_TITLE);
		putchar('\n');
		table_print(t, c->width);
	}
	table_free(t);
}

/* The rows of the group of subject `first`, those that changed before the others. */
static size_t collect_group(const struct comparison *c, size_t first, const struct subject **rows)
{
	size_t n = 0;

	for (size_t i = first; i < c->nr_subjects; i++) {
		if (same_group(c->subjects[i].row, c->subjects[first].row))
			rows[n++] = &c->subjects[i];
	}
	qsort(rows, n, sizeof(rows[0]), by_change);
	return n;
}

static bool is_first_of_group(const struct comparison *c, size_t subject)
{
	for (size_t i = 0; i < subject; i++) {
		if (same_group(c->subjects[i].row, c->subjects[subject].row))
			return false;
	}
	return true;
}

static void print_groups(const struct compare *c)
{
	const struct comparison *all = c->comparison;
	const struct subject **rows = must_have(calloc(all->nr_subjects + 1, sizeof(rows[0])));

	/* Those with a change, then those without. */
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < all->nr_subjects; i++) {
			size_t n;

			if (!is_first_of_group(all, i))
				continue;
			n = collect_group(all, i, rows);
			if (has_changed(rows[0]) == (pass == 0))
				print_group(c, rows, n);
		}
	}
	free(rows);
}

/* The worst result a side's runs gave, or NULL. */
static const char *worst_result(const struct side *side, const char *id)
{
	static const char *const order[] = {"fail", "skip", "xfail", "pass"};
	size_t worst = sizeof(order) / sizeof(order[0]);

	for (size_t i = 0; i < side->n; i++) {
		const struct row *row = report_find(side->reports[i], id);
		const char *result = row ? record_text(row->record, "result") : NULL;

		for (size_t j = 0; result && j < worst; j++) {
			if (!strcmp(result, order[j]))
				worst = j;
		}
	}
	return worst < sizeof(order) / sizeof(order[0]) ? order[worst] : NULL;
}

/* What became of the checks. */
struct check_changes {
	size_t seen, failed; /* in both; newly failed in B */
	size_t only[2];
};

static bool is_wanted_check(const struct compare *c, const struct row *row)
{
	return row->kind == ROW_CHECK && (!c->match || !fnmatch(c->match, row->name, 0));
}

/* Those of both sides with another result in B: the failures, or the rest. */
static size_t list_changed(const struct compare *c, struct table *t, bool failures)
{
	const struct report *r = c->sides[0].reports[0];
	size_t n = 0;

	for (size_t i = 0; i < r->nr_rows; i++) {
		const struct row *row = &r->rows[i];
		const char *a, *b;

		if (!is_wanted_check(c, row))
			continue;
		a = worst_result(&c->sides[0], row->id);
		b = worst_result(&c->sides[1], row->id);
		if (!a || !b || !strcmp(a, b) || !strcmp(b, "fail") != failures)
			continue;
		table_color(t, failures ? COLOR_BAD : COLOR_NONE);
		table_add(t, "%s", row->name);
		table_add(t, "%s", row->params);
		table_add(t, "%s", a);
		table_add(t, "%s", b);
		n++;
	}
	return n;
}

static void count_checks(const struct compare *c, struct check_changes *changes)
{
	for (int side = 0; side < 2; side++) {
		const struct report *r = c->sides[side].reports[0];

		for (size_t i = 0; i < r->nr_rows; i++) {
			if (!is_wanted_check(c, &r->rows[i]))
				continue;
			if (!worst_result(&c->sides[!side], r->rows[i].id))
				changes->only[side]++;
			else
				changes->seen += side == 0;
		}
	}
}

/* Those with another result are listed, the failures first; those of one side are counted. */
static struct check_changes print_checks(const struct compare *c)
{
	static const struct column columns[] = {{"", ALIGN_LEFT, 0},
						{"", ALIGN_LEFT, 0},
						{"A", ALIGN_LEFT, 0},
						{"B", ALIGN_LEFT, 0}};
	struct table *t = table_new(columns, sizeof(columns) / sizeof(columns[0]));
	struct check_changes changes = {.seen = 0};
	size_t rest;

	count_checks(c, &changes);
	changes.failed = list_changed(c, t, true);
	rest = list_changed(c, t, false);
	if (changes.failed + rest) {
		printf("\nchecks with another result\n");
		table_print(t, c->width);
	}
	table_free(t);
	if (changes.only[0] || changes.only[1])
		printf("\nchecks: %zu only in A, %zu only in B\n", changes.only[0],
		       changes.only[1]);
	return changes;
}

static void print_counts(const struct comparison *c)
{
	printf("\n%zu rows: %zu slower, %zu faster", c->nr_subjects, c->counts[OUTCOME_SLOWER],
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
		printf("%zu slower by more than %s %% (--threshold)\n", n,
		       figure(c->threshold).text);
	return n;
}

static bool has_pair(const struct comparison *c)
{
	for (size_t i = 0; i < c->nr_subjects; i++) {
		if (c->subjects[i].sides[0].n && c->subjects[i].sides[1].n)
			return true;
	}
	return false;
}

static int compare(struct compare *c)
{
	struct check_changes changes;
	int status;

	c->comparison = comparison_new(c->sides, c->unit, c->match);
	print_side(c, 0);
	print_side(c, 1);
	print_facts(c);
	print_method(c->comparison);
	print_groups(c);
	changes = print_checks(c);
	print_counts(c->comparison);
	status = count_slower(c) || changes.failed ? STATUS_FAILED : STATUS_GOOD;
	if (!changes.seen && !has_pair(c->comparison)) {
		fprintf(stderr, "shootdown-report: there is nothing to compare: %s\n",
			c->match ? "no row of both sides matches" : "no row is in both");
		status = STATUS_DAMAGED;
	}
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
