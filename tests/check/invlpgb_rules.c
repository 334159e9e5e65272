/* SPDX-License-Identifier: BSD-2-Clause */
/* Which valid bit, or which other, spares an entry. */
#include "tests/check/invlpgb_rules.h"

#include "arch/x86/invlpgb_encode.h"

bool invlpgb_must_drop(uint32_t flags, enum invlpgb_entry entry)
{
	switch (entry) {
	case ENTRY_OTHER_PCID:
		return !(flags & INVLPGB_PCID);
	case ENTRY_OTHER_PAGE:
		return !(flags & INVLPGB_VA);
	case ENTRY_GLOBAL:
		return flags & INVLPGB_GLOBAL;
	case ENTRY_UPPER:
		return !(flags & INVLPGB_FINAL);
	case ENTRY_GUEST:
		return !(flags & INVLPGB_ASID);
	default:
		return true;
	}
}
