/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves on this CPU that a switch keeps what an ASID holds only where it may: where it is this
 * space's, and no flush of the space has come since.
 *
 * More spaces than there are ASIDs map the same page to memories with tags of their own. CPU 0 goes
 * from one to another at random; now and then one that does not run gets other memory and is
 * flushed. Each switch is judged twice: by the PCID in CR3 and by whether its contents were kept,
 * which tells on every CPU; and by the tag that is read, which tells where PCIDs are tags in the TLB.
 */
#include "arch/x86/insn.h"
#include "arch/x86/mem.h"
#include "kernel/harness/check.h"
#include "kernel/harness/space_axes.h"
#include "mm/asid.h"
#include "mm/frames.h"
#include "mm/shootdown.h"

#define SPACES      (ASIDS_DYNAMIC + 2u)
#define STEPS_QUICK 1000u
#define STEPS_FULL  100000u
#define PAGE_VA     0x40000000ull
#define MIN_KEPT    14u /* as STALE_MIN_CONTROL: so that keeping is seen at all */

/* What the check knows of a PCID by itself. */
struct holder {
	uint32_t space;
	bool flushed; /* the space was, since it last ran */
	bool used;
};

static struct {
	struct address_space spaces[SPACES];
	uint64_t frames[SPACES][2];
	unsigned now[SPACES]; /* which of the two it maps */
	struct holder holders[CR3_PCID_MASK + 1];
	uint64_t random;
	uint32_t kept, wrong, stale, step, last;
} stage;

/* Spaces under global ASIDs have no use for the ASIDs of this CPU. */
static const struct flush_policy *policy(void)
{
	const struct flush_policy *p = space_policy_default();

	return p->broadcast ? &flush_policies[POLICY_IPI] : p;
}

/* George Marsaglia's xorshift64. */
static uint32_t next_random(void)
{
	stage.random ^= stage.random << 13;
	stage.random ^= stage.random >> 7;
	stage.random ^= stage.random << 17;
	return stage.random >> 32;
}

static uint64_t tag_of(uint32_t space)
{
	return 1 + 2ull * space + stage.now[space];
}

static bool set_up(void)
{
	for (uint32_t i = 0; i < SPACES; i++) {
		for (unsigned k = 0; k < 2; k++) {
			stage.frames[i][k] = frame_alloc_zeroed();
			if (!stage.frames[i][k])
				return false;
			*(uint64_t *)phys_to_virt(stage.frames[i][k]) = 1 + 2ull * i + k;
		}
		if (!address_space_create(&stage.spaces[i], policy(), false) ||
		    !address_space_map(&stage.spaces[i], PAGE_VA, stage.frames[i][0], PAGE_4K, 0))
			return false;
	}
	return true;
}

static void strike(void)
{
	for (uint32_t i = 0; i < SPACES; i++) {
		for (unsigned k = 0; k < 2; k++) {
			if (stage.frames[i][k])
				frames_free(stage.frames[i][k], 1);
		}
		if (stage.spaces[i].tables.root)
			address_space_destroy(&stage.spaces[i]);
	}
}

static bool change_and_flush(uint32_t space)
{
	struct address_space *s = &stage.spaces[space];
	uint64_t entry = *paging_entry(&s->tables, PAGE_VA, NULL);

	stage.now[space] ^= 1;
	address_space_exchange(s, PAGE_VA,
			       (entry & ~PTE_ADDR_MASK) | stage.frames[space][stage.now[space]]);
	for (uint32_t pcid = 0; pcid <= CR3_PCID_MASK; pcid++)
		stage.holders[pcid].flushed |= stage.holders[pcid].space == space;
	return address_space_flush_range(s, PAGE_VA, PAGE_VA + FRAME_SIZE, FRAME_SIZE, false);
}

static void switch_and_judge(uint32_t space)
{
	const struct shootdown_counts *counts = shootdown_counts(0);
	uint64_t kept_before = counts->kept;
	struct holder *h;
	bool kept;

	address_space_switch(&stage.spaces[space]);
	kept = counts->kept != kept_before;
	h = &stage.holders[read_cr3() & CR3_PCID_MASK];
	stage.kept += kept;
	stage.wrong += kept && (!h->used || h->space != space || h->flushed);
	*h = (struct holder){.space = space, .used = true};
	stage.stale += *(volatile uint64_t *)PAGE_VA != tag_of(space);
	stage.last = space;
}

static bool play(uint32_t steps)
{
	bool ok = true;

	for (stage.step = 0; stage.step < steps && ok; stage.step++) {
		uint32_t space = next_random() % SPACES;

		/* Often the one before the last, so that ASIDs are found again. */
		if (next_random() % 4 == 0)
			space = next_random() % 3;
		if (space == stage.last)
			continue;
		if (next_random() % 8 == 0)
			ok = change_and_flush(space);
		else
			switch_and_judge(space);
		if (stage.wrong || stage.stale)
			break;
	}
	address_space_switch(NULL);
	return ok;
}

static enum check_result run(struct check_report *report, const struct axis_point *at)
{
	uint32_t steps = report->suite == SUITE_FULL ? STEPS_FULL : STEPS_QUICK;
	enum check_result result = CHECK_PASS;

	(void)at;
	memset(&stage, 0, sizeof(stage));
	stage.random = report->seed + 0x9e3779b97f4a7c15ull;
	stage.last = SPACES;
	if (!set_up())
		result = check_end(report, CHECK_SKIP, "no memory for its address spaces");
	else if (!play(steps))
		result = check_end(report, CHECK_FAIL, "a CPU did not answer in time");
	else if (stage.wrong)
		result = check_end(report, CHECK_FAIL,
				   "step %u kept what an ASID held that was not up to date",
				   stage.step);
	else if (stage.stale)
		result = check_end(report, CHECK_FAIL, "step %u read another space's or old memory",
				   stage.step);
	else if (stage.kept < MIN_KEPT)
		result = check_end(report, CHECK_SKIP, "an ASID was found again %u times only",
				   stage.kept);
	else
		check_end(report, CHECK_PASS, "%u switches kept what the ASID held", stage.kept);
	strike();
	return result;
}

static const struct check asid = {
	.name = "stale/asid",
	.what = "a switch keeps what an ASID holds only where nothing in it is out of date",
	.need = {.features = NEED(FEATURE_PCID)},
	.run = run,
};
CHECK(asid);
