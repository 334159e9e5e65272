/* SPDX-License-Identifier: BSD-2-Clause */
/* What the staleness checks say where there is neither pass nor a stale read that must not be. */
#ifndef TESTS_CHECK_STALE_VERDICT_H
#define TESTS_CHECK_STALE_VERDICT_H

#include "kernel/harness/check.h"
#include "tests/check/stale_rules.h"

/*
 * Whether the reads themselves went wrong, and says how: `not_set` of those before the change did
 * not give memory A's tag, `odd` of those after it neither memory's.
 */
bool stale_is_upset(unsigned not_set, unsigned odd, struct check_report *report);

/* Skip: the control was stale in `stale` of `rounds`, fewer than STALE_MIN_CONTROL. */
enum check_result stale_end_blind(struct check_report *report, unsigned stale, unsigned rounds);

/* Retention: `kept` of `of` reads were stale. Skip with any inject=, as the figure is not true. */
enum check_result stale_end_retention(struct check_report *report, unsigned kept, unsigned of);

#endif
