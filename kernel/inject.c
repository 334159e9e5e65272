/* SPDX-License-Identifier: BSD-2-Clause */
/* Which fault is put in. */
#include "kernel/inject.h"

#include <stddef.h>

const char *const inject_names[INJECT_COUNT + 1] = {
	[INJECT_NONE] = "none",
	[INJECT_PANIC] = "panic",
	[INJECT_FAULT] = "fault",
	[INJECT_OVERFLOW] = "overflow",
	[INJECT_FAIL] = "fail",
	[INJECT_SKIP_LOCAL] = "skip-local",
	[INJECT_EXTRA_FAULT] = "extra-fault",
	[INJECT_NO_FAULT] = "no-fault",
	[INJECT_WX] = "wx",
	[INJECT_NO_GUARD] = "no-guard",
	[INJECT_DEAD_AP] = "dead-ap",
	[INJECT_NO_GLOBAL] = "no-global",
	[INJECT_WRONG_TYPE] = "wrong-type",
	[INJECT_WRONG_PCID] = "wrong-pcid",
	[INJECT_STALE_PSC] = "stale-psc",
	[INJECT_NO_FENCE] = "no-fence",
	[INJECT_LOSE_IPI] = "lose-ipi",
	[INJECT_DUP_IPI] = "dup-ipi",
	[INJECT_TSC_DRIFT] = "tsc-drift",
	[INJECT_EARLY_IPI] = "early-ipi",
	[INJECT_SKIP_REMOTE] = "skip-remote",
	[INJECT_EARLY_ACK] = "early-ack",
	[INJECT_SHORT_RANGE] = "short-range",
	[INJECT_STALE_ASID] = "stale-asid",
	[INJECT_LATE_SET] = "late-set",
	[INJECT_SKIP_GENERATION] = "skip-generation",
	[INJECT_SKIP_TLBSYNC] = "skip-tlbsync",
	[INJECT_NO_FINISH] = "no-finish",
	[INJECT_NO_VA_VALID] = "no-va-valid",
	[INJECT_NO_ASID_VALID] = "no-asid-valid",
	[INJECT_ZERO_COUNT_MAX] = "zero-count-max",
	[INJECT_OFF_BY_ONE] = "off-by-one",
	[INJECT_STALE_ROLLOVER] = "stale-rollover",
	[INJECT_LOSE_WAKE] = "lose-wake",
	[INJECT_COUNT] = NULL,
};

static enum inject active;

void inject_set(enum inject inject)
{
	active = inject;
}

bool inject_is(enum inject inject)
{
	return active == inject;
}
