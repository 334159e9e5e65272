/* SPDX-License-Identifier: BSD-2-Clause */
/* In place of the kernel's for the host tests: what a test's own MSRs and counters say. */
#ifndef ARCH_X86_SAFE_H
#define ARCH_X86_SAFE_H

#include <stdint.h>

typedef uint64_t fault_t;

#define FAULT_NONE          0ull
#define FAULT(vector, code) (1ull << 63 | (uint64_t)(vector) << 32 | (uint32_t)(code))

fault_t wrmsr_safe(uint32_t msr, uint64_t value);
fault_t rdpmc_safe(uint32_t index, uint64_t *value);

#endif
