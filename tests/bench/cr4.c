/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The way to flush everything, globals included, without INVPCID: save RFLAGS and disable
 * interrupts, read CR4, clear PGE, set it again, restore RFLAGS. The whole sequence is in the
 * figure, as in the published comparison with INVPCID type 2; so are the global entries of the
 * kernel that the sequence itself needs again.
 */
#include "arch/x86/tlb.h"
#include "kernel/harness/bench.h"

ALWAYS_INLINE void op_pge_toggle(uint64_t a, uint64_t b, uint64_t c)
{
	(void)a, (void)b, (void)c;
	tlb_flush_all_by_pge();
}

BENCH_SAMPLER(sample, op_pge_toggle)

static const struct bench pge_toggle = {
	.name = "local/cr4-pge-toggle",
	.what = "save RFLAGS, CLI, CR4.PGE off and on, restore RFLAGS",
	.need = {.features = NEED(FEATURE_PGE)},
	.throughput = true,
	.sample = sample,
};
BENCH(pge_toggle);
