/* SPDX-License-Identifier: BSD-2-Clause */
/* What benchmarks and checks of address spaces vary, and what the command line asks of them. */
#ifndef KERNEL_HARNESS_SPACE_AXES_H
#define KERNEL_HARNESS_SPACE_AXES_H

#include "kernel/harness/axis.h"
#include "mm/address_space.h"

/* Its values are enum flush_policy_id. */
extern const struct axis space_policy_axis;

/* Which half of a space is looked at: 0, the kernel's, or 1, the user's. */
extern const struct axis space_half_axis;

/* Whether spaces have that half. For an `applies`. */
bool space_half_applies(uint32_t half);

/* Once, from the command line: policy= and pti. */
void space_axes_set(uint32_t policy, bool pti);

/* Whether policy= leaves this one to be measured and checked. For an `applies`. */
bool space_policy_applies(uint32_t policy);

/* Whether software carries out what the broadcast policies ask for: then nothing has a time. */
bool space_broadcast_is_modelled(void);

/* That of policy=, or `ipi`. */
const struct flush_policy *space_policy_default(void);

/* Whether the spaces that checks make have a user half. */
bool space_axes_pti(void);

#endif
