/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pages whose translations a benchmark keeps live: what a flush costs, and what it leaves behind,
 * depends on how many the TLB holds.
 *
 * Each page holds the address of the next in an order that no prefetcher guesses, so that every
 * read waits for the one before, and for its page walk. No two reads share a cache line.
 * On one CPU at a time.
 */
#ifndef KERNEL_HARNESS_LIVE_PAGES_H
#define KERNEL_HARNESS_LIVE_PAGES_H

#include <stdint.h>

#include "arch/x86/insn.h"
#include "mm/paging.h"

#define LIVE_PAGES_MAX 1536 /* entries of the second-level TLB of Skylake */

/* A ring of `count` addresses. */
struct live_pages {
	uint64_t head;
	uint32_t count;
};

/* Two rings of different counts share pages. NULL, or why there are no such pages. */
const char *live_pages_get(enum page_size size, uint32_t count, struct live_pages *live);

/* The pages of the rings lie in a row from here; once a ring of that size is there. */
uint64_t live_pages_base(enum page_size size);

/* Reads each page once. */
ALWAYS_INLINE void live_pages_touch(struct live_pages live)
{
	if (live.count)
		load_chain(live.head, live.count);
}

#endif
