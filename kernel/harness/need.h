/* SPDX-License-Identifier: BSD-2-Clause */
/* What a benchmark or check needs of the machine, and the words for what is missing. */
#ifndef KERNEL_HARNESS_NEED_H
#define KERNEL_HARNESS_NEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/x86/features.h"

struct need {
	uint64_t features; /* NEED() of each, or-ed */
	uint32_t cpus;     /* online; 0 and 1 are always there */
};

#define NEED(feature) (1ull << (feature))
_Static_assert(FEATURE_COUNT <= 64, "one bit each");

/* Whether all is there; if not, `why` says what is missing: "CPUID.7:EBX[10] INVPCID = 0". */
bool need_met(const struct need *need, char *why, size_t size);

/* The same for what is to be timed: a feature that is modelled has no time, so it is not there. */
bool need_met_timed(const struct need *need, char *why, size_t size);

/* "CPUID.7:EBX[10] INVPCID" */
size_t need_feature_place(enum feature f, char *text, size_t size);

#endif
