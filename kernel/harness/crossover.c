/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds where a curve passes a level. */
#include "kernel/harness/crossover.h"

#include "arch/x86/divide.h"

uint32_t crossover(const uint32_t *x, const int64_t *y, uint32_t n, int64_t level)
{
	uint32_t i = n;

	while (i > 0 && y[i - 1] > level)
		i--;
	if (i == 0)
		return 0;
	if (i == n)
		return x[n - 1];
	return x[i - 1] +
	       (uint32_t)divide_signed((level - y[i - 1]) * (x[i] - x[i - 1]), y[i] - y[i - 1]);
}
