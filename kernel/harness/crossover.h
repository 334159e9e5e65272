/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a rising curve of measured points passes a level. Pure. */
#ifndef KERNEL_HARNESS_CROSSOVER_H
#define KERNEL_HARNESS_CROSSOVER_H

#include <stdint.h>

/*
 * The largest whole x with the curve not above `level`, where it passes that level last; straight
 * between the points, whose x rise. 0 where it is above from the first point on; the last x where
 * it ends at or below the level. n > 0.
 */
uint32_t crossover(const uint32_t *x, const int64_t *y, uint32_t n, int64_t level);

#endif
