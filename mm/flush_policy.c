/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of flush policies. */
#include "mm/flush_policy.h"

#include <stddef.h>

const struct flush_policy flush_policies[POLICY_COUNT] = {
	[POLICY_IPI] = {.name = "ipi"},
	[POLICY_IPI_ALL] = {.name = "ipi-all", .everyone = true},
	[POLICY_PRIVATE] = {.name = "private", .owner = true},
	[POLICY_BROADCAST] = {.name = "broadcast", .broadcast = true},
	[POLICY_BROADCAST_ALWAYS] = {.name = "broadcast-always",
				     .broadcast = true,
				     .from_start = true},
};

const char *const flush_policy_names[POLICY_COUNT + 1] = {
	[POLICY_IPI] = "ipi",
	[POLICY_IPI_ALL] = "ipi-all",
	[POLICY_PRIVATE] = "private",
	[POLICY_BROADCAST] = "broadcast",
	[POLICY_BROADCAST_ALWAYS] = "broadcast-always",
	[POLICY_COUNT] = NULL,
};
