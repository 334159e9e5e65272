/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * INVLPG of one page, on this CPU. The page is read before each section, so the TLB has its entry
 * for one INVLPG, and for the first of those back to back; so are `live` others, which INVLPG need
 * not drop, though it must drop what the paging-structure caches know of them. What refilling costs
 * afterwards is not in the figure (refill/).
 */
#include "kernel/harness/test_page.h"
#include "tests/bench/live_axes.h"

static const char *target(struct bench_args *args, uint64_t page)
{
	args->a = page;
	args->touch[0] = page;
	return page ? live_set(args) : "no memory for a page";
}

static const char *target_own(struct bench_args *args, uint64_t page)
{
	const char *why = target(args, page);

	if (why)
		test_page_unmap(page);
	return why;
}

static const char *setup_4k(struct bench_args *args)
{
	return target_own(args, test_page_map(0));
}

static const char *setup_4k_global(struct bench_args *args)
{
	return target_own(args, test_page_map(MAP_GLOBAL));
}

static const char *setup_4k_tce(struct bench_args *args)
{
	const char *why = bench_refuse_tce();

	return why ? why : setup_4k(args);
}

/* The last of the live pages, where those that are live need not include it. */
static const char *setup_2m(struct bench_args *args)
{
	struct live_pages one;
	const char *why = live_pages_get(PAGE_2M, 1, &one);

	if (why)
		return why;
	return target(args, live_pages_base(PAGE_2M) + (LIVE_PAGES_MAX - 1) * page_bytes(PAGE_2M));
}

/* Nothing has ever been mapped there; its neighbours may share a page table. */
static const char *setup_not_present(struct bench_args *args)
{
	args->a = test_space_reserve(page_bytes(PAGE_4K), page_bytes(PAGE_4K));
	return live_set(args);
}

static const char *setup_non_canonical(struct bench_args *args)
{
	args->a = NONCANONICAL_ANY;
	return live_set(args);
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
	.axes = LIVE_AXES,
	.applies = live_applies,
	.throughput = true,
	.reference = true,
	.setup = setup_4k,
	.finish = finish,
	.sample = sample,
};
BENCH(invlpg_4k);

static const struct bench invlpg_4k_global = {
	.name = "local/invlpg-4k-global",
	.what = "INVLPG of one mapped global 4 KiB page",
	.need = {.features = NEED(FEATURE_PGE)},
	.axes = LIVE_AXES,
	.applies = live_applies,
	.throughput = true,
	.setup = setup_4k_global,
	.finish = finish,
	.sample = sample,
};
BENCH(invlpg_4k_global);

static const struct bench invlpg_4k_tce = {
	.name = "local/invlpg-4k-tce",
	.what = "INVLPG of one mapped 4 KiB page with EFER.TCE = 1",
	.need = {.features = NEED(FEATURE_TCE)},
	.axes = LIVE_AXES,
	.applies = live_applies,
	.throughput = true,
	.setup = setup_4k_tce,
	.finish = finish,
	.enter = bench_enter_tce,
	.leave = bench_leave_tce,
	.sample = sample,
};
BENCH(invlpg_4k_tce);

static const struct bench invlpg_2m = {
	.name = "local/invlpg-2m",
	.what = "INVLPG of one mapped 2 MiB page",
	.axes = LIVE_AXES,
	.applies = live_applies,
	.throughput = true,
	.setup = setup_2m,
	.sample = sample,
};
BENCH(invlpg_2m);

static const struct bench invlpg_not_present = {
	.name = "local/invlpg-not-present",
	.what = "INVLPG of an address where nothing is mapped",
	.axes = LIVE_AXES,
	.applies = live_applies,
	.throughput = true,
	.setup = setup_not_present,
	.sample = sample,
};
BENCH(invlpg_not_present);

static const struct bench invlpg_non_canonical = {
	.name = "local/invlpg-non-canonical",
	.what = "INVLPG of a non-canonical address, which does nothing",
	.axes = LIVE_AXES,
	.applies = live_applies,
	.throughput = true,
	.setup = setup_non_canonical,
	.sample = sample,
};
BENCH(invlpg_non_canonical);
