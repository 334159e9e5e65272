/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * MOV to CR4, on this CPU. A change of PGE flushes everything, globals included, and so is the way
 * to do that without INVPCID: cr4-pge-toggle is the whole sequence of the published comparison with
 * INVPCID type 2 (save RFLAGS and disable interrupts, read CR4, clear PGE, set it again, restore
 * RFLAGS), cr4-pge-bare its two writes alone. In both figures are the global entries of the kernel
 * that the code itself needs again. cr4-rewrite changes nothing.
 */
#include "arch/x86/tlb.h"
#include "tests/bench/live_axes.h"

static const char *setup_bare(struct bench_args *args)
{
	args->a = read_cr4() & ~CR4_PGE;
	args->b = read_cr4();
	return live_set(args);
}

static const char *setup_rewrite(struct bench_args *args)
{
	args->a = read_cr4();
	return live_set(args);
}

ALWAYS_INLINE void op_pge_toggle(uint64_t a, uint64_t b, uint64_t c)
{
	(void)a, (void)b, (void)c;
	tlb_flush_all_by_pge();
}

ALWAYS_INLINE void op_write_cr4_twice(uint64_t a, uint64_t b, uint64_t c)
{
	(void)c;
	write_cr4(a);
	write_cr4(b);
}

ALWAYS_INLINE void op_write_cr4(uint64_t a, uint64_t b, uint64_t c)
{
	(void)b, (void)c;
	write_cr4(a);
}

BENCH_SAMPLER(sample_toggle, op_pge_toggle)
BENCH_SAMPLER(sample_twice, op_write_cr4_twice)
BENCH_SAMPLER(sample, op_write_cr4)

static const struct bench pge_toggle = {
	.name = "local/cr4-pge-toggle",
	.what = "save RFLAGS, CLI, CR4.PGE off and on, restore RFLAGS",
	.need = {.features = NEED(FEATURE_PGE)},
	.axes = LIVE_AXES,
	.applies = live_applies,
	.throughput = true,
	.setup = live_set,
	.sample = sample_toggle,
};
BENCH(pge_toggle);

static const struct bench pge_bare = {
	.name = "local/cr4-pge-bare",
	.what = "CR4.PGE off and on, two writes",
	.need = {.features = NEED(FEATURE_PGE)},
	.axes = LIVE_AXES,
	.applies = live_applies,
	.throughput = true,
	.setup = setup_bare,
	.sample = sample_twice,
};
BENCH(pge_bare);

static const struct bench rewrite = {
	.name = "local/cr4-rewrite",
	.what = "MOV CR4 with the same value",
	.axes = LIVE_AXES,
	.applies = live_applies,
	.throughput = true,
	.setup = setup_rewrite,
	.sample = sample,
};
BENCH(rewrite);
