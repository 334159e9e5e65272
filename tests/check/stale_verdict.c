/* SPDX-License-Identifier: BSD-2-Clause */
/* Verdicts that the staleness checks share. */
#include "tests/check/stale_verdict.h"

#include "kernel/inject.h"

bool stale_is_upset(unsigned not_set, unsigned odd, struct check_report *report)
{
	if (not_set)
		check_end(report, CHECK_FAIL, "%u reads before the change gave not A's tag",
			  not_set);
	else if (odd)
		check_end(report, CHECK_FAIL, "%u reads gave neither memory's tag", odd);
	return not_set || odd;
}

enum check_result stale_end_blind(struct check_report *report, unsigned stale, unsigned rounds)
{
	if (!stale)
		return check_end(report, CHECK_SKIP,
				 "blind: no read is stale here even without a flush");
	return check_end(report, CHECK_SKIP, "nearly blind: stale in %u of %u without a flush",
			 stale, rounds);
}

enum check_result stale_end_retention(struct check_report *report, unsigned kept, unsigned of)
{
	if (!inject_is(INJECT_NONE))
		return check_end(report, CHECK_SKIP, "what stays is not told with inject=");
	report->kept = kept;
	report->of = of;
	return CHECK_RETENTION;
}
