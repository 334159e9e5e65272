/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that after a flush no CPU uses what was in the tables before: not the one that asked, not
 * those that run the space, not those that ran it, left, and come back.
 *
 * All CPUs read (or write) a page; every second of the others then leaves the space. The tables
 * change and are flushed; those that left come back; all look again. Half of the rounds are the
 * control: the same without the flush, where the CPUs that stayed must still see the old page often
 * enough, or nothing could be told. Page faults invalidate, so each look is at what has been seen
 * without one.
 */
#include "arch/x86/insn.h"
#include "kernel/format.h"
#include "kernel/harness/check.h"
#include "kernel/harness/space_axes.h"
#include "mm/frames.h"
#include "mm/shootdown.h"
#include "tests/check/puppets.h"
#include "tests/check/stale_rules.h"
#include "tests/check/stale_verdict.h"

#define ROUNDS_FULL 200u /* of each kind */

#define PAGE_VA 0x40000000ull /* in a GiB and 2 MiB of its own */

enum change { CHANGE_REMAP, CHANGE_UNMAP, CHANGE_PROTECT, CHANGE_TABLE, CHANGE_2M, CHANGES };
enum flush_by { BY_PAGE, BY_RANGE, BY_ALL };

enum { AT_POLICY, AT_CHANGE, AT_BY, AT_HALF };

static const char *const change_names[] = {"remap", "unmap", "protect", "table", "remap-2m", NULL};
static const char *const by_names[] = {"page", "range", "all", NULL};

static const struct axis change_axis = {
	.key = "change",
	.names = change_names,
	.nr = CHANGES,
	.values = {CHANGE_REMAP, CHANGE_UNMAP, CHANGE_PROTECT, CHANGE_TABLE, CHANGE_2M},
};

static const struct axis by_axis = {
	.key = "flush",
	.names = by_names,
	.nr = 3,
	.values = {BY_PAGE, BY_RANGE, BY_ALL},
};

/* A row while it runs. */
struct row {
	struct address_space space;
	enum change change;
	enum flush_by by;
	bool user;
	enum page_size size;
	uint64_t frames[2]; /* the old and the new memory */
	uint64_t *entry;    /* that changes */
	uint64_t before, after;
	uint32_t control;    /* looks of CPUs that stayed that were stale without a flush */
	uint32_t of_control; /* of so many */
	uint32_t odd, not_set;
	uint32_t stale_cpu; /* with a flush */
	uint32_t stale;
	bool mute, no_flush;
};

static uint64_t frames_in(const struct row *r)
{
	return page_bytes(r->size) / FRAME_SIZE;
}

static const char *set_up(struct row *r, const struct flush_policy *policy)
{
	r->size = r->change == CHANGE_2M ? PAGE_2M : PAGE_4K;
	for (unsigned i = 0; i < 2; i++) {
		r->frames[i] = frames_alloc(frames_in(r), frames_in(r), 0);
		if (!r->frames[i])
			return "no memory for its pages";
		*(uint64_t *)phys_to_virt(r->frames[i]) = i ? PUPPET_TAG_NEW : PUPPET_TAG_OLD;
	}
	if (!address_space_create(&r->space, policy, space_axes_pti()))
		return "no memory for an address space";
	if (!address_space_map(&r->space, PAGE_VA, r->frames[0], r->size, MAP_WRITE))
		return "no memory for its tables";
	r->entry = paging_entry_at(&r->space.tables, PAGE_VA,
				   r->change == CHANGE_TABLE ? PAGE_2M : r->size);
	r->before = *r->entry;
	switch (r->change) {
	case CHANGE_REMAP:
	case CHANGE_2M:
		r->after = (r->before & ~PTE_ADDR_MASK) | r->frames[1];
		if (r->size == PAGE_2M)
			r->after |= r->before & (FRAME_SIZE | PTE_LARGE);
		break;
	case CHANGE_PROTECT:
		r->after = r->before & ~PTE_WRITE;
		break;
	default:
		r->after = 0;
	}
	return NULL;
}

static void strike(struct row *r)
{
	for (unsigned i = 0; i < 2; i++) {
		if (r->frames[i])
			frames_free(r->frames[i], frames_in(r));
	}
	if (r->space.tables.root) {
		*r->entry = r->before; /* so that its table is freed with the others */
		address_space_destroy(&r->space);
	}
}

static void flush(struct row *r, enum flush_by by)
{
	uint64_t stride = page_bytes(r->size), start = PAGE_VA, end = PAGE_VA + stride;

	if (by == BY_RANGE) {
		start -= 2 * stride;
		end += 3 * stride;
	} else if (by == BY_ALL) {
		start = 0;
		end = FLUSH_TO_END;
	}
	r->no_flush |= !address_space_flush_range(&r->space, start, end, stride,
						  r->change == CHANGE_TABLE);
}

static bool leaves(uint32_t puppet)
{
	return puppet % 2;
}

static void look(struct row *r)
{
	struct puppet_look at = {PAGE_VA, FRAME_SIZE, 1, r->change == CHANGE_PROTECT, r->user};

	r->mute |= !puppets_look(&at);
}

static void judge(struct row *r, uint32_t puppet, bool with_flush)
{
	const struct puppet_sight *sight = puppet_sight(puppet);
	bool fresh_is_new = r->change == CHANGE_REMAP || r->change == CHANGE_2M;

	r->odd += sight->odd + (fresh_is_new ? sight->gone : sight->new);
	if (!with_flush) {
		r->control += !leaves(puppet) && sight->old;
		r->of_control += !leaves(puppet);
	} else if (sight->old) {
		r->stale++;
		r->stale_cpu = puppet_cpu(puppet);
	}
}

static void play(struct row *r, bool with_flush)
{
	uint32_t nr = puppets_count();

	r->mute |= !puppets_switch(NULL, &r->space);
	look(r);
	for (uint32_t i = 0; i <= nr; i++) {
		const struct puppet_sight *sight = puppet_sight(i);

		r->not_set += !sight->old || sight->new || sight->gone || sight->odd;
	}
	r->mute |= !puppets_switch(leaves, NULL);
	__atomic_store_n(r->entry, r->after, __ATOMIC_SEQ_CST);
	if (with_flush)
		flush(r, r->by);
	r->mute |= !puppets_switch(leaves, &r->space);
	look(r);
	for (uint32_t i = 0; i <= nr; i++)
		judge(r, i, with_flush);
	__atomic_store_n(r->entry, r->before, __ATOMIC_SEQ_CST);
	flush(r, BY_ALL);
}

/* Of each kind: enough for the control to tell, with few CPUs too. */
static unsigned rounds_for(enum suite suite)
{
	unsigned stay = 1 + puppets_count() / 2;

	return suite == SUITE_FULL ? ROUNDS_FULL : STALE_MIN_CONTROL / stay + 2;
}

static enum check_result verdict(struct row *r, struct check_report *report)
{
	format(report->control, sizeof(report->control), "%u of %u looks stale with no flush",
	       r->control, r->of_control);
	if (r->mute || r->no_flush)
		return check_end(report, CHECK_FAIL, "a CPU did not answer in time");
	if (stale_is_upset(r->not_set, r->odd, report))
		return CHECK_FAIL;
	if (r->stale)
		return check_end(report, CHECK_FAIL,
				 "%u looks after the flush saw the old page, the last on CPU %u",
				 r->stale, r->stale_cpu);
	if (r->control < STALE_MIN_CONTROL)
		return stale_end_blind(report, r->control, r->of_control);
	return CHECK_PASS;
}

static enum check_result run(struct check_report *report, const struct axis_point *at)
{
	static struct row r;
	enum check_result result;
	const char *why;

	r = (struct row){.change = at->values[AT_CHANGE],
			 .by = at->values[AT_BY],
			 .user = at->values[AT_HALF]};
	why = set_up(&r, &flush_policies[at->values[AT_POLICY]]);
	if (!why && !puppets_begin())
		r.mute = true;
	for (unsigned i = 0; i < 2 * rounds_for(report->suite) && !why && !r.mute && !r.no_flush;
	     i++)
		play(&r, i % 2);
	if (!why)
		r.mute |= !puppets_end();
	result = why ? check_end(report, CHECK_SKIP, "%s", why) : verdict(&r, report);
	if (!r.mute)
		strike(&r);
	return result;
}

static bool applies(const struct axis_point *p)
{
	/* Without the table only a flush that says so is enough, and it takes everything. */
	return space_policy_applies(p->values[AT_POLICY]) &&
	       space_half_applies(p->values[AT_HALF]) &&
	       (p->values[AT_CHANGE] != CHANGE_TABLE || p->values[AT_BY] == BY_PAGE);
}

static const struct check shootdown = {
	.name = "stale/shootdown",
	.what = "after a flush no CPU sees what was mapped before",
	.axes = {&space_policy_axis, &change_axis, &by_axis, &space_half_axis},
	.applies = applies,
	.run = run,
};
CHECK(shootdown);
