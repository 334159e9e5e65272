/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that INVLPGB faults where the manual says so, at CPL 0, and nowhere else (AMD APM vol. 3,
 * "INVLPGB", exceptions). The control of each check is an operand that is one step inside the rule.
 */
#include "arch/x86/features.h"
#include "arch/x86/invlpgb.h"
#include "mm/layout.h"
#include "tests/check/fault_judge.h"

/* What is asked for is gone when it returns, so that nothing is left under way. */
static fault_t try_invlpgb(uint64_t operands)
{
	fault_t fault = invlpgb_safe(*(const struct invlpgb_operands *)operands);

	tlbsync();
	return fault;
}

static enum check_result judge(struct check_report *report, const struct invlpgb_operands *inside,
			       const struct invlpgb_operands *outside)
{
	return fault_judge(report, (struct fault_try){try_invlpgb, (uint64_t)inside},
			   (struct fault_try){try_invlpgb, (uint64_t)outside}, GP_DUE);
}

static enum check_result run_count(struct check_report *report, const struct axis_point *at)
{
	struct invlpgb_operands inside = invlpgb_pack(
		invlpgb_of_pages(0, TEST_SLOT_BASE, invlpgb_limits.max_pages, INVLPGB_4K, false));
	struct invlpgb_operands outside = inside;

	(void)at;
	outside.ecx++;
	return judge(report, &inside, &outside);
}

/* One by one: a CPU that looks at some of the bits only would pass with all of them set. */
static enum check_result run_reserved(struct check_report *report, const struct axis_point *at)
{
	static const struct {
		unsigned reg, first, last;
	} fields[] = {{0, 6, 11}, {1, 16, 30}, {2, 28, 31}};
	const struct invlpgb_operands inside = invlpgb_pack(invlpgb_of_all(false));
	enum check_result result = CHECK_PASS;

	(void)at;
	for (unsigned i = 0; i < 3; i++) {
		for (unsigned bit = fields[i].first; bit <= fields[i].last; bit++) {
			struct invlpgb_operands outside = inside;

			outside.rax |= fields[i].reg == 0 ? 1ull << bit : 0;
			outside.ecx |= fields[i].reg == 1 ? 1u << bit : 0;
			outside.edx |= fields[i].reg == 2 ? 1u << bit : 0;
			result = judge(report, &inside, &outside);
			if (result != CHECK_PASS)
				return result;
		}
	}
	return result;
}

static enum check_result run_asid(struct check_report *report, const struct axis_point *at)
{
	struct invlpgb_operands inside = invlpgb_pack(invlpgb_of_all(false)), outside = inside;

	(void)at;
	if (invlpgb_limits.nr_asids > 0xffff)
		return check_end(report, CHECK_SKIP, "every ASID is one that the CPU has");
	inside.edx = invlpgb_limits.nr_asids - 1;
	outside.edx = invlpgb_limits.nr_asids;
	return judge(report, &inside, &outside);
}

static enum check_result run_nested(struct check_report *report, const struct axis_point *at)
{
	struct invlpgb_operands inside = invlpgb_pack(invlpgb_of_all(false)), outside = inside;

	(void)at;
	if (invlpgb_limits.nested)
		return check_end(report, CHECK_SKIP, "CPUID 8000_0008:EBX[21] = 1: it is legal");
	outside.rax |= INVLPGB_NESTED;
	return judge(report, &inside, &outside);
}

static fault_t try_all(uint64_t unused)
{
	(void)unused;
	return invlpgb_safe(invlpgb_pack(invlpgb_of_all(false)));
}

static fault_t try_tlbsync(uint64_t unused)
{
	(void)unused;
	return tlbsync_safe();
}

/* One step inside is what every CPU has: INVLPG. */
static enum check_result judge_absent(struct check_report *report, fault_t (*run)(uint64_t))
{
	const struct feature_info *info = feature_info(FEATURE_INVLPGB);
	char place[64];

	need_feature_place(FEATURE_INVLPGB, place, sizeof(place));
	if (info->present)
		return check_end(report, CHECK_SKIP, "%s = 1", place);
	if (info->modelled)
		return check_end(report, CHECK_SKIP, "%s = 0, but modelled", place);
	return fault_judge(report, (struct fault_try){invlpg_safe, TEST_SLOT_BASE},
			   (struct fault_try){run, 0}, UD_DUE);
}

static enum check_result run_absent(struct check_report *report, const struct axis_point *at)
{
	(void)at;
	return judge_absent(report, try_all);
}

static enum check_result run_tlbsync_absent(struct check_report *report,
					    const struct axis_point *at)
{
	(void)at;
	return judge_absent(report, try_tlbsync);
}

#define FAULT_CHECK(symbol, suffix, text, needs)     \
	static const struct check check_##symbol = { \
		.name = "fault/" suffix,             \
		.what = text,                        \
		.need = {.features = needs},         \
		.run = run_##symbol,                 \
	};                                           \
	CHECK(check_##symbol);

#define HERE NEED(FEATURE_INVLPGB)

FAULT_CHECK(absent, "invlpgb-absent", "#UD where CPUID has no INVLPGB", 0)
FAULT_CHECK(tlbsync_absent, "tlbsync-absent", "#UD where CPUID has no INVLPGB", 0)
FAULT_CHECK(count, "invlpgb-count", "#GP for one page more than CPUID allows", HERE)
FAULT_CHECK(reserved, "invlpgb-reserved", "#GP for each reserved bit of rAX, ECX and EDX", HERE)
FAULT_CHECK(asid, "invlpgb-asid", "#GP for an ASID that the CPU has not", HERE)
FAULT_CHECK(nested, "invlpgb-nested", "#GP for nested translations without CPUID's word", HERE)
