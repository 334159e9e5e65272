/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sets of CPUs, a bit for each index in the CPU table, in words that the caller owns. Pure.
 * Changes are atomic and full barriers, for what is read next depends on them.
 */
#ifndef MM_CPU_SET_H
#define MM_CPU_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Words of a set that holds CPUs 0 to nr - 1. */
static inline uint32_t cpu_set_words(uint32_t nr)
{
	return (nr + 63) / 64;
}

static inline void cpu_set_add(uint64_t *set, uint32_t cpu)
{
	__atomic_fetch_or(&set[cpu / 64], 1ull << cpu % 64, __ATOMIC_SEQ_CST);
}

static inline void cpu_set_remove(uint64_t *set, uint32_t cpu)
{
	__atomic_fetch_and(&set[cpu / 64], ~(1ull << cpu % 64), __ATOMIC_SEQ_CST);
}

static inline bool cpu_set_has(const uint64_t *set, uint32_t cpu)
{
	return __atomic_load_n(&set[cpu / 64], __ATOMIC_ACQUIRE) >> cpu % 64 & 1;
}

/* Whether any but `cpu` is in it. */
static inline bool cpu_set_has_other(const uint64_t *set, uint32_t words, uint32_t cpu)
{
	for (uint32_t i = 0; i < words; i++) {
		uint64_t mine = i == cpu / 64 ? 1ull << cpu % 64 : 0;

		if (__atomic_load_n(&set[i], __ATOMIC_ACQUIRE) & ~mine)
			return true;
	}
	return false;
}

#endif
