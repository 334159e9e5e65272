/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * INVLPGB and TLBSYNC by which of its fields are valid: without the address all pages go, without the
 * PCID those of all PCIDs, without the ASID those of guests too. final=1 keeps paging-structure
 * caches, which only an address makes sense with. CPU 0 has just read one page.
 */
#include "kernel/harness/invlpgb_axes.h"
#include "tests/bench/broadcast_row.h"

enum { AT_VALID, AT_FINAL };

static bool applies(const struct axis_point *p)
{
	return invlpgb_final_applies(p->values[AT_VALID], p->values[AT_FINAL]);
}

static const char *setup(struct bench_args *args)
{
	uint32_t final = args->at.values[AT_FINAL] ? INVLPGB_FINAL : 0;

	return broadcast_row_setup(
		args, (struct invlpgb_request){.flags = args->at.values[AT_VALID] | final,
					       .nr_pages = 1});
}

static const struct bench valid = {
	.name = "broadcast/valid",
	.what = "INVLPGB with these fields valid, and TLBSYNC",
	.need = {BROADCAST_NEED},
	.axes = {&invlpgb_valid_axis, &invlpgb_final_axis},
	.applies = applies,
	.setup = setup,
	.finish = broadcast_row_finish,
	.sample = broadcast_row_sample,
};
BENCH(valid);
