/* SPDX-License-Identifier: BSD-2-Clause */
/* Extent allocator for physical memory. */
#include "mm/frames.h"

#include <stdbool.h>
#include <stddef.h>

#include "arch/x86/mem.h"
#include "arch/x86/spinlock.h"

/* At the start of every free extent. */
struct extent {
	uint64_t next; /* physical address of the next higher one, 0: none */
	uint64_t nr_frames;
};

uint64_t direct_map;

static uint64_t first;  /* lowest extent, 0: none */
static uint64_t recent; /* the one that was given to last, 0: not known */
static uint64_t nr_free;
static struct spinlock lock;

static struct extent *extent_at(uint64_t base)
{
	return phys_to_virt(base);
}

static uint64_t end_of(uint64_t base)
{
	return base + extent_at(base)->nr_frames * FRAME_SIZE;
}

static void set_link(uint64_t previous, uint64_t to)
{
	if (previous)
		extent_at(previous)->next = to;
	else
		first = to;
}

/* Puts an extent in its place and joins it with neighbours that it touches. */
static void insert(uint64_t base, uint64_t nr_frames)
{
	uint64_t previous = 0, next = first;

	/* Memory mostly comes upwards: then there is no way to go. */
	if (recent && recent < base) {
		previous = recent;
		next = extent_at(recent)->next;
	}
	while (next && next < base) {
		previous = next;
		next = extent_at(next)->next;
	}
	nr_free += nr_frames;
	*extent_at(base) = (struct extent){next, nr_frames};
	if (next && end_of(base) == next) {
		extent_at(base)->nr_frames += extent_at(next)->nr_frames;
		extent_at(base)->next = extent_at(next)->next;
	}
	if (previous && end_of(previous) == base) {
		extent_at(previous)->nr_frames += extent_at(base)->nr_frames;
		extent_at(previous)->next = extent_at(base)->next;
		recent = previous;
	} else {
		set_link(previous, base);
		recent = base;
	}
}

void frames_add(uint64_t base, uint64_t nr_frames)
{
	uint64_t flags;

	if (base == 0 && nr_frames) {
		base += FRAME_SIZE;
		nr_frames--;
	}
	if (!nr_frames)
		return;
	flags = spin_lock_irqsave(&lock);
	insert(base, nr_frames);
	spin_unlock_irqrestore(&lock, flags);
}

/*
 * Takes [base, base + bytes) out of the extent after `previous`; what is left on each side stays.
 */
static void carve(uint64_t previous, uint64_t extent, uint64_t base, uint64_t bytes)
{
	uint64_t end = end_of(extent), next = extent_at(extent)->next;

	if (base + bytes < end) {
		uint64_t tail = base + bytes;

		*extent_at(tail) = (struct extent){next, (end - tail) / FRAME_SIZE};
		next = tail;
	}
	if (base > extent)
		*extent_at(extent) = (struct extent){next, (base - extent) / FRAME_SIZE};
	else
		set_link(previous, next);
	nr_free -= bytes / FRAME_SIZE;
	recent = previous; /* which this leaves as it was */
}

static uint64_t find_and_carve(uint64_t bytes, uint64_t align, uint64_t limit)
{
	uint64_t previous = 0;

	for (uint64_t e = first; e; previous = e, e = extent_at(e)->next) {
		uint64_t base = (e + align - 1) & ~(align - 1);

		if (limit && base + bytes > limit)
			return FRAME_NONE; /* sorted: the rest is higher still */
		if (base + bytes <= end_of(e)) {
			carve(previous, e, base, bytes);
			return base;
		}
	}
	return FRAME_NONE;
}

uint64_t frames_alloc(uint64_t nr_frames, uint64_t align_frames, uint64_t limit)
{
	uint64_t base, flags;

	if (!nr_frames || nr_frames >> 40)
		return FRAME_NONE;
	flags = spin_lock_irqsave(&lock);
	base = find_and_carve(nr_frames * FRAME_SIZE, align_frames * FRAME_SIZE, limit);
	spin_unlock_irqrestore(&lock, flags);
	return base;
}

uint64_t frame_alloc_zeroed(void)
{
	uint64_t frame = frames_alloc(1, 1, 0);

	if (frame)
		memset(phys_to_virt(frame), 0, FRAME_SIZE);
	return frame;
}

void frames_free(uint64_t base, uint64_t nr_frames)
{
	frames_add(base, nr_frames);
}

uint64_t frames_free_count(void)
{
	return __atomic_load_n(&nr_free, __ATOMIC_RELAXED);
}
