/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each way to order before a write of IA32_TSC_DEADLINE, on this CPU: stores as in fence.c, the
 * fence, the write. fence/none-deadline is what the others are to be compared with.
 *
 * The timer is in deadline mode, or the write would be ignored, and armed for an hour ahead, so
 * that it never fires. How late one fires is another matter (timer/).
 */
#include "arch/x86/clock.h"
#include "tests/bench/fence_stage.h"

#define HOUR_S 3600

static const char *setup(struct bench_args *args)
{
	args->c = cycles_now() + HOUR_S * clock.tsc_hz;
	return fence_stage_setup(args);
}

static void enter(const struct bench_args *args)
{
	apic_timer_enable(APIC_TIMER_DEADLINE, VECTOR_TIMER);
	fence_stage_enter(args);
}

static void leave(const struct bench_args *args)
{
	apic_timer_disable();
	fence_stage_leave(args);
}

#define DEADLINE_BENCH(symbol, CONSTANT, label, text)                              \
	ALWAYS_INLINE void op_##symbol(uint64_t a, uint64_t b, uint64_t c)         \
	{                                                                          \
		store_lines(a, b);                                                 \
		fence_variant(FENCE_VARIANT_##CONSTANT);                           \
		apic_timer_write_deadline_bare(c);                                 \
	}                                                                          \
	BENCH_SAMPLER_ONCE(sample_##symbol, fence_stage_prepare, op_##symbol)      \
	static const struct bench deadline_##symbol = {                            \
		.name = "fence/" label "-deadline",                                \
		.what = "`stores` stores, " text ", then a write of TSC_DEADLINE", \
		.need = {.features = NEED(FEATURE_TSC_DEADLINE)},                  \
		.axes = FENCE_AXES,                                                \
		.applies = fence_applies,                                          \
		.setup = setup,                                                    \
		.finish = fence_stage_finish,                                      \
		.enter = enter,                                                    \
		.leave = leave,                                                    \
		.sample = sample_##symbol,                                         \
	};                                                                         \
	BENCH(deadline_##symbol);

FENCE_VARIANTS(DEADLINE_BENCH)
