/* SPDX-License-Identifier: BSD-2-Clause */
/* Selects, orders and runs the registered benchmarks and checks. */
#include "kernel/harness/runner.h"

#include <stddef.h>

#include "arch/x86/clock.h"
#include "arch/x86/invlpgb.h"
#include "arch/x86/invlpgb_model.h"
#include "arch/x86/mem.h"
#include "kernel/console.h"
#include "kernel/format.h"
#include "kernel/harness/conclusion.h"
#include "kernel/harness/errata.h"
#include "kernel/harness/report.h"
#include "kernel/panic.h"
#include "kernel/smp.h"
#include "kernel/text.h"
#include "mm/kernel_space.h"

extern const struct bench *const __benches_start[], *const __benches_end[];
extern const struct check *const __checks_start[], *const __checks_end[];
extern const struct conclusion *const __conclusions_start[], *const __conclusions_end[];

#define MIN_SAMPLES 16u

/* A benchmark or a check, by name. */
struct item {
	const char *name;
	const struct bench *bench;
	const struct check *check;
	uint32_t rows; /* of a benchmark: all that it is measured at; 1 where it can't be */
};

struct items {
	struct item *at;
	size_t n;
};

/* The order in which groups are read best; groups not named here follow. */
static const char *const group_order[] = {"smp",   "self",  "local",     "refill",    "fence",
					  "ipi",   "timer", "broadcast", "shootdown", "switch",
					  "fault", "stale", "order",     "stress"};

#define NR_GROUPS (sizeof(group_order) / sizeof(group_order[0]))

static size_t group_length(const char *name)
{
	size_t n = 0;

	while (name[n] && name[n] != '/')
		n++;
	return n;
}

static size_t group_rank(const char *name)
{
	struct slice group = {name, group_length(name)};
	size_t rank = 0;

	while (rank < NR_GROUPS && !slice_equals(group, group_order[rank]))
		rank++;
	return rank;
}

/* Whether both names have the same text before the slash. */
static bool same_group(const char *a, const char *b)
{
	size_t n = group_length(a);

	return n == group_length(b) && !memcmp(a, b, n);
}

static bool comes_before(const struct item *a, const struct item *b)
{
	size_t rank_a = group_rank(a->name), rank_b = group_rank(b->name);

	if (rank_a != rank_b)
		return rank_a < rank_b;
	/* All benchmarks of a group in a row, as they are measured together. */
	if (same_group(a->name, b->name) && !a->check != !b->check)
		return !a->check;
	return text_compare(a->name, b->name) < 0;
}

static void sort(struct items *items)
{
	for (size_t i = 1; i < items->n; i++) {
		struct item moving = items->at[i];
		size_t j = i;

		for (; j > 0 && comes_before(&moving, &items->at[j - 1]); j--)
			items->at[j] = items->at[j - 1];
		items->at[j] = moving;
	}
}

/* How many samples a suite takes at most, and how long. */
static const struct {
	uint32_t samples, budget_ms;
} suites[] = {
	[SUITE_QUICK] = {2048, 100},
	[SUITE_FULL] = {32768, 2000},
};

static struct measure_limits limits_of(const struct options *o)
{
	return (struct measure_limits){
		.samples = o->samples ? o->samples : suites[o->suite].samples,
		.seed = o->seed,
	};
}

/* For one benchmark; its rows share it. */
static uint64_t budget_of(const struct options *o)
{
	return clock.tsc_hz / 1000 * (o->budget ? o->budget : suites[o->suite].budget_ms);
}

static bool matches_any(struct slice globs, const char *name)
{
	struct slice glob;

	while (slice_split(&globs, ',', &glob)) {
		if (text_matches(glob, name))
			return true;
	}
	return false;
}

static struct items list_all(void)
{
	size_t nr_benches = __benches_end - __benches_start;
	size_t nr_checks = __checks_end - __checks_start;
	struct items all = {kernel_memory_alloc((nr_benches + nr_checks) * sizeof(*all.at)), 0};

	for (size_t i = 0; all.at && i < nr_benches; i++)
		all.at[all.n++] =
			(struct item){__benches_start[i]->name, __benches_start[i], NULL, 1};
	for (size_t i = 0; all.at && i < nr_checks; i++)
		all.at[all.n++] =
			(struct item){__checks_start[i]->name, NULL, __checks_start[i], 1};
	return all;
}

/* How far a pattern is from a name: first by the group, for people mistype one of the two. */
static unsigned distance_of(struct slice glob, const char *name)
{
	struct slice group = {glob.at, 0};
	char its_group[32];

	while (group.length < glob.length && glob.at[group.length] != '/')
		group.length++;
	format(its_group, sizeof(its_group), "%.*s", (int)group_length(name), name);
	return text_distance(group, its_group) * 100 + text_distance(glob, name);
}

/* Says so where a pattern selects nothing; false where none of them selects anything. */
static bool globs_select(const struct items *all, struct slice globs)
{
	struct slice glob;
	bool any = false;

	while (slice_split(&globs, ',', &glob)) {
		const char *nearest = "";
		unsigned best = UINT32_MAX;
		bool hit = false;

		for (size_t i = 0; i < all->n; i++) {
			unsigned distance = distance_of(glob, all->at[i].name);

			hit |= text_matches(glob, all->at[i].name);
			if (distance < best) {
				best = distance;
				nearest = all->at[i].name;
			}
		}
		any |= hit;
		if (!hit)
			printk("command line: ignored: run=%.*s selects nothing; nearest: %s\n",
			       glob.length < 40 ? (int)glob.length : 40, glob.at, nearest);
	}
	return any;
}

/* All that run= selects, in order; everything where it selects nothing. */
static struct items select(struct slice globs)
{
	struct items items = list_all();
	size_t kept = 0;

	if (globs_select(&items, globs)) {
		for (size_t i = 0; i < items.n; i++) {
			if (matches_any(globs, items.at[i].name))
				items.at[kept++] = items.at[i];
		}
		items.n = kept;
	}
	sort(&items);
	return items;
}

static void count_verdict(enum check_result result, struct run_totals *totals)
{
	totals->pass += result == CHECK_PASS;
	totals->fail += result == CHECK_FAIL;
	totals->skip += result == CHECK_SKIP;
	totals->xfail += result == CHECK_XFAIL;
}

/* A failure that an erratum of this machine explains, told after what the check saw. */
static enum check_result excuse(const struct check *check, const struct axis_point *at,
				enum check_result result, struct check_report *report)
{
	char params[AXES_TEXT_MAX];
	const char *expected;
	size_t length;

	if (result != CHECK_FAIL)
		return result;
	axes_text(check->axes, at, params, sizeof(params));
	expected = errata_expects(check->name, params);
	if (!expected)
		return CHECK_FAIL;
	length = text_length(report->why, sizeof(report->why));
	format(report->why + length, sizeof(report->why) - length, "; %s", expected);
	return CHECK_XFAIL;
}

/* Every combination of the check's axes. */
static void run_rows(const struct check *check, const struct options *o,
		     struct report_check_rows *rows, struct run_totals *totals)
{
	static struct check_report report;
	struct axis_point at;
	uint32_t index = 0;

	while (axes_next(check->axes, check->applies, o->suite, &index, &at)) {
		uint64_t by_model = invlpgb_model_total();
		enum check_result result;

		memset(&report, 0, sizeof(report));
		report.suite = o->suite;
		report.budget_ms = o->budget;
		report.seed = o->seed;
		result = check->run(&report, &at);
		report.modelled = invlpgb_model_total() != by_model;
		result = excuse(check, &at, result, &report);
		count_verdict(result, totals);
		report_check_row(rows, &at, result, &report);
	}
}

static void run_check(const struct check *check, struct report_place place, const struct options *o,
		      struct run_totals *totals)
{
	static struct report_check_rows rows;
	static char why[CHECK_TEXT_MAX];

	report_check_begin(&rows, place, check);
	if (need_met(&check->need, why, sizeof(why))) {
		run_rows(check, o, &rows, totals);
	} else {
		count_verdict(CHECK_SKIP, totals);
		report_check_unmet(&rows, why);
	}
	report_check_end(&rows);
}

/* Sets up one row of a benchmark, or says why it can't be measured. */
static void prepare(struct measurement *m)
{
	const char *why = NULL;

	m->unmet = !need_met_timed(&m->bench->need, m->skipped, sizeof(m->skipped));
	if (!m->unmet && m->bench->setup)
		why = m->bench->setup(&m->args);
	if (why)
		format(m->skipped, sizeof(m->skipped), "%s", why);
	m->back_to_back = m->bench->throughput && !m->args.live.count;
}

/* All rows of one benchmark. */
static void prepare_rows(struct measurement *rows, const struct item *item, uint32_t number,
			 const struct options *o)
{
	const struct bench *bench = item->bench;
	uint32_t index = 0;

	for (uint32_t i = 0; i < item->rows; i++) {
		rows[i] = (struct measurement){.bench = bench,
					       .number = number + i,
					       .budget_ticks = budget_of(o) / item->rows};
		axes_next(bench->axes, bench->applies, o->suite, &index, &rows[i].args.at);
		prepare(&rows[i]);
	}
}

static void conclude(struct measurement *m, uint32_t of, struct run_totals *totals)
{
	struct report_place place = {m->number, of};
	const char *wrong = NULL;

	if (!*m->skipped && m->bench->finish)
		wrong = m->bench->finish(&m->args);
	if (!*m->skipped && !m->n)
		format(m->skipped, sizeof(m->skipped),
		       "every sample was disturbed by an SMI or NMI");
	if (wrong) {
		totals->fail++;
		m->n = 0; /* its figures are not to be believed */
		report_bench_failure(place, m, wrong);
	} else if (*m->skipped) {
		totals->skip++;
		report_bench_skip(place, m);
	} else {
		totals->benches++;
		report_bench(place, m);
	}
}

/* Fewer samples where there is no memory for as many. */
static void measure(struct measurement *group, size_t n, const struct options *o)
{
	struct measure_limits limits = limits_of(o);

	while (!measure_group(group, n, &limits)) {
		limits.samples /= 2;
		if (limits.samples < MIN_SAMPLES)
			panic("no memory for %u samples of %zu benchmarks", MIN_SAMPLES, n);
		printk("note: no memory for so many samples: %zu of each at most\n",
		       limits.samples);
	}
}

/* What follows from the group's figures together. */
static void draw_conclusions(const char *group, const struct measurement *m, size_t n)
{
	size_t nr = __conclusions_end - __conclusions_start;
	bool any = false;

	for (size_t i = 0; i < nr; i++) {
		if (same_group(__conclusions_start[i]->group, group))
			any |= __conclusions_start[i]->draw(m, n);
	}
	if (any)
		printk("\n");
}

static uint32_t count_rows(const struct item *items, size_t n)
{
	uint32_t rows = 0;

	for (size_t i = 0; i < n; i++)
		rows += items[i].rows;
	return rows;
}

/* The benchmarks of one group, all rows of all measured together. */
static void run_benches(const struct item *items, size_t n, struct report_place first,
			const struct options *o, struct run_totals *totals)
{
	size_t rows = count_rows(items, n), bytes = rows * sizeof(struct measurement), at = 0;
	struct measurement *group = kernel_memory_alloc(bytes);

	if (!rows)
		return; /* none applies to this machine */
	if (!group)
		panic("no memory for a list of %zu benchmarks", rows);
	for (size_t i = 0; i < n; i++) {
		prepare_rows(group + at, &items[i], first.number + at, o);
		at += items[i].rows;
	}
	measure(group, rows, o);
	for (size_t i = 0; i < rows; i++)
		conclude(&group[i], first.of, totals);
	report_table(items[0].name, group_length(items[0].name), group, rows);
	draw_conclusions(items[0].name, group, rows);
	kernel_memory_free(group, bytes);
}

/* How many benchmarks of one group stand in a row. */
static size_t benches_in_row(const struct item *items, size_t n)
{
	size_t row = 0;

	while (row < n && items[row].bench && same_group(items[0].name, items[row].name))
		row++;
	return row;
}

static void set_rows(struct items *items, const struct options *o)
{
	for (size_t i = 0; i < items->n; i++) {
		const struct bench *b = items->at[i].bench;
		char why[CHECK_TEXT_MAX];

		if (b && need_met_timed(&b->need, why, sizeof(why)))
			items->at[i].rows = axes_count(b->axes, b->applies, o->suite);
	}
}

void runner_run(const struct options *o, struct run_totals *totals)
{
	struct items items = select(o->run);
	struct report_place place = {1, 0};

	axes_set(smp.online, invlpgb_limits.max_pages);
	set_rows(&items, o);
	place.of = count_rows(items.at, items.n);
	for (size_t i = 0; i < items.n;) {
		size_t n = benches_in_row(items.at + i, items.n - i);

		if (n) {
			run_benches(items.at + i, n, place, o, totals);
			place.number += count_rows(items.at + i, n);
			i += n;
		} else {
			run_check(items.at[i].check, place, o, totals);
			place.number++;
			i++;
		}
	}
}
