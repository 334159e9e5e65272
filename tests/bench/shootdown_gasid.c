/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From which number of CPUs on a flush is cheaper for the one who asks when it is broadcast:
 * shootdown/flush with policy ipi against broadcast-always. A space that more than `gasid_cpus` CPUs
 * run is to have a global ASID (Linux: 3). What either takes from the other CPUs is not in it
 * (shootdown/stolen).
 */
#include "kernel/format.h"
#include "kernel/harness/conclusion.h"
#include "kernel/harness/crossover.h"
#include "kernel/harness/report.h"
#include "kernel/text.h"
#include "tests/bench/shootdown_stage.h"

#define FLUSH "shootdown/flush"

/* How much dearer ipi is: at most, by the medians, and at least. */
struct excess {
	int64_t most[ADVICE_POINTS_MAX], net[ADVICE_POINTS_MAX], least[ADVICE_POINTS_MAX];
};

static bool is_flush_by_ipi(const struct measurement *m)
{
	return m->n && text_equal(m->bench->name, FLUSH) &&
	       m->args.at.values[STAGE_AT_POLICY] == POLICY_IPI;
}

/* The same row but for the policy; NULL where it has no figures. */
static const struct measurement *find_broadcast(const struct measurement *m, size_t n,
						const struct measurement *ipi)
{
	struct measurement like = {.args.at = ipi->args.at};

	like.args.at.values[STAGE_AT_POLICY] = POLICY_BROADCAST_ALWAYS;
	return measurement_find(m, n, FLUSH, &like);
}

/* Flushes of as many pages, of that size. */
static bool is_of_curve(const struct measurement *m, const struct axis_point *first)
{
	const uint32_t *at = m->args.at.values;

	return at[STAGE_AT_PAGES] == first->values[STAGE_AT_PAGES] &&
	       at[STAGE_AT_PAGE] == first->values[STAGE_AT_PAGE];
}

static void add(struct report_advice *advice, struct excess *excess, const struct measurement *ipi,
		const struct measurement *broadcast)
{
	const struct stats *i = &ipi->latency_stats, *b = &broadcast->latency_stats;
	uint32_t point = advice->nr_points++;

	advice->x[point] = ipi->args.at.values[STAGE_AT_CPUS];
	advice->curves[0].ticks[point] = ipi->net;
	advice->curves[1].ticks[point] = broadcast->net;
	excess->most[point] = i->ci_hi - b->ci_lo;
	excess->net[point] = ipi->net - broadcast->net;
	excess->least[point] = i->ci_lo - b->ci_hi;
}

/* The numbers of CPUs at which both have figures, in the order of the rows. */
static void collect(struct report_advice *advice, struct excess *excess,
		    const struct measurement *m, size_t n, const struct axis_point *first)
{
	for (size_t i = 0; i < n && advice->nr_points < ADVICE_POINTS_MAX; i++) {
		const struct measurement *broadcast;

		if (!is_flush_by_ipi(&m[i]) || !is_of_curve(&m[i], first))
			continue;
		broadcast = find_broadcast(m, n, &m[i]);
		if (broadcast)
			add(advice, excess, &m[i], broadcast);
	}
}

static bool advise(const struct measurement *m, size_t n, const struct measurement *first)
{
	const struct axis_point *at = &first->args.at;
	const struct axis *const axes[AXES_MAX] = {first->bench->axes[STAGE_AT_PAGES],
						   first->bench->axes[STAGE_AT_PAGE]};
	struct report_advice advice = {
		.tunable = "gasid_cpus",
		.axes = axes,
		.at = {{at->values[STAGE_AT_PAGES], at->values[STAGE_AT_PAGE]}},
		.x_name = "cpus",
		.curves = {{.name = "ipi"}, {.name = "broadcast_always"}},
	};
	struct excess excess;
	uint32_t nr;

	collect(&advice, &excess, m, n, at);
	nr = advice.nr_points;
	if (nr < 2)
		return false;
	advice.value = crossover(advice.x, excess.net, nr, 0);
	advice.least = crossover(advice.x, excess.most, nr, 0);
	advice.most = crossover(advice.x, excess.least, nr, 0);
	if (advice.value == advice.x[nr - 1])
		format(advice.why, sizeof(advice.why),
		       "up to %u CPUs IPIs are not dearer than a broadcast", advice.x[nr - 1]);
	else
		format(advice.why, sizeof(advice.why),
		       "with more CPUs a broadcast is cheaper than IPIs; Linux: 3");
	report_advice(&advice);
	return true;
}

/* One for each number and size of pages, told by its row of one CPU. */
static bool draw(const struct measurement *m, size_t n)
{
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		if (is_flush_by_ipi(&m[i]) && m[i].args.at.values[STAGE_AT_CPUS] == 1)
			any |= advise(m, n, &m[i]);
	}
	return any;
}

static const struct conclusion gasid_cpus = {.group = "shootdown", .draw = draw};
CONCLUSION(gasid_cpus);
