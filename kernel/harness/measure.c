/* SPDX-License-Identifier: BSD-2-Clause */
/* The sampling loop. */
#include "kernel/harness/measure.h"

#include "arch/x86/cpu.h"
#include "arch/x86/features.h"
#include "arch/x86/mem.h"
#include "arch/x86/safe.h"
#include "mm/kernel_space.h"

#define BLOCK       32  /* samples in one turn */
#define WARM_UP     2   /* dropped at the start of each turn: caches and predictors forget */
#define FIRST_LOOK  128 /* samples before the interval is looked at first; then at each doubling */
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

static void sample_block(struct measurement *m, enum bench_length length, int64_t *ticks, size_t n)
{
	int64_t warm_up[WARM_UP];

	m->bench->sample(&m->args, length, warm_up, WARM_UP);
	m->bench->sample(&m->args, length, ticks, n);
}

/* Thousandths of a tick for one operation: the 16 more operations of the longer section. */
static int64_t per_operation(int64_t longer, int64_t shorter)
{
	return (longer - shorter) * SCALE / BENCH_UNROLL_COUNT;
}

/* One turn of one benchmark. */
static void take_block(struct measurement *m, size_t n)
{
	uint64_t flags = irq_save(), start = cycles_now();
	struct disturbance before = read_disturbance(), after;
	int64_t shorter[BLOCK], longer[BLOCK];

	sample_block(m, BENCH_ONE, m->latency + m->n, n);
	if (m->throughput) {
		sample_block(m, BENCH_UNROLL, shorter, n);
		sample_block(m, BENCH_UNROLL_TWICE, longer, n);
		for (size_t i = 0; i < n; i++)
			m->throughput[m->n + i] = per_operation(longer[i], shorter[i]);
	}
	after = read_disturbance();
	if (before.smis == after.smis && before.nmis == after.nmis)
		m->n += n;
	else
		m->discarded += n;
	m->spent += cycles_now() - start;
	irq_restore(flags);
}

static void summarise(const int64_t *samples, size_t n, int64_t *scratch, struct stats *s)
{
	memcpy(scratch, samples, n * sizeof(*samples));
	stats_sort(scratch, n);
	stats_compute(scratch, n, s);
}

static bool is_narrow(const struct stats *s)
{
	int64_t allowed = s->p50 / WITHIN_PART;

	return s->ci_hi - s->p50 <= allowed && s->p50 - s->ci_lo <= allowed;
}

static bool is_good_enough(const struct measurement *m, int64_t *scratch)
{
	struct stats s;

	/* Sorting at each doubling costs a constant factor over the run. */
	if (m->n < FIRST_LOOK || m->n & (m->n - 1))
		return false;
	summarise(m->latency, m->n, scratch, &s);
	if (!is_narrow(&s) || !m->throughput)
		return is_narrow(&s);
	summarise(m->throughput, m->n, scratch, &s);
	return is_narrow(&s);
}

static void take_turn(struct measurement *m, const struct measure_limits *limits, int64_t *scratch)
{
	size_t left = limits->samples - m->n;

	take_block(m, left < BLOCK ? left : BLOCK);
	/* The budget can end a benchmark with few samples, never with none. */
	m->done = m->n == limits->samples || (m->n && m->spent >= limits->budget_ticks) ||
		  m->spent >= 8 * limits->budget_ticks || is_good_enough(m, scratch);
}

static void free_samples(struct measurement *m, size_t bytes)
{
	kernel_memory_free(m->latency, bytes);
	kernel_memory_free(m->throughput, bytes);
	m->latency = m->throughput = NULL;
}

static bool allocate(struct measurement *m, size_t bytes)
{
	m->latency = kernel_memory_alloc(bytes);
	m->throughput = m->bench->throughput ? kernel_memory_alloc(bytes) : NULL;
	return m->latency && (m->throughput || !m->bench->throughput);
}

static bool allocate_all(struct measurement *group, size_t n, struct measurement *baseline,
			 int64_t **scratch, size_t bytes)
{
	bool ok = allocate(baseline, bytes);

	*scratch = kernel_memory_alloc(bytes);
	for (size_t i = 0; i < n; i++) {
		group[i].done = *group[i].skipped;
		if (!group[i].done)
			ok &= allocate(&group[i], bytes);
	}
	return ok && *scratch;
}

static void conclude(struct measurement *m, const struct measurement *baseline, int64_t *scratch)
{
	if (!m->n)
		return;
	summarise(m->latency, m->n, scratch, &m->latency_stats);
	m->baseline = baseline->latency_stats.p50;
	m->net = m->latency_stats.p50 - m->baseline;
	if (m->throughput)
		summarise(m->throughput, m->n, scratch, &m->throughput_stats);
}

static bool any_left(const struct measurement *group, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!group[i].done)
			return true;
	}
	return false;
}

bool measure_group(struct measurement *group, size_t n, const struct measure_limits *limits)
{
	struct measurement baseline = {.bench = &empty};
	size_t bytes = limits->samples * sizeof(int64_t);
	int64_t *scratch = NULL;
	bool ok = allocate_all(group, n, &baseline, &scratch, bytes);

	while (ok && any_left(group, n)) {
		/* The baseline goes on as long as anything is measured against it. */
		if (baseline.n < limits->samples)
			take_turn(&baseline, limits, scratch);
		for (size_t i = 0; i < n; i++) {
			if (!group[i].done)
				take_turn(&group[i], limits, scratch);
		}
	}
	if (ok && baseline.n) {
		summarise(baseline.latency, baseline.n, scratch, &baseline.latency_stats);
		for (size_t i = 0; i < n; i++)
			conclude(&group[i], &baseline, scratch);
	}
	for (size_t i = 0; i < n; i++)
		free_samples(&group[i], bytes);
	free_samples(&baseline, bytes);
	kernel_memory_free(scratch, bytes);
	return ok;
}
