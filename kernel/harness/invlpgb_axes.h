/* SPDX-License-Identifier: BSD-2-Clause */
/* Axes of the forms of INVLPGB. */
#ifndef KERNEL_HARNESS_INVLPGB_AXES_H
#define KERNEL_HARNESS_INVLPGB_AXES_H

#include "kernel/harness/axis.h"

/* Which fields are valid: values are bits 2:0 of rAX, INVLPGB_VA and so on. */
extern const struct axis invlpgb_valid_axis;

/* Whether INVLPGB_FINAL is set: with an address only, or the form does not apply. */
extern const struct axis invlpgb_final_axis;
bool invlpgb_final_applies(uint32_t valid, uint32_t final);

#endif
