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

/* One side of a rule: what to run, and on what. */
struct fault_try {
	fault_t (*run)(uint64_t operand);
	uint64_t operand;
};

/*
 * Runs `allowed`, then `forbidden`: pass where that raised `due`. inject=no-fault runs `allowed`
 * where `forbidden` is due.
 */
enum check_result fault_judge(struct check_report *report, struct fault_try allowed,
			      struct fault_try forbidden, fault_t due);

/*
 * The same, but the subject is that `allowed` raises nothing; that `forbidden` raises `due` shows
 * that it could have. inject=extra-fault runs `forbidden` where `allowed` is due.
 */
enum check_result fault_judge_legal(struct check_report *report, struct fault_try allowed,
				    struct fault_try forbidden, fault_t due);

/* Of loads and stores: the first not canonical with as many levels of page tables as run now. */
uint64_t fault_noncanonical(void);

/*
 * For writes of which nothing but a fault must come. QEMU's TCG and older KVM do what some of them
 * ask instead, and the machine is lost, so under a hypervisor they are left out.
 */
bool fault_would_kill(struct check_report *report);

#endif
