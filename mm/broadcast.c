/* SPDX-License-Identifier: BSD-2-Clause */
/* Issues INVLPGBs for flushes, gives out global ASIDs and rolls them over. */
#include "mm/broadcast.h"

#include "arch/x86/features.h"
#include "mm/global_asid.h"
#include "mm/tlb_state.h"

static struct global_asids asids;
static struct spinlock asids_lock;
static uint32_t more_than, every;

void broadcast_init(uint32_t cpus, uint32_t sample, uint32_t nr_asids)
{
	more_than = cpus;
	every = sample;
	global_asids_init(&asids, nr_asids);
}

uint32_t broadcast_cpus(void)
{
	return more_than;
}

uint32_t broadcast_sample(void)
{
	return every;
}

uint32_t broadcast_asids(void)
{
	return asids.nr;
}

struct invlpgb_request broadcast_as_injected(struct invlpgb_request r)
{
	if (shootdown_faults & SHOOTDOWN_NO_VA_VALID && r.flags & INVLPGB_VA) {
		r.flags &= ~(INVLPGB_VA | INVLPGB_FINAL);
		r.va = 0;
		r.nr_pages = 1;
	}
	if (shootdown_faults & SHOOTDOWN_NO_ASID_VALID) {
		r.flags &= ~INVLPGB_ASID;
		r.asid = 0;
	}
	if (shootdown_faults & SHOOTDOWN_OFF_BY_ONE && r.nr_pages > 1)
		r.nr_pages--;
	return r;
}

static void issue(struct tlb_state *t, struct invlpgb_request request)
{
	if (__builtin_expect(shootdown_faults, 0))
		request = broadcast_as_injected(request);
	invlpgb(request);
	t->counts.invlpgbs++;
}

/* Pages of 1 GiB have no stride of their own: one by one. */
static void issue_range(struct tlb_state *t, uint32_t pcid, const struct flush_request *r)
{
	unsigned shift = __builtin_ctzll(r->stride);
	enum invlpgb_stride stride = shift == 21 ? INVLPGB_2M : INVLPGB_4K;
	uint32_t max = shift > 21 ? 1 : invlpgb_limits.max_pages, nr;

	for (uint64_t va = r->start; va != r->end; va += (uint64_t)nr << shift) {
		nr = invlpgb_pages_next(va, r->end, shift, max);
		issue(t, invlpgb_of_pages(pcid, va, nr, stride, false));
	}
}

static void issue_one_half(struct tlb_state *t, uint32_t pcid, const struct flush_request *r)
{
	if (r->all) /* freed tables among it: what leads to them goes too */
		issue(t, invlpgb_of_pcid(pcid));
	else
		issue_range(t, pcid, r);
}

void broadcast_issue(struct tlb_state *t, const struct address_space *space, uint32_t asid,
		     const struct flush_request *request)
{
	if (!feature_has(FEATURE_PCID)) {
		issue_one_half(t, 0, request);
		return;
	}
	issue_one_half(t, PCID_OF(asid), request);
	if (space->user_root)
		issue_one_half(t, PCID_USER_OF(asid), request);
}

void broadcast_wait(struct tlb_state *t)
{
	if (__builtin_expect(shootdown_faults & SHOOTDOWN_SKIP_TLBSYNC, 0))
		return;
	tlbsync();
	t->counts.tlbsyncs++;
}

/* What TLBs hold under the ASIDs of spaces that have ended goes, so that they can be given again. */
static void roll_over(struct tlb_state *t)
{
	if (!(shootdown_faults & SHOOTDOWN_STALE_ROLLOVER)) {
		issue(t, invlpgb_of_all(false));
		broadcast_wait(t);
	}
	global_asids_rolled_over(&asids);
	t->counts.rollovers++;
}

/* It may have been given one since the caller looked. */
void broadcast_give_asid(struct address_space *space)
{
	struct tlb_state *t = tlb_state();
	uint64_t irqs;
	uint32_t asid;

	if (!feature_has(FEATURE_INVLPGB))
		return;
	irqs = spin_lock_irqsave(&asids_lock);
	if (space_global_asid(&space->global) == GLOBAL_ASID_NONE) {
		if (global_asids_must_roll_over(&asids))
			roll_over(t);
		asid = global_asid_take(&asids);
		if (asid != GLOBAL_ASID_NONE) {
			space_global_assign(&space->global, asid);
			t->counts.gasids++;
		}
	}
	spin_unlock_irqrestore(&asids_lock, irqs);
}

void broadcast_take_asid_back(struct address_space *space)
{
	uint64_t irqs;

	if (space_global_asid(&space->global) == GLOBAL_ASID_NONE)
		return;
	irqs = spin_lock_irqsave(&asids_lock);
	global_asid_give_back(&asids, space->global.asid);
	spin_unlock_irqrestore(&asids_lock, irqs);
}

void broadcast_consider(struct tlb_state *t, struct address_space *space,
			const struct flush_policy *policy)
{
	if (policy->from_start || (global_asid_is_sampled(&t->unsampled, every) &&
				   global_asid_is_due(&space->users, more_than)))
		broadcast_give_asid(space);
}
