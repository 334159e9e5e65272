/* SPDX-License-Identifier: BSD-2-Clause */
/* What the report says, as text and as records: one function for each thing that can be said. */
#ifndef KERNEL_HARNESS_REPORT_H
#define KERNEL_HARNESS_REPORT_H

#include "boot/boot_info.h"
#include "kernel/cmdline.h"
#include "kernel/harness/check.h"
#include "kernel/harness/measure.h"
#include "kernel/harness/runner.h"

/* Records `run`, `machine`, `cpu`, `cpus`, `cpu_at`, `clock`, and the header. */
void report_header(const struct boot_info *info, struct slice cmdline);

/* Place of an item among all that run. */
struct report_place {
	uint32_t number, of;
};

void report_bench(struct report_place place, const struct measurement *m);
void report_bench_skip(struct report_place place, const char *name, const char *why);
void report_check(struct report_place place, const struct check *check, enum check_result result,
		  const struct check_report *report);

/* What a benchmark's own finish found: a failed check, and no figures. */
void report_bench_failure(struct report_place place, const char *name, const char *why);

/* The table of a group's benchmarks. */
void report_table(const char *group, size_t group_length, const struct measurement *m, size_t n);

/* Lists what was skipped and what failed, the record `end`, and the last line. */
void report_end(const struct run_totals *totals, uint64_t elapsed_ms);

#endif
