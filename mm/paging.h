/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Page tables of 4 or 5 levels.
 * Source: Intel SDM vol. 3A, "4-Level Paging and 5-Level Paging".
 *
 * None of these flush a TLB, for what must be flushed depends on who uses the tables; the caller
 * does. Changes of one table are the caller's to serialize.
 */
#ifndef MM_PAGING_H
#define MM_PAGING_H

#include <stdbool.h>
#include <stdint.h>

enum page_size { PAGE_4K, PAGE_2M, PAGE_1G };

static inline uint64_t page_bytes(enum page_size size)
{
	return 4096ull << (9 * size);
}

struct page_tables {
	uint64_t root;   /* physical address of the top table */
	unsigned levels; /* 4 or 5 */
};

/* What a mapping allows, and how it is cached. Write and execute together are refused. */
#define MAP_WRITE           (1u << 0)
#define MAP_EXECUTE         (1u << 1)
#define MAP_USER            (1u << 2)
#define MAP_GLOBAL          (1u << 3) /* ignored where PGE is off */
#define MAP_UNCACHED        (1u << 4)
#define MAP_WRITE_COMBINING (1u << 5) /* only after cpu_setup(), which gives it its meaning */

/* An empty set of tables with as many levels as the CPU runs with. False: no memory. */
bool paging_create(struct page_tables *tables);

/* Maps one page. False: no memory for a table, already mapped, misaligned, or write + execute. */
bool paging_map(struct page_tables *tables, uint64_t va, uint64_t phys, enum page_size size,
		unsigned flags);

/* Maps [va, va + bytes), with the largest pages that fit where `large`. Same errors. */
bool paging_map_range(struct page_tables *tables, uint64_t va, uint64_t phys, uint64_t bytes,
		      unsigned flags, bool large);

/*
 * The entry that maps `va`, its size in *size (may be NULL), or NULL where nothing is mapped. The
 * entry may be written, for example with another frame.
 */
uint64_t *paging_entry(const struct page_tables *tables, uint64_t va, enum page_size *size);

/*
 * The entry for `va` in the table of `level` (0: the page table), present or not. NULL where no
 * table of that level is there.
 */
uint64_t *paging_entry_at(const struct page_tables *tables, uint64_t va, unsigned level);

/* Clears the entry that maps `va`. Tables stay. False: nothing was mapped. */
bool paging_unmap(struct page_tables *tables, uint64_t va);

/* A mapped page, as a walk sees it. */
struct paging_leaf {
	uint64_t va;
	uint64_t phys;
	enum page_size size;
	unsigned allows; /* MAP_WRITE, MAP_EXECUTE, MAP_USER: what every level allows */
};

/* False ends the walk. */
typedef bool (*paging_visit_fn)(const struct paging_leaf *leaf, void *ctx);

/*
 * Shows `visit` every page that is mapped, from the lowest address to the highest. Where the CPU
 * has no NX, MAP_EXECUTE is always among what is allowed. False: `visit` ended it.
 */
bool paging_for_each(const struct page_tables *tables, paging_visit_fn visit, void *ctx);

/* Whether the CPU has pages of this size. */
bool paging_has(enum page_size size);

#endif
