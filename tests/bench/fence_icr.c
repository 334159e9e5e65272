/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each way to order before a write of ICR, on this CPU: stores as in fence.c, the fence, the write.
 * fence/none-icr is what the others are to be compared with.
 *
 * The write is an IPI to this CPU itself, by shorthand, so that it disturbs nobody. Interrupts are
 * off: it stays pending, those of one turn become one interrupt, and that is taken after the turn.
 * So the figure holds the write and no delivery (ipi/). finish() sees that each turn brought its
 * interrupt.
 *
 * In xAPIC mode the write is one uncached store, which may itself still be outstanding at the end
 * of the section; the poll for an idle ICR comes before the section.
 */
#include "arch/x86/apic.h"
#include "arch/x86/trap.h"
#include "tests/bench/fence_stage.h"

#define ICR_TO_SELF (ICR_FIXED | ICR_ASSERT | ICR_SELF | VECTOR_FENCE)
#define MAX_PAUSES  100000u

/* For all rows together. */
static uint64_t turns, received;
static bool sent_in_turn;

static void handle(struct trap_frame *frame)
{
	(void)frame;
	__atomic_store_n(&received, received + 1, __ATOMIC_RELEASE);
	apic_eoi();
}

static const char *setup(struct bench_args *args)
{
	turns = 0;
	received = 0;
	trap_set_handler(VECTOR_FENCE, handle);
	args->c = apic_mode() == APIC_X2APIC ? ICR_TO_SELF : (uint64_t)xapic;
	return fence_stage_setup(args);
}

static void leave(const struct bench_args *args)
{
	turns += sent_in_turn;
	sent_in_turn = false;
	fence_stage_leave(args);
}

static const char *finish(const struct bench_args *args)
{
	for (unsigned i = 0; i < MAX_PAUSES; i++) {
		if (__atomic_load_n(&received, __ATOMIC_ACQUIRE) >= turns)
			break;
		pause();
	}
	if (received != turns)
		return "not every turn brought one interrupt";
	return fence_stage_finish(args);
}

static void prepare_xapic(const struct bench_args *args)
{
	fence_stage_prepare(args);
	xapic_wait_idle();
}

#define ICR_BENCH(symbol, CONSTANT, label, text)                                                \
	ALWAYS_INLINE void op_##symbol##_x2apic(uint64_t a, uint64_t b, uint64_t c)             \
	{                                                                                       \
		store_lines(a, b);                                                              \
		fence_variant(FENCE_VARIANT_##CONSTANT);                                        \
		x2apic_write_icr_bare(0, c);                                                    \
	}                                                                                       \
	ALWAYS_INLINE void op_##symbol##_xapic(uint64_t a, uint64_t b, uint64_t c)              \
	{                                                                                       \
		store_lines(a, b);                                                              \
		fence_variant(FENCE_VARIANT_##CONSTANT);                                        \
		((volatile uint32_t *)c)[XAPIC_ICR_LOW] = ICR_TO_SELF;                          \
	}                                                                                       \
	BENCH_SAMPLER_ONCE(sample_##symbol##_x2apic, fence_stage_prepare, op_##symbol##_x2apic) \
	BENCH_SAMPLER_ONCE(sample_##symbol##_xapic, prepare_xapic, op_##symbol##_xapic)         \
	static void sample_##symbol(const struct bench_args *args, enum bench_length length,    \
				    int64_t *ticks, size_t n)                                   \
	{                                                                                       \
		sent_in_turn = true;                                                            \
		if (apic_mode() == APIC_X2APIC)                                                 \
			sample_##symbol##_x2apic(args, length, ticks, n);                       \
		else                                                                            \
			sample_##symbol##_xapic(args, length, ticks, n);                        \
	}                                                                                       \
	static const struct bench icr_##symbol = {                                              \
		.name = "fence/" label "-icr",                                                  \
		.what = "`stores` stores, " text ", then a write of ICR",                       \
		.axes = FENCE_AXES,                                                             \
		.applies = fence_applies,                                                       \
		.setup = setup,                                                                 \
		.finish = finish,                                                               \
		.enter = fence_stage_enter,                                                     \
		.leave = leave,                                                                 \
		.sample = sample_##symbol,                                                      \
	};                                                                                      \
	BENCH(icr_##symbol);

FENCE_VARIANTS(ICR_BENCH)
