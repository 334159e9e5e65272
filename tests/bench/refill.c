/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a flush leaves to be paid: after it, the time to read `live` pages again, which were all
 * read just before it, on this CPU. The flush itself is not in the figure (local/). refill/none is
 * the same without a flush: what another row has more than it is the price.
 *
 * Each read waits for the one before (live_pages.h), so page walks do not overlap: a program whose
 * reads are independent pays less.
 */
#include "arch/x86/tlb.h"
#include "kernel/harness/test_page.h"
#include "tests/bench/live_axes.h"

static const struct axis refill_axis = {
	.key = "live",
	.quick = 1 << 2 | 1 << 3,
	.nr = 5,
	.values = {1, 16, 64, 512, LIVE_PAGES_MAX},
};

/* What INVPCID names and INVLPG drops: a page that is not live. */
static struct invpcid_desc desc;

static const char *setup(struct bench_args *args)
{
	const char *why = live_set(args);

	if (!desc.va)
		desc.va = test_page_map(0);
	args->touch = desc.va;
	args->a = args->live.head;
	args->b = args->live.count;
	if (!desc.va)
		return "no memory for a page";
	return why;
}

ALWAYS_INLINE void op_touch(uint64_t a, uint64_t b, uint64_t c)
{
	(void)c;
	load_chain(a, b);
}

#define REFILL(symbol, suffix, text, needs, flush, ...)                                          \
	ALWAYS_INLINE void prepare_##symbol(const struct bench_args *args)                       \
	{                                                                                        \
		bench_touch(args);                                                               \
		flush;                                                                           \
	}                                                                                        \
	BENCH_SAMPLER_ONCE(sample_##symbol, prepare_##symbol, op_touch)                          \
	static const struct bench refill_##symbol = {.name = "refill/" suffix,                   \
						     .what = "reading `live` pages after " text, \
						     .need = {.features = needs},                \
						     .axes = {&refill_axis, &live_page_axis},    \
						     .setup = setup,                             \
						     .sample = sample_##symbol,                  \
						     __VA_ARGS__};                               \
	BENCH(refill_##symbol);

REFILL(none, "none", "nothing", 0, , .reference = true)
REFILL(invlpg, "invlpg", "INVLPG of another page", 0, invlpg(desc.va))
REFILL(invlpg_tce, "invlpg-tce", "INVLPG of another page with EFER.TCE = 1", NEED(FEATURE_TCE),
       invlpg(desc.va), .enter = bench_enter_tce, .leave = bench_leave_tce)
REFILL(addr, "invpcid-addr", "INVPCID type 0 of another page", NEED(FEATURE_INVPCID),
       invpcid(INVPCID_ADDR, &desc))
REFILL(context, "invpcid-context", "INVPCID type 1", NEED(FEATURE_INVPCID),
       invpcid(INVPCID_CONTEXT, &desc))
REFILL(all, "invpcid-all", "INVPCID type 2", NEED(FEATURE_INVPCID),
       invpcid(INVPCID_ALL_GLOBAL, &desc))
REFILL(all_nonglobal, "invpcid-all-nonglobal", "INVPCID type 3", NEED(FEATURE_INVPCID),
       invpcid(INVPCID_ALL_NON_GLOBAL, &desc))
REFILL(reload, "cr3-reload", "MOV CR3 with the same value", 0, write_cr3(read_cr3()))
REFILL(noflush, "cr3-noflush", "MOV CR3 with the same value and bit 63", NEED(FEATURE_PCID),
       write_cr3(read_cr3() | CR3_NOFLUSH))
REFILL(pge, "cr4-pge-toggle", "CR4.PGE off and on", NEED(FEATURE_PGE), tlb_flush_all_by_pge())
REFILL(rewrite, "cr4-rewrite", "MOV CR4 with the same value", 0, write_cr4(read_cr4()))
