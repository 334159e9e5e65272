/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * INVLPGB of `pages` pages and the TLBSYNC that waits for it, apart and together. CPU 0 has just read
 * the pages; the others, who wait as others= says, have not. TLBSYNC alone is less than the wait: it
 * begins when the section does, a few instructions after INVLPGB.
 */
#include "kernel/harness/page_names.h"
#include "tests/bench/broadcast_row.h"

enum { AT_PAGES, AT_STRIDE };

static const struct axis pages_axis = {
	.key = "pages",
	.quick = 1 << 0 | 1 << 3,
	.nr = 4,
	.values = {1, 2, 4, AXIS_MOST_PAGES},
};

static const struct axis stride_axis = {
	.key = "stride",
	.names = page_names,
	.nr = 2,
	.values = {PAGE_4K, PAGE_2M},
};

static bool applies(const struct axis_point *p)
{
	return p->values[AT_PAGES] <= invlpgb_limits.max_pages;
}

static const char *setup(struct bench_args *args)
{
	enum invlpgb_stride stride =
		args->at.values[AT_STRIDE] == PAGE_2M ? INVLPGB_2M : INVLPGB_4K;

	return broadcast_row_setup(
		args, invlpgb_of_pages(0, 0, args->at.values[AT_PAGES], stride, false));
}

/* The last INVLPGB of a turn is over before the next row's. */
static void leave(const struct bench_args *args)
{
	(void)args;
	tlbsync();
}

static void wait_and_read(const struct bench_args *args)
{
	tlbsync();
	broadcast_row_read_pages(args);
}

static void read_and_issue(const struct bench_args *args)
{
	broadcast_row_read_pages(args);
	broadcast_row_issue(args->a, args->b, args->c);
}

ALWAYS_INLINE void op_tlbsync(uint64_t a, uint64_t b, uint64_t c)
{
	(void)a, (void)b, (void)c;
	tlbsync();
}

BENCH_SAMPLER_ONCE(sample_issue, wait_and_read, broadcast_row_issue)
BENCH_SAMPLER_ONCE(sample_tlbsync, read_and_issue, op_tlbsync)

static const struct bench issue = {
	.name = "broadcast/issue",
	.what = "INVLPGB of `pages` pages, without waiting for it",
	.need = {BROADCAST_NEED},
	.axes = {&pages_axis, &stride_axis},
	.applies = applies,
	.setup = setup,
	.finish = broadcast_row_finish,
	.leave = leave,
	.sample = sample_issue,
};
BENCH(issue);

static const struct bench wait = {
	.name = "broadcast/tlbsync",
	.what = "TLBSYNC right after INVLPGB of `pages` pages",
	.need = {BROADCAST_NEED},
	.axes = {&pages_axis, &stride_axis},
	.applies = applies,
	.setup = setup,
	.finish = broadcast_row_finish,
	.sample = sample_tlbsync,
};
BENCH(wait);

static const struct bench flush = {
	.name = "broadcast/flush",
	.what = "INVLPGB of `pages` pages and TLBSYNC",
	.need = {BROADCAST_NEED},
	.axes = {&pages_axis, &stride_axis},
	.applies = applies,
	.reference = true,
	.setup = setup,
	.finish = broadcast_row_finish,
	.sample = broadcast_row_sample,
};
BENCH(flush);
