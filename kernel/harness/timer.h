/* SPDX-License-Identifier: BSD-2-Clause */
/* Waits for the APIC's timer, VECTOR_TIMER, on the calling CPU. */
#ifndef KERNEL_HARNESS_TIMER_H
#define KERNEL_HARNESS_TIMER_H

#include <stdbool.h>
#include <stdint.h>

/* Before the timer is enabled for the first time; again does no harm. */
void timer_listen(void);

/* How often it has fired so far. */
uint64_t timer_fired(void);

/*
 * Lets interrupts in until the timer has fired more than `before` times. Interrupts off on entry
 * and return. The CPU stays awake. False: it did not within `us`.
 */
bool timer_wait(uint64_t before, uint32_t us);

/* The TSC when it fired last, taken before anything else (trap_entry.asm). */
uint64_t timer_stamp(void);

#endif
