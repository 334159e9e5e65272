/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TLB invalidation on every CPU at once, this one included, without an IPI. Only with
 * FEATURE_INVLPGB.
 * Source: AMD APM vol. 3, "INVLPGB" and "TLBSYNC".
 *
 * An INVLPGB has been carried out when a TLBSYNC that the same CPU runs later is over, and not
 * before: `_nosync` means that the caller owes one, on this CPU. It is not ordered after earlier
 * stores, so a full barrier stands between those that change page tables and it.
 */
#ifndef ARCH_X86_INVLPGB_H
#define ARCH_X86_INVLPGB_H

#include "arch/x86/invlpgb_encode.h"
#include "arch/x86/safe.h"

/* Of all CPUs. With max_pages = 0 before invlpgb_setup(), which the helpers here take for 1. */
extern struct invlpgb_limits invlpgb_limits;

/*
 * Reads the limits, the model's where that is on, and runs both instructions once. If one faults the
 * feature is turned off, and the fault returned. On the first CPU, after its cpu_setup(); without the
 * feature it does nothing.
 */
fault_t invlpgb_setup(void);

/*
 * The only INVLPGB and TLBSYNC in the kernel, so that whoever carries them out in their place knows
 * where they are.
 */
fault_t invlpgb_safe(struct invlpgb_operands operands);
fault_t tlbsync_safe(void);

/* A fault that nobody expects ends in a panic at the caller, by #UD. */
ALWAYS_INLINE void invlpgb_packed(struct invlpgb_operands operands)
{
	if (__builtin_expect(invlpgb_safe(operands) != FAULT_NONE, 0))
		__builtin_trap();
}

ALWAYS_INLINE void invlpgb(struct invlpgb_request request)
{
	invlpgb_packed(invlpgb_pack(request));
}

ALWAYS_INLINE void tlbsync(void)
{
	if (__builtin_expect(tlbsync_safe() != FAULT_NONE, 0))
		__builtin_trap();
}

/* Up to invlpgb_limits.max_pages pages of one PCID, but for global entries. */
ALWAYS_INLINE void tlb_flush_pages_pcid_broadcast_nosync(uint32_t pcid, uint64_t va,
							 uint32_t nr_pages,
							 enum invlpgb_stride stride,
							 bool freed_tables)
{
	invlpgb(invlpgb_of_pages(pcid, va, nr_pages, stride, freed_tables));
}

/* All of one PCID but global entries. */
ALWAYS_INLINE void tlb_flush_pcid_broadcast_nosync(uint32_t pcid)
{
	invlpgb(invlpgb_of_pcid(pcid));
}

/* Up to invlpgb_limits.max_pages pages of every PCID, global or not. */
ALWAYS_INLINE void tlb_flush_pages_broadcast_nosync(uint64_t va, uint32_t nr_pages,
						    enum invlpgb_stride stride)
{
	invlpgb(invlpgb_of_pages_global(va, nr_pages, stride));
}

/* All of every PCID but global entries. Over when it returns. */
ALWAYS_INLINE void tlb_flush_nonglobal_broadcast(void)
{
	invlpgb(invlpgb_of_all(false));
	tlbsync();
}

/* Everything of every PCID. Over when it returns. */
ALWAYS_INLINE void tlb_flush_all_broadcast(void)
{
	invlpgb(invlpgb_of_all(true));
	tlbsync();
}

#endif
