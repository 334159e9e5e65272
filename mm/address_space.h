/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Address spaces: tables of their own for the lower half, the kernel's for the upper; PCIDs; and
 * switching a CPU from one to another.
 * Source: Intel SDM vol. 3A, "Process-Context Identifiers (PCIDs)".
 *
 * Mappings are of one CPU or another as the caller arranges it: two that change the same page at
 * the same time must agree by themselves. Changes of different pages need no agreement.
 */
#ifndef MM_ADDRESS_SPACE_H
#define MM_ADDRESS_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86/spinlock.h"
#include "mm/global_asid.h"
#include "mm/paging.h"
#include "mm/space_users.h"

struct address_space {
	struct space_users users;
	struct space_global global;
	const struct flush_policy *policy; /* may change at any time */
	struct page_tables tables;
	uint64_t user_root;   /* with pti: a top table of its own above the same tables; else 0 */
	struct spinlock lock; /* while tables are added */
};

/* Below it, pages may be mapped: the end of the lower half with 4 levels. */
#define ADDRESS_SPACE_END 0x0000800000000000ull

/*
 * An empty space. `pti`: with a user half, as Linux' page-table isolation has. After
 * shootdown_init(). False: no memory.
 */
bool address_space_create(struct address_space *space, const struct flush_policy *policy, bool pti);

/* No CPU runs it or ever will. Gives back its global ASID and tables; frames that it maps are the caller's. */
void address_space_destroy(struct address_space *space);

/* As paging_map(). Nothing needs invalidation: what was not mapped is in no TLB. */
bool address_space_map(struct address_space *space, uint64_t va, uint64_t phys, enum page_size size,
		       unsigned flags);

/*
 * Puts `entry` in the place of what maps `va` and returns that; 0 unmaps. The caller flushes before
 * it uses the old frame for anything else. 0: nothing was mapped, and nothing is now.
 */
uint64_t address_space_exchange(struct address_space *space, uint64_t va, uint64_t entry);

/*
 * Takes away the empty page table for the 2 MiB that hold `va`; its frame is the caller's once a
 * flush with freed_tables has returned. 0: there is none.
 */
uint64_t address_space_detach_table(struct address_space *space, uint64_t va);

/* This CPU runs `space` from here on; NULL: the kernel's own tables. Not in interrupt handlers. */
void address_space_switch(struct address_space *space);

/* The space this CPU runs, or NULL. */
struct address_space *address_space_current(void);

/*
 * This CPU sees its space as its user half does, under the user PCID, and back. Only where it has
 * one, with interrupts off throughout: no flush reaches a CPU in between.
 */
void address_space_enter_user(void);
void address_space_leave_user(void);

#endif
