/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An input as a machine's physical memory. Its first byte says whether checksums are made right,
 * which a fuzzer would hardly ever find by itself; the rest is what lies at MEMORY_BASE.
 */
#ifndef TESTS_FUZZ_MEMORY_H
#define TESTS_FUZZ_MEMORY_H

#include <stdbool.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tests/host/checksum.h"

#define MEMORY_BASE   0x1000u
#define MEMORY_REPAIR 1u

static const uint8_t *memory;
static size_t memory_bytes;
static bool memory_repair;

/* Every mapping is a copy of exactly the size asked for, so that ASan sees a step beyond. */
static uint8_t **mappings;
static size_t nr_mappings;

static inline void memory_open(const uint8_t *data, size_t bytes)
{
	memory = bytes ? data + 1 : data;
	memory_bytes = bytes ? bytes - 1 : 0;
	memory_repair = bytes && data[0] & MEMORY_REPAIR;
}

static inline void memory_close(void)
{
	while (nr_mappings)
		free(mappings[--nr_mappings]);
	free(mappings);
	mappings = NULL;
}

/* NULL outside of memory. */
static inline uint8_t *memory_map(uint64_t phys, size_t bytes)
{
	uint64_t at = phys - MEMORY_BASE;
	uint8_t *copy;

	if (phys < MEMORY_BASE || at > memory_bytes || bytes > memory_bytes - at)
		return NULL;
	copy = malloc(bytes);
	mappings = realloc(mappings, (nr_mappings + 1) * sizeof(*mappings));
	must(copy && mappings);
	mappings[nr_mappings++] = copy;
	memcpy(copy, memory + at, bytes);
	return copy;
}

/* Makes p[0, n) add up to 0 by p[at], where the input wants that. */
static inline void memory_repair_sum(uint8_t *p, size_t n, size_t at)
{
	if (memory_repair && at < n)
		fix_checksum(p, n, at);
}

#endif
