/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Physical memory, in frames of 4 KiB. Free memory is a list of extents sorted by address, each
 * described in its own first frame, so that no table is sized for a number of them.
 * Anyone may call, on any CPU, interrupts on or off.
 */
#ifndef MM_FRAMES_H
#define MM_FRAMES_H

#include <stdint.h>

#define FRAME_SIZE  4096ull
#define FRAME_SHIFT 12

/* No frame: what allocation returns when there is none. Frame 0 is never given out. */
#define FRAME_NONE 0ull

/* Where physical address 0 is mapped: 0 on the boot path's identity map, then DIRECT_MAP_BASE. */
extern uint64_t direct_map;

static inline void *phys_to_virt(uint64_t phys)
{
	return (void *)(direct_map + phys);
}

/* Gives memory to the allocator: [base, base + nr_frames). Frame 0 is left out. */
void frames_add(uint64_t base, uint64_t nr_frames);

/*
 * nr_frames contiguous frames, aligned to align_frames (a power of two) and below `limit` (bytes;
 * 0: anywhere), lowest first. Contents undefined. Returns the physical address, or FRAME_NONE.
 */
uint64_t frames_alloc(uint64_t nr_frames, uint64_t align_frames, uint64_t limit);

/* One frame, filled with zeros. */
uint64_t frame_alloc_zeroed(void);

void frames_free(uint64_t base, uint64_t nr_frames);

/* How many frames are free now. */
uint64_t frames_free_count(void);

#endif
