/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Global ASIDs: the same for a space on every CPU, so that a broadcast by PCID finds all that any
 * CPU holds of it. Pure. Rules: Linux, arch/x86/mm/tlb.c, "global ASID".
 *
 * A space begins under dynamic ASIDs. Once it is given a global one it has that until it ends, and
 * each CPU that begins to run it from then on does so under that. Those that run it already are
 * brought over by the next flush that reaches them. Until all are, the space is in transition, and
 * a flush must be broadcast and sent to those who are not:
 *
 *	a CPU that begins to run the space	a CPU that changed it and flushes
 *	  space_users_enter()			  space_users_advance()
 *	  space_global_asid()			  space_global_asid()
 *	  loads CR3: no invalidation		  INVLPGB, of both halves' PCIDs
 *	  space_global_settle()			  space_global_stragglers(): ask those
 *						  TLBSYNC
 *
 * A CPU in the middle of a switch is in the set of users already and not settled. So it is asked,
 * and as it answers when the switch is done, it is waited for.
 *
 * A global ASID is never an index: not of struct asid_table's slots, nor of a mask of user halves
 * that are behind. Neither is needed, as broadcasts keep both its halves right on every CPU.
 */
#ifndef MM_GLOBAL_ASID_H
#define MM_GLOBAL_ASID_H

#include <stdbool.h>
#include <stdint.h>

#include "mm/asid.h"
#include "mm/space_users.h"

/* Behind the dynamic ones, as far as there is a PCID for the user half. */
#define GLOBAL_ASID_NONE  0u
#define GLOBAL_ASID_FIRST ((uint32_t)ASIDS_DYNAMIC)
#define GLOBAL_ASID_LAST  0x7feu
#define GLOBAL_ASIDS_MAX  (GLOBAL_ASID_LAST - GLOBAL_ASID_FIRST + 1)
_Static_assert(PCID_OF(GLOBAL_ASID_LAST) == PCID_USER - 1, "the last PCID that is no user half");

/*
 * A space is given one when a flush finds it active on more CPUs than so many, and every so many
 * flushes look: as Linux does, which looks at 1 in 32 points in time.
 */
#define GLOBAL_ASID_CPUS   3
#define GLOBAL_ASID_SAMPLE 32

#define GLOBAL_ASID_WORDS ((GLOBAL_ASIDS_MAX + 63) / 64)

/* Those there are. The caller holds a lock for every function on it. */
struct global_asids {
	uint64_t taken[GLOBAL_ASID_WORDS];      /* by a space, or since the last rollover */
	uint64_t given_back[GLOBAL_ASID_WORDS]; /* of those: by spaces that have ended */
	uint32_t nr;                            /* of all */
	uint32_t nr_free;                       /* not taken */
	uint32_t nr_given_back;
};

/* The first `nr` of them, 1 to GLOBAL_ASIDS_MAX, none of which is in any TLB. */
void global_asids_init(struct global_asids *asids, uint32_t nr);

/*
 * One that is in no TLB, or GLOBAL_ASID_NONE: all are taken. If global_asids_must_roll_over() the
 * caller first broadcasts an invalidation of all but global entries, waits for it by TLBSYNC, and
 * calls global_asids_rolled_over(), the lock held throughout: what is given back after the
 * broadcast has begun must not count.
 */
uint32_t global_asid_take(struct global_asids *asids);
bool global_asids_must_roll_over(const struct global_asids *asids);
void global_asids_rolled_over(struct global_asids *asids);

/* Its space has ended: no CPU runs it or ever will. What TLBs hold of it stays there. */
void global_asid_give_back(struct global_asids *asids, uint32_t asid);

/* True every `every` times, 1 or more, by a count that is the caller's. */
bool global_asid_is_sampled(uint32_t *count, uint32_t every);

/* Whether the space is active on more than so many CPUs. */
bool global_asid_is_due(const struct space_users *users, uint32_t cpus);

/* What a space has of it. All zero but for the set, at first. */
struct space_global {
	uint32_t asid;     /* GLOBAL_ASID_NONE until it is given one */
	bool transition;   /* a CPU may run it under a dynamic one */
	uint64_t *settled; /* the set of CPUs that have run it under this, of users->words */
};

/* Under the lock of struct global_asids, and only if it has none. */
void space_global_assign(struct space_global *global, uint32_t asid);

static inline uint32_t space_global_asid(const struct space_global *global)
{
	return __atomic_load_n(&global->asid, __ATOMIC_SEQ_CST);
}

/* After `cpu` has loaded the space's tables under its global ASID. */
void space_global_settle(struct space_global *global, uint32_t cpu);

/*
 * After this CPU, if it runs the space, has settled itself: fills `targets` with the others that may
 * still run it under a dynamic ASID, who must be asked to invalidate, and settle as they answer. How
 * many; if there are none the transition is over. 0 leaves `targets` as it was.
 */
uint32_t space_global_stragglers(struct space_global *global, const struct space_users *users,
				 uint32_t cpu, uint64_t *targets);

#endif
