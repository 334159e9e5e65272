/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does the write of IA32_TSC_DEADLINE overtake the write of LVT that chooses deadline mode? Then it
 * is ignored, as in any other mode, and the timer never fires (Linux, "x86/apic: Serialize LVTT and
 * TSC_DEADLINE writes"). On CPU 0.
 *
 * Each round leaves deadline mode, puts some stores to an uncached page into the store buffer,
 * chooses deadline mode, orders in one of the ways of fence_variants.h, arms the timer for a time
 * that has passed, and waits. In xAPIC mode LVT is memory, and MFENCE is asked for; in x2APIC mode
 * it is an MSR, and the CPU orders the two by itself. With what is asked for, a timer that does not
 * fire is a failure; with less, `kept` of the retention record counts them.
 *
 * Control: rounds that arm before they choose the mode. Where the timer fires even so, the check is
 * blind.
 */
#include "arch/x86/clock.h"
#include "kernel/console.h"
#include "kernel/format.h"
#include "kernel/harness/check.h"
#include "kernel/harness/test_page.h"
#include "kernel/harness/timer.h"
#include "kernel/inject.h"
#include "mm/paging.h"
#include "tests/bench/fence_stage.h"

#define CONTROL_ROUNDS 5
#define PRESSURE_LINES 32     /* stores before the write of LVT: fewer than this */
#define FIRE_US        100000 /* a virtual CPU may not run for so long */
#define SILENCE_US     1000   /* where none is expected: a real one fires in less than 10 */
#define LOST_ENOUGH    10     /* each costs the wait */

/* For each row, of which there are ten; lasting no longer than so long. */
static const struct limits {
	uint32_t rounds, us;
} limits[] = {
	[SUITE_QUICK] = {500, 50000},
	[SUITE_FULL] = {1000000, 20000000},
};

static uint64_t pressure; /* an uncached page */
static uint64_t random;

/* George Marsaglia's xorshift64. */
static uint64_t next_random(void)
{
	random ^= random << 13;
	random ^= random >> 7;
	random ^= random << 17;
	return random;
}

ALWAYS_INLINE void arm_after(enum fence_variant variant, enum apic_mode mode, uint64_t nr_stores)
{
	uint64_t page = pressure, past = cycles_now();

	store_lines(page, nr_stores);
	apic_timer_choose_deadline_bare(mode, VECTOR_TIMER);
	fence_variant(variant);
	apic_timer_write_deadline_bare(past);
}

#define ARM(symbol, CONSTANT, name, text)                             \
	case FENCE_VARIANT_##CONSTANT:                                \
		arm_after(FENCE_VARIANT_##CONSTANT, mode, nr_stores); \
		break;

static void arm(enum fence_variant variant, enum apic_mode mode, uint64_t nr_stores)
{
	switch (variant) {
		FENCE_VARIANTS(ARM)
	case FENCE_VARIANT_COUNT:
		break;
	}
}

/* The wrong way round: the mode is chosen once the deadline is written, and has been ignored. */
static void arm_before(void)
{
	apic_timer_write_deadline_bare(cycles_now());
	mfence();
	lfence();
	apic_timer_enable(APIC_TIMER_DEADLINE, VECTOR_TIMER);
}

struct outcome {
	uint32_t rounds, silent; /* so many, the timer did not fire in so many of them */
};

/* Interrupts off but for the waits. */
static struct outcome play(enum fence_variant variant, bool wrong_way, const struct limits *limits)
{
	uint64_t deadline = clock_deadline(limits->us);
	struct outcome o = {0};

	while (o.rounds < limits->rounds && o.silent < LOST_ENOUGH &&
	       (!o.rounds || !clock_passed(deadline))) {
		uint64_t before = timer_fired();

		apic_timer_disable();
		mfence(); /* in xAPIC mode that was a store */
		if (wrong_way)
			arm_before();
		else
			arm(variant, apic_mode(), next_random() % PRESSURE_LINES);
		o.silent += !timer_wait(before, wrong_way ? SILENCE_US : FIRE_US);
		o.rounds++;
	}
	apic_timer_disable();
	return o;
}

static enum check_result judge(struct check_report *report, enum fence_variant variant)
{
	static const struct limits few = {CONTROL_ROUNDS, FIRE_US};
	struct outcome control = play(variant, true, &few), o;
	enum fence patched =
		inject_is(INJECT_NO_FENCE) ? fence_of_vendor(cpu_identity.vendor) : fence_in_use();

	format(report->control, sizeof(report->control),
	       "control saw no interrupt in %u of %u with the mode chosen last", control.silent,
	       control.rounds);
	if (!control.silent)
		return check_end(report, CHECK_SKIP, "blind: it fires even if armed in no mode");
	o = play(variant, inject_is(INJECT_EARLY_IPI), &limits[report->suite]);
	report->kept = o.silent;
	report->of = o.rounds;
	if (!fence_variant_orders_deadline(variant, apic_mode(), patched))
		return CHECK_RETENTION;
	return check_end(report, o.silent ? CHECK_FAIL : CHECK_PASS,
			 "the timer did not fire in %u of %u rounds", o.silent, o.rounds);
}

static enum check_result run(struct check_report *report, const struct axis_point *at)
{
	enum fence_variant variant = (enum fence_variant)at->values[0];
	enum check_result result;
	uint64_t flags;

	if (!pressure)
		pressure = test_page_map(MAP_UNCACHED);
	if (!pressure)
		return check_end(report, CHECK_SKIP, "no memory for a page");
	random = 0x9e3779b97f4a7c15ull;
	timer_listen();
	flags = irq_save();
	result = judge(report, variant);
	irq_restore(flags);
	if (result == CHECK_RETENTION && report->kept)
		printk("  order/deadline fence=%s: the timer did not fire in %u of %u rounds\n",
		       fence_variant_names[variant], report->kept, report->of);
	return result;
}

static const struct check order_deadline = {
	.name = "order/deadline",
	.what = "a deadline does not overtake the choice of deadline mode",
	.need = {.features = NEED(FEATURE_TSC_DEADLINE)},
	.axes = {&fence_variant_axis},
	.run = run,
};
CHECK(order_deadline);
