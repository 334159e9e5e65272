/* SPDX-License-Identifier: BSD-2-Clause */
/* In place of the kernel's for the host tests: work that only a test's own counters see. */
#ifndef ARCH_X86_PMU_WORK_H
#define ARCH_X86_PMU_WORK_H

#include <stdbool.h>
#include <stdint.h>

void pmu_work_multiply(uint64_t n);
void pmu_work_load(uint64_t n, const uint64_t *from, bool flush);

#endif
