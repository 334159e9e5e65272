/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a switch leaves to be paid: 512 pages are read, then the CPU goes to another address space,
 * where `between` pages are read, and back; the time to read the 512 again. With what=thread it
 * stays, and reads the others all the same. The pages are the kernel's, not global: each space has
 * entries of its own for them, where there are PCIDs.
 */
#include "kernel/harness/conclusion.h"
#include "kernel/harness/report.h"
#include "tests/bench/thread.h"

#define LIVE 512

enum { AT_PAIR, AT_BETWEEN };

static const struct axis between_axis = {
	.key = "between",
	.nr = 3,
	.quick = 1 << 0 | 1 << 2,
	.values = {0, 64, 512},
};

static bool applies(const struct axis_point *p)
{
	return thread_pair_applies(p->values[AT_PAIR]);
}

static const char *setup(struct bench_args *args)
{
	struct live_pages between = {0, 0};
	const char *why = live_pages_get(PAGE_4K, LIVE, &args->live);

	if (!why)
		why = live_pages_get(PAGE_4K, args->at.values[AT_BETWEEN], &between);
	args->a = args->live.head;
	args->b = args->live.count;
	args->c = between.head;
	if (!why && (!thread_space(0) || !thread_space(1)))
		why = "no memory for its address spaces";
	return why;
}

static void enter(const struct bench_args *args)
{
	(void)args;
	address_space_switch(thread_space(0));
}

static void leave(const struct bench_args *args)
{
	(void)args;
	address_space_switch(NULL);
}

static void go_and_come_back(const struct bench_args *args)
{
	enum thread_pair pair = (enum thread_pair)args->at.values[AT_PAIR];
	struct live_pages between = {args->c, args->at.values[AT_BETWEEN]};

	live_pages_touch(args->live);
	if (pair != PAIR_THREAD)
		address_space_switch(thread_space(1));
	live_pages_touch(between);
	if (pair == PAIR_PROCESS_FLUSH)
		space_users_advance(&thread_space(0)->users);
	address_space_switch(thread_space(0));
}

ALWAYS_INLINE void op_touch(uint64_t head, uint64_t count, uint64_t c)
{
	(void)c;
	load_chain(head, count);
}

BENCH_SAMPLER_ONCE(sample, go_and_come_back, op_touch)

static const struct bench refill = {
	.name = "switch/refill",
	.what = "reading 512 pages again after a switch away and back",
	.axes = {&thread_pair_axis, &between_axis},
	.applies = applies,
	.setup = setup,
	.enter = enter,
	.leave = leave,
	.sample = sample,
};
BENCH(refill);

static const struct measurement *find(const struct measurement *m, size_t n, enum thread_pair pair)
{
	for (size_t i = 0; i < n; i++) {
		if (m[i].bench == &refill && m[i].n && m[i].args.at.values[AT_PAIR] == pair &&
		    m[i].args.at.values[AT_BETWEEN] == 0)
			return &m[i];
	}
	return NULL;
}

/* What PCIDs are for. */
static bool draw(const struct measurement *m, size_t n)
{
	const struct report_comparison c = {
		.one = find(m, n, PAIR_PROCESS),
		.other = find(m, n, PAIR_PROCESS_FLUSH),
		.text = "reading 512 pages after a switch that kept them, and one that did not",
		.published = "not published",
	};

	if (!c.one || !c.other)
		return false;
	report_comparison(&c);
	return true;
}

static const struct conclusion saving = {.group = "switch", .draw = draw};
CONCLUSION(saving);
