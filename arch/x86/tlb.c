/* SPDX-License-Identifier: BSD-2-Clause */
/* The one local flush that depends on what the CPU has. */
#include "arch/x86/tlb.h"

#include "arch/x86/features.h"

/* As tlb_flush_all_by_pge, but also where nopge keeps the bit off: any change of it flushes. */
static void change_pge_and_back(void)
{
	uint64_t flags = irq_save();
	uint64_t cr4 = read_cr4();

	write_cr4(cr4 ^ CR4_PGE);
	write_cr4(cr4);
	irq_restore(flags);
}

void tlb_flush_all_local(void)
{
	if (feature_has(FEATURE_INVPCID))
		tlb_flush_all_by_invpcid();
	else if (feature_info(FEATURE_PGE)->present)
		change_pge_and_back();
	else
		write_cr3(read_cr3());
}
