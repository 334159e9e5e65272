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

/*
 * That `forbidden` raised `due`. inject=no-fault takes what came of the allowed operand for what
 * came of the forbidden one, inject=extra-fault the other way round.
 */
enum check_result fault_judge(struct check_report *report, fault_t allowed, fault_t forbidden,
			      fault_t due);

/* That `allowed` raised nothing; that `forbidden` raised `due` shows that it could have. */
enum check_result fault_judge_legal(struct check_report *report, fault_t allowed, fault_t forbidden,
				    fault_t due);

/* Of loads and stores: the first not canonical with as many levels of page tables as run now. */
uint64_t fault_noncanonical(void);

/*
 * Of INVLPG and INVPCID: not canonical with 4 levels nor with 5. With which of the two a CPU looks
 * at the address to be invalidated is its own affair, whatever CR4.LA57 says (KVM,
 * is_noncanonical_invlpg_address()).
 */
#define FAULT_NONCANONICAL_ANY 0x8000000000000000ull

/*
 * For writes of which nothing but a fault must come. QEMU's TCG and older KVM do what some of them
 * ask instead, and the machine is lost, so under a hypervisor they are left out.
 */
bool fault_would_kill(struct check_report *report);

#endif
