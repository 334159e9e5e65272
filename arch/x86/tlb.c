/* SPDX-License-Identifier: BSD-2-Clause */
/* The one local flush that depends on what the CPU has. */
#include "arch/x86/tlb.h"

#include "arch/x86/features.h"

void tlb_flush_all_local(void)
{
	static const struct invpcid_desc none;

	if (feature_has(FEATURE_INVPCID))
		invpcid(INVPCID_ALL_GLOBAL, &none);
	else if (feature_has(FEATURE_PGE))
		tlb_flush_all_by_pge();
	else
		write_cr3(read_cr3());
}
