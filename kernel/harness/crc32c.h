/* SPDX-License-Identifier: BSD-2-Clause */
/* CRC-32C (Castagnoli): RFC 3720, "CRC Examples". Pure. */
#ifndef KERNEL_HARNESS_CRC32C_H
#define KERNEL_HARNESS_CRC32C_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc32c(const void *data, size_t bytes);

#endif
