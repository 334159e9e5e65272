/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A CPU's dynamic ASIDs: a few PCIDs of its own, each holding entries of one address space up to
 * some generation of it. Pure; each table is its CPU's alone.
 */
#ifndef MM_ASID_H
#define MM_ASID_H

#include <stdbool.h>
#include <stdint.h>

/* As many as Linux keeps (TLB_NR_DYN_ASIDS): few enough that the TLB has room for all of them. */
#define ASIDS_DYNAMIC 6

/* CR3's PCIDs: 0 is the kernel's own; the user half of ASID n has its bit beside the kernel's. */
#define PCID_OF(asid)      ((asid) + 1ull)
#define PCID_USER          0x800ull
#define PCID_USER_OF(asid) (PCID_OF(asid) | PCID_USER)

struct asid_slot {
	uint64_t space;      /* whose entries it may hold, by struct space_users' id; 0: nobody's */
	uint64_t generation; /* every change up to this one has been invalidated in it */
};

struct asid_table {
	struct asid_slot slots[ASIDS_DYNAMIC];
	uint32_t nr;   /* those in use: ASIDS_DYNAMIC, or 1 without PCIDs */
	uint32_t next; /* the one to give away next */
};

/* What the CPU may find under the ASID chosen. */
enum asid_state {
	ASID_CURRENT, /* entries of this space, none of them out of date */
	ASID_BEHIND,  /* of this space, but it has missed a generation */
	ASID_FOREIGN  /* of another space */
};

struct asid_choice {
	uint32_t asid; /* index of its slot */
	enum asid_state was;
};

/*
 * The ASID under which the CPU is to run `space`, which is at `generation`; its slot is marked so.
 * Unless `was` is ASID_CURRENT the caller invalidates the ASID before any use.
 */
struct asid_choice asid_choose(struct asid_table *table, uint64_t space, uint64_t generation);

#endif
