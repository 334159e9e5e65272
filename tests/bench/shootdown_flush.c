/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One flush of an address space that CPU 0 and maybe others run, until all of them have invalidated:
 * what the one who asks for it pays. CPU 0 has just read the pages; the others, who wait as others=
 * says, have not. shootdown/loop is a turn of what shootdown/tlb-flush counts.
 */
#include "kernel/harness/page_names.h"
#include "tests/bench/shootdown_loop.h"
#include "tests/bench/shootdown_stage.h"

static const struct axis pages_axis = {
	.key = "pages",
	.quick = 1 << 0 | 1 << 2,
	.nr = 4,
	.values = {1, 8, FLUSH_CEILING, STAGE_PAGES},
};

static const struct axis page_axis = {
	.key = "page",
	.names = page_names,
	.quick = 1 << 0,
	.nr = 2,
	.values = {PAGE_4K, PAGE_2M},
};

static const char *setup(struct bench_args *args)
{
	enum page_size size = (enum page_size)args->at.values[STAGE_AT_PAGE];

	args->a = stage_base(size);
	args->b = args->a + args->at.values[STAGE_AT_PAGES] * page_bytes(size);
	args->c = page_bytes(size);
	return stage_setup(args);
}

ALWAYS_INLINE void read_pages(const struct bench_args *args)
{
	for (uint64_t va = args->a; va != args->b; va += args->c)
		(void)*(const volatile uint64_t *)va;
}

/* That it went well is seen by the account. */
ALWAYS_INLINE void op_flush(uint64_t start, uint64_t end, uint64_t stride)
{
	address_space_flush_range(stage_space, start, end, stride, false);
}

BENCH_SAMPLER_ONCE(sample_flush, read_pages, op_flush)

static const struct bench flush = {
	.name = "shootdown/flush",
	.what = "flush of `pages` pages in a space that `cpus` CPUs run, until all have answered",
	.axes = {&space_policy_axis, &axis_cpus, &pages_axis, &page_axis},
	.applies = stage_applies,
	.setup = setup,
	.finish = stage_finish,
	.enter = stage_enter,
	.leave = stage_leave,
	.sample = sample_flush,
};
BENCH(flush);

static const char *setup_loop(struct bench_args *args)
{
	const char *why = stage_setup(args);

	args->a = stage_empty_page();
	args->b = stage_frame();
	return why;
}

ALWAYS_INLINE void op_loop(uint64_t va, uint64_t frame, uint64_t c)
{
	(void)c;
	shootdown_loop(stage_space, va, frame);
}

BENCH_SAMPLER_ONCE(sample_loop, bench_touch, op_loop)

static const struct bench loop = {
	.name = "shootdown/loop",
	.what = "mapping, writing to, unmapping and flushing one page in such a space",
	.axes = {&space_policy_axis, &axis_cpus},
	.applies = stage_applies,
	.setup = setup_loop,
	.finish = stage_finish,
	.enter = stage_enter,
	.leave = stage_leave,
	.sample = sample_loop,
};
BENCH(loop);
