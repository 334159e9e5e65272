/* SPDX-License-Identifier: BSD-2-Clause */
/* Allocates a CPU's stacks. */
#include "kernel/stacks.h"

#include "mm/kernel_space.h"

bool stacks_alloc(struct cpu *cpu)
{
	cpu->stack_top = kernel_stack_alloc(STACK_BYTES);
	if (!cpu->stack_top)
		return false;
	for (int i = 0; i < 3; i++) {
		cpu->ist_tops[i] = kernel_stack_alloc(IST_STACK_BYTES);
		if (!cpu->ist_tops[i])
			return false;
	}
	return true;
}
