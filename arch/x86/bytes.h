/* SPDX-License-Identifier: BSD-2-Clause */
/* Little-endian fields and checksums of tables that firmware made, aligned or not. Pure. */
#ifndef ARCH_X86_BYTES_H
#define ARCH_X86_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline uint16_t get16(const uint8_t *p)
{
	return p[0] | p[1] << 8;
}

static inline uint32_t get32(const uint8_t *p)
{
	return get16(p) | (uint32_t)get16(p + 2) << 16;
}

static inline uint64_t get64(const uint8_t *p)
{
	return get32(p) | (uint64_t)get32(p + 4) << 32;
}

/* Whether `n` bytes add up to 0 modulo 256, as ACPI and SMBIOS want. */
static inline bool sums_to_zero(const uint8_t *p, size_t n)
{
	uint8_t sum = 0;

	while (n--)
		sum += *p++;
	return sum == 0;
}

#endif
