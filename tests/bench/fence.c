/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The price of ordering, on this CPU: each way of fence_variants.h alone (fence/X), and with stores
 * outstanding in the store buffer (fence/X-stores), to lines that this CPU has written last, that
 * another CPU has written since, or that are not cached.
 *
 * The stores are issued inside the section, right before the fence. Issued before it they could
 * drain while the TSC is read, as LFENCE waits for no store; so fence/none-stores, the stores
 * alone, is what the others are to be compared with: it ends when the stores have been issued, not
 * when they are visible. What a fence costs that must wait for them is the difference.
 *
 * Not in the figures: what a fence costs code behind it that could have run earlier.
 */
#include "tests/bench/fence_stage.h"

#define FENCE_BENCHES(symbol, CONSTANT, label, text)                                            \
	ALWAYS_INLINE void op_##symbol(uint64_t a, uint64_t b, uint64_t c)                      \
	{                                                                                       \
		(void)a, (void)b, (void)c;                                                      \
		fence_variant(FENCE_VARIANT_##CONSTANT);                                        \
	}                                                                                       \
	ALWAYS_INLINE void op_##symbol##_stores(uint64_t a, uint64_t b, uint64_t c)             \
	{                                                                                       \
		(void)c;                                                                        \
		store_lines(a, b);                                                              \
		fence_variant(FENCE_VARIANT_##CONSTANT);                                        \
	}                                                                                       \
	BENCH_SAMPLER(sample_##symbol, op_##symbol)                                             \
	BENCH_SAMPLER_ONCE(sample_##symbol##_stores, fence_stage_prepare, op_##symbol##_stores) \
	static const struct bench fence_##symbol = {                                            \
		.name = "fence/" label,                                                         \
		.what = text,                                                                   \
		.throughput = true,                                                             \
		.sample = sample_##symbol,                                                      \
	};                                                                                      \
	BENCH(fence_##symbol);                                                                  \
	static const struct bench fence_##symbol##_stores = {                                   \
		.name = "fence/" label "-stores",                                               \
		.what = "`stores` stores, then " text,                                          \
		.axes = FENCE_SOME_AXES,                                                        \
		.setup = fence_stage_setup,                                                     \
		.finish = fence_stage_finish,                                                   \
		.enter = fence_stage_enter,                                                     \
		.leave = fence_stage_leave,                                                     \
		.sample = sample_##symbol##_stores,                                             \
	};                                                                                      \
	BENCH(fence_##symbol##_stores);

FENCE_VARIANTS(FENCE_BENCHES)
