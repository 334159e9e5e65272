/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a CPU is doing, put aside and taken up again: a stack, and on it the registers that a callee
 * keeps (System V ABI). Extended state is xstate.h's; tables and interrupts are the caller's.
 */
#ifndef ARCH_X86_CONTEXT_H
#define ARCH_X86_CONTEXT_H

#include <stdint.h>

struct context {
	uint64_t rsp; /* while it does not run */
};

/* Makes `context` begin with entry(arg), which never returns, on the stack that ends at `top`. */
void context_create(struct context *context, uint64_t top, void (*entry)(void *arg), void *arg);

/*
 * Leaves `from`, which is what calls, and goes on in `to`; returns when somebody goes on in `from`.
 * In context_switch.asm.
 */
void context_switch(struct context *from, const struct context *to);

#endif
