/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the time of some work grows with its size, as a ratio: it holds on slow and busy machines,
 * where seconds do not.
 */
#ifndef TESTS_HOST_GROWTH_H
#define TESTS_HOST_GROWTH_H

#include <stdbool.h>
#include <time.h>

#define GROWTH_TRIES 9 /* the least of them is what others disturbed least */

static inline clock_t growth_least_time(void (*work)(unsigned n), unsigned n)
{
	clock_t least = 0;

	for (unsigned i = 0; i < GROWTH_TRIES; i++) {
		clock_t before = clock(), took;

		work(n);
		took = clock() - before;
		if (!i || took < least)
			least = took;
	}
	return least;
}

/* Eight times as much takes some ten times as long, not the 64 of what grows with the square. */
static inline bool growth_is_below_square(void (*work)(unsigned n), unsigned n)
{
	return growth_least_time(work, 8 * n) < 24 * (growth_least_time(work, n) + 1);
}

#endif
