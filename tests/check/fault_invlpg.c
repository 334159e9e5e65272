/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves what INVLPG and a load do with an address that is not canonical, and that LOCK INVLPG is
 * no instruction (Intel SDM vol. 2A, INVLPG; vol. 1, "Canonical Addressing"). That INVLPG of such
 * an address drops nothing can't be proved, for it is free to drop anything.
 */
#include "tests/check/fault_judge.h"

static fault_t try_load(uint64_t address)
{
	uint64_t value;

	return load_safe((const uint64_t *)address, &value);
}

static enum check_result run_lock(struct check_report *report, const struct axis_point *at)
{
	const uint64_t mapped = 0;

	(void)at;
	return fault_judge(report, (struct fault_try){invlpg_safe, (uint64_t)&mapped},
			   (struct fault_try){invlpg_lock_safe, (uint64_t)&mapped}, UD_DUE);
}

static enum check_result run_load(struct check_report *report, const struct axis_point *at)
{
	const uint64_t mapped = 0;

	(void)at;
	return fault_judge(report, (struct fault_try){try_load, (uint64_t)&mapped},
			   (struct fault_try){try_load, fault_noncanonical()}, GP_DUE);
}

static enum check_result run_noncanonical(struct check_report *report, const struct axis_point *at)
{
	(void)at;
	return fault_judge_legal(report, (struct fault_try){invlpg_safe, NONCANONICAL_ANY},
				 (struct fault_try){try_load, NONCANONICAL_ANY}, GP_DUE);
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
