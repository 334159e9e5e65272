/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts the memory map and sweeps over it. */
#include "mm/memory_map.h"

#include "mm/frames.h"

/* Pages of a 64-bit address space. */
#define ALL_PAGES (1ull << (64 - FRAME_SHIFT))

/* The end of what real mode and a SIPI reach and is RAM. */
#define TRAMPOLINE_END 0xa0000ull

#define BIT(type) (1u << (type))
#define RAM_TYPES (BIT(BOOT_MEM_TYPE_COUNT) - 1 - BIT(BOOT_MEM_RESERVED))

/* Puts the entry at `root` where it belongs in the heap below it, the highest base on top. */
static void sift_down(struct boot_mem *heap, uint64_t root, uint64_t nr)
{
	struct boot_mem moving = heap[root];

	for (uint64_t child; (child = 2 * root + 1) < nr; root = child) {
		if (child + 1 < nr && heap[child + 1].base > heap[child].base)
			child++;
		if (heap[child].base <= moving.base)
			break;
		heap[root] = heap[child];
	}
	heap[root] = moving;
}

/* Heapsort: in place, no recursion, and no map makes it slow. */
static void sort(struct boot_mem *entries, uint64_t nr)
{
	for (uint64_t i = nr / 2; i-- > 0;)
		sift_down(entries, i, nr);
	for (uint64_t last = nr; last-- > 1;) {
		struct boot_mem highest = entries[0];

		entries[0] = entries[last];
		entries[last] = highest;
		sift_down(entries, 0, last);
	}
}

void memory_map_init(struct memory_map *map, struct boot_mem *entries, uint64_t nr, uint64_t limit)
{
	*map = (struct memory_map){entries, nr, limit};
	sort(entries, nr);
}

static enum boot_mem_type type_of(const struct boot_mem *m)
{
	return m->type < BOOT_MEM_TYPE_COUNT ? (enum boot_mem_type)m->type : BOOT_MEM_RESERVED;
}

/* What counts of an entry; false: nothing. */
static bool clip(const struct memory_map *map, const struct boot_mem *m, struct memory_range *range)
{
	uint64_t first = m->base / FRAME_SIZE, end;
	bool misaligned = m->base % FRAME_SIZE;

	if (!m->nr_pages || m->base >= map->limit ||
	    (misaligned && type_of(m) != BOOT_MEM_RESERVED) ||
	    m->nr_pages > ALL_PAGES - first - misaligned)
		return false;
	end = first + m->nr_pages + misaligned;
	range->base = first * FRAME_SIZE;
	range->end = end < map->limit / FRAME_SIZE ? end * FRAME_SIZE : map->limit;
	return true;
}

void memory_walk_begin(struct memory_walk *walk, const struct memory_map *map)
{
	*walk = (struct memory_walk){.map = map};
}

/* Takes in the entries that begin at or below `at`. Returns where the next one begins. */
static uint64_t take_in(struct memory_walk *walk)
{
	for (; walk->next < walk->map->nr; walk->next++) {
		const struct boot_mem *m = &walk->map->entries[walk->next];
		uint64_t *reach = &walk->reach[type_of(m)];
		struct memory_range range;

		if (!clip(walk->map, m, &range))
			continue;
		if (range.base > walk->at)
			return range.base;
		if (range.end > *reach)
			*reach = range.end;
	}
	return walk->map->limit;
}

/*
 * The next range that one set of types describes; returns the set, 0 at the end. Since the entries
 * come sorted, a type covers `at` where any entry of it so far goes beyond.
 */
static unsigned next_piece(struct memory_walk *walk, struct memory_range *piece)
{
	unsigned types = 0;

	while (walk->at < walk->map->limit) {
		uint64_t end = take_in(walk);

		for (unsigned t = 0; t < BOOT_MEM_TYPE_COUNT; t++) {
			if (walk->reach[t] <= walk->at)
				continue;
			types |= BIT(t);
			if (walk->reach[t] < end)
				end = walk->reach[t];
		}
		*piece = (struct memory_range){walk->at, end};
		walk->at = end;
		if (types)
			break;
	}
	return types;
}

bool memory_walk_next(struct memory_walk *walk, enum boot_mem_type type, uint64_t from, uint64_t to,
		      struct memory_range *range)
{
	unsigned types;

	while ((types = next_piece(walk, range)) && range->base < to) {
		if (range->base < from)
			range->base = from;
		if (range->end > to)
			range->end = to;
		if (types == BIT(type) && range->base < range->end)
			return true;
	}
	return false;
}

bool memory_walk_next_ram(struct memory_walk *walk, struct memory_range *range)
{
	struct memory_walk ahead;
	struct memory_range piece;
	unsigned types;

	while ((types = next_piece(walk, range)) && !(types & RAM_TYPES))
		;
	if (!types)
		return false;
	for (ahead = *walk; next_piece(&ahead, &piece) & RAM_TYPES && piece.base == range->end;
	     *walk = ahead)
		range->end = piece.end;
	return true;
}

uint64_t memory_map_low_page(const struct memory_map *map)
{
	struct memory_walk walk;
	struct memory_range piece;
	uint64_t best = 0;
	unsigned types;

	memory_walk_begin(&walk, map);
	while ((types = next_piece(&walk, &piece)) && piece.base < TRAMPOLINE_END) {
		if (types == BIT(BOOT_MEM_FREE) || types == BIT(BOOT_MEM_RECLAIM))
			best = (piece.end < TRAMPOLINE_END ? piece.end : TRAMPOLINE_END) -
			       FRAME_SIZE;
	}
	return best;
}
