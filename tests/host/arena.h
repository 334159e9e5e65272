/* SPDX-License-Identifier: BSD-2-Clause */
/* Physical memory for the code of mm/ under test: a piece of the host's, at an address of choice. */
#ifndef TESTS_HOST_ARENA_H
#define TESTS_HOST_ARENA_H

#include <stdint.h>
#include <stdlib.h>

#include "mm/frames.h"

/* Makes [base, base + nr_frames) reachable by phys_to_virt(); free() what it returns. */
static inline void *arena_create(uint64_t base, uint64_t nr_frames)
{
	void *arena = aligned_alloc(FRAME_SIZE, nr_frames * FRAME_SIZE);

	direct_map = (uint64_t)arena - base;
	return arena;
}

/* Takes all that the allocator still has away from it. */
static inline void arena_drain(void)
{
	while (frames_alloc(1, 1, 0))
		;
}

#endif
