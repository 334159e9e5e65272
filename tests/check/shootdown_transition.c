/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that a space with policy `broadcast` is given a global ASID when it must be and not before,
 * and what its flushes cost meanwhile, exactly: by IPI to all who run it, until the flush that finds
 * it on more than gasid_cpus= CPUs; then one that asks those who run it under another ASID, and
 * broadcasts; then none by IPI any more, whoever runs it. After the two flushes in the middle all
 * CPUs look: none may see what was mapped before.
 */
#include "arch/x86/insn.h"
#include "kernel/harness/check.h"
#include "kernel/harness/space_axes.h"
#include "kernel/smp.h"
#include "mm/broadcast.h"
#include "mm/frames.h"
#include "mm/shootdown.h"
#include "tests/check/puppets.h"

#define PAGE_VA 0x40000000ull

static struct address_space space;
static uint64_t frames[2];
static uint32_t nr_running, until;
static bool mute;

/* CPU 0 and the first `until` - 1 puppets; they enter one after the other. */
static bool runs(uint32_t puppet)
{
	return puppet >= nr_running && puppet < until;
}

static void let_run(uint32_t nr)
{
	until = nr;
	mute |= !puppets_switch(runs, &space);
	nr_running = nr;
}

/* What one flush by CPU 0 came to. */
static struct shootdown_counts flush(void)
{
	struct shootdown_counts before = shootdown_counts_total(), d = {.flushes = 0}, now;

	mute |= !address_space_flush_range(&space, PAGE_VA, PAGE_VA + FRAME_SIZE, FRAME_SIZE,
					   false);
	now = shootdown_counts_total();
	d.ipis = now.ipis - before.ipis;
	d.served = now.served - before.served;
	d.tlbsyncs = now.tlbsyncs - before.tlbsyncs - (now.rollovers - before.rollovers);
	d.gasids = now.gasids - before.gasids;
	return d;
}

/* `asid` whether it must have been given one by it. */
static bool expect(struct check_report *report, const char *when, uint64_t ipis, uint64_t tlbsyncs,
		   bool asid)
{
	struct shootdown_counts d = flush();

	if (d.ipis == ipis && d.served == ipis && d.tlbsyncs == tlbsyncs && d.gasids == asid)
		return true;
	check_end(report, CHECK_FAIL,
		  "%s, %u CPUs: %lu IPIs, %lu answers, %lu TLBSYNCs, %lu ASIDs, not %lu %lu %lu %u",
		  when, nr_running, d.ipis, d.served, d.tlbsyncs, d.gasids, ipis, ipis, tlbsyncs,
		  asid);
	return false;
}

/* Too few CPUs for one, however often it is looked at. */
static bool stays_dynamic(struct check_report *report)
{
	for (uint32_t i = 0; i < 2 * broadcast_sample() && !mute; i++) {
		if (!expect(report, "on few", nr_running - 1, 0, false))
			return false;
	}
	return true;
}

/* One flush in so many looks, and this CPU alone flushes. */
static bool is_given_one(struct check_report *report)
{
	for (uint32_t i = 0; i < broadcast_sample() && !mute; i++) {
		struct shootdown_counts d = flush();

		if (d.ipis != nr_running - 1 || d.served != d.ipis || d.tlbsyncs) {
			check_end(report, CHECK_FAIL,
				  "before the global ASID: %lu IPIs to %u CPUs, %lu TLBSYNCs",
				  d.ipis, nr_running - 1, d.tlbsyncs);
			return false;
		}
		if (d.gasids == 1)
			return true;
	}
	check_end(report, CHECK_FAIL, "on %u CPUs: no global ASID in %u flushes", nr_running,
		  broadcast_sample());
	return false;
}

/* All have seen the old page before; none may now. */
static bool sees_new(struct check_report *report, const char *when)
{
	const struct puppet_look at = {PAGE_VA, FRAME_SIZE, 1, false, false};

	mute |= !puppets_look(&at);
	for (uint32_t i = 0; i < nr_running; i++) {
		if (puppet_sight(i)->new == 1)
			continue;
		check_end(report, CHECK_FAIL, "CPU %u saw the old page after the flush %s",
			  puppet_cpu(i), when);
		return false;
	}
	return true;
}

static void map(unsigned which)
{
	address_space_exchange(&space, PAGE_VA,
			       (*paging_entry(&space.tables, PAGE_VA, NULL) & ~PTE_ADDR_MASK) |
				       frames[which]);
}

static bool changes_over(struct check_report *report)
{
	const struct puppet_look at = {PAGE_VA, FRAME_SIZE, 1, false, false};

	mute |= !puppets_look(&at);
	map(1);
	if (!expect(report, "in transition", nr_running - 1, 1, false) ||
	    !sees_new(report, "in transition"))
		return false;
	return expect(report, "after it", 0, 1, false);
}

static bool stays_global(struct check_report *report)
{
	uint32_t all = 1 + puppets_count();

	let_run(all);
	if (!expect(report, "on all", 0, 1, false))
		return false;
	mute |= !puppets_switch(NULL, NULL);
	nr_running = 0;
	let_run(2);
	return expect(report, "on few again", 0, 1, false);
}

static bool play(struct check_report *report)
{
	uint32_t few = broadcast_cpus();

	nr_running = 0;
	let_run(few ? few : 1);
	if (few && !stays_dynamic(report))
		return false;
	let_run(few + 1);
	return is_given_one(report) && changes_over(report) && stays_global(report);
}

static bool set_up(void)
{
	for (unsigned i = 0; i < 2; i++) {
		frames[i] = frame_alloc_zeroed();
		if (!frames[i])
			return false;
		*(uint64_t *)phys_to_virt(frames[i]) = i ? PUPPET_TAG_NEW : PUPPET_TAG_OLD;
	}
	return address_space_create(&space, &flush_policies[POLICY_BROADCAST], space_axes_pti()) &&
	       address_space_map(&space, PAGE_VA, frames[0], PAGE_4K, 0);
}

static void strike(void)
{
	for (unsigned i = 0; i < 2; i++) {
		if (frames[i])
			frames_free(frames[i], 1);
	}
	if (space.tables.root)
		address_space_destroy(&space);
}

static enum check_result run(struct check_report *report, const struct axis_point *at)
{
	bool passed = false;

	(void)at;
	if (smp.online <= broadcast_cpus())
		return check_end(report, CHECK_SKIP,
				 "gasid_cpus=%u: takes a CPU more than that, %u online",
				 broadcast_cpus(), smp.online);
	space = (struct address_space){.policy = NULL};
	if (!set_up()) {
		strike();
		return check_end(report, CHECK_SKIP, "no memory for an address space");
	}
	mute = !puppets_begin();
	if (!mute)
		passed = play(report);
	mute |= !puppets_end();
	if (mute)
		return check_end(report, CHECK_FAIL, "a CPU did not answer in time");
	strike();
	return passed ? CHECK_PASS : CHECK_FAIL;
}

static const struct check transition = {
	.name = "shootdown/transition",
	.what = "a space is given a global ASID when it must be, and is asked about by IPI until then",
	.need = {.features = NEED(FEATURE_INVLPGB), .cpus = 2},
	.run = run,
};
CHECK(transition);
