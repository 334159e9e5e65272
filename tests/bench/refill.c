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

/* What INVPCID names and INVLPG drops: pages that are not live. */
static struct invpcid_desc desc;
static uint64_t global_page, large_page;

static const char *setup(struct bench_args *args)
{
	const char *why = live_set(args);

	if (!desc.va)
		desc.va = test_page_map(0);
	args->touch[0] = desc.va;
	args->a = args->live.head;
	args->b = args->live.count;
	if (!desc.va)
		return "no memory for a page";
	return why;
}

static const char *setup_global(struct bench_args *args)
{
	const char *why = setup(args);

	if (!global_page)
		global_page = test_page_map(MAP_GLOBAL);
	args->touch[0] = global_page;
	return global_page ? why : "no memory for a page";
}

/* The one behind the live pages of that size, which all rings leave out but the longest. */
static const char *setup_2m(struct bench_args *args)
{
	struct live_pages one;
	const char *why = setup(args), *why_not = live_pages_get(PAGE_2M, 1, &one);

	large_page = live_pages_base(PAGE_2M) + (LIVE_PAGES_MAX - 1) * page_bytes(PAGE_2M);
	args->touch[0] = why_not ? 0 : large_page;
	return why ? why : why_not;
}

static const char *setup_tce(struct bench_args *args)
{
	const char *why = bench_refuse_tce();

	return why ? why : setup(args);
}

ALWAYS_INLINE void op_touch(uint64_t a, uint64_t b, uint64_t c)
{
	(void)c;
	load_chain(a, b);
}

/* What the switch of address spaces does, with one set of tables. */
ALWAYS_INLINE void switch_there_and_back(uint64_t bits)
{
	uint64_t cr3 = read_cr3();

	write_cr3(cr3 | 1 | bits);
	write_cr3(cr3 | bits);
}

#define REFILL(symbol, suffix, text, needs, set, flush, ...)                                     \
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
						     .setup = set,                               \
						     .sample = sample_##symbol,                  \
						     __VA_ARGS__};                               \
	BENCH(refill_##symbol);

REFILL(none, "none", "nothing", 0, setup, , .reference = true)
REFILL(invlpg, "invlpg", "INVLPG of another page", 0, setup, invlpg(desc.va))
REFILL(invlpg_global, "invlpg-global", "INVLPG of another page, a global one", NEED(FEATURE_PGE),
       setup_global, invlpg(global_page))
REFILL(invlpg_2m, "invlpg-2m", "INVLPG of another page, of 2 MiB", 0, setup_2m, invlpg(large_page))
REFILL(invlpg_tce, "invlpg-tce", "INVLPG of another page with EFER.TCE = 1", NEED(FEATURE_TCE),
       setup_tce, invlpg(desc.va), .enter = bench_enter_tce, .leave = bench_leave_tce)
REFILL(addr, "invpcid-addr", "INVPCID type 0 of another page", NEED(FEATURE_INVPCID), setup,
       invpcid(INVPCID_ADDR, &desc))
REFILL(addr_tce, "invpcid-addr-tce", "INVPCID type 0 of another page with EFER.TCE = 1",
       NEED(FEATURE_INVPCID) | NEED(FEATURE_TCE), setup_tce, invpcid(INVPCID_ADDR, &desc),
       .enter = bench_enter_tce, .leave = bench_leave_tce)
REFILL(context, "invpcid-context", "INVPCID type 1", NEED(FEATURE_INVPCID), setup,
       invpcid(INVPCID_CONTEXT, &desc))
REFILL(all, "invpcid-all", "INVPCID type 2", NEED(FEATURE_INVPCID), setup,
       invpcid(INVPCID_ALL_GLOBAL, &desc))
REFILL(all_nonglobal, "invpcid-all-nonglobal", "INVPCID type 3", NEED(FEATURE_INVPCID), setup,
       invpcid(INVPCID_ALL_NON_GLOBAL, &desc))
REFILL(reload, "cr3-reload", "MOV CR3 with the same value", 0, setup, write_cr3(read_cr3()))
REFILL(noflush, "cr3-noflush", "MOV CR3 with the same value and bit 63", NEED(FEATURE_PCID), setup,
       write_cr3(read_cr3() | CR3_NOFLUSH))
REFILL(switch, "cr3-switch", "MOV CR3 to PCID 1 and back to 0", NEED(FEATURE_PCID), setup,
       switch_there_and_back(0))
REFILL(switch_noflush, "cr3-switch-noflush", "MOV CR3 with bit 63 to PCID 1 and back to 0",
       NEED(FEATURE_PCID), setup, switch_there_and_back(CR3_NOFLUSH))
REFILL(pge, "cr4-pge-toggle", "CR4.PGE off and on", NEED(FEATURE_PGE), setup,
       tlb_flush_all_by_pge())
REFILL(rewrite, "cr4-rewrite", "MOV CR4 with the same value", 0, setup, write_cr4(read_cr4()))
