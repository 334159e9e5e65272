/* SPDX-License-Identifier: BSD-2-Clause */
/* The axis of flush policies, as far as the command line leaves it. */
#include "kernel/harness/space_axes.h"

#include "arch/x86/features.h"

const struct axis space_policy_axis = {
	.key = "policy",
	.names = flush_policy_names,
	.nr = POLICY_COUNT,
	.values = {POLICY_IPI, POLICY_IPI_ALL, POLICY_PRIVATE, POLICY_BROADCAST,
		   POLICY_BROADCAST_ALWAYS},
};

static const char *const half_names[] = {"kernel", "user", NULL};

const struct axis space_half_axis = {
	.key = "half",
	.names = half_names,
	.nr = 2,
	.values = {0, 1},
};

static uint32_t only = POLICY_COUNT;
static bool user_halves;

void space_axes_set(uint32_t policy, bool pti)
{
	only = policy;
	user_halves = pti;
}

bool space_policy_applies(uint32_t policy)
{
	if (flush_policies[policy].broadcast && !feature_has(FEATURE_INVLPGB))
		return false;
	return only == POLICY_COUNT || only == policy;
}

bool space_broadcast_is_modelled(void)
{
	return feature_info(FEATURE_INVLPGB)->modelled;
}

const struct flush_policy *space_policy_default(void)
{
	return &flush_policies[only == POLICY_COUNT ? POLICY_IPI : only];
}

bool space_half_applies(uint32_t half)
{
	return !half || user_halves;
}

bool space_axes_pti(void)
{
	return user_halves;
}
