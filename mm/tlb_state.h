/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What each CPU keeps for mm/address_space.c and mm/shootdown.c, which alone include this. A CPU
 * writes its own, with interrupts off where its handler does too, but for `requested_by` and
 * `pending`.
 */
#ifndef MM_TLB_STATE_H
#define MM_TLB_STATE_H

#include "arch/x86/cpu.h"
#include "mm/asid.h"
#include "mm/shootdown.h"

struct tlb_state {
	struct address_space *space; /* that it runs; NULL: the kernel's own tables */
	uint32_t index;
	uint32_t asid;        /* that it runs it under */
	uint32_t user_behind; /* bit n: the user PCID of ASID n is to be invalidated before use */
	struct asid_table asids;
	struct shootdown_counts counts;

	/* As the one who asks: filled in before anybody is asked, left alone until all answered. */
	struct flush_request request __attribute__((aligned(CACHE_LINE)));
	struct address_space *request_space;
	uint64_t *targets;
	struct flush_request put_off; /* under SHOOTDOWN_EARLY_ACK */
	struct address_space *put_off_space;
	bool broken; /* somebody did not answer, who may yet read the above */

	uint32_t pending __attribute__((aligned(CACHE_LINE))); /* who have not answered yet */
	bool resting;                                          /* halted until that is 0 */

	/* As one who is asked: the set of those who do. */
	uint64_t *requested_by __attribute__((aligned(CACHE_LINE)));
} __attribute__((aligned(CACHE_LINE)));

/* This CPU's. */
static inline struct tlb_state *tlb_state(void)
{
	return this_cpu()->tlb;
}

/* The faults that are put in. */
extern unsigned shootdown_faults;

#endif
