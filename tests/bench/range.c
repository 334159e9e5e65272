/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flushing `pages` pages one by one with INVLPG, against one flush of everything that is not global
 * (MOV CR3 with the same value), on this CPU. `live` pages are read before each section and again
 * within it, so that the figures have the refill in them: one by one, that of the flushed pages
 * among them; else that of all. From the two curves comes the advice: up to how many pages one by
 * one is not dearer (Linux: tlb_single_page_flush_ceiling, 33 unless changed).
 */
#include "kernel/format.h"
#include "kernel/harness/conclusion.h"
#include "kernel/harness/crossover.h"
#include "kernel/harness/report.h"
#include "tests/bench/live_axes.h"

#define PAGES_MAX 1024

static const struct axis range_live_axis = {
	.key = "live",
	.quick = 1 << 1,
	.nr = 3,
	.values = {64, 512, LIVE_PAGES_MAX},
};

static const struct axis pages_axis = {
	.key = "pages",
	.nr = 11,
	.values = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, PAGES_MAX},
};
_Static_assert(PAGES_MAX <= LIVE_PAGES_MAX, "all are mapped");

enum { AT_RANGE_LIVE, AT_RANGE_PAGES };

static const char *get_live(struct bench_args *args)
{
	return live_pages_get(PAGE_4K, args->at.values[AT_RANGE_LIVE], &args->live);
}

/* Both counts in one operand: there are three. */
static const char *setup_one_by_one(struct bench_args *args)
{
	const char *why = get_live(args);

	args->a = live_pages_base(PAGE_4K);
	args->b = (uint64_t)args->live.count << 32 | args->at.values[AT_RANGE_PAGES];
	args->c = args->live.head;
	return why;
}

static const char *setup_full(struct bench_args *args)
{
	const char *why = get_live(args);

	args->a = read_cr3();
	args->b = args->live.count;
	args->c = args->live.head;
	return why;
}

ALWAYS_INLINE void op_one_by_one(uint64_t base, uint64_t counts, uint64_t head)
{
	uint32_t left = (uint32_t)counts;

	do {
		invlpg(base);
		base += page_bytes(PAGE_4K);
	} while (--left);
	load_chain(head, counts >> 32);
}

ALWAYS_INLINE void op_full(uint64_t cr3, uint64_t live, uint64_t head)
{
	write_cr3(cr3);
	load_chain(head, live);
}

BENCH_SAMPLER_ONCE(sample_one_by_one, bench_touch, op_one_by_one)
BENCH_SAMPLER_ONCE(sample_full, bench_touch, op_full)

static const struct bench one_by_one = {
	.name = "local/range-one-by-one",
	.what = "INVLPG of each of `pages` pages, then reading `live` pages",
	.axes = {&range_live_axis, &pages_axis},
	.setup = setup_one_by_one,
	.sample = sample_one_by_one,
};
BENCH(one_by_one);

static const struct bench full = {
	.name = "local/range-full",
	.what = "MOV CR3 with the same value, then reading `live` pages",
	.axes = {&range_live_axis},
	.setup = setup_full,
	.sample = sample_full,
};
BENCH(full);

/* The curve of the pages one by one, where its intervals end. */
struct bounds {
	int64_t least[ADVICE_POINTS_MAX], most[ADVICE_POINTS_MAX];
};

/* The curve of one number of live pages. */
static void collect(struct report_advice *advice, struct bounds *bounds,
		    const struct measurement *m, size_t n, const struct measurement *level)
{
	uint32_t live = level->args.at.values[AT_RANGE_LIVE];

	for (size_t i = 0; i < n && advice->nr_points < ADVICE_POINTS_MAX; i++) {
		uint32_t point = advice->nr_points;

		if (m[i].bench != &one_by_one || !m[i].n ||
		    m[i].args.at.values[AT_RANGE_LIVE] != live)
			continue;
		advice->x[point] = m[i].args.at.values[AT_RANGE_PAGES];
		advice->curves[0].ticks[point] = m[i].net;
		bounds->least[point] = m[i].latency_stats.ci_lo - m[i].baseline;
		bounds->most[point] = m[i].latency_stats.ci_hi - m[i].baseline;
		advice->curves[1].ticks[point] = level->net;
		advice->nr_points++;
	}
}

/* The refill is in the curves. */
static void explain(struct report_advice *advice)
{
	const char *whose = cpu_identity.emulated ? " (an emulator's times)" : "";

	if (advice->value == advice->x[advice->nr_points - 1])
		format(advice->why, sizeof(advice->why),
		       "up to %u pages none makes one MOV CR3 cheaper%s",
		       advice->x[advice->nr_points - 1], whose);
	else
		format(advice->why, sizeof(advice->why),
		       "one MOV CR3 is cheaper beyond; Linux: 33%s", whose);
}

static bool advise(const struct measurement *m, size_t n, const struct measurement *level)
{
	struct report_advice advice = {
		.tunable = "tlb_single_page_flush_ceiling",
		.axes = level->bench->axes,
		.at = level->args.at,
		.x_name = "pages",
		.curves = {{.name = "one_by_one"}, {.name = "full"}},
	};
	const struct stats *s = &level->latency_stats;
	struct bounds bounds;

	collect(&advice, &bounds, m, n, level);
	if (!advice.nr_points)
		return false;
	advice.value = crossover(advice.x, advice.curves[0].ticks, advice.nr_points, level->net);
	advice.least =
		crossover(advice.x, bounds.most, advice.nr_points, s->ci_lo - level->baseline);
	advice.most =
		crossover(advice.x, bounds.least, advice.nr_points, s->ci_hi - level->baseline);
	explain(&advice);
	report_advice(&advice);
	return true;
}

static bool draw(const struct measurement *m, size_t n)
{
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		if (m[i].bench == &full && m[i].n)
			any |= advise(m, n, &m[i]);
	}
	return any;
}

static const struct conclusion ceiling = {.group = "local", .draw = draw};
CONCLUSION(ceiling);
