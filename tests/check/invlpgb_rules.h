/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What INVLPGB must drop, by its valid bits. Pure.
 * Source: AMD APM vol. 3, "INVLPGB": a field that is not valid matches anything.
 */
#ifndef TESTS_CHECK_INVLPGB_RULES_H
#define TESTS_CHECK_INVLPGB_RULES_H

#include <stdbool.h>
#include <stdint.h>

/* An entry, and how it stands to what the operands name where those are valid. */
enum invlpgb_entry {
	ENTRY_NAMED,      /* of the page and the PCID, which is the current one */
	ENTRY_NAMED_PCID, /* of the page and the PCID, which is another one */
	ENTRY_OTHER_PCID, /* of the page, and of another PCID */
	ENTRY_OTHER_PAGE, /* of the PCID, and of another page */
	ENTRY_GLOBAL,     /* of the page, and global */
	ENTRY_UPPER,      /* of a paging-structure cache, on the way to the page */
	ENTRY_GUEST,      /* of the page and the PCID, and of another ASID */
	INVLPGB_ENTRIES
};

/* `flags` as of struct invlpgb_request. What need not be dropped may be. */
bool invlpgb_must_drop(uint32_t flags, enum invlpgb_entry entry);

#endif
