/* SPDX-License-Identifier: BSD-2-Clause */
/* The stacks of a CPU, each with a guard page: the ordinary one and those of the IST. */
#ifndef KERNEL_STACKS_H
#define KERNEL_STACKS_H

#include <stdbool.h>

#include "arch/x86/cpu.h"

#define STACK_BYTES     (16 * 1024)
#define IST_STACK_BYTES (8 * 1024)

/* Sets stack_top and ist_tops. False: no memory. */
bool stacks_alloc(struct cpu *cpu);

#endif
