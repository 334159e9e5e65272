/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stage of the staleness checks: page tables of their own in which one entry changes, so that a
 * read tells whether what was cached before the change is still used.
 *
 * cache=leaf: page P maps memory A. Reading P caches that; then the entry that maps P names memory
 * B, and P is read again.
 *
 * cache=psc: P and Q are pages of one table. Reading P caches the entry that points to the table;
 * then that entry points to another table, in which Q maps B, and Q is read. Nothing has touched Q
 * before, so A's tag there means that the old entry was used.
 *
 * A page of 1 GiB would take two GiB of RAM. Instead A is in a GiB that is RAM throughout, mapped
 * read-only by one entry, of which A alone is read, and the change makes the entry point to a table
 * that maps B at A's offset. Until the invalidation the CPU may use either translation (Intel SDM
 * vol. 3A, "Details of TLB Use"), so A's tag is as stale as with the other sizes.
 */
#ifndef TESTS_CHECK_STALE_STAGE_H
#define TESTS_CHECK_STALE_STAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "mm/paging.h"

#define STALE_TAG_A 0xa0a0a0a0a0a0a0a0ull
#define STALE_TAG_B 0xb1b1b1b1b1b1b1b1ull

/* The page tables' own address space: the current PCID and another, 0 and 1. */
#define STALE_PCID_CURRENT 0u
#define STALE_PCID_OTHER   1u

struct stale_stage {
	uint64_t read_first, read_then; /* P, and P again or Q */
	uint64_t unrelated;             /* a page that has nothing to do with either */
	uint64_t *entry;                /* what changes, from `before` to `after` */
	uint64_t before, after;
	uint64_t *top; /* the only entry outside of `tables` */
	uint64_t memory_a, memory_b, frames_a, frames_b;
	uint64_t tables[8];
	unsigned nr_tables;
};

/*
 * Builds it, for a page of `size`; `pieces` (1 or, with PAGE_1G, more) is the number of 2 MiB in a
 * row of it that may be read. NULL, or why it can't be. Strike it in either case.
 */
const char *stale_stage_set(struct stale_stage *s, enum page_size size, bool global, bool psc,
			    unsigned pieces);

/* Takes it down: frees all memory, flushes the TLB. */
void stale_stage_strike(struct stale_stage *s);

/* Writes the tags that reads at `offset` of P or Q will see. */
void stale_stage_tag(const struct stale_stage *s, uint64_t offset);

/* Sets the changing entry. Later page walks see it: a serializing instruction follows the write. */
void stale_stage_point(const struct stale_stage *s, uint64_t value);

static inline uint64_t stale_read(uint64_t va)
{
	return *(volatile uint64_t *)va;
}

#endif
