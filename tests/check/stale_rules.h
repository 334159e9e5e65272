/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the manuals oblige each way of invalidating to drop. Pure.
 *
 * Intel SDM vol. 3A, "Operations that Invalidate TLBs and Paging-Structure Caches"; AMD APM vol. 2,
 * "TLB Management". Required is only what both ask for. A CPU may always drop more.
 */
#ifndef TESTS_CHECK_STALE_RULES_H
#define TESTS_CHECK_STALE_RULES_H

#include <stdbool.h>

enum stale_primitive {
	STALE_INVLPG,       /* of the address that is read */
	STALE_INVLPG_OTHER, /* of another address */
	STALE_INVPCID_ADDR, /* of the address that is read, in the PCID of its entry */
	STALE_INVPCID_CONTEXT,
	STALE_INVPCID_ALL,
	STALE_INVPCID_ALL_NONGLOBAL,
	STALE_CR3_RELOAD,  /* MOV to CR3 with the value it has */
	STALE_CR3_NOFLUSH, /* the same with bit 63 */
	STALE_CR3_SWITCH,  /* MOV to CR3 with the other PCID, bit 63 clear */
	STALE_CR4_PGE,     /* changed and changed back */
	STALE_CR4_PCIDE,   /* cleared and set again */
	STALE_CR4_REWRITE, /* MOV to CR4 with the value it has */
	STALE_FLUSH_ALL,   /* tlb_flush_all_local() */
	STALE_PRIMITIVES
};

/* What is cached. */
struct stale_cell {
	bool global;     /* the leaf has the G flag */
	bool other_pcid; /* cached under another PCID than the one the primitive runs with */
	bool psc;        /* an entry of a paging-structure cache, not one of a TLB */
};

/*
 * In as many rounds of the control a read must be stale, of however many: with k of n in the
 * control, none of n would be by chance with a probability of (1 - k/n)^n, below e^-k. That is one
 * in a million.
 */
#define STALE_MIN_CONTROL 14u

/* Whether the entry must be gone afterwards; otherwise it may survive. */
bool stale_must_drop(enum stale_primitive primitive, struct stale_cell cell);

#endif
