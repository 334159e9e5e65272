/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signed division by way of unsigned. Bochs 3.1 gets IDIV with 64-bit operands wrong (11000000000 /
 * 100000 gives 257698 there), so the kernel has no IDIV; a test looks for it in the built image.
 */
#ifndef ARCH_X86_DIVIDE_H
#define ARCH_X86_DIVIDE_H

#include <stdint.h>

/* Rounds towards 0, as "/". `by` is not 0. */
static inline int64_t divide_signed(int64_t value, uint64_t by)
{
	uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;
	uint64_t quotient = magnitude / by;

	return value < 0 ? -(int64_t)quotient : (int64_t)quotient;
}

#endif
