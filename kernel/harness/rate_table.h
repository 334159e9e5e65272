/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of a check's rates: how many CPUs took part, by whatever else was varied. */
#ifndef KERNEL_HARNESS_RATE_TABLE_H
#define KERNEL_HARNESS_RATE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/harness/report.h"

/* `wide`: the interval of `value` is. More than there is room for are left out of the table. */
void rate_table_add(const struct report_rate *rate, int64_t value, bool wide);

/*
 * Prints what was added and forgets it. Nothing is printed of fewer than two, or where no axis is
 * called "cpus".
 */
void rate_table_print(void);

#endif
