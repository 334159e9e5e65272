/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads for the benchmarks of switch/: a stack, an address space, extended state. They have no
 * scheduler: each says who is next. On one CPU at a time.
 */
#ifndef TESTS_BENCH_THREAD_H
#define TESTS_BENCH_THREAD_H

#include <stdbool.h>

#include "arch/x86/context.h"
#include "kernel/harness/axis.h"
#include "mm/address_space.h"

struct thread {
	struct context context;
	struct address_space *space; /* NULL: the kernel's own tables */
	void *xstate;                /* saved and restored there; NULL: not in use */
	bool user;                   /* comes from the user half of its space and goes back to it */
	void *area;                  /* for `xstate` */
	uint64_t stack_top;
};

/* A stack, where the thread does not already run on one, and an area. False: no memory. */
bool thread_create(struct thread *thread, bool has_stack);

/* It begins with entry(arg), which never returns, when it is switched to next. */
void thread_begin(struct thread *thread, void (*entry)(void *arg), void *arg);

/*
 * The first of a thread, where it uses extended state: loads what xstate_fill() put into its area,
 * which holds something else from then on, so that it shows if that is not saved.
 */
void thread_load_xstate(struct thread *thread);

/*
 * From `from`, which calls, to `to`; returns when somebody switches back. What a kernel does there,
 * but for choosing. Interrupts off.
 */
void thread_switch(struct thread *from, struct thread *to);

/* What a switch goes between. */
enum thread_pair {
	PAIR_THREAD,         /* two threads of one address space */
	PAIR_PROCESS,        /* two address spaces, with PCIDs: what they hold is kept (bit 63) */
	PAIR_PROCESS_FLUSH,  /* each of which has to be invalidated: a flush was missed */
	PAIR_PROCESS_NOPCID, /* without PCIDs, where each load of CR3 invalidates */
	PAIRS
};

extern const struct axis thread_pair_axis;

/* Whether that can be had here. For an `applies`. */
bool thread_pair_applies(uint32_t pair);

/* Whether extended state is in use: 0 or 1. */
extern const struct axis thread_xstate_axis;

/* Address spaces, made once: two that CPU 0 alone runs, and two of another CPU. NULL: no memory. */
#define THREAD_SPACE_REMOTE 2
#define THREAD_SPACES       4
struct address_space *thread_space(unsigned which);

#endif
