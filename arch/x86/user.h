/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A short visit to CPL 3, to see what an instruction does there.
 * Source: Intel SDM vol. 3A, "Privilege Levels" and "Stack Switching in 64-Bit Mode".
 */
#ifndef ARCH_X86_USER_H
#define ARCH_X86_USER_H

#include "arch/x86/safe.h"
#include "arch/x86/trap.h"

/*
 * Runs the code at `rip`, in a page that CPL 3 may execute, with RDI = `a`, RSI = `b`, no stack and
 * interrupts off, until an exception ends it; returns that. Code ends itself with UD2. Interrupts
 * must be off; not from an exception handler.
 */
fault_t user_run(uint64_t rip, uint64_t a, uint64_t b);

/* For the trap dispatcher: makes a frame from CPL 3 return to the caller of user_run. */
void user_leave(struct trap_frame *frame);

#endif
