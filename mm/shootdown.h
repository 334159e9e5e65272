/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TLB shootdown: makes every CPU forget translations of an address space (docs/shootdown.md).
 */
#ifndef MM_SHOOTDOWN_H
#define MM_SHOOTDOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "mm/address_space.h"
#include "mm/flush_request.h"

/* What each CPU did, by its own count. Others may read, while it does nothing, exact figures. */
struct shootdown_counts {
	uint64_t flushes;    /* that it asked for */
	uint64_t ipis;       /* CPUs that it asked, one IPI each */
	uint64_t icr_writes; /* that took: one may reach several CPUs of a cluster */
	uint64_t served;     /* requests of others that it answered */
	uint64_t pages;      /* invalidated one by one, for whomever */
	uint64_t alls;       /* invalidations of a whole space, for whomever */
	uint64_t invlpgbs;   /* issued, as are the next */
	uint64_t tlbsyncs;
	uint64_t gasids;    /* global ASIDs that it gave to spaces */
	uint64_t rollovers; /* of those ASIDs */
	uint64_t switches;  /* to another space */
	uint64_t behind;    /* of those: had missed a generation */
	uint64_t foreign;   /* of those: the ASID was another space's */
	uint64_t kept;      /* of those: what the ASID held was kept, where there are PCIDs */
};

/* The faults that can be put in, for those who test that they are noticed. */
enum shootdown_fault {
	SHOOTDOWN_SKIP_REMOTE = 1 << 0,     /* do not ask the last of the targets */
	SHOOTDOWN_EARLY_ACK = 1 << 1,       /* answer, and invalidate when asked the next time */
	SHOOTDOWN_SHORT_RANGE = 1 << 2,     /* leave out the last page */
	SHOOTDOWN_STALE_ASID = 1 << 3,      /* take over another space's ASID as it is */
	SHOOTDOWN_LATE_SET = 1 << 4,        /* do not enter the active set before leaving it */
	SHOOTDOWN_SKIP_GENERATION = 1 << 5, /* take an ASID that is behind as it is */
	SHOOTDOWN_SKIP_TLBSYNC = 1 << 6,    /* do not wait for what was broadcast */
	SHOOTDOWN_NO_FINISH = 1 << 7,       /* in transition ask nobody by IPI */
	SHOOTDOWN_NO_VA_VALID = 1 << 8,     /* broadcast of pages without INVLPGB_VA */
	SHOOTDOWN_NO_ASID_VALID = 1 << 9,   /* broadcast without INVLPGB_ASID */
	SHOOTDOWN_OFF_BY_ONE = 1 << 10,     /* one page fewer in a broadcast of several */
	SHOOTDOWN_STALE_ROLLOVER = 1 << 11, /* give ASIDs again with no broadcast */
};

/*
 * Once, on CPU 0, when all CPUs are known: `ceiling` as FLUSH_CEILING, `faults` of the above.
 * False: no memory.
 */
bool shootdown_init(uint64_t ceiling, unsigned faults);

/* The CPU came online: it takes part from here on. */
void shootdown_join(uint32_t cpu);

/*
 * Returns when no CPU can use a translation of [start, end) that is no longer in the tables of
 * `space`. `stride`: bytes of the pages there. `freed_tables`: page tables were taken away too.
 * [0, FLUSH_TO_END) is all of it.
 *
 * Any CPU may call, interrupts on or off, but no interrupt handler, and no one who holds a lock for
 * which another CPU waits with interrupts off. False: a CPU did not answer for SHOOTDOWN_ANSWER_US,
 * and this CPU can flush no more.
 *
 * Under a hypervisor, and with interrupts on, it halts where the answers take long: by the APIC's
 * timer, which must not be in use, and woken by IPIs that are not counted.
 */
bool address_space_flush_range(struct address_space *space, uint64_t start, uint64_t end,
			       uint64_t stride, bool freed_tables);

#define SHOOTDOWN_ANSWER_US 10000000

/* Pages above which the whole space is invalidated. */
uint64_t shootdown_ceiling(void);

const struct shootdown_counts *shootdown_counts(uint32_t cpu);

/* Of all CPUs together. Exact while none flushes or switches. */
struct shootdown_counts shootdown_counts_total(void);

#endif
