/* SPDX-License-Identifier: BSD-2-Clause */
/* Verdicts on faults. */
#include "tests/check/fault_judge.h"

#include "arch/x86/features.h"
#include "kernel/format.h"
#include "kernel/inject.h"

#define NON_CANONICAL_LA48 0x0000800000000000ull
#define NON_CANONICAL_LA57 0x0100000000000000ull

static const char *name_of(fault_t due)
{
	return fault_vector(due) == VECTOR_UD ? "#UD" : "#GP(0)";
}

static enum check_result judge_both(struct check_report *report, fault_t allowed, fault_t forbidden,
				    fault_t due)
{
	fault_t before = allowed;

	if (inject_is(INJECT_EXTRA_FAULT))
		allowed = forbidden;
	if (inject_is(INJECT_NO_FAULT))
		forbidden = before;
	if (allowed)
		return check_end(report, CHECK_FAIL,
				 "what is legal raised vector %u, error code %u",
				 fault_vector(allowed), (unsigned)allowed);
	if (!forbidden)
		return check_end(report, CHECK_FAIL, "did not fault, %s is due", name_of(due));
	if (forbidden != due)
		return check_end(report, CHECK_FAIL, "vector %u, error code %u; %s is due",
				 fault_vector(forbidden), (unsigned)forbidden, name_of(due));
	return CHECK_PASS;
}

enum check_result fault_judge(struct check_report *report, fault_t allowed, fault_t forbidden,
			      fault_t due)
{
	enum check_result result = judge_both(report, allowed, forbidden, due);

	if (result == CHECK_PASS)
		check_end(report, result, "%s", name_of(due));
	if (result == CHECK_PASS)
		format(report->control, sizeof(report->control), "one step inside: no fault");
	return result;
}

enum check_result fault_judge_legal(struct check_report *report, fault_t allowed, fault_t forbidden,
				    fault_t due)
{
	enum check_result result = judge_both(report, allowed, forbidden, due);

	if (result == CHECK_PASS) {
		check_end(report, result, "no fault");
		format(report->control, sizeof(report->control), "one step beyond: %s",
		       name_of(due));
	}
	return result;
}

uint64_t fault_noncanonical(void)
{
	return read_cr4() & CR4_LA57 ? NON_CANONICAL_LA57 : NON_CANONICAL_LA48;
}

bool fault_would_kill(struct check_report *report)
{
	if (!feature_info(FEATURE_HYPERVISOR)->present)
		return false;
	check_end(report, CHECK_SKIP, "a hypervisor may let it pass, and the machine is lost");
	return true;
}
