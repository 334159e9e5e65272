/* SPDX-License-Identifier: BSD-2-Clause */
/* The sampling loop. */
#include "kernel/harness/measure.h"

#include "arch/x86/cpu.h"
#include "arch/x86/divide.h"
#include "arch/x86/features.h"
#include "arch/x86/mem.h"
#include "arch/x86/safe.h"
#include "kernel/console.h"
#include "mm/kernel_space.h"

#define BLOCK       32 /* samples in one turn, up to STATS_TURN_MAX */
#define COUNTED     8  /* of each performance counter in one turn: they cost the TSC's time */
#define WARM_UP     2  /* dropped at the start of each turn: caches and predictors forget */
#define FIRST_LOOK  8  /* rounds before the intervals are looked at first; then at each doubling */
#define SCALE       1000
#define WITHIN_PART 100 /* the interval is good when it is within 1/100 of the median */

ALWAYS_INLINE void op_empty(uint64_t a, uint64_t b, uint64_t c)
{
	(void)a, (void)b, (void)c;
}

BENCH_SAMPLER(sample_empty, op_empty)

static const struct bench empty = {.name = "baseline", .sample = sample_empty};

/* What a disturbed block shows: SMIs by Intel's counter where it can be read, and NMIs. */
struct disturbance {
	uint64_t smis, nmis;
};

static struct disturbance read_disturbance(void)
{
	struct disturbance d = {0, this_cpu()->nmis};

	if (cpu_identity.vendor == VENDOR_INTEL)
		(void)rdmsr_safe(MSR_SMI_COUNT, &d.smis);
	return d;
}

static bool is_same(struct disturbance a, struct disturbance b)
{
	return a.smis == b.smis && a.nmis == b.nmis;
}

static void sample_block(struct measurement *m, enum bench_length length, int64_t *ticks, size_t n)
{
	int64_t warm_up[WARM_UP];

	m->bench->sample(&m->args, length, warm_up, WARM_UP);
	m->bench->sample(&m->args, length, ticks, n);
}

/* Thousandths of a tick for one operation: the 16 more operations of the longer section. */
static int64_t per_operation(int64_t longer, int64_t shorter)
{
	return divide_signed((longer - shorter) * SCALE, BENCH_UNROLL_COUNT);
}

/* Each pair side by side, so that what disturbs one mostly disturbs the other. */
static void sample_throughput(struct measurement *m, int64_t *thousandths, size_t n)
{
	int64_t shorter, longer;

	sample_block(m, BENCH_UNROLL, &shorter, 1);
	sample_block(m, BENCH_UNROLL_TWICE, &longer, 1);
	for (size_t i = 0; i < n; i++) {
		m->bench->sample(&m->args, BENCH_UNROLL, &shorter, 1);
		m->bench->sample(&m->args, BENCH_UNROLL_TWICE, &longer, 1);
		thousandths[i] = per_operation(longer, shorter);
	}
}

/* One operation at a time by each performance counter; what comes of it is not yet kept. */
static void sample_counted(struct measurement *m)
{
	for (unsigned e = 0; e < PMU_EVENTS; e++) {
		int64_t *samples = m->counted[e].samples;

		if (!samples)
			continue;
		samples += m->counted[e].n;
		m->args.counter = pmu.counters[e].index;
		sample_block(m, BENCH_ONE_COUNTED, samples, COUNTED);
		for (size_t i = 0; i < COUNTED; i++)
			samples[i] &= (int64_t)pmu.counters[e].mask;
	}
}

static void keep_counted(struct measurement *m)
{
	for (unsigned e = 0; e < PMU_EVENTS; e++)
		m->counted[e].n += m->counted[e].samples ? COUNTED : 0;
}

/* One turn of one benchmark: up to BLOCK samples, as many as there is room for. */
static void take_turn(struct measurement *m, size_t room)
{
	uint64_t flags = irq_save(), start = cycles_now();
	struct disturbance before = read_disturbance(), after;
	size_t n = room - m->n < BLOCK ? room - m->n : BLOCK;

	if (m->bench->enter)
		m->bench->enter(&m->args);
	if (n)
		sample_block(m, BENCH_ONE, m->latency + m->n, n);
	if (n && m->throughput)
		sample_throughput(m, m->throughput + m->n, n);
	if (n)
		sample_counted(m);
	after = read_disturbance();
	if (n && is_same(before, after))
		keep_counted(m);
	if (is_same(before, after))
		m->n += n;
	else
		m->discarded += n;
	if (m->bench->leave)
		m->bench->leave(&m->args);
	m->spent += cycles_now() - start;
	irq_restore(flags);
}

/* How coarsely the TSC counts, by the samples of the group. */
static struct stats_step tsc_step;

/* `step` is not always wanted: NULL. */
static void summarise_turns(const int64_t *samples, size_t n, size_t turn, int64_t *scratch,
			    struct stats *s, struct stats_step *step)
{
	memcpy(scratch, samples, n * sizeof(*samples));
	stats_sort(scratch, n);
	stats_compute(scratch, n, s);
	if (step)
		stats_step_add(step, scratch, n);
	stats_widen_by_turns(s, samples, n, turn, scratch);
}

static void summarise_latency(const int64_t *samples, size_t n, int64_t *scratch, struct stats *s)
{
	summarise_turns(samples, n, BLOCK, scratch, s, &tsc_step);
}

static void summarise_throughput(const int64_t *samples, size_t n, int64_t *scratch,
				 struct stats *s)
{
	summarise_turns(samples, n, BLOCK, scratch, s, NULL);
}

static bool is_narrow(const struct stats *s)
{
	int64_t allowed = divide_signed(s->p50, WITHIN_PART);

	return s->ci_hi - s->p50 <= allowed && s->p50 - s->ci_lo <= allowed;
}

static bool is_good_enough(const struct measurement *m, int64_t *scratch)
{
	struct stats s;

	if (!m->n)
		return false;
	summarise_latency(m->latency, m->n, scratch, &s);
	if (!is_narrow(&s) || !m->throughput)
		return is_narrow(&s);
	summarise_throughput(m->throughput, m->n, scratch, &s);
	return is_narrow(&s);
}

/* Memory for samples of one kind. */
struct room {
	size_t samples, counted; /* bytes */
};

/* Every turn that is kept has some of the TSC's and COUNTED of each counter. */
static struct room room_for(size_t samples)
{
	return (struct room){samples * sizeof(int64_t),
			     (samples / BLOCK + 1) * COUNTED * sizeof(int64_t)};
}

static void free_samples(struct measurement *m, struct room room)
{
	kernel_memory_free(m->latency, room.samples);
	kernel_memory_free(m->throughput, room.samples);
	m->latency = m->throughput = NULL;
	for (unsigned e = 0; e < PMU_EVENTS; e++) {
		kernel_memory_free(m->counted[e].samples, room.counted);
		m->counted[e].samples = NULL;
	}
}

static bool allocate(struct measurement *m, struct room room)
{
	bool ok = true;

	m->latency = kernel_memory_alloc(room.samples);
	m->throughput = m->back_to_back ? kernel_memory_alloc(room.samples) : NULL;
	for (unsigned e = 0; e < PMU_EVENTS; e++) {
		if (!pmu_counts(e) || m->bench->tsc_only)
			continue;
		m->counted[e].samples = kernel_memory_alloc(room.counted);
		ok &= m->counted[e].samples != NULL;
	}
	return ok && m->latency && (m->throughput || !m->back_to_back);
}

static bool allocate_all(struct measurement *group, size_t n, struct measurement *baseline,
			 int64_t **scratch, struct room room)
{
	bool ok = allocate(baseline, room);

	*scratch = kernel_memory_alloc(room.samples + room.counted);
	for (size_t i = 0; i < n; i++) {
		if (!*group[i].skipped)
			ok &= allocate(&group[i], room);
	}
	return ok && *scratch;
}

static void conclude_counted(struct counted *c, const struct counted *baseline, int64_t *scratch)
{
	if (!baseline->n)
		c->n = 0;
	if (!c->n)
		return;
	summarise_turns(c->samples, c->n, COUNTED, scratch, &c->stats, NULL);
	c->baseline = baseline->stats.p50;
	c->net = c->stats.p50 - c->baseline;
}

static void conclude(struct measurement *m, const struct measurement *baseline, int64_t *scratch)
{
	/* Without a baseline its samples are worth nothing. */
	if (!baseline->n)
		m->n = 0;
	if (!m->n)
		return;
	summarise_latency(m->latency, m->n, scratch, &m->latency_stats);
	m->baseline = m->bench->absolute ? 0 : baseline->latency_stats.p50;
	m->net = m->latency_stats.p50 - m->baseline;
	if (m->throughput)
		summarise_throughput(m->throughput, m->n, scratch, &m->throughput_stats);
	for (unsigned e = 0; e < PMU_EVENTS; e++)
		conclude_counted(&m->counted[e], &baseline->counted[e], scratch);
}

static void conclude_baseline(struct measurement *baseline, int64_t *scratch)
{
	if (baseline->n)
		summarise_latency(baseline->latency, baseline->n, scratch,
				  &baseline->latency_stats);
	for (unsigned e = 0; e < PMU_EVENTS; e++) {
		struct counted *c = &baseline->counted[e];

		/* What the whole group has of a counter that stopped on the way is worth nothing. */
		if (!pmu_counts(e))
			c->n = 0;
		if (c->n)
			summarise_turns(c->samples, c->n, COUNTED, scratch, &c->stats, NULL);
	}
}

/* The report named the counters before; it says so where one of them is no longer used. */
static void probe_counters(void)
{
	bool counted[PMU_EVENTS];
	uint64_t flags = irq_save();

	for (unsigned e = 0; e < PMU_EVENTS; e++)
		counted[e] = pmu_counts(e);
	pmu_probe();
	irq_restore(flags);
	for (unsigned e = 0; e < PMU_EVENTS; e++) {
		if (counted[e] && !pmu_counts(e))
			printk("note: %s is not used any longer: %s\n", pmu.counters[e].name,
			       pmu.counters[e].why);
	}
}

/* Whether every benchmark has its samples, or they all have used the time of all. */
static bool is_exhausted(const struct measurement *group, size_t n,
			 const struct measure_limits *limits)
{
	uint64_t spent = 0, budget = 0;
	bool full = true;

	for (size_t i = 0; i < n; i++) {
		if (*group[i].skipped)
			continue;
		spent += group[i].spent;
		budget += group[i].budget_ticks;
		full &= group[i].n == limits->samples;
	}
	return full || spent >= budget;
}

static bool are_good_enough(const struct measurement *group, size_t n, int64_t *scratch)
{
	for (size_t i = 0; i < n; i++) {
		if (!*group[i].skipped && !is_good_enough(&group[i], scratch))
			return false;
	}
	return true;
}

/* George Marsaglia's xorshift64. */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/*
 * Everyone once, from a random start: nobody always comes after the same neighbour's end of turn.
 */
static void take_round(struct measurement *group, size_t n, struct measurement *baseline,
		       size_t room, uint64_t *random)
{
	size_t start = next_random(random) % n;

	take_turn(baseline, room);
	for (size_t i = 0; i < n; i++) {
		struct measurement *m = &group[(start + i) % n];

		if (!*m->skipped)
			take_turn(m, room);
	}
}

/* All end together: what one went through all went through, so they can be compared. */
static void sample_all(struct measurement *group, size_t n, struct measurement *baseline,
		       const struct measure_limits *limits, int64_t *scratch)
{
	uint64_t random =
		limits->seed + 0x9e3779b97f4a7c15ull; /* never the 0 that xorshift keeps */

	for (size_t round = 1; !is_exhausted(group, n, limits); round++) {
		take_round(group, n, baseline, limits->samples, &random);
		/* Looking at each doubling costs a constant factor over the run. */
		if (round >= FIRST_LOOK && !(round & (round - 1)) &&
		    are_good_enough(group, n, scratch))
			break;
	}
}

/* By what the samples themselves can't show. */
static void widen(struct measurement *m)
{
	stats_widen_by_step(&m->latency_stats, &tsc_step);
	m->latency_stats.ci_lo -= m->args.error;
	m->latency_stats.ci_hi += m->args.error;
}

bool measure_group(struct measurement *group, size_t n, const struct measure_limits *limits)
{
	struct measurement baseline = {.bench = &empty};
	struct room room = room_for(limits->samples);
	int64_t *scratch = NULL;
	bool ok = allocate_all(group, n, &baseline, &scratch, room);

	tsc_step = (struct stats_step){.smallest = 0};
	if (ok) {
		sample_all(group, n, &baseline, limits, scratch);
		probe_counters();
		conclude_baseline(&baseline, scratch);
	}
	for (size_t i = 0; ok && i < n; i++)
		conclude(&group[i], &baseline, scratch);
	for (size_t i = 0; ok && i < n; i++)
		widen(&group[i]);
	for (size_t i = 0; i < n; i++)
		free_samples(&group[i], room);
	free_samples(&baseline, room);
	kernel_memory_free(scratch, room.samples + room.counted);
	return ok;
}
