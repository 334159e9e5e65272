/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the operands of a row, and times INVLPGB and TLBSYNC with them. */
#include "tests/bench/broadcast_row.h"

#include "mm/kernel_space.h"

static enum page_size size_of(const struct invlpgb_request *request)
{
	return request->stride == INVLPGB_2M ? PAGE_2M : PAGE_4K;
}

const char *broadcast_row_setup(struct bench_args *args, struct invlpgb_request request)
{
	struct invlpgb_operands operands;
	struct broadcast_row *row;
	struct live_pages first;
	const char *why = live_pages_get(size_of(&request), 1, &first);

	if (why)
		return why;
	args->touch[0] = live_pages_base(size_of(&request));
	if (request.flags & INVLPGB_VA)
		request.va = args->touch[0];
	if (request.nr_pages > LIVE_PAGES_MAX ||
	    invlpgb_encode(&request, &invlpgb_limits, &operands))
		return "too many pages, or the CPU takes no such operands";
	row = kernel_memory_alloc(sizeof(*row));
	if (!row)
		return "no memory to keep account";
	row->request = request;
	args->state = row;
	args->a = operands.rax;
	args->b = operands.ecx;
	args->c = operands.edx;
	return NULL;
}

const char *broadcast_row_finish(const struct bench_args *args)
{
	struct broadcast_row *row = args->state;
	const char *wrong = row->wrong;

	kernel_memory_free(row, sizeof(*row));
	return wrong;
}

void broadcast_row_went_wrong(const struct bench_args *args, const char *why)
{
	struct broadcast_row *row = args->state;

	if (!row->wrong)
		row->wrong = why;
}

void broadcast_row_read_pages(const struct bench_args *args)
{
	const struct broadcast_row *row = args->state;
	uint64_t va = args->touch[0];

	for (uint32_t i = 0; i < row->request.nr_pages; i++) {
		(void)*(const volatile uint64_t *)va;
		va += page_bytes(size_of(&row->request));
	}
}

ALWAYS_INLINE void op_flush(uint64_t a, uint64_t b, uint64_t c)
{
	broadcast_row_issue(a, b, c);
	tlbsync();
}

BENCH_SAMPLER_ONCE(sample_flush, broadcast_row_read_pages, op_flush)

void broadcast_row_sample(const struct bench_args *args, enum bench_length length, int64_t *ticks,
			  size_t n)
{
	sample_flush(args, length, ticks, n);
}
