/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What one flush asks of a CPU, and what a CPU has to do for it. Pure.
 */
#ifndef MM_FLUSH_REQUEST_H
#define MM_FLUSH_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Flushes of more pages invalidate the whole space, where nobody says otherwise: what Linux has
 * (tlb_single_page_flush_ceiling).
 */
#define FLUSH_CEILING 33

struct flush_request {
	uint64_t start, end; /* [start, end), both aligned to stride */
	uint64_t stride;     /* bytes of the pages in it */
	uint64_t generation; /* of the space, to which this brings a CPU that was one behind */
	bool all;            /* everything of the space, not the range */
};

/* The end of a range that is the whole space. */
#define FLUSH_TO_END UINT64_MAX

/*
 * Covers the pages of `stride` bytes, a power of two, that [start, end) touches. More than `ceiling`
 * pages become everything, as do freed tables, whose entries lie in paging-structure caches under
 * addresses of their own (Intel SDM vol. 3A, "Caches for Paging Structures"). False: an empty range,
 * for which nothing is to be done. `generation` is left for the caller to fill in.
 */
bool flush_request_make(struct flush_request *request, uint64_t start, uint64_t end,
			uint64_t stride, bool freed_tables, uint64_t ceiling);

enum flush_step { FLUSH_NOTHING, FLUSH_RANGE, FLUSH_ALL };

/*
 * What a CPU does that has invalidated all up to generation *seen of a space that is at `now`;
 * *seen becomes what it then has.
 */
enum flush_step flush_request_plan(const struct flush_request *request, uint64_t now,
				   uint64_t *seen);

#endif
