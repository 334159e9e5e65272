/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * INVLPGB and TLBSYNC by which of its fields are valid: without the address all pages go, without the
 * PCID those of all PCIDs, without the ASID those of guests too. final=1 keeps paging-structure
 * caches, which only an address makes sense with. CPU 0 has just read one page.
 */
#include "tests/bench/broadcast_row.h"

enum { AT_VALID, AT_FINAL };

static const char *const valid_names[] = {
	[0] = "none",
	[INVLPGB_VA] = "va",
	[INVLPGB_PCID] = "pcid",
	[INVLPGB_VA | INVLPGB_PCID] = "va+pcid",
	[INVLPGB_ASID] = "asid",
	[INVLPGB_VA | INVLPGB_ASID] = "va+asid",
	[INVLPGB_PCID | INVLPGB_ASID] = "pcid+asid",
	[INVLPGB_VA | INVLPGB_PCID | INVLPGB_ASID] = "va+pcid+asid",
};

static const struct axis valid_axis = {
	.key = "valid",
	.names = valid_names,
	.nr = 8,
	.values = {0, 1, 2, 3, 4, 5, 6, 7},
};

static const struct axis final_axis = {.key = "final", .nr = 2, .values = {0, 1}};

static bool applies(const struct axis_point *p)
{
	return !p->values[AT_FINAL] || p->values[AT_VALID] & INVLPGB_VA;
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
	.axes = {&valid_axis, &final_axis},
	.applies = applies,
	.setup = setup,
	.finish = broadcast_row_finish,
	.sample = broadcast_row_sample,
};
BENCH(valid);
