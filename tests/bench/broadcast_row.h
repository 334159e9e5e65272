/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What benchmarks of INVLPGB share: a row's request, the pages that it names, which CPU 0 reads
 * before each section, and the section with both instructions. On CPU 0.
 */
#ifndef TESTS_BENCH_BROADCAST_ROW_H
#define TESTS_BENCH_BROADCAST_ROW_H

#include "arch/x86/invlpgb.h"
#include "kernel/harness/bench.h"

#define BROADCAST_NEED .features = NEED(FEATURE_INVLPGB)

/* args->state */
struct broadcast_row {
	struct invlpgb_request request;
	const char *wrong; /* the first thing that was */
};

/*
 * For setup: fills in request.va where it is valid, and the operands, rAX, ECX and EDX. The pages are
 * no globals and of PCID 0, which is the one in use. NULL, or why it can't be.
 */
const char *broadcast_row_setup(struct bench_args *args, struct invlpgb_request request);

/* For finish. */
const char *broadcast_row_finish(const struct bench_args *args);

/* What finish is to tell; the first counts. */
void broadcast_row_went_wrong(const struct bench_args *args, const char *why);

/* Untimed before each section: so that this CPU's TLB has what goes. */
void broadcast_row_read_pages(const struct bench_args *args);

/* INVLPGB with a row's operands. */
ALWAYS_INLINE void broadcast_row_issue(uint64_t a, uint64_t b, uint64_t c)
{
	invlpgb_packed((struct invlpgb_operands){a, (uint32_t)b, (uint32_t)c});
}

/* A bench.sample: INVLPGB and TLBSYNC. */
void broadcast_row_sample(const struct bench_args *args, enum bench_length length, int64_t *ticks,
			  size_t n);

#endif
