/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The boot path's memory map, read without trusting it. Pure: no privileged instructions.
 *
 * What counts of an entry: one without pages, or that would end beyond 2^64, is left out whole. So
 * is RAM that does not begin on a page; anything else then takes every page it touches. What lies
 * above the limit is cut off. Types this kernel does not know are taken for reserved. Where entries
 * of several types overlap, the page is free for nobody.
 */
#ifndef MM_MEMORY_MAP_H
#define MM_MEMORY_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "boot/boot_info.h"

struct memory_map {
	struct boot_mem *entries; /* sorted by base */
	uint64_t nr;
	uint64_t limit; /* one past the highest physical address that counts, page aligned */
};

/* Sorts the entries where they are: n log n, and each walk below is linear. */
void memory_map_init(struct memory_map *map, struct boot_mem *entries, uint64_t nr, uint64_t limit);

/* [base, end), page aligned, not empty. */
struct memory_range {
	uint64_t base, end;
};

/* A walk through a map, lowest address first. */
struct memory_walk {
	const struct memory_map *map;
	uint64_t at;                         /* seen up to here */
	uint64_t next;                       /* the first entry that begins above `at` */
	uint64_t reach[BOOT_MEM_TYPE_COUNT]; /* how far those before it go, by type */
};

void memory_walk_begin(struct memory_walk *walk, const struct memory_map *map);

/*
 * The next range inside [from, to) that entries of `type`, and of no other, describe. Ranges that
 * touch may come one by one. False: no more.
 */
bool memory_walk_next(struct memory_walk *walk, enum boot_mem_type type, uint64_t from, uint64_t to,
		      struct memory_range *range);

/* The next run of RAM of any type, as long as it goes. False: no more. */
bool memory_walk_next_ram(struct memory_walk *walk, struct memory_range *range);

/*
 * The highest page below 640 KiB, page 0 excepted, that is free or reclaimable. 0: none.
 */
uint64_t memory_map_low_page(const struct memory_map *map);

#endif
