/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What each CPU keeps for mm/address_space.c, mm/shootdown.c and mm/broadcast.c, which alone include
 * this. A CPU writes its own, with interrupts off where its handler does too, but for `requested_by`
 * and `pending`.
 */
#ifndef MM_TLB_STATE_H
#define MM_TLB_STATE_H

#include "arch/x86/cpu.h"
#include "mm/asid.h"
#include "mm/shootdown.h"

struct tlb_state {
	struct address_space *space; /* that it runs; NULL: the kernel's own tables */
	uint32_t index;
	uint32_t asid;        /* that it runs it under, dynamic or global */
	uint32_t user_behind; /* bit n: the user PCID of ASID n is to be invalidated before use */
	uint32_t unsampled; /* flushes since it last looked for a space that wants a global ASID */
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

/* Whether the ASID of the space that it runs is one of struct asid_table's. */
static inline bool is_dynamic(const struct tlb_state *t)
{
	return t->asid < GLOBAL_ASID_FIRST;
}

/* Runs `space` under its global ASID from here on. Interrupts off; in the set of its users already. */
void address_space_load_global(struct tlb_state *t, struct address_space *space, uint32_t asid);

/* The faults that are put in. */
extern unsigned shootdown_faults;

#endif
