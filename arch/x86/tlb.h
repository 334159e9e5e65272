/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Local TLB invalidation, by what it means. The calling CPU's own TLB only.
 * Source: Intel SDM vol. 3A, "Invalidation of TLBs and Paging-Structure Caches".
 */
#ifndef ARCH_X86_TLB_H
#define ARCH_X86_TLB_H

#include "arch/x86/insn.h"

/* One page of the current PCID, and every global entry for the address. */
ALWAYS_INLINE void tlb_flush_page_local(uint64_t va)
{
	invlpg(va);
}

/* The same page of any PCID, but for global entries. Only with INVPCID; PCIDs but 0 need PCIDE. */
ALWAYS_INLINE void tlb_flush_page_pcid_local(uint64_t pcid, uint64_t va)
{
	struct invpcid_desc desc = {pcid, va};

	invpcid(INVPCID_ADDR, &desc);
}

/* All of one PCID but global entries. As above. */
ALWAYS_INLINE void tlb_flush_pcid_local(uint64_t pcid)
{
	struct invpcid_desc desc = {pcid, 0};

	invpcid(INVPCID_CONTEXT, &desc);
}

/* All of every PCID but global entries. Only with INVPCID. */
ALWAYS_INLINE void tlb_flush_nonglobal_local(void)
{
	struct invpcid_desc desc = {0, 0};

	invpcid(INVPCID_ALL_NON_GLOBAL, &desc);
}

/*
 * Everything of every PCID, globals included: INVPCID type 2, or where that is missing (or turned
 * off) a change of CR4.PGE there and back, whether it is in use or not. A CPU without even that has
 * no globals and no PCIDs, and reloading CR3 does it.
 */
void tlb_flush_all_local(void);

/* The first of those by itself. Only with INVPCID. */
ALWAYS_INLINE void tlb_flush_all_by_invpcid(void)
{
	struct invpcid_desc desc = {0, 0};

	invpcid(INVPCID_ALL_GLOBAL, &desc);
}

/* The middle one of those by itself, which no interrupt may split. CR4.PGE must be on. */
ALWAYS_INLINE void tlb_flush_all_by_pge(void)
{
	uint64_t flags = irq_save();
	uint64_t cr4 = read_cr4();

	write_cr4(cr4 & ~CR4_PGE);
	write_cr4(cr4);
	irq_restore(flags);
}

#endif
