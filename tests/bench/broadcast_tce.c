/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * INVLPGB of one page, paging-structure caches included, and TLBSYNC, with EFER.TCE on no CPU and on
 * all: with it those entries stay that do not lead to the page. CPU 0 has just read it. What the
 * others do not have to fill again is not in the figure.
 */
#include "arch/x86/regs.h"
#include "kernel/harness/peer.h"
#include "kernel/smp.h"
#include "tests/bench/broadcast_row.h"
#include "tests/bench/live_axes.h"

#define ANSWER_US 5000000

static const struct axis tce_axis = {.key = "tce", .nr = 2, .values = {0, 1}};

static const char *setup(struct bench_args *args)
{
	const char *why = bench_refuse_tce();

	return why ? why : broadcast_row_setup(args, invlpgb_of_pages(0, 0, 1, INVLPGB_4K, true));
}

static void turn_on(void *unused)
{
	(void)unused;
	bench_enter_tce(NULL);
}

static void turn_off(void *unused)
{
	(void)unused;
	bench_leave_tce(NULL);
}

static void on_all(const struct bench_args *args, void (*turn)(void *unused))
{
	if (!args->at.values[0])
		return;
	turn(NULL);
	for (struct cpu *cpu = cpus[0]; (cpu = peer_next(cpu));) {
		smp_start_on(cpu, turn, NULL);
		if (!smp_wait(cpu, ANSWER_US))
			broadcast_row_went_wrong(args, "a CPU did not write EFER");
	}
}

static void enter(const struct bench_args *args)
{
	on_all(args, turn_on);
}

static void leave(const struct bench_args *args)
{
	on_all(args, turn_off);
}

static const struct bench tce = {
	.name = "broadcast/tce",
	.what = "INVLPGB of one page and TLBSYNC, with EFER.TCE = `tce` on all CPUs",
	.need = {BROADCAST_NEED | NEED(FEATURE_TCE)},
	.axes = {&tce_axis},
	.setup = setup,
	.finish = broadcast_row_finish,
	.enter = enter,
	.leave = leave,
	.sample = broadcast_row_sample,
};
BENCH(tce);
