/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves what INVLPG and a load do with an address that is not canonical, and that LOCK INVLPG is
 * no instruction (Intel SDM vol. 2A, INVLPG; vol. 1, "Canonical Addressing"). That INVLPG of such
 * an address drops nothing can't be proved, for it is free to drop anything.
 */
#include "tests/check/fault_judge.h"

static uint64_t mapped;

static enum check_result run_lock(struct check_report *report, const struct axis_point *at)
{
	(void)at;
	return fault_judge(report, invlpg_safe((uint64_t)&mapped),
			   invlpg_lock_safe((uint64_t)&mapped), UD_DUE);
}

static enum check_result run_load(struct check_report *report, const struct axis_point *at)
{
	const uint64_t *bad = (const uint64_t *)fault_noncanonical();
	uint64_t value;
	fault_t allowed = load_safe(&mapped, &value);

	(void)at;
	return fault_judge(report, allowed, load_safe(bad, &value), GP_DUE);
}

static enum check_result run_noncanonical(struct check_report *report, const struct axis_point *at)
{
	const uint64_t *bad = (const uint64_t *)FAULT_NONCANONICAL_ANY;
	uint64_t value;

	(void)at;
	return fault_judge_legal(report, invlpg_safe((uint64_t)bad), load_safe(bad, &value),
				 GP_DUE);
}

#define INVLPG_CHECK(symbol, suffix, text)   \
	static const struct check symbol = { \
		.name = "fault/" suffix,     \
		.what = text,                \
		.run = run_##symbol,         \
	};                                   \
	CHECK(symbol);

INVLPG_CHECK(lock, "invlpg-lock", "#UD for LOCK INVLPG")
INVLPG_CHECK(load, "load-noncanonical", "#GP for a load from an address that is not canonical")
INVLPG_CHECK(noncanonical, "invlpg-noncanonical", "no fault for INVLPG of such an address")
