/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts the instructions that a flush of one page takes, by IPI and by broadcast, with one, two and
 * all CPUs in the space: by broadcast they are the same, however many run it.
 *
 * It takes a TSC that counts instructions, as QEMU's does with -icount shift=0; one CPU runs at a time
 * there, and what the others do while CPU 0 waits for them counts too. What the model does in the
 * place of INVLPGB and TLBSYNC is taken off, with the way into its handler and back, so that each of
 * them counts for one instruction.
 */
#include "arch/x86/cycles.h"
#include "arch/x86/invlpgb.h"
#include "arch/x86/invlpgb_model.h"
#include "kernel/format.h"
#include "kernel/harness/check.h"
#include "kernel/harness/space_axes.h"
#include "mm/frames.h"
#include "mm/shootdown.h"
#include "tests/check/puppets.h"

#define PAGE_VA 0x40000000ull
#define ROUNDS  32 /* the least of them counts: an interrupt only adds */
#define COUNTS  3  /* of CPUs that run the space */
#define NOPS    100

static struct address_space space;
static uint32_t running[COUNTS], until;
static bool mute, unlike;

/* As INVLPGB's helper, with a NOP in its place. */
static __attribute__((noinline)) fault_t nop_safe(void)
{
	fault_t fault;

	__asm__ volatile(GUARDED("nop") : "=a"(fault) : : "memory", "cc");
	return fault;
}

static int64_t time_nops(void)
{
	struct cycles begin = cycles_begin();

	__asm__ volatile(".rept %c0\n\tnop\n\t.endr" : : "i"(NOPS));
	return (int64_t)cycles_end(begin);
}

static int64_t time_nothing(void)
{
	struct cycles begin = cycles_begin();

	return (int64_t)cycles_end(begin);
}

static bool tsc_counts_instructions(void)
{
	uint64_t flags = irq_save();
	bool all = true;

	for (unsigned i = 0; i < ROUNDS; i++)
		all &= time_nops() - time_nothing() == NOPS;
	irq_restore(flags);
	return all;
}

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* What one visit to the model's handler takes beside what that counts itself. */
static int64_t time_visit(void)
{
	int64_t least = INT64_MAX, nop = INT64_MAX;

	for (unsigned i = 0; i < ROUNDS; i++) {
		uint64_t flags = irq_save(), inside = invlpgb_model_counts().ticks;
		struct cycles begin = cycles_begin();
		int64_t ticks;

		tlbsync_safe();
		ticks = (int64_t)cycles_end(begin);
		least = smaller(least, ticks - (int64_t)(invlpgb_model_counts().ticks - inside));
		begin = cycles_begin();
		nop_safe();
		nop = smaller(nop, (int64_t)cycles_end(begin));
		irq_restore(flags);
	}
	return least - nop;
}

static int64_t time_flush(void)
{
	struct cycles begin = cycles_begin();

	mute |= !address_space_flush_range(&space, PAGE_VA, PAGE_VA + FRAME_SIZE, FRAME_SIZE,
					   false);
	return (int64_t)cycles_end(begin);
}

/* One INVLPGB and one TLBSYNC, or none. */
static bool is_as_it_must(const struct shootdown_counts *before)
{
	struct shootdown_counts now = shootdown_counts_total();
	uint64_t due = space.policy->broadcast;

	return now.invlpgbs - before->invlpgbs == due && now.tlbsyncs - before->tlbsyncs == due;
}

static int64_t count_flush(int64_t visit)
{
	int64_t least = INT64_MAX;

	for (unsigned i = 0; i < ROUNDS && !mute; i++) {
		struct shootdown_counts counts = shootdown_counts_total();
		struct invlpgb_model_counts before = invlpgb_model_counts(), now;
		int64_t ticks = time_flush() - time_nothing();

		unlike |= !is_as_it_must(&counts);
		now = invlpgb_model_counts();
		ticks -= (int64_t)(now.ticks - before.ticks);
		ticks -= visit *
			 (int64_t)(now.invlpgbs + now.tlbsyncs - before.invlpgbs - before.tlbsyncs);
		least = smaller(least, ticks);
	}
	return least;
}

static bool runs(uint32_t puppet)
{
	return puppet < until;
}

/* Of the policy, with as many CPUs as running[] says. False: no memory. */
static bool count_policy(enum flush_policy_id policy, int64_t visit, int64_t counts[COUNTS])
{
	if (!address_space_create(&space, &flush_policies[policy], false))
		return false;
	for (unsigned i = 0; i < COUNTS && !mute; i++) {
		until = running[i];
		mute |= !puppets_switch(runs, &space);
		counts[i] = count_flush(visit);
	}
	mute |= !puppets_switch(NULL, NULL);
	if (!mute)
		address_space_destroy(&space);
	return true;
}

static enum check_result judge(struct check_report *report, const int64_t ipi[COUNTS],
			       const int64_t broadcast[COUNTS])
{
	format(report->control, sizeof(report->control), "by IPI it grows by %ld with all",
	       ipi[COUNTS - 1] - ipi[0]);
	if (unlike)
		return check_end(report, CHECK_FAIL,
				 "not one INVLPGB and one TLBSYNC a broadcast, or some by IPI");
	if (ipi[COUNTS - 1] <= ipi[0])
		return check_end(report, CHECK_SKIP, "blind: by IPI it does not grow either");
	return check_end(
		report,
		broadcast[0] == broadcast[1] && broadcast[1] == broadcast[2] ? CHECK_PASS
									     : CHECK_FAIL,
		"ipi %ld, %ld, %ld; broadcast-always %ld, %ld, %ld instructions with %u, %u, %u CPUs",
		ipi[0], ipi[1], ipi[2], broadcast[0], broadcast[1], broadcast[2], running[0],
		running[1], running[2]);
}

static enum check_result play(struct check_report *report)
{
	int64_t visit = invlpgb_model_is_on() ? time_visit() : 0;
	int64_t ipi[COUNTS], broadcast[COUNTS];
	bool enough;

	running[0] = 1;
	running[1] = 2;
	running[2] = 1 + puppets_count();
	enough = count_policy(POLICY_IPI, visit, ipi) &&
		 count_policy(POLICY_BROADCAST_ALWAYS, visit, broadcast);
	if (mute)
		return CHECK_FAIL;
	if (!enough)
		return check_end(report, CHECK_SKIP, "no memory for an address space");
	return judge(report, ipi, broadcast);
}

static enum check_result run(struct check_report *report, const struct axis_point *at)
{
	enum check_result result = CHECK_FAIL;

	(void)at;
	if (!tsc_counts_instructions())
		return check_end(
			report, CHECK_SKIP,
			"the TSC does not count instructions here (QEMU: -icount shift=0)");
	unlike = false;
	mute = !puppets_begin();
	if (!mute)
		result = play(report);
	mute |= !puppets_end();
	return mute ? check_end(report, CHECK_FAIL, "a CPU did not answer in time") : result;
}

static const struct check instructions = {
	.name = "shootdown/instructions",
	.what = "a broadcast takes as many instructions with all CPUs as with one",
	.need = {.features = NEED(FEATURE_INVLPGB), .cpus = 2},
	.run = run,
};
CHECK(instructions);
