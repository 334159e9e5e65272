/* SPDX-License-Identifier: BSD-2-Clause */
/* Verdicts on faults. */
#include "tests/check/fault_judge.h"

#include "arch/x86/features.h"
#include "kernel/format.h"
#include "kernel/inject.h"

static const char *name_of(fault_t due)
{
	return fault_vector(due) == VECTOR_UD ? "#UD" : "#GP(0)";
}

static enum check_result judge_both(struct check_report *report, struct fault_try allowed,
				    struct fault_try forbidden, fault_t due)
{
	fault_t within = allowed.run(allowed.operand);
	fault_t beyond = forbidden.run(forbidden.operand);

	if (within)
		return check_end(report, CHECK_FAIL,
				 "what is legal raised vector %u, error code %u",
				 fault_vector(within), (unsigned)within);
	if (!beyond)
		return check_end(report, CHECK_FAIL, "did not fault, %s is due", name_of(due));
	if (beyond != due)
		return check_end(report, CHECK_FAIL, "vector %u, error code %u; %s is due",
				 fault_vector(beyond), (unsigned)beyond, name_of(due));
	return CHECK_PASS;
}

enum check_result fault_judge(struct check_report *report, struct fault_try allowed,
			      struct fault_try forbidden, fault_t due)
{
	enum check_result result =
		judge_both(report, allowed, inject_is(INJECT_NO_FAULT) ? allowed : forbidden, due);

	if (result == CHECK_PASS) {
		check_end(report, result, "%s", name_of(due));
		format(report->control, sizeof(report->control), "one step inside: no fault");
	}
	return result;
}

enum check_result fault_judge_legal(struct check_report *report, struct fault_try allowed,
				    struct fault_try forbidden, fault_t due)
{
	enum check_result result = judge_both(
		report, inject_is(INJECT_EXTRA_FAULT) ? forbidden : allowed, forbidden, due);

	if (result == CHECK_PASS) {
		check_end(report, result, "no fault");
		format(report->control, sizeof(report->control), "one step beyond: %s",
		       name_of(due));
	}
	return result;
}

uint64_t fault_noncanonical(void)
{
	return read_cr4() & CR4_LA57 ? NONCANONICAL_LA57 : NONCANONICAL_LA48;
}

bool fault_would_kill(struct check_report *report)
{
	if (!feature_info(FEATURE_HYPERVISOR)->present)
		return false;
	check_end(report, CHECK_SKIP, "a hypervisor may let it pass, and the machine is lost");
	return true;
}
