/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The APIC's timer on CPU 0: what arming it costs (timer/X-arm, armed so far ahead that it does not
 * fire), and how late it fires (timer/X-late).
 *
 * Lateness: the timer is armed for AHEAD_US ahead, interrupts are let in, the CPU polls, awake; the
 * stub of the vector reads the TSC before anything else. The figure is that reading less the time
 * when it was to fire. It holds the timer's own delay, the delivery and the CPU's way into the
 * stub; it holds no waking up, and no baseline is taken off. In deadline mode the time is the
 * deadline, for each way to order before the write, which should make no difference. In one-shot
 * mode it is the TSC right before the write of the count, and the count by the rate measured
 * against the TSC beforehand; it is known to one period of the timer's clock.
 */
#include "kernel/harness/timer.h"
#include "arch/x86/clock.h"
#include "arch/x86/cycles.h"
#include "tests/bench/fence_stage.h"

#define AHEAD_US     20
#define LOST_US      1000000
#define CALIBRATE_US 5000
#define HOUR_S       3600
#define COUNT_MAX    UINT32_MAX /* seconds, at any rate */

/* By enum apic_timer_mode: one did not fire. */
static bool lost[2];

/* Of one-shot mode: the timer counts so many while the TSC does so many. */
static uint64_t rate_counts, rate_ticks;

static const char *tell(enum apic_timer_mode mode)
{
	return lost[mode] ? "the timer was armed and did not fire" : NULL;
}

static const char *finish_deadline(const struct bench_args *args)
{
	(void)args;
	return tell(APIC_TIMER_DEADLINE);
}

static const char *finish_one_shot(const struct bench_args *args)
{
	(void)args;
	return tell(APIC_TIMER_ONE_SHOT);
}

static void leave(const struct bench_args *args)
{
	(void)args;
	apic_timer_disable();
}

static void enter_deadline(const struct bench_args *args)
{
	(void)args;
	apic_timer_enable(APIC_TIMER_DEADLINE, VECTOR_TIMER);
}

static void enter_one_shot(const struct bench_args *args)
{
	(void)args;
	apic_timer_enable(APIC_TIMER_ONE_SHOT, VECTOR_TIMER);
}

static const char *setup_deadline_arm(struct bench_args *args)
{
	args->a = cycles_now() + HOUR_S * clock.tsc_hz;
	timer_listen();
	return NULL;
}

ALWAYS_INLINE void op_deadline(uint64_t a, uint64_t b, uint64_t c)
{
	(void)b, (void)c;
	apic_timer_write_deadline(a);
}

BENCH_SAMPLER(sample_deadline_arm, op_deadline)

static const struct bench deadline_arm = {
	.name = "timer/deadline-arm",
	.what = "weak_wrmsr_fence() and a write of TSC_DEADLINE",
	.need = {.features = NEED(FEATURE_TSC_DEADLINE)},
	.throughput = true,
	.setup = setup_deadline_arm,
	.enter = enter_deadline,
	.leave = leave,
	.sample = sample_deadline_arm,
};
BENCH(deadline_arm);

static const char *setup_one_shot_arm(struct bench_args *args)
{
	args->a = COUNT_MAX;
	args->b = (uint64_t)xapic;
	timer_listen();
	return NULL;
}

ALWAYS_INLINE void op_one_shot_x2apic(uint64_t a, uint64_t b, uint64_t c)
{
	(void)b, (void)c;
	wrmsr(MSR_X2APIC_TIMER, a);
}

ALWAYS_INLINE void op_one_shot_xapic(uint64_t a, uint64_t b, uint64_t c)
{
	(void)c;
	((volatile uint32_t *)b)[XAPIC_TIMER_COUNT] = a;
}

BENCH_SAMPLER(sample_one_shot_x2apic, op_one_shot_x2apic)
BENCH_SAMPLER(sample_one_shot_xapic, op_one_shot_xapic)

static void sample_one_shot_arm(const struct bench_args *args, enum bench_length length,
				int64_t *ticks, size_t n)
{
	if (apic_mode() == APIC_X2APIC)
		sample_one_shot_x2apic(args, length, ticks, n);
	else
		sample_one_shot_xapic(args, length, ticks, n);
}

static const struct bench one_shot_arm = {
	.name = "timer/one-shot-arm",
	.what = "a write of the timer's initial count",
	.throughput = true,
	.setup = setup_one_shot_arm,
	.enter = enter_one_shot,
	.leave = leave,
	.sample = sample_one_shot_arm,
};
BENCH(one_shot_arm);

static const char *setup_deadline_late(struct bench_args *args)
{
	(void)args;
	lost[APIC_TIMER_DEADLINE] = false;
	timer_listen();
	return NULL;
}

#define ARM(symbol, CONSTANT, name, text)                \
	case FENCE_VARIANT_##CONSTANT:                   \
		fence_variant(FENCE_VARIANT_##CONSTANT); \
		apic_timer_write_deadline_bare(tsc);     \
		break;

static void arm_deadline(enum fence_variant variant, uint64_t tsc)
{
	switch (variant) {
		FENCE_VARIANTS(ARM)
	case FENCE_VARIANT_COUNT:
		break;
	}
}

static uint64_t ahead(void)
{
	return clock.tsc_hz / 1000000 * AHEAD_US;
}

/* Stops arming at the first loss: the figures are worth nothing then, and each loss costs time. */
static void sample_deadline_late(const struct bench_args *args, enum bench_length length,
				 int64_t *ticks, size_t n)
{
	(void)length;
	for (size_t i = 0; i < n; i++) {
		uint64_t before = timer_fired(), deadline = cycles_now() + ahead();

		ticks[i] = 0;
		if (lost[APIC_TIMER_DEADLINE])
			continue;
		arm_deadline((enum fence_variant)args->at.values[0], deadline);
		lost[APIC_TIMER_DEADLINE] = !timer_wait(before, LOST_US);
		ticks[i] = timer_stamp() - deadline;
	}
}

static const struct bench deadline_late = {
	.name = "timer/deadline-late",
	.what = "from a deadline until its handler runs",
	.need = {.features = NEED(FEATURE_TSC_DEADLINE)},
	.axes = {&fence_variant_axis},
	.tsc_only = true,
	.absolute = true,
	.setup = setup_deadline_late,
	.finish = finish_deadline,
	.enter = enter_deadline,
	.leave = leave,
	.sample = sample_deadline_late,
};
BENCH(deadline_late);

static void calibrate(void)
{
	uint64_t start;
	uint64_t flags = irq_save();

	apic_timer_enable(APIC_TIMER_ONE_SHOT, VECTOR_TIMER);
	apic_timer_write_count(COUNT_MAX);
	start = cycles_now();
	clock_delay_us(CALIBRATE_US);
	rate_counts = COUNT_MAX - apic_timer_read_count();
	rate_ticks = cycles_now() - start;
	apic_timer_disable();
	irq_restore(flags);
}

static const char *setup_one_shot_late(struct bench_args *args)
{
	timer_listen();
	calibrate();
	args->a = ahead() * rate_counts / rate_ticks;
	/* One that does not count, or not so fast, is told by finish(). */
	lost[APIC_TIMER_ONE_SHOT] = args->a == 0;
	return NULL;
}

static void sample_one_shot_late(const struct bench_args *args, enum bench_length length,
				 int64_t *ticks, size_t n)
{
	(void)length;
	for (size_t i = 0; i < n; i++) {
		uint64_t before = timer_fired(), armed;

		ticks[i] = 0;
		if (lost[APIC_TIMER_ONE_SHOT])
			continue;
		armed = cycles_now();
		apic_timer_write_count(args->a);
		lost[APIC_TIMER_ONE_SHOT] = !timer_wait(before, LOST_US);
		ticks[i] = timer_stamp() - armed - args->a * rate_ticks / rate_counts;
	}
}

static const struct bench one_shot_late = {
	.name = "timer/one-shot-late",
	.what = "from the end of the count until the handler runs",
	.tsc_only = true,
	.absolute = true,
	.setup = setup_one_shot_late,
	.finish = finish_one_shot,
	.enter = enter_one_shot,
	.leave = leave,
	.sample = sample_one_shot_late,
};
BENCH(one_shot_late);
