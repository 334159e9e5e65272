/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts what flushes cost by each policy, exactly: IPIs while CPU 0 alone runs the space, while
 * others do, and after they left; each of them answered once; pages one by one up to the ceiling,
 * everything above it; and who owns the space. With a global ASID no IPI, but INVLPGBs for as many
 * pages each as the CPU takes, and one TLBSYNC; where those are modelled, the model counts too.
 */
#include "arch/x86/cpu.h"
#include "arch/x86/features.h"
#include "arch/x86/invlpgb.h"
#include "arch/x86/invlpgb_model.h"
#include "kernel/harness/check.h"
#include "kernel/harness/space_axes.h"
#include "mm/frames.h"
#include "mm/shootdown.h"
#include "tests/check/puppets.h"

#define PAGE_VA 0x40000000ull

static struct address_space space;
static bool mute;

static bool enters(uint32_t puppet)
{
	return puppet % 2;
}

/* What a flush of so many pages by CPU 0 must count, and who owns the space afterwards. */
struct expected {
	const char *when;
	uint64_t pages; /* 0: all of the space */
	uint64_t ipis, cpus;
	uint32_t owner;
};

/* INVLPGBs for a flush of what is one by one: as many as it takes, for each half that has a PCID. */
static uint64_t invlpgbs_for(uint64_t pages)
{
	uint32_t max = invlpgb_limits.max_pages;
	uint64_t nr = max ? (pages + max - 1) / max : 0;

	return nr * (space.user_root && feature_has(FEATURE_PCID) ? 2 : 1);
}

static const char *judge_broadcast(const struct expected *e, bool one_by_one, uint64_t invlpgbs,
				   uint64_t tlbsyncs, uint64_t modelled)
{
	uint64_t wanted = invlpgbs_for(one_by_one ? e->pages : 1);

	if (!space.policy->broadcast)
		wanted = 0;
	if (invlpgbs != wanted)
		return "INVLPGBs";
	if (tlbsyncs != (wanted ? 1 : 0))
		return "TLBSYNCs";
	if (modelled != (invlpgb_model_is_on() ? invlpgbs + tlbsyncs : 0))
		return "instructions that reached the model";
	return NULL;
}

static enum check_result expect(struct check_report *report, const struct expected *e)
{
	struct shootdown_counts before = shootdown_counts_total(), after;
	bool one_by_one = e->pages && e->pages <= shootdown_ceiling();
	uint64_t pages, alls, by_ipi = space.policy->broadcast ? 0 : e->cpus;
	uint64_t modelled = invlpgb_model_total();
	const char *wrong;

	mute |= !address_space_flush_range(
		&space, PAGE_VA, e->pages ? PAGE_VA + e->pages * FRAME_SIZE : FLUSH_TO_END,
		FRAME_SIZE, false);
	after = shootdown_counts_total();
	pages = after.pages - before.pages;
	alls = after.alls - before.alls;
	modelled = invlpgb_model_total() - modelled;
	if (after.ipis - before.ipis != e->ipis || after.served - before.served != e->ipis)
		return check_end(report, CHECK_FAIL, "%s: %lu IPIs and %lu answers, not %lu",
				 e->when, after.ipis - before.ipis, after.served - before.served,
				 e->ipis);
	if (pages != (one_by_one ? by_ipi * e->pages : 0) || alls != (one_by_one ? 0 : by_ipi))
		return check_end(report, CHECK_FAIL,
				 "%s, %lu pages on %lu CPUs: %lu one by one, all %lu times",
				 e->when, e->pages, e->cpus, pages, alls);
	wrong = judge_broadcast(e, one_by_one, after.invlpgbs - before.invlpgbs,
				after.tlbsyncs - before.tlbsyncs, modelled);
	if (wrong)
		return check_end(report, CHECK_FAIL,
				 "%s, %lu pages, %u to an INVLPGB: the %s are not as many as "
				 "they must be: %lu INVLPGBs, %lu TLBSYNCs, the model saw %lu",
				 e->when, e->pages, invlpgb_limits.max_pages, wrong,
				 after.invlpgbs - before.invlpgbs, after.tlbsyncs - before.tlbsyncs,
				 modelled);
	if (space.users.owner != e->owner)
		return check_end(report, CHECK_FAIL, "%s: the owner is %x, not %x", e->when,
				 space.users.owner, e->owner);
	return CHECK_PASS;
}

static enum check_result play(struct check_report *report, const struct flush_policy *policy)
{
	uint32_t others = puppets_count(), foreign = (others + 1) / 2;
	uint64_t idle = policy->everyone ? others : 0;
	uint64_t busy = policy->everyone ? others : policy->broadcast ? 0 : foreign;
	uint32_t shared = foreign ? OWNER_MANY : 0, at_last = policy->owner ? 0 : shared;
	uint64_t ceiling = shootdown_ceiling();
	const struct expected alone[] = {
		{"alone", 1, idle, 1, 0},
		{"alone", ceiling, idle, 1, 0},
		{"alone", ceiling + 1, idle, 1, 0},
	};
	const struct expected together[] = {
		{"with others", 1, busy, 1 + foreign, shared},
		{"with others", ceiling, busy, 1 + foreign, shared},
		{"with others", 0, busy, 1 + foreign, shared},
	};
	const struct expected again[] = {
		{"after they left", 1, idle, 1, shared},
		{"after they left", 0, idle, 1, at_last},
		{"alone again", 1, idle, 1, at_last},
	};
	enum check_result result = CHECK_PASS;

	mute |= !puppets_switch(NULL, NULL);
	address_space_switch(&space);
	for (unsigned i = 0; i < 3 && result == CHECK_PASS; i++)
		result = expect(report, &alone[i]);
	mute |= !puppets_switch(enters, &space);
	for (unsigned i = 0; i < 3 && result == CHECK_PASS; i++)
		result = expect(report, &together[i]);
	mute |= !puppets_switch(enters, NULL);
	for (unsigned i = 0; i < 3 && result == CHECK_PASS; i++)
		result = expect(report, &again[i]);
	return result;
}

static enum check_result run(struct check_report *report, const struct axis_point *at)
{
	const struct flush_policy *policy = &flush_policies[at->values[0]];
	enum check_result result = CHECK_PASS;

	mute = false;
	if (!address_space_create(&space, policy, space_axes_pti()))
		return check_end(report, CHECK_SKIP, "no memory for an address space");
	mute = !puppets_begin();
	if (!mute)
		result = play(report, policy);
	mute |= !puppets_end();
	if (mute)
		return check_end(report, CHECK_FAIL, "a CPU did not answer in time");
	address_space_destroy(&space);
	return result;
}

static bool applies(const struct axis_point *p)
{
	/* A space with `broadcast` is asked by IPI until it is given a global ASID, at some flush. */
	return space_policy_applies(p->values[0]) && p->values[0] != POLICY_BROADCAST;
}

static const struct check counts = {
	.name = "shootdown/counts",
	.what = "each policy sends the IPIs it must and no other",
	.need = {.cpus = 2},
	.axes = {&space_policy_axis},
	.applies = applies,
	.run = run,
};
CHECK(counts);
