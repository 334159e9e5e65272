/* SPDX-License-Identifier: BSD-2-Clause */
/* The set of CPUs that run a space, its owner and its generation. */
#include "mm/space_users.h"

#include "mm/cpu_set.h"

void space_users_enter(struct space_users *users, uint32_t cpu)
{
	uint32_t was = OWNER_NONE;

	cpu_set_add(users->active, cpu);
	if (__atomic_load_n(&users->owner, __ATOMIC_SEQ_CST) == cpu)
		return;
	if (!__atomic_compare_exchange_n(&users->owner, &was, cpu, false, __ATOMIC_SEQ_CST,
					 __ATOMIC_SEQ_CST) &&
	    was != cpu && was != OWNER_MANY)
		__atomic_store_n(&users->owner, OWNER_MANY, __ATOMIC_SEQ_CST);
}

void space_users_leave(struct space_users *users, uint32_t cpu)
{
	cpu_set_remove(users->active, cpu);
}

uint64_t space_users_generation(const struct space_users *users)
{
	return __atomic_load_n(&users->generation, __ATOMIC_SEQ_CST);
}

uint64_t space_users_advance(struct space_users *users)
{
	return __atomic_add_fetch(&users->generation, 1, __ATOMIC_SEQ_CST);
}

uint32_t space_users_targets(const struct space_users *users, const struct flush_policy *policy,
			     const uint64_t *online, uint32_t cpu, uint64_t *targets)
{
	uint32_t nr = 0;

	if (policy->owner && __atomic_load_n(&users->owner, __ATOMIC_SEQ_CST) == cpu)
		return 0;
	for (uint32_t i = 0; i < users->words; i++) {
		uint64_t word = policy->everyone
					? online[i]
					: __atomic_load_n(&users->active[i], __ATOMIC_SEQ_CST);

		if (i == cpu / 64)
			word &= ~(1ull << cpu % 64);
		targets[i] = word;
		for (; word; word &= word - 1)
			nr++;
	}
	return nr;
}

void space_users_own(struct space_users *users, uint32_t cpu)
{
	if (cpu_set_has_other(users->active, users->words, cpu))
		return;
	__atomic_store_n(&users->owner, cpu, __ATOMIC_SEQ_CST);
	/* One that came in between may have read the owner before that: it is in the set by now. */
	if (cpu_set_has_other(users->active, users->words, cpu))
		__atomic_store_n(&users->owner, OWNER_MANY, __ATOMIC_SEQ_CST);
}
