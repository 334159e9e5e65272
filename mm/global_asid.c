/* SPDX-License-Identifier: BSD-2-Clause */
/* Gives out global ASIDs, and knows who does not run a space under its own yet. */
#include "mm/global_asid.h"

#include "mm/cpu_set.h"

void global_asids_init(struct global_asids *asids, uint32_t nr)
{
	*asids = (struct global_asids){.nr = nr, .nr_free = nr};
}

uint32_t global_asid_take(struct global_asids *asids)
{
	uint32_t word = 0, bit;

	if (!asids->nr_free)
		return GLOBAL_ASID_NONE;
	/* There is a free one, and those beyond the last are behind it. */
	while (asids->taken[word] == UINT64_MAX)
		word++;
	bit = (uint32_t)__builtin_ctzll(~asids->taken[word]);
	asids->taken[word] |= 1ull << bit;
	asids->nr_free--;
	return GLOBAL_ASID_FIRST + word * 64 + bit;
}

bool global_asids_must_roll_over(const struct global_asids *asids)
{
	return !asids->nr_free && asids->nr_given_back;
}

void global_asids_rolled_over(struct global_asids *asids)
{
	for (uint32_t i = 0; i < GLOBAL_ASID_WORDS; i++) {
		asids->taken[i] &= ~asids->given_back[i];
		asids->given_back[i] = 0;
	}
	asids->nr_free += asids->nr_given_back;
	asids->nr_given_back = 0;
}

void global_asid_give_back(struct global_asids *asids, uint32_t asid)
{
	uint32_t i = asid - GLOBAL_ASID_FIRST;

	asids->given_back[i / 64] |= 1ull << i % 64;
	asids->nr_given_back++;
}

bool global_asid_is_sampled(uint32_t *count, uint32_t every)
{
	if (++*count < every)
		return false;
	*count = 0;
	return true;
}

bool global_asid_is_due(const struct space_users *users, uint32_t cpus)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < users->words && nr <= cpus; i++) {
		uint64_t word = __atomic_load_n(&users->active[i], __ATOMIC_RELAXED);

		for (; word; word &= word - 1)
			nr++;
	}
	return nr > cpus;
}

void space_global_assign(struct space_global *global, uint32_t asid)
{
	/* In this order: who sees the ASID must not take the transition for over. */
	__atomic_store_n(&global->transition, true, __ATOMIC_SEQ_CST);
	__atomic_store_n(&global->asid, asid, __ATOMIC_SEQ_CST);
}

void space_global_settle(struct space_global *global, uint32_t cpu)
{
	if (!cpu_set_has(global->settled, cpu))
		cpu_set_add(global->settled, cpu);
}

uint32_t space_global_stragglers(struct space_global *global, const struct space_users *users,
				 uint32_t cpu, uint64_t *targets)
{
	uint64_t any = 0;
	uint32_t nr = 0;

	if (!__atomic_load_n(&global->transition, __ATOMIC_SEQ_CST))
		return 0;
	for (uint32_t i = 0; i < users->words; i++) {
		uint64_t word = __atomic_load_n(&users->active[i], __ATOMIC_SEQ_CST);

		word &= ~__atomic_load_n(&global->settled[i], __ATOMIC_SEQ_CST);
		any |= word;
		if (i == cpu / 64)
			word &= ~(1ull << cpu % 64);
		targets[i] = word;
		for (; word; word &= word - 1)
			nr++;
	}
	/* Whoever enters from here on finds the ASID, so there will be none again. */
	if (!any)
		__atomic_store_n(&global->transition, false, __ATOMIC_SEQ_CST);
	return nr;
}
