/* SPDX-License-Identifier: BSD-2-Clause */
/* Random numbers that are the same in every run. */
#ifndef TESTS_HOST_RANDOM_H
#define TESTS_HOST_RANDOM_H

#include <stdint.h>

/* George Marsaglia's xorshift64, one sequence for each test program. */
static inline uint64_t random64(void)
{
	static uint64_t state = 0x9e3779b97f4a7c15;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

#endif
