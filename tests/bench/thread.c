/* SPDX-License-Identifier: BSD-2-Clause */
/* Switches between threads. */
#include "tests/bench/thread.h"

#include <stddef.h>

#include "arch/x86/features.h"
#include "arch/x86/xstate.h"
#include "kernel/harness/space_axes.h"
#include "mm/kernel_space.h"

#define STACK_BYTES 8192

static const char *const pair_names[] = {
	[PAIR_THREAD] = "thread",
	[PAIR_PROCESS] = "process",
	[PAIR_PROCESS_FLUSH] = "process-flush",
	[PAIR_PROCESS_NOPCID] = "process-nopcid",
};

const struct axis thread_pair_axis = {
	.key = "what",
	.names = pair_names,
	.nr = PAIRS,
	.values = {PAIR_THREAD, PAIR_PROCESS, PAIR_PROCESS_FLUSH, PAIR_PROCESS_NOPCID},
};

static const char *const xstate_names[] = {"unused", "used"};

const struct axis thread_xstate_axis = {
	.key = "xstate",
	.names = xstate_names,
	.nr = 2,
	.values = {0, 1},
};

bool thread_pair_applies(uint32_t pair)
{
	return pair == PAIR_THREAD || (pair == PAIR_PROCESS_NOPCID) == !feature_has(FEATURE_PCID);
}

struct address_space *thread_space(unsigned which)
{
	static struct address_space spaces[THREAD_SPACES];

	if (!spaces[which].users.id &&
	    !address_space_create(&spaces[which], space_policy_default(), space_axes_pti()))
		return NULL;
	return &spaces[which];
}

bool thread_create(struct thread *thread, bool has_stack)
{
	if (!thread->area)
		thread->area = kernel_memory_alloc(XSTATE_BYTES);
	if (!has_stack && !thread->stack_top)
		thread->stack_top = kernel_stack_alloc(STACK_BYTES);
	return thread->area && (has_stack || thread->stack_top);
}

void thread_begin(struct thread *thread, void (*entry)(void *arg), void *arg)
{
	context_create(&thread->context, thread->stack_top, entry, arg);
}

void thread_load_xstate(struct thread *thread)
{
	if (!thread->xstate)
		return;
	xstate_restore(thread->xstate);
	xstate_fill(thread->xstate, 0);
}

void thread_switch(struct thread *from, struct thread *to)
{
	if (from->user)
		address_space_leave_user();
	if (from->xstate)
		xstate_save(from->xstate);
	address_space_switch(to->space);
	context_switch(&from->context, &to->context);
	if (from->xstate)
		xstate_restore(from->xstate);
	if (from->user)
		address_space_enter_user();
}
