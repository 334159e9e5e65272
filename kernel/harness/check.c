/* SPDX-License-Identifier: BSD-2-Clause */
/* Verdicts. */
#include "kernel/harness/check.h"

#include "kernel/format.h"

enum check_result check_end(struct check_report *report, enum check_result result, const char *fmt,
			    ...)
{
	va_list args;

	va_start(args, fmt);
	format_args(report->why, sizeof(report->why), fmt, args);
	va_end(args);
	return result;
}
