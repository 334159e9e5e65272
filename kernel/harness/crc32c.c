/* SPDX-License-Identifier: BSD-2-Clause */
/* CRC-32C, a bit at a time: a report is some tens of kilobytes. */
#include "kernel/harness/crc32c.h"

#define POLYNOMIAL 0x82f63b78u /* 1EDC6F41h with its bits reversed */

uint32_t crc32c(const void *data, size_t bytes)
{
	const uint8_t *p = data;
	uint32_t crc = ~0u;

	while (bytes--) {
		crc ^= *p++;
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
	}
	return ~crc;
}
