/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps the pages and links them to rings. */
#include "kernel/harness/live_pages.h"

#include <stdbool.h>
#include <stddef.h>

#include "kernel/harness/test_page.h"
#include "mm/frames.h"
#include "mm/kernel_space.h"

/* Rings of as many counts as a cache line has words: each page has a word for each. */
#define RINGS_MAX     8
#define LINE          64
#define LINES_A_FRAME (FRAME_SIZE / LINE)

struct pool {
	uint64_t base;   /* where its pages are mapped; 0: not yet */
	uint64_t memory; /* direct-map address of what they are mapped to */
	bool failed;
	unsigned nr_rings;
	struct live_pages rings[RINGS_MAX];
};

static struct pool pools[PAGE_1G]; /* 4 KiB and 2 MiB */

/*
 * 4 KiB pages have a frame each and use another line of it each. 2 MiB pages all map the same
 * memory, which has a line for each of them: so many large pages would fill a small machine.
 */
static uint64_t line_offset(enum page_size size, uint32_t page)
{
	return size == PAGE_4K ? page % LINES_A_FRAME * LINE : (uint64_t)page * LINE;
}

static uint64_t frame_offset(enum page_size size, uint32_t page)
{
	return size == PAGE_4K ? (uint64_t)page * FRAME_SIZE : 0;
}

static bool map_pages(struct pool *pool, enum page_size size)
{
	uint64_t bytes = size == PAGE_4K ? LIVE_PAGES_MAX * FRAME_SIZE : page_bytes(size);
	uint64_t nr_frames = bytes / FRAME_SIZE;
	uint64_t phys = frames_alloc(nr_frames, page_bytes(size) / FRAME_SIZE, 0);
	uint64_t base = test_space_reserve(LIVE_PAGES_MAX * page_bytes(size), page_bytes(size));

	if (phys == FRAME_NONE)
		return false;
	for (uint32_t i = 0; i < LIVE_PAGES_MAX; i++) {
		if (!paging_map(&kernel_tables, base + i * page_bytes(size),
				phys + frame_offset(size, i), size, MAP_WRITE))
			return false;
	}
	pool->base = base;
	pool->memory = (uint64_t)phys_to_virt(phys);
	return true;
}

/* 0 to count - 1 in an order without runs: Fisher and Yates' shuffle. */
static void shuffle(uint16_t *order, uint32_t count)
{
	uint64_t random = 0x9e3779b97f4a7c15ull;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t j;

		random = random * 6364136223846793005ull + 1442695040888963407ull;
		j = (random >> 33) % (i + 1);
		order[i] = order[j];
		order[j] = i;
	}
}

static void link_ring(const struct pool *pool, enum page_size size, unsigned ring, uint32_t count)
{
	static uint16_t order[LIVE_PAGES_MAX];

	shuffle(order, count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t from = order[i], to = order[(i + 1) % count];
		uint64_t word = pool->memory + frame_offset(size, from) + line_offset(size, from);

		((uint64_t *)word)[ring] = pool->base + to * page_bytes(size) +
					   line_offset(size, to) + ring * sizeof(uint64_t);
	}
}

static bool add_ring(struct pool *pool, enum page_size size, uint32_t count)
{
	unsigned ring = pool->nr_rings;

	if (ring == RINGS_MAX)
		return false;
	link_ring(pool, size, ring, count);
	pool->rings[ring].count = count;
	/* Page 0 is on every ring. */
	pool->rings[ring].head = pool->base + ring * sizeof(uint64_t);
	pool->nr_rings++;
	return true;
}

static const struct live_pages *find_ring(const struct pool *pool, uint32_t count)
{
	for (unsigned i = 0; i < pool->nr_rings; i++) {
		if (pool->rings[i].count == count)
			return &pool->rings[i];
	}
	return NULL;
}

const char *live_pages_get(enum page_size size, uint32_t count, struct live_pages *live)
{
	struct pool *pool = &pools[size];

	*live = (struct live_pages){0, 0};
	if (!count)
		return NULL;
	if (!pool->base && !pool->failed)
		pool->failed = !map_pages(pool, size);
	if (pool->failed)
		return "no memory for the live pages";
	if (!find_ring(pool, count) && !add_ring(pool, size, count))
		return "more counts of live pages than there are rings";
	*live = *find_ring(pool, count);
	return NULL;
}

uint64_t live_pages_base(enum page_size size)
{
	return pools[size].base;
}
