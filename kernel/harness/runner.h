/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs every benchmark and check that run= selects, and counts what came of them. */
#ifndef KERNEL_HARNESS_RUNNER_H
#define KERNEL_HARNESS_RUNNER_H

#include <stdint.h>

#include "kernel/cmdline.h"

struct run_totals {
	uint32_t pass, fail, skip, xfail; /* skip: checks and benchmarks */
	uint32_t benches;                 /* measured */
};

/* On CPU 0. */
void runner_run(const struct options *o, struct run_totals *totals);

#endif
