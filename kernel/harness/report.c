/* SPDX-License-Identifier: BSD-2-Clause */
/* What was run and what came of it: progress lines, records, tables, the end. */
#include "kernel/harness/report.h"

#include "arch/x86/clock.h"
#include "arch/x86/divide.h"
#include "arch/x86/mem.h"
#include "kernel/console.h"
#include "kernel/format.h"
#include "kernel/harness/records.h"
#include "kernel/smp.h"
#include "mm/kernel_space.h"

/* A skip or a failure, for the lists at the end. The newest is the first. */
struct remark {
	struct remark *next;
	const char *name;
	bool failed;
	bool printed;
	char why[CHECK_TEXT_MAX];
};

static struct remark *remarks;
static struct record record;

static const char *const result_names[] = {
	[CHECK_PASS] = "pass",
	[CHECK_FAIL] = "fail",
	[CHECK_SKIP] = "skip",
	[CHECK_XFAIL] = "xfail",
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
	return fixed((thousandths + (thousandths < 0 ? -50 : 50)) / 100, 1);
}

static struct figure nanoseconds(int64_t milliticks)
{
	return tenths(picoseconds(milliticks));
}

static void remember(const char *name, const char *why, bool failed)
{
	struct remark *r = kernel_memory_alloc(sizeof(*r));

	if (!r)
		return;
	*r = (struct remark){.next = remarks, .name = name, .failed = failed};
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

/* `net` in thousandths of a tick; `decimals` of those are printed. */
static void record_bench(const struct measurement *m, bool throughput)
{
	const struct stats *s = throughput ? &m->throughput_stats : &m->latency_stats;
	unsigned decimals = throughput ? THROUGHPUT_DECIMALS : 0;
	int64_t net = throughput ? s->p50 : m->net;

	record_begin(&record, "bench");
	record_string(&record, "name", m->bench->name);
	record_open(&record, "params", '{');
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
	record_null(&record, "core");
	record_end(&record);
}

void report_bench(struct report_place place, const struct measurement *m)
{
	print_place(place, m->bench->name);
	printk("%8ld ticks %10s ns", m->net, nanoseconds(m->net * 1000).text);
	if (m->throughput_stats.n)
		printk("   back to back %s", tenths(m->throughput_stats.p50).text);
	printk("\n");
	record_bench(m, false);
	if (m->throughput_stats.n)
		record_bench(m, true);
}

void report_bench_skip(struct report_place place, const char *name, const char *why)
{
	print_place(place, name);
	printk("    skip  %s\n", why);
	record_begin(&record, "skip");
	record_string(&record, "name", name);
	record_string(&record, "why", why);
	record_end(&record);
	remember(name, why, false);
}

static void record_check(const char *name, enum check_result result, const char *why,
			 const char *control)
{
	record_begin(&record, "check");
	record_string(&record, "name", name);
	record_open(&record, "params", '{');
	record_close(&record, '}');
	record_string(&record, "result", result_names[result]);
	record_string(&record, "why", why);
	if (*control)
		record_string(&record, "control", control);
	else
		record_null(&record, "control");
	record_end(&record);
}

void report_check(struct report_place place, const struct check *check, enum check_result result,
		  const struct check_report *report)
{
	print_place(place, check->name);
	printk("%8s  %s%s%s\n", result_names[result], report->why,
	       *report->why && *report->control ? "; " : "", report->control);
	record_check(check->name, result, report->why, report->control);
	if (result == CHECK_SKIP || result == CHECK_FAIL)
		remember(check->name, report->why, result == CHECK_FAIL);
}

void report_bench_failure(struct report_place place, const char *name, const char *why)
{
	print_place(place, name);
	printk("    fail  %s\n", why);
	record_check(name, CHECK_FAIL, why, "");
	remember(name, why, true);
}

static const struct measurement *find_reference(const struct measurement *m, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (m[i].bench->reference && m[i].n && m[i].net > 0)
			return &m[i];
	}
	return NULL;
}

static void print_row(const struct measurement *m, const struct measurement *reference)
{
	char interval[48];

	format(interval, sizeof(interval), "[%ld, %ld]", m->latency_stats.ci_lo - m->baseline,
	       m->latency_stats.ci_hi - m->baseline);
	printk("  %-28s %8ld %-17s %10s", m->bench->name, m->net, interval,
	       nanoseconds(m->net * 1000).text);
	printk(" %12s", m->throughput_stats.n ? tenths(m->throughput_stats.p50).text : "-");
	if (reference)
		printk(" %8sx", fixed(divide_signed(m->net * 100, reference->net), 2).text);
	printk("\n");
}

void report_table(const char *group, size_t group_length, const struct measurement *m, size_t n)
{
	const struct measurement *reference = find_reference(m, n);
	size_t measured = 0;

	for (size_t i = 0; i < n; i++)
		measured += m[i].n > 0;
	if (measured < 2)
		return; /* one line says it all already */
	printk("\n  %.*s/%-*s %8s %-17s %10s %12s", (int)group_length, group,
	       27 - (int)group_length, "", "net", "[95% of median]", "ns", "back to back");
	if (reference)
		printk("   against %s", reference->bench->name + group_length + 1);
	printk("\n");
	for (size_t i = 0; i < n; i++) {
		if (m[i].n)
			print_row(&m[i], reference);
	}
	printk("\n");
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
			if (same->failed != failed || memcmp(same->why, r->why, sizeof(r->why)))
				continue;
			same->printed = true;
			printk("    %s\n", same->name);
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
		printk(", %u failed as this CPU's errata say", t->xfail);
	printk("\n");
	record_end(&record);
	printk("Shootdown: %u passed, %u failed, %u skipped\n", t->pass, t->fail, t->skip);
}
