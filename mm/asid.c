/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses dynamic ASIDs: the space's own from last time, or the next in turn. */
#include "mm/asid.h"

struct asid_choice asid_choose(struct asid_table *table, uint64_t space, uint64_t generation)
{
	struct asid_choice choice = {0, ASID_FOREIGN};

	for (uint32_t i = 0; i < table->nr; i++) {
		struct asid_slot *slot = &table->slots[i];

		if (slot->space != space)
			continue;
		choice.asid = i;
		choice.was = slot->generation < generation ? ASID_BEHIND : ASID_CURRENT;
		slot->generation = generation;
		return choice;
	}
	choice.asid = table->next;
	table->next = table->next + 1 < table->nr ? table->next + 1 : 0;
	table->slots[choice.asid] = (struct asid_slot){space, generation};
	return choice;
}
