/* SPDX-License-Identifier: BSD-2-Clause */
/* The rules as data. */
#include "tests/check/stale_rules.h"

/* Kinds of entry that a primitive must drop. */
#define TLB_CURRENT (1u << 0) /* non-global, of the PCID that it runs with */
#define TLB_OTHER   (1u << 1) /* non-global, of the other PCID */
#define TLB_GLOBAL  (1u << 2) /* global, whatever PCID it was made under */
#define PSC_CURRENT (1u << 3) /* of the paging-structure caches */
#define PSC_OTHER   (1u << 4)
#define CURRENT     (TLB_CURRENT | PSC_CURRENT)
#define OTHER       (TLB_OTHER | PSC_OTHER)
#define EVERYTHING  (CURRENT | OTHER | TLB_GLOBAL)

static const unsigned dropped[STALE_PRIMITIVES] = {
	/* Globals of any PCID, and all paging-structure caches of the current one. */
	[STALE_INVLPG] = CURRENT | TLB_GLOBAL,
	[STALE_INVLPG_OTHER] = PSC_CURRENT,
	/* The descriptor names the PCID of the entry, whichever runs. Types 0, 1, 3: no globals. */
	[STALE_INVPCID_ADDR] = CURRENT | OTHER,
	[STALE_INVPCID_CONTEXT] = CURRENT | OTHER,
	[STALE_INVPCID_ALL] = EVERYTHING,
	[STALE_INVPCID_ALL_NONGLOBAL] = CURRENT | OTHER,
	[STALE_CR3_RELOAD] = CURRENT,
	[STALE_CR3_NOFLUSH] = 0,
	[STALE_CR3_SWITCH] = OTHER,
	[STALE_CR4_PGE] = EVERYTHING,
	[STALE_CR4_PCIDE] = EVERYTHING,
	[STALE_CR4_REWRITE] = 0,
	[STALE_FLUSH_ALL] = EVERYTHING,
};

/*
 * The G flag stands in entries that map a page only, and no information of those is in a
 * paging-structure cache: there nothing is global (SDM vol. 3A, "Global Pages").
 */
static unsigned kind_of(struct stale_cell cell)
{
	if (cell.psc)
		return cell.other_pcid ? PSC_OTHER : PSC_CURRENT;
	if (cell.global)
		return TLB_GLOBAL;
	return cell.other_pcid ? TLB_OTHER : TLB_CURRENT;
}

bool stale_must_drop(enum stale_primitive primitive, struct stale_cell cell)
{
	return dropped[primitive] & kind_of(cell);
}
