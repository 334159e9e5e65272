/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The verdict of the checks in fault/. Each rule is tried on both its sides, one step apart: what
 * it allows must not fault, and what it forbids must raise just the exception that is due.
 * Whichever of the two is the check's subject, the other is its control.
 */
#ifndef TESTS_CHECK_FAULT_JUDGE_H
#define TESTS_CHECK_FAULT_JUDGE_H

#include "arch/x86/safe.h"
#include "kernel/harness/check.h"

#define GP_DUE FAULT(VECTOR_GP, 0)
#define UD_DUE FAULT(VECTOR_UD, 0)

/* That `forbidden` raised `due`. */
enum check_result fault_judge(struct check_report *report, fault_t allowed, fault_t forbidden,
			      fault_t due);

/* That `allowed` raised nothing; that `forbidden` raised `due` shows that it could have. */
enum check_result fault_judge_legal(struct check_report *report, fault_t allowed, fault_t forbidden,
				    fault_t due);

/* The first address that is not canonical, with as many levels of page tables as run now. */
uint64_t fault_noncanonical(void);

/* Nothing but a fault must come of these; QEMU's TCG is known to do what they ask instead. */
bool fault_would_kill(struct check_report *report);

#endif
