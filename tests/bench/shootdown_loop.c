/* SPDX-License-Identifier: BSD-2-Clause */
/* One page comes and goes in an address space. */
#include "tests/bench/shootdown_loop.h"

bool shootdown_loop(struct address_space *space, uint64_t va, uint64_t frame)
{
	if (!address_space_map(space, va, frame, PAGE_4K, MAP_WRITE))
		return false;
	*(volatile uint64_t *)va = va;
	address_space_exchange(space, va, 0);
	return address_space_flush_range(space, va, va + page_bytes(PAGE_4K), page_bytes(PAGE_4K),
					 false);
}

/* Whatever is mapped for it is gone before a TLB can know it. */
bool shootdown_loop_prepare(struct address_space *space, uint64_t va)
{
	return address_space_map(space, va, 0, PAGE_4K, 0) && address_space_exchange(space, va, 0);
}
