/* SPDX-License-Identifier: BSD-2-Clause */
/* What was run and what came of it: progress lines, records, tables, the end. */
#include "kernel/harness/report.h"

#include "arch/x86/clock.h"
#include "arch/x86/divide.h"
#include "arch/x86/mem.h"
#include "kernel/console.h"
#include "kernel/format.h"
#include "kernel/harness/rate_table.h"
#include "kernel/harness/records.h"
#include "kernel/smp.h"
#include "mm/frames.h"
#include "mm/kernel_space.h"

#define UNSETTLED_PART 10

/* A skip or a failure, for the lists at the end. The newest is the first. */
struct remark {
	struct remark *next;
	const char *name;
	char params[AXES_TEXT_MAX];
	bool failed;
	bool printed;
	char why[CHECK_TEXT_MAX];
};

static struct remark *remarks;

/* Remarks are taken from memory a frame at a time. */
static struct remark *free_remarks;
static size_t nr_free_remarks;
static struct record record;

static const char *const result_names[] = {
	[CHECK_PASS] = "pass",
	[CHECK_FAIL] = "fail",
	[CHECK_SKIP] = "skip",
	[CHECK_XFAIL] = "xfail",
	[CHECK_RETENTION] = "no verdict",
};

static const char *const walk_units[] = {
	[PMU_CYCLES] = "cycles",
	[PMU_WALKS] = "walks",
};

/* Heads of columns: cycles with a walk in progress, or the number of walks. */
static const char *const walk_heads[] = {
	[PMU_CYCLES] = "walking",
	[PMU_WALKS] = "walks",
};

/* Picoseconds in thousandths of a tick. Whole seconds apart, so that no product overflows. */
static int64_t picoseconds(int64_t milliticks)
{
	int64_t second = clock.tsc_hz * 1000;
	int64_t seconds = divide_signed(milliticks, second);
	int64_t rest = milliticks - seconds * second;

	return seconds * 1000000000000 + divide_signed(rest * 1000, clock.tsc_hz / 1000000);
}

/* Columns of figures: the text of a fixed-point number. */
struct figure {
	char text[32];
};

static struct figure fixed(int64_t value, unsigned decimals)
{
	struct figure f = {.text = ""};

	format_fixed(f.text, sizeof(f.text), value, decimals);
	return f;
}

/* value / 10^3 rounded to one decimal. */
static struct figure tenths(int64_t thousandths)
{
	return fixed(divide_signed(thousandths + (thousandths < 0 ? -50 : 50), 100), 1);
}

static struct figure nanoseconds(int64_t milliticks)
{
	return tenths(picoseconds(milliticks));
}

static struct remark *new_remark(void)
{
	if (!nr_free_remarks) {
		free_remarks = kernel_memory_alloc(FRAME_SIZE);
		nr_free_remarks = free_remarks ? FRAME_SIZE / sizeof(*free_remarks) : 0;
	}
	return nr_free_remarks ? &free_remarks[--nr_free_remarks] : NULL;
}

static void remember(const char *name, const char *params, const char *why, bool failed)
{
	struct remark *r = new_remark();

	if (!r)
		return;
	*r = (struct remark){.next = remarks, .name = name, .failed = failed};
	format(r->params, sizeof(r->params), "%s", params);
	format(r->why, sizeof(r->why), "%s", why);
	remarks = r;
}

static void print_place(struct report_place place, const char *name)
{
	printk("[%*u/%u] %-28s ", place.of > 99 ? 3 : 2, place.number, place.of, name);
}

static void record_stats(const struct stats *s, unsigned decimals)
{
	record_fixed(&record, "min", s->min, decimals);
	record_fixed(&record, "p5", s->p5, decimals);
	record_fixed(&record, "p25", s->p25, decimals);
	record_fixed(&record, "p50", s->p50, decimals);
	record_fixed(&record, "p75", s->p75, decimals);
	record_fixed(&record, "p95", s->p95, decimals);
	record_fixed(&record, "p99", s->p99, decimals);
	record_fixed(&record, "max", s->max, decimals);
	record_open(&record, "ci", '[');
	record_fixed(&record, NULL, s->ci_lo, decimals);
	record_fixed(&record, NULL, s->ci_hi, decimals);
	record_close(&record, ']');
}

/* The members of the axes' values, in an object that is open. */
static void record_axes(axes_t axes, const struct axis_point *at)
{
	for (unsigned a = 0; a < AXES_MAX && axes[a]; a++) {
		const char *name = axis_value_name(axes[a], at->values[a]);

		if (name)
			record_string(&record, axes[a]->key, name);
		else
			record_unsigned(&record, axes[a]->key, at->values[a]);
	}
}

static void record_params(axes_t axes, const struct axis_point *at)
{
	record_open(&record, "params", '{');
	record_axes(axes, at);
	record_close(&record, '}');
}

/* What a performance counter says; null where none does. */
static void record_counted(const char *key, const struct measurement *m, enum pmu_event event)
{
	const struct counted *c = &m->counted[event];

	if (!c->n) {
		record_null(&record, key);
		return;
	}
	record_open(&record, key, '{');
	if (event == PMU_WALK) {
		record_string(&record, "event", pmu.counters[event].name);
		record_string(&record, "unit", walk_units[pmu.counters[event].unit]);
	}
	record_unsigned(&record, "n", c->n);
	record_signed(&record, "p50", c->stats.p50);
	record_open(&record, "ci", '[');
	record_signed(&record, NULL, c->stats.ci_lo);
	record_signed(&record, NULL, c->stats.ci_hi);
	record_close(&record, ']');
	record_signed(&record, "baseline", c->baseline);
	record_signed(&record, "net", c->net);
	record_close(&record, '}');
}

/* `net` in thousandths of a tick; `decimals` of those are printed. */
static void record_bench(const struct measurement *m, bool throughput)
{
	const struct stats *s = throughput ? &m->throughput_stats : &m->latency_stats;
	unsigned decimals = throughput ? THROUGHPUT_DECIMALS : 0;
	int64_t net = throughput ? s->p50 : m->net;

	record_begin(&record, "bench");
	record_string(&record, "name", m->bench->name);
	record_open(&record, "params", '{');
	record_axes(m->bench->axes, &m->args.at);
	record_string(&record, "mode", throughput ? "throughput" : "latency");
	record_string(&record, "others", smp.online > 1 ? smp_others() : "none");
	if (throughput)
		record_unsigned(&record, "unroll", BENCH_UNROLL_COUNT);
	record_close(&record, '}');
	record_string(&record, "unit", "tsc");
	record_unsigned(&record, "n", s->n);
	record_unsigned(&record, "discarded", m->discarded);
	record_stats(s, decimals);
	/* A difference of two lengths has the baseline taken off already. */
	record_fixed(&record, "baseline", throughput ? 0 : m->baseline, decimals);
	record_fixed(&record, "net", net, decimals);
	record_fixed(&record, "net_ns", picoseconds(throughput ? net : net * 1000), 3);
	if (throughput) {
		record_null(&record, "core");
		record_null(&record, "walk");
	} else {
		record_counted("core", m, PMU_CORE);
		record_counted("walk", m, PMU_WALK);
	}
	record_end(&record);
}

void report_bench(struct report_place place, const struct measurement *m)
{
	char params[AXES_TEXT_MAX];

	axes_text(m->bench->axes, &m->args.at, params, sizeof(params));
	print_place(place, m->bench->name);
	printk("%8ld ticks %10s ns", m->net, nanoseconds(m->net * 1000).text);
	if (m->counted[PMU_CORE].n)
		printk(" %8ld cycles", m->counted[PMU_CORE].net);
	if (*params)
		printk("   %s", params);
	if (m->throughput_stats.n)
		printk("   back to back %s", tenths(m->throughput_stats.p50).text);
	printk("\n");
	record_bench(m, false);
	if (m->throughput_stats.n)
		record_bench(m, true);
}

void report_bench_skip(struct report_place place, const struct measurement *m)
{
	char params[AXES_TEXT_MAX] = "";

	if (!m->unmet)
		axes_text(m->bench->axes, &m->args.at, params, sizeof(params));
	print_place(place, m->bench->name);
	printk("    skip  %s%s%s\n", m->skipped, *params ? "   " : "", params);
	record_begin(&record, "skip");
	record_string(&record, "name", m->bench->name);
	record_open(&record, "params", '{');
	if (!m->unmet)
		record_axes(m->bench->axes, &m->args.at);
	record_close(&record, '}');
	record_string(&record, "why", m->skipped);
	record_end(&record);
	remember(m->bench->name, params, m->skipped, false);
}

/* Only where it is so. */
static void record_modelled(bool modelled)
{
	if (modelled)
		record_bool(&record, "modelled", true);
}

/* `at` NULL: no parameters. */
static void record_check(const char *name, axes_t axes, const struct axis_point *at,
			 enum check_result result, const struct check_report *report)
{
	record_begin(&record, "check");
	record_string(&record, "name", name);
	record_open(&record, "params", '{');
	if (at)
		record_axes(axes, at);
	record_close(&record, '}');
	record_string(&record, "result", result_names[result]);
	record_string(&record, "why", report->why);
	if (*report->control)
		record_string(&record, "control", report->control);
	else
		record_null(&record, "control");
	record_modelled(report->modelled);
	record_end(&record);
}

static void record_retention(const struct check *check, const struct axis_point *at,
			     const struct check_report *report)
{
	record_begin(&record, "retention");
	record_string(&record, "name", check->name);
	record_params(check->axes, at);
	record_unsigned(&record, "kept", report->kept);
	record_unsigned(&record, "of", report->of);
	record_modelled(report->modelled);
	record_end(&record);
}

void report_bench_failure(struct report_place place, const struct measurement *m, const char *why)
{
	static struct check_report report;
	char params[AXES_TEXT_MAX];

	axes_text(m->bench->axes, &m->args.at, params, sizeof(params));
	format(report.why, sizeof(report.why), "%s", why);
	print_place(place, m->bench->name);
	printk("    fail  %s%s%s\n", why, *params ? "   " : "", params);
	record_check(m->bench->name, m->bench->axes, &m->args.at, CHECK_FAIL, &report);
	remember(m->bench->name, params, why, true);
}

void report_check_begin(struct report_check_rows *rows, struct report_place place,
			const struct check *check)
{
	memset(rows, 0, sizeof(*rows));
	rows->place = place;
	rows->check = check;
}

/* The line of text tells of the first row of the worst verdict. */
static void keep_words(struct report_check_rows *rows, enum check_result result,
		       const struct check_report *report)
{
	static const unsigned rank[CHECK_RESULTS] = {
		[CHECK_SKIP] = 1,
		[CHECK_PASS] = 2,
		[CHECK_XFAIL] = 3,
		[CHECK_FAIL] = 4,
	};
	unsigned worst_so_far = 0;

	for (unsigned r = 0; r < CHECK_RESULTS; r++) {
		if (rows->counts[r] && rank[r] > worst_so_far)
			worst_so_far = rank[r];
	}
	if (rank[result] > worst_so_far)
		rows->last = *report;
}

void report_check_row(struct report_check_rows *rows, const struct axis_point *at,
		      enum check_result result, const struct check_report *report)
{
	const struct check *check = rows->check;
	char params[AXES_TEXT_MAX];

	axes_text(check->axes, at, params, sizeof(params));
	keep_words(rows, result, report);
	rows->counts[result]++;
	if (result == CHECK_RETENTION)
		record_retention(check, at, report);
	else
		record_check(check->name, check->axes, at, result, report);
	if (result == CHECK_SKIP || result == CHECK_FAIL)
		remember(check->name, params, report->why, result == CHECK_FAIL);
}

void report_check_unmet(struct report_check_rows *rows, const char *why)
{
	format(rows->last.why, sizeof(rows->last.why), "%s", why);
	rows->counts[CHECK_SKIP]++;
	record_check(rows->check->name, rows->check->axes, NULL, CHECK_SKIP, &rows->last);
	remember(rows->check->name, "", why, false);
}

/* The worst verdict of the rows. */
static enum check_result worst(const struct report_check_rows *rows)
{
	static const enum check_result order[] = {CHECK_FAIL, CHECK_XFAIL, CHECK_PASS,
						  CHECK_RETENTION};

	for (unsigned i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		if (rows->counts[order[i]])
			return order[i];
	}
	return CHECK_SKIP;
}

/* "12 pass, 2 skip, 3 no verdict" */
static void print_counts(const struct report_check_rows *rows)
{
	const char *comma = "";

	for (unsigned r = 0; r < CHECK_RESULTS; r++) {
		if (rows->counts[r])
			printk("%s%u %s", comma, rows->counts[r], result_names[r]);
		if (rows->counts[r])
			comma = ", ";
	}
}

void report_check_end(const struct report_check_rows *rows)
{
	const struct check_report *last = &rows->last;
	enum check_result result = worst(rows);
	uint32_t all = 0;

	for (unsigned r = 0; r < CHECK_RESULTS; r++)
		all += rows->counts[r];
	print_place(rows->place, rows->check->name);
	printk("%8s  ", result == CHECK_RETENTION ? "" : result_names[result]);
	if (all > 1)
		print_counts(rows);
	if (all <= 1 || result == CHECK_FAIL || result == CHECK_XFAIL)
		printk("%s%s%s%s", all > 1 ? ": " : "", last->why,
		       *last->why && *last->control ? "; " : "", last->control);
	printk("\n");
	rate_table_print();
}

static bool has_same_axes(const struct measurement *a, const struct measurement *b)
{
	return !memcmp(a->bench->axes, b->bench->axes, sizeof(a->bench->axes));
}

static bool is_reference(const struct measurement *m)
{
	return m->bench->reference && m->n && m->net > 0;
}

/*
 * What `row` is set against: the reference at the same values of the same axes. One with other axes
 * is set against nothing, for the parameters tell them apart already; where there are no axes at
 * all, or the reference lacks those values, it is the reference's first row.
 */
static const struct measurement *find_reference(const struct measurement *m, size_t n,
						const struct measurement *row)
{
	const struct measurement *first = NULL;

	for (size_t i = 0; i < n; i++) {
		if (!is_reference(&m[i]) || !has_same_axes(&m[i], row))
			continue;
		if (!memcmp(&m[i].args.at, &row->args.at, sizeof(row->args.at)))
			return &m[i];
		if (!first)
			first = &m[i];
	}
	return first;
}

static const struct bench *find_reference_bench(const struct measurement *m, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (is_reference(&m[i]))
			return m[i].bench;
	}
	return NULL;
}

/* Widths of a table's first columns, and which of the last there are. */
struct columns {
	int name, params;
	bool counted[PMU_EVENTS]; /* any row has something of that counter */
};

static int text_width(const char *text)
{
	int n = 0;

	while (text[n])
		n++;
	return n;
}

static struct columns measure_columns(const struct measurement *m, size_t n)
{
	struct columns c = {.name = 20};
	char params[AXES_TEXT_MAX];

	for (size_t i = 0; i < n; i++) {
		int name = text_width(m[i].bench->name);

		axes_text(m[i].bench->axes, &m[i].args.at, params, sizeof(params));
		if (m[i].n && name > c.name)
			c.name = name;
		if (m[i].n && text_width(params) > c.params)
			c.params = text_width(params);
		for (unsigned e = 0; e < PMU_EVENTS; e++)
			c.counted[e] |= m[i].n && m[i].counted[e].n;
	}
	return c;
}

/* What is told could as well be a tenth more or less: the machine did not keep still. */
static bool is_wide(const struct stats *s, int64_t net)
{
	return (s->ci_hi - s->ci_lo) * UNSETTLED_PART > (net < 0 ? -net : net);
}

static bool is_unsettled(const struct measurement *m)
{
	return is_wide(&m->latency_stats, m->net) ||
	       (m->throughput_stats.n && is_wide(&m->throughput_stats, m->throughput_stats.p50));
}

static void print_counted(const struct measurement *m, const struct columns *c)
{
	for (unsigned e = 0; e < PMU_EVENTS; e++) {
		if (c->counted[e] && m->counted[e].n)
			printk(" %7ld", m->counted[e].net);
		else if (c->counted[e])
			printk(" %7s", "-");
	}
}

static void print_row(const struct measurement *m, const struct measurement *reference,
		      struct columns c)
{
	char interval[48], params[AXES_TEXT_MAX];

	axes_text(m->bench->axes, &m->args.at, params, sizeof(params));
	format(interval, sizeof(interval), "[%ld, %ld]", m->latency_stats.ci_lo - m->baseline,
	       m->latency_stats.ci_hi - m->baseline);
	printk("%c %-*s %-*s %8ld %-17s %10s", is_unsettled(m) ? '~' : ' ', c.name, m->bench->name,
	       c.params, params, m->net, interval, nanoseconds(m->net * 1000).text);
	printk(" %12s", m->throughput_stats.n ? tenths(m->throughput_stats.p50).text : "-");
	print_counted(m, &c);
	if (reference)
		printk(" %8sx", fixed(divide_signed(m->net * 100, reference->net), 2).text);
	printk("\n");
}

void report_table(const char *group, size_t group_length, const struct measurement *m, size_t n)
{
	const struct bench *reference = find_reference_bench(m, n);
	struct columns c = measure_columns(m, n);
	size_t measured = 0;
	bool any_unsettled = false;

	for (size_t i = 0; i < n; i++)
		measured += m[i].n > 0;
	if (measured < 2)
		return; /* one line says it all already */
	printk("\n  %.*s/%-*s %8s %-17s %10s %12s", (int)group_length, group,
	       c.name + c.params - (int)group_length, "", "net", "[95% of median]", "ns",
	       "back to back");
	if (c.counted[PMU_CORE])
		printk(" %7s", "core");
	if (c.counted[PMU_WALK])
		printk(" %7s", walk_heads[pmu.counters[PMU_WALK].unit]);
	if (reference)
		printk("   against %s", reference->name + group_length + 1);
	printk("\n");
	for (size_t i = 0; i < n; i++) {
		if (!m[i].n)
			continue;
		print_row(&m[i], find_reference(m, n, &m[i]), c);
		any_unsettled |= is_unsettled(&m[i]);
	}
	if (any_unsettled)
		printk("~ not settled: an interval is wider than 10%% of its figure\n");
	printk("\n");
}

/* The bounds of the quotient where each median is anywhere in its own interval. */
static int64_t hundredths(int64_t above, int64_t below)
{
	return below > 0 ? divide_signed(above * 100, below) : 0;
}

void report_comparison(const struct report_comparison *c)
{
	const struct measurement *one = c->one, *other = c->other;
	int64_t one_lo = one->latency_stats.ci_lo - one->baseline;
	int64_t one_hi = one->latency_stats.ci_hi - one->baseline;
	int64_t other_lo = other->latency_stats.ci_lo - other->baseline;
	int64_t other_hi = other->latency_stats.ci_hi - other->baseline;

	printk("  %s: %s and %s ns, ", c->text, nanoseconds(one->net * 1000).text,
	       nanoseconds(other->net * 1000).text);
	if (one_lo > 0)
		printk("%sx [%s, %s]", fixed(hundredths(other->net, one->net), 2).text,
		       fixed(hundredths(other_lo, one_hi), 2).text,
		       fixed(hundredths(other_hi, one_lo), 2).text);
	else
		printk("no ratio: the first can't be told from nothing");
	printk("; %s\n", c->published);
}

/* `axes` NULL: no parameters. */
static void record_maybe_params(axes_t axes, const struct axis_point *at)
{
	record_open(&record, "params", '{');
	if (axes)
		record_axes(axes, at);
	record_close(&record, '}');
}

static void record_curve(const char *name, const int64_t *ticks, uint32_t n)
{
	record_open(&record, name, '[');
	for (uint32_t i = 0; i < n; i++)
		record_signed(&record, NULL, ticks[i]);
	record_close(&record, ']');
}

void report_advice(const struct report_advice *a)
{
	char params[AXES_TEXT_MAX] = "";

	if (a->axes)
		axes_text(a->axes, &a->at, params, sizeof(params));
	printk("  advice: %s=%ld [%ld, %ld]%s%s: %s\n", a->tunable, a->value, a->least, a->most,
	       *params ? " with " : "", params, a->why);
	record_begin(&record, "advice");
	record_string(&record, "tunable", a->tunable);
	record_maybe_params(a->axes, &a->at);
	record_signed(&record, "value", a->value);
	record_open(&record, "ci", '[');
	record_signed(&record, NULL, a->least);
	record_signed(&record, NULL, a->most);
	record_close(&record, ']');
	record_string(&record, "why", a->why);
	record_string(&record, "unit", "tsc");
	record_open(&record, "curves", '{');
	record_open(&record, a->x_name, '[');
	for (uint32_t i = 0; i < a->nr_points; i++)
		record_unsigned(&record, NULL, a->x[i]);
	record_close(&record, ']');
	for (unsigned c = 0; c < ADVICE_CURVES_MAX && a->curves[c].name; c++)
		record_curve(a->curves[c].name, a->curves[c].ticks, a->nr_points);
	record_close(&record, '}');
	record_end(&record);
}

static void print_rate(const struct report_rate *r, const struct stats *s)
{
	char params[AXES_TEXT_MAX] = "";

	if (r->axes)
		axes_text(r->axes, &r->at, params, sizeof(params));
	printk("  rate: %s%s%s: %ld %s [%ld, %ld] of %u rounds\n", r->name, *params ? " " : "",
	       params, s->p50, r->unit, s->ci_lo, s->ci_hi, r->nr_rounds);
}

static void record_rate(const struct report_rate *r, const struct stats *s)
{
	record_begin(&record, "rate");
	record_string(&record, "name", r->name);
	record_maybe_params(r->axes, &r->at);
	record_string(&record, "unit", r->unit);
	if (r->modelled)
		record_null(&record, "value");
	else
		record_signed(&record, "value", s->p50);
	record_unsigned(&record, "rounds", r->nr_rounds);
	if (r->modelled) {
		record_null(&record, "ci");
	} else {
		record_open(&record, "ci", '[');
		record_signed(&record, NULL, s->ci_lo);
		record_signed(&record, NULL, s->ci_hi);
		record_close(&record, ']');
	}
	record_unsigned(&record, "ipis", r->ipis);
	record_unsigned(&record, "invlpgbs", r->invlpgbs);
	record_modelled(r->modelled);
	record_end(&record);
}

void report_rate(const struct report_rate *r)
{
	struct stats s;

	stats_sort(r->rounds, r->nr_rounds);
	stats_compute(r->rounds, r->nr_rounds, &s);
	if (!r->modelled) {
		print_rate(r, &s);
		rate_table_add(r, s.p50, is_wide(&s, s.p50));
	}
	record_rate(r, &s);
}

void report_matrix_row(const struct report_matrix_row *row)
{
	record_begin(&record, "matrix");
	record_string(&record, "name", row->name);
	record_maybe_params(row->axes, &row->at);
	record_string(&record, "unit", "tsc");
	record_unsigned(&record, "row", row->row);
	if (row->columns) {
		record_open(&record, "columns", '[');
		for (uint32_t i = 0; i < row->nr; i++)
			record_unsigned(&record, NULL, row->columns[i]);
		record_close(&record, ']');
	}
	record_open(&record, "p50", '[');
	for (uint32_t i = 0; i < row->nr; i++) {
		if (row->p50[i] == MATRIX_NONE)
			record_null(&record, NULL);
		else
			record_signed(&record, NULL, row->p50[i]);
	}
	record_close(&record, ']');
	record_end(&record);
}

static struct remark *reversed(struct remark *list)
{
	struct remark *out = NULL;

	while (list) {
		struct remark *next = list->next;

		list->next = out;
		out = list;
		list = next;
	}
	return out;
}

/* Not printed yet, and to be printed under the same heading as `r`. */
static bool is_due(const struct remark *same, const struct remark *r)
{
	return !same->printed && same->failed == r->failed &&
	       !memcmp(same->why, r->why, sizeof(r->why));
}

/* A failure with its parameters; of skips those of one name together, for there can be many. */
static void print_remark(struct remark *r)
{
	unsigned rows = 1;

	for (struct remark *same = r->next; same && !r->failed; same = same->next) {
		if (is_due(same, r) && same->name == r->name) {
			same->printed = true;
			rows++;
		}
	}
	r->printed = true;
	if (rows > 1)
		printk("    %s  %u rows\n", r->name, rows);
	else
		printk("    %s%s%s\n", r->name, *r->params ? "  " : "", r->params);
}

/* Those with the same reason under one heading, in the order they came. */
static void print_remarks(const char *title, bool failed)
{
	bool titled = false;

	for (struct remark *r = remarks; r; r = r->next) {
		if (r->printed || r->failed != failed)
			continue;
		if (!titled)
			printk("%s\n", title);
		titled = true;
		printk("  %s\n", *r->why ? r->why : "(no reason given)");
		for (struct remark *same = r; same; same = same->next) {
			if (is_due(same, r))
				print_remark(same);
		}
	}
	if (titled)
		printk("\n");
}

void report_end(const struct run_totals *t, uint64_t elapsed_ms)
{
	record_begin(&record, "end");
	record_unsigned(&record, "records", records_count() + 1);
	record_unsigned(&record, "pass", t->pass);
	record_unsigned(&record, "fail", t->fail);
	record_unsigned(&record, "skip", t->skip);
	record_unsigned(&record, "xfail", t->xfail);
	record_unsigned(&record, "benches", t->benches);
	record_unsigned(&record, "elapsed_ms", elapsed_ms);

	printk("\n");
	remarks = reversed(remarks);
	print_remarks("Skipped, and why", false);
	print_remarks("FAILED", true);
	printk("%u benchmarks, %s s", t->benches, tenths(elapsed_ms).text);
	if (t->xfail)
		printk(", %u failed as known errata say", t->xfail);
	printk("\n");
	record_end(&record);
	printk("Shootdown: %u passed, %u failed, %u skipped\n", t->pass, t->fail, t->skip);
}
