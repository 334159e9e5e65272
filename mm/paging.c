/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds and walks page tables. */
#include "mm/paging.h"

#include <stddef.h>

#include "arch/x86/features.h"
#include "arch/x86/insn.h"
#include "mm/frames.h"

#define ENTRIES 512

bool paging_has(enum page_size size)
{
	return size != PAGE_1G || feature_has(FEATURE_PAGE1G);
}

bool paging_create(struct page_tables *tables)
{
	tables->levels = read_cr4() & CR4_LA57 ? 5 : 4;
	tables->root = frame_alloc_zeroed();
	return tables->root != FRAME_NONE;
}

/* Level 0 is the page table, whose entries map 4 KiB. */
static uint64_t *entry_of(uint64_t table, uint64_t va, unsigned level)
{
	return (uint64_t *)phys_to_virt(table) + (va >> (12 + 9 * level)) % ENTRIES;
}

static bool is_leaf(uint64_t entry, unsigned level)
{
	return level == 0 || entry & PTE_LARGE;
}

static uint64_t leaf_bits(unsigned flags, unsigned level)
{
	uint64_t bits = PTE_PRESENT | PTE_ACCESSED | PTE_DIRTY;

	if (level)
		bits |= PTE_LARGE;
	if (flags & MAP_WRITE)
		bits |= PTE_WRITE;
	if (flags & MAP_USER)
		bits |= PTE_USER;
	if (flags & MAP_GLOBAL && feature_has(FEATURE_PGE))
		bits |= PTE_GLOBAL;
	if (flags & MAP_UNCACHED)
		bits |= PTE_PCD | PTE_PWT;
	if (flags & MAP_WRITE_COMBINING)
		bits |= level ? PTE_LARGE_PAT : PTE_PAT;
	if (!(flags & MAP_EXECUTE) && feature_has(FEATURE_NX))
		bits |= PTE_NX;
	return bits;
}

bool paging_map(struct page_tables *tables, uint64_t va, uint64_t phys, enum page_size size,
		unsigned flags)
{
	uint64_t table = tables->root, *entry;

	if ((va | phys) & (page_bytes(size) - 1) ||
	    (flags & (MAP_WRITE | MAP_EXECUTE)) == (MAP_WRITE | MAP_EXECUTE))
		return false;
	for (unsigned level = tables->levels - 1; level > (unsigned)size; level--) {
		entry = entry_of(table, va, level);
		if (!(*entry & PTE_PRESENT)) {
			uint64_t frame = frame_alloc_zeroed();

			if (!frame)
				return false;
			/* Tables allow everything; the leaf decides. */
			*entry = frame | PTE_PRESENT | PTE_WRITE | PTE_USER | PTE_ACCESSED;
		} else if (is_leaf(*entry, level)) {
			return false;
		}
		table = *entry & PTE_ADDR_MASK;
	}
	entry = entry_of(table, va, size);
	if (*entry & PTE_PRESENT)
		return false;
	*entry = phys | leaf_bits(flags, size);
	return true;
}

static enum page_size largest_fit(uint64_t va, uint64_t phys, uint64_t bytes)
{
	for (enum page_size size = PAGE_1G; size > PAGE_4K; size--) {
		if (paging_has(size) && !((va | phys) & (page_bytes(size) - 1)) &&
		    bytes >= page_bytes(size))
			return size;
	}
	return PAGE_4K;
}

bool paging_map_range(struct page_tables *tables, uint64_t va, uint64_t phys, uint64_t bytes,
		      unsigned flags, bool large)
{
	while (bytes) {
		enum page_size size = large ? largest_fit(va, phys, bytes) : PAGE_4K;
		uint64_t step = page_bytes(size);

		if (!paging_map(tables, va, phys, size, flags))
			return false;
		va += step;
		phys += step;
		bytes = bytes > step ? bytes - step : 0;
	}
	return true;
}

uint64_t *paging_entry(const struct page_tables *tables, uint64_t va, enum page_size *size)
{
	uint64_t table = tables->root;

	for (unsigned level = tables->levels; level-- > 0;) {
		uint64_t *entry = entry_of(table, va, level);

		if (!(*entry & PTE_PRESENT))
			return NULL;
		if (is_leaf(*entry, level)) {
			if (size)
				*size = (enum page_size)level;
			return entry;
		}
		table = *entry & PTE_ADDR_MASK;
	}
	return NULL;
}

uint64_t *paging_entry_at(const struct page_tables *tables, uint64_t va, unsigned level)
{
	uint64_t table = tables->root;

	if (level >= tables->levels)
		return NULL;
	for (unsigned at = tables->levels - 1; at > level; at--) {
		uint64_t entry = *entry_of(table, va, at);

		if (!(entry & PTE_PRESENT) || is_leaf(entry, at))
			return NULL;
		table = entry & PTE_ADDR_MASK;
	}
	return entry_of(table, va, level);
}

bool paging_unmap(struct page_tables *tables, uint64_t va)
{
	uint64_t *entry = paging_entry(tables, va, NULL);

	if (!entry)
		return false;
	*entry = 0;
	return true;
}

/* One walk: the same at every level. */
struct walk {
	paging_visit_fn visit;
	void *ctx;
	unsigned levels;
};

/* What `entry` leaves of what the levels above it allow. */
static unsigned narrow(unsigned allows, uint64_t entry)
{
	if (!(entry & PTE_WRITE))
		allows &= ~MAP_WRITE;
	if (!(entry & PTE_USER))
		allows &= ~MAP_USER;
	if (entry & PTE_NX)
		allows &= ~MAP_EXECUTE;
	return allows;
}

/* The address whose top translated bit is repeated above it. */
static uint64_t canonical(uint64_t va, unsigned levels)
{
	unsigned unused = 64 - (12 + 9 * levels);

	return (uint64_t)((int64_t)(va << unused) >> unused);
}

/* The size bit is reserved in entries above 1 GiB, so a leaf's level is always a page size. */
static bool walk_table(const struct walk *w, uint64_t table, unsigned level, uint64_t va,
		       unsigned allows)
{
	const uint64_t *entries = phys_to_virt(table);

	for (unsigned i = 0; i < ENTRIES; i++) {
		uint64_t entry = entries[i], at = va + ((uint64_t)i << (12 + 9 * level));
		struct paging_leaf leaf = {canonical(at, w->levels), 0, (enum page_size)level,
					   narrow(allows, entry)};

		if (!(entry & PTE_PRESENT))
			continue;
		if (is_leaf(entry, level)) {
			leaf.phys = entry & PTE_ADDR_MASK & ~(page_bytes(leaf.size) - 1);
			if (!w->visit(&leaf, w->ctx))
				return false;
		} else if (!walk_table(w, entry & PTE_ADDR_MASK, level - 1, at, leaf.allows)) {
			return false;
		}
	}
	return true;
}

bool paging_for_each(const struct page_tables *tables, paging_visit_fn visit, void *ctx)
{
	struct walk w = {visit, ctx, tables->levels};

	return walk_table(&w, tables->root, tables->levels - 1, 0,
			  MAP_WRITE | MAP_EXECUTE | MAP_USER);
}
