/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the tables of the tests as valid as firmware's. */
#ifndef TESTS_HOST_CHECKSUM_H
#define TESTS_HOST_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Sets p[at] so that all bytes add up to 0. */
static inline void fix_checksum(uint8_t *p, size_t bytes, size_t at)
{
	uint8_t sum = 0;

	p[at] = 0;
	for (size_t i = 0; i < bytes; i++)
		sum += p[i];
	p[at] = -sum;
}

#endif
