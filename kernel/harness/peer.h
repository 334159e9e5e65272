/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps another CPU waiting in a known way, with interrupts on, so that what an interrupt finds
 * there is part of what is measured. On CPU 0.
 */
#ifndef KERNEL_HARNESS_PEER_H
#define KERNEL_HARNESS_PEER_H

#include <stdbool.h>

#include "arch/x86/cpu.h"

enum peer_wait {
	PEER_POLL,  /* a loop of PAUSE that reads one line of its own */
	PEER_HLT,   /* STI; HLT */
	PEER_MWAIT, /* MONITOR of the line, MWAIT with hint 0; only with FEATURE_MWAIT */
	PEER_BUSY,  /* a chain of multiplications */
	PEER_WAITS
};

/* By enum peer_wait. */
extern const char *const peer_wait_names[];

/*
 * Has `cpu`, which is online, not this one and without work, wait like that until it is released;
 * returns when it does. False: it did not answer within five seconds.
 */
bool peer_hold(struct cpu *cpu, enum peer_wait how);

/* Back to what others= says. False: it did not answer within five seconds. */
bool peer_release(struct cpu *cpu);

/* The next online CPU after `after` in the table, or NULL. */
struct cpu *peer_next(const struct cpu *after);

#endif
