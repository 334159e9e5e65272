/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that a global ASID is given again only after all CPUs have forgotten the space that had it:
 * more spaces than there are global ASIDs live and end, one after the other, each with another frame
 * under the same address than the one that had its ASID before. All CPUs read every one of them. To
 * give the ASIDs again takes one INVLPGB of everything and one TLBSYNC, and that is counted too: it
 * tells where switches invalidate, as in emulators, what a read can't.
 *
 * With gasids= few an ASID comes again soon, while TLBs still hold what it was.
 */
#include "arch/x86/insn.h"
#include "arch/x86/invlpgb_model.h"
#include "kernel/harness/check.h"
#include "kernel/harness/space_axes.h"
#include "mm/broadcast.h"
#include "mm/frames.h"
#include "mm/shootdown.h"
#include "tests/check/puppets.h"

#define PAGE_VA 0x40000000ull
#define LAPS    2

static struct address_space space;
static uint64_t frames[2];
static bool mute;

/*
 * Maps the one frame or the other, by turns from one rollover to the next: whoever had the ASID had it
 * before the last. NULL, or what went wrong.
 */
static const char *live(void)
{
	const struct puppet_look at = {PAGE_VA, FRAME_SIZE, 1, false, false};
	const char *wrong = NULL;
	unsigned which;

	if (!address_space_create(&space, &flush_policies[POLICY_BROADCAST_ALWAYS], false))
		return "no memory for an address space";
	which = shootdown_counts_total().rollovers % 2;
	if (!address_space_map(&space, PAGE_VA, frames[which], PAGE_4K, 0))
		wrong = "no memory for its tables";
	else if (space_global_asid(&space.global) == GLOBAL_ASID_NONE)
		wrong = "a space was given no global ASID, though all others had ended";
	mute |= !puppets_switch(NULL, &space);
	if (!wrong)
		mute |= !puppets_look(&at);
	mute |= !puppets_switch(NULL, NULL);
	for (uint32_t i = 0; i <= puppets_count() && !wrong && !mute; i++) {
		const struct puppet_sight *sight = puppet_sight(i);

		if ((which ? sight->new : sight->old) != 1)
			wrong = "a CPU read what the space before under the same ASID had mapped";
	}
	if (!mute)
		address_space_destroy(&space);
	return wrong;
}

static const char *live_all(void)
{
	const char *wrong = NULL;

	for (uint32_t i = 0; i < LAPS * broadcast_asids() && !wrong && !mute; i++)
		wrong = live();
	return wrong;
}

static enum check_result judge(struct check_report *report, const struct shootdown_counts *before,
			       uint64_t alls, const char *wrong)
{
	struct shootdown_counts now = shootdown_counts_total();
	uint64_t rollovers = now.rollovers - before->rollovers;
	uint64_t invlpgbs = now.invlpgbs - before->invlpgbs;
	uint64_t tlbsyncs = now.tlbsyncs - before->tlbsyncs;
	uint64_t given = now.gasids - before->gasids;

	if (wrong)
		return check_end(report, CHECK_FAIL, "%s", wrong);
	if (given != (uint64_t)LAPS * broadcast_asids() || !rollovers)
		return check_end(report, CHECK_FAIL, "%u ASIDs given %lu times, %lu rollovers",
				 broadcast_asids(), given, rollovers);
	alls = invlpgb_model_is_on() ? invlpgb_model_counts().alls - alls : rollovers;
	if (invlpgbs != rollovers || tlbsyncs != rollovers || alls != rollovers)
		return check_end(report, CHECK_FAIL,
				 "%lu rollovers: %lu INVLPGBs, %lu of everything, %lu TLBSYNCs",
				 rollovers, invlpgbs, alls, tlbsyncs);
	return check_end(report, CHECK_PASS, "%lu global ASIDs, %lu rollovers", given, rollovers);
}

static enum check_result play(struct check_report *report)
{
	struct shootdown_counts before = shootdown_counts_total();
	uint64_t alls = invlpgb_model_counts().alls;
	const char *wrong = NULL;

	mute = !puppets_begin();
	if (!mute)
		wrong = live_all();
	mute |= !puppets_end();
	if (mute)
		return check_end(report, CHECK_FAIL, "a CPU did not answer in time");
	return judge(report, &before, alls, wrong);
}

static enum check_result run(struct check_report *report, const struct axis_point *at)
{
	enum check_result result;

	(void)at;
	for (unsigned i = 0; i < 2; i++) {
		frames[i] = frame_alloc_zeroed();
		if (frames[i])
			*(uint64_t *)phys_to_virt(frames[i]) = i ? PUPPET_TAG_NEW : PUPPET_TAG_OLD;
	}
	result = frames[0] && frames[1] ? play(report)
					: check_end(report, CHECK_SKIP, "no memory for its pages");
	for (unsigned i = 0; i < 2 && !mute; i++) {
		if (frames[i])
			frames_free(frames[i], 1);
	}
	return result;
}

static const struct check gasid = {
	.name = "stale/gasid",
	.what = "a global ASID is given again only after all CPUs forgot what it was",
	.need = {.features = NEED(FEATURE_INVLPGB)},
	.run = run,
};
CHECK(gasid);
