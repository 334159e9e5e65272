/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts a firmware's memory map and walks over it. The input's first byte is the distance of
 * descriptors, the second the bits of a physical address, the third how many entries there is room
 * for; then descriptors.
 */
#include <stdbool.h>
#include <string.h>

#include "boot/efi_map.h"
#include "mm/frames.h"
#include "mm/memory_map.h"
#include "tests/fuzz/fuzz.h"

#define HEAD_BYTES 3
#define MIN_BITS   20
#define MAX_BITS   46

static void check_range(const struct memory_map *map, const struct memory_range *range, uint64_t at)
{
	must(range->base >= at && range->base < range->end && range->end <= map->limit);
	must(range->base % FRAME_SIZE == 0 && range->end % FRAME_SIZE == 0);
}

/* Bytes that are of this type alone. */
static uint64_t walk_type(const struct memory_map *map, enum boot_mem_type type)
{
	struct memory_walk walk;
	struct memory_range range;
	uint64_t at = 0, total = 0;

	memory_walk_begin(&walk, map);
	while (memory_walk_next(&walk, type, 0, UINT64_MAX, &range)) {
		check_range(map, &range, at);
		at = range.end;
		total += range.end - range.base;
	}
	return total;
}

static uint64_t walk_ram(const struct memory_map *map)
{
	struct memory_walk walk;
	struct memory_range range;
	uint64_t at = 0, total = 0;

	memory_walk_begin(&walk, map);
	while (memory_walk_next_ram(&walk, &range)) {
		check_range(map, &range, at);
		at = range.end + FRAME_SIZE; /* no two runs touch */
		total += range.end - range.base;
	}
	return total;
}

static void check_map(struct boot_mem *entries, uint64_t nr, uint64_t limit)
{
	struct memory_map map;
	uint64_t page, alone = 0;

	memory_map_init(&map, entries, nr, limit);
	for (uint64_t i = 1; i < nr; i++)
		must(entries[i - 1].base <= entries[i].base);
	walk_type(&map, BOOT_MEM_RESERVED);
	for (uint32_t type = BOOT_MEM_RESERVED + 1; type < BOOT_MEM_TYPE_COUNT; type++)
		alone += walk_type(&map, type);
	must(alone <= walk_ram(&map));
	page = memory_map_low_page(&map);
	must(page % FRAME_SIZE == 0 && page < 0xa0000 && page < limit);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	uint64_t limit, nr;
	struct boot_mem *entries;
	uint8_t *descriptors;

	if (bytes < HEAD_BYTES)
		return -1;
	limit = 1ull << (MIN_BITS + data[1] % (MAX_BITS - MIN_BITS + 1));
	entries = malloc(data[2] * sizeof(*entries));
	descriptors = malloc(bytes - HEAD_BYTES);
	must(entries && descriptors);
	memcpy(descriptors, data + HEAD_BYTES, bytes - HEAD_BYTES);
	nr = efi_map_convert(descriptors, bytes - HEAD_BYTES, data[0], entries, data[2]);
	must(nr <= data[2]);
	check_map(entries, nr, limit);
	free(descriptors);
	free(entries);
	return 0;
}
