/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * INVLPG of one mapped 4 KiB page, on this CPU. The page is read before each section, so the TLB
 * has its entry for one INVLPG, and for the first of those back to back. What refilling it costs
 * afterwards is not in the figure.
 */
#include "arch/x86/insn.h"
#include "kernel/harness/bench.h"
#include "kernel/harness/test_page.h"

static const char *setup(struct bench_args *args)
{
	args->a = test_page_map(0);
	args->touch = args->a;
	return args->a ? NULL : "no memory for a page";
}

static const char *finish(const struct bench_args *args)
{
	test_page_unmap(args->a);
	return NULL;
}

ALWAYS_INLINE void op_invlpg(uint64_t a, uint64_t b, uint64_t c)
{
	(void)b, (void)c;
	invlpg(a);
}

BENCH_SAMPLER(sample, op_invlpg)

static const struct bench invlpg_4k = {
	.name = "local/invlpg-4k",
	.what = "INVLPG of one mapped 4 KiB page",
	.throughput = true,
	.reference = true,
	.setup = setup,
	.finish = finish,
	.sample = sample,
};
BENCH(invlpg_4k);
