/* SPDX-License-Identifier: BSD-2-Clause */
/* The axes, with the names of combinations of valid bits. */
#include "kernel/harness/invlpgb_axes.h"

#include "arch/x86/invlpgb_encode.h"

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

const struct axis invlpgb_valid_axis = {
	.key = "valid",
	.names = valid_names,
	.nr = 8,
	.values = {0, 1, 2, 3, 4, 5, 6, 7},
};

const struct axis invlpgb_final_axis = {.key = "final", .nr = 2, .values = {0, 1}};

bool invlpgb_final_applies(uint32_t valid, uint32_t final)
{
	return !final || valid & INVLPGB_VA;
}
