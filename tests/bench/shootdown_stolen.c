/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a flush takes from a CPU that only computes: the longest time between two of its readings of
 * the TSC, which it takes without pause while CPU 0 flushes. With cpus=1 it does not run the space,
 * so that only a policy that asks everybody disturbs it. pages=0 is no flush: what else disturbs, and
 * the length of a turn of the loop.
 */
#include "arch/x86/clock.h"
#include "kernel/harness/peer.h"
#include "kernel/smp.h"
#include "tests/bench/shootdown_stage.h"

#define ANSWER_US 5000000

static const struct axis cpus_axis = {.key = "cpus", .nr = 2, .values = {1, 2}};

static const struct axis pages_axis = {
	.key = "pages",
	.quick = 1 << 0 | 1 << 2,
	.nr = 4,
	.values = {0, 1, FLUSH_CEILING, STAGE_PAGES},
};

/* CPU 0 raises it at the beginning and at the end of each time in which to look; STOP ends it all. */
static uint64_t phase __attribute__((aligned(CACHE_LINE)));
#define STOP UINT64_MAX

static struct {
	uint64_t phase; /* that it has come to */
	uint64_t longest;
} watcher __attribute__((aligned(CACHE_LINE)));

static void watch(void *unused)
{
	uint64_t longest = 0, before, seen = 0;

	(void)unused;
	sti();
	before = cycles_now();
	while (seen != STOP) {
		uint64_t asked = __atomic_load_n(&phase, __ATOMIC_ACQUIRE), now = cycles_now();

		if (now - before > longest)
			longest = now - before;
		before = now;
		if (asked == seen)
			continue;
		watcher.longest = longest;
		longest = 0;
		seen = asked;
		__atomic_store_n(&watcher.phase, seen, __ATOMIC_RELEASE);
	}
	cli();
}

static void set_phase(const struct bench_args *args, uint64_t to)
{
	uint64_t deadline = clock_deadline(ANSWER_US);

	__atomic_store_n(&phase, to, __ATOMIC_RELEASE);
	while (__atomic_load_n(&watcher.phase, __ATOMIC_ACQUIRE) != to) {
		if (clock_passed(deadline)) {
			stage_went_wrong(args, "the other CPU did not watch");
			return;
		}
		pause();
	}
}

static bool applies(const struct axis_point *p)
{
	return stage_applies(p) && (p->values[STAGE_AT_PAGES] || p->values[STAGE_AT_CPUS] == 1);
}

static const char *setup(struct bench_args *args)
{
	args->a = stage_base(PAGE_4K);
	args->b = args->a + args->at.values[STAGE_AT_PAGES] * page_bytes(PAGE_4K);
	return stage_setup(args);
}

static void enter(const struct bench_args *args)
{
	stage_enter(args);
	phase = watcher.phase = 0;
	smp_start_on(peer_next(cpus[0]), watch, NULL);
}

static void leave(const struct bench_args *args)
{
	set_phase(args, STOP);
	if (!smp_wait(peer_next(cpus[0]), ANSWER_US))
		stage_went_wrong(args, "the other CPU did not end to watch");
	stage_leave(args);
}

static void sample(const struct bench_args *args, enum bench_length length, int64_t *ticks,
		   size_t n)
{
	(void)length;
	for (size_t i = 0; i < n; i++) {
		set_phase(args, phase + 1);
		if (!address_space_flush_range(stage_space, args->a, args->b, page_bytes(PAGE_4K),
					       false))
			stage_went_wrong(args, "a CPU did not answer");
		set_phase(args, phase + 1);
		ticks[i] = watcher.longest;
	}
}

static const struct bench stolen = {
	.name = "shootdown/stolen",
	.what = "longest time taken from a CPU that computes while CPU 0 flushes `pages` pages",
	.need = {.cpus = 2},
	.axes = {&space_policy_axis, &cpus_axis, &pages_axis},
	.applies = applies,
	.tsc_only = true,
	.absolute = true,
	.setup = setup,
	.finish = stage_finish,
	.enter = enter,
	.leave = leave,
	.sample = sample,
};
BENCH(stolen);
