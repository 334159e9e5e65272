/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans flushes: pages or everything, and what a CPU has missed. */
#include "mm/flush_request.h"

bool flush_request_make(struct flush_request *request, uint64_t start, uint64_t end,
			uint64_t stride, bool freed_tables, uint64_t ceiling)
{
	uint64_t first = start & ~(stride - 1), last;

	if (start >= end)
		return false;
	last = (end - 1) & ~(stride - 1);
	*request = (struct flush_request){
		.start = first,
		.end = last + stride,
		.stride = stride,
		.all = freed_tables || end == FLUSH_TO_END ||
		       (last - first) >> __builtin_ctzll(stride) >= ceiling,
	};
	return true;
}

enum flush_step flush_request_plan(const struct flush_request *request, uint64_t now,
				   uint64_t *seen)
{
	/* Another request, or a switch, has brought it past this one. */
	if (*seen >= request->generation)
		return FLUSH_NOTHING;
	if (!request->all && *seen + 1 == request->generation) {
		*seen = request->generation;
		return FLUSH_RANGE;
	}
	/* One that it has not been shown yet is missing too: this answers all up to now. */
	*seen = now;
	return FLUSH_ALL;
}
