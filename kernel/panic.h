/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of a run that can't go on: says where and why, stops all CPUs, leaves the machine. */
#ifndef KERNEL_PANIC_H
#define KERNEL_PANIC_H

#include "kernel/cmdline.h"

/* Makes unexpected exceptions end here. After traps_init(). */
void panic_init(const struct options *o);

/* Any CPU, any state. */
_Noreturn void panic(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
