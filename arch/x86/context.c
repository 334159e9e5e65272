/* SPDX-License-Identifier: BSD-2-Clause */
/* Lays out the stack of a new context. */
#include "arch/x86/context.h"

/* In context_switch.asm: calls R12 with R13. */
void context_begin(void);

/* What context_switch() pops, lowest address first. */
struct context_frame {
	uint64_t r15, r14, r13, r12, rbx, rbp;
	uint64_t rip;
};
_Static_assert(sizeof(struct context_frame) == 7 * 8, "pushed by context_switch.asm");

void context_create(struct context *context, uint64_t top, void (*entry)(void *arg), void *arg)
{
	struct context_frame *frame = (struct context_frame *)top - 1;

	/* RBP = 0 ends backtraces. */
	*frame = (struct context_frame){
		.r12 = (uint64_t)entry,
		.r13 = (uint64_t)arg,
		.rip = (uint64_t)context_begin,
	};
	context->rsp = (uint64_t)frame;
}
