/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that INVPCID faults where the manual says so, at CPL 0, and nowhere else (Intel SDM
 * vol. 2A, INVPCID, "64-Bit Mode Exceptions"). The control of each check is an operand that is one
 * step inside the rule.
 */
#include "arch/x86/features.h"
#include "kernel/inject.h"
#include "tests/check/fault_judge.h"

#define LAST_CANONICAL 0x00007fffffffffffull

struct operand {
	uint64_t type;
	struct invpcid_desc desc;
};

/* Runs one INVPCID with CR4.PCIDE as asked. Clearing PCIDE is legal at any time. */
static fault_t try(const struct operand *op, bool pcide)
{
	uint64_t flags = irq_save(), cr4 = read_cr4();
	struct invpcid_desc desc = op->desc;
	fault_t fault;

	if (inject_is(INJECT_WRONG_PCID))
		desc.pcid ^= 1;
	write_cr4(pcide ? cr4 : cr4 & ~CR4_PCIDE);
	fault = invpcid_safe(op->type, &desc);
	write_cr4(cr4);
	irq_restore(flags);
	return fault;
}

static enum check_result judge(struct check_report *report, const struct operand *inside,
			       const struct operand *outside, bool pcide)
{
	fault_t allowed = try(inside, pcide);

	return fault_judge(report, allowed, try(outside, pcide), GP_DUE);
}

static enum check_result run_type(struct check_report *report, const struct axis_point *at)
{
	(void)at;
	return judge(report, &(struct operand){INVPCID_ALL_NON_GLOBAL, {0, 0}},
		     &(struct operand){INVPCID_ALL_NON_GLOBAL + 1, {0, 0}}, true);
}

static enum check_result run_type_high(struct check_report *report, const struct axis_point *at)
{
	(void)at;
	return judge(report, &(struct operand){INVPCID_ALL_GLOBAL, {0, 0}},
		     &(struct operand){INVPCID_ALL_GLOBAL | 1ull << 63, {0, 0}}, true);
}

static enum check_result run_reserved(struct check_report *report, const struct axis_point *at)
{
	(void)at;
	/* One by one: a CPU that looks at some of the bits only would pass with all of them set. */
	for (unsigned bit = 12; bit < 64; bit++) {
		enum check_result result =
			judge(report, &(struct operand){INVPCID_ALL_GLOBAL, {0, 0}},
			      &(struct operand){INVPCID_ALL_GLOBAL, {1ull << bit, 0}}, true);

		if (result != CHECK_PASS)
			return result;
	}
	return CHECK_PASS;
}

static enum check_result run_address(struct check_report *report, const struct axis_point *at)
{
	(void)at;
	return judge(report, &(struct operand){INVPCID_ADDR, {0, LAST_CANONICAL}},
		     &(struct operand){INVPCID_ADDR, {0, FAULT_NONCANONICAL_ANY}}, true);
}

static enum check_result run_pcid_addr(struct check_report *report, const struct axis_point *at)
{
	(void)at;
	return judge(report, &(struct operand){INVPCID_ADDR, {0, 0}},
		     &(struct operand){INVPCID_ADDR, {1, 0}}, false);
}

static enum check_result run_pcid_context(struct check_report *report, const struct axis_point *at)
{
	(void)at;
	return judge(report, &(struct operand){INVPCID_CONTEXT, {0, 0}},
		     &(struct operand){INVPCID_CONTEXT, {1, 0}}, false);
}

/* Types 2 and 3 act on all PCIDs, on a CPU that uses none as well. */
static enum check_result run_no_pcide(struct check_report *report, const struct axis_point *at)
{
	fault_t all = try(&(struct operand){INVPCID_ALL_GLOBAL, {0, 0}}, false);
	fault_t nonglobal = try(&(struct operand){INVPCID_ALL_NON_GLOBAL, {0, 0}}, false);
	fault_t forbidden = try(&(struct operand){INVPCID_CONTEXT, {1, 0}}, false);

	(void)at;
	return fault_judge_legal(report, all ? all : nonglobal, forbidden, GP_DUE);
}

static enum check_result run_operand(struct check_report *report, const struct axis_point *at)
{
	const struct invpcid_desc none = {0, 0};
	fault_t allowed = invpcid_safe(INVPCID_ALL_GLOBAL, &none);

	(void)at;
	return fault_judge(
		report, allowed,
		invpcid_safe(INVPCID_ALL_GLOBAL, (const struct invpcid_desc *)fault_noncanonical()),
		GP_DUE);
}

static enum check_result run_lock(struct check_report *report, const struct axis_point *at)
{
	const struct invpcid_desc none = {0, 0};
	fault_t allowed = invpcid_safe(INVPCID_ALL_GLOBAL, &none);

	(void)at;
	return fault_judge(report, allowed, invpcid_lock_safe(INVPCID_ALL_GLOBAL, &none), UD_DUE);
}

/* One step inside is what every CPU has: INVLPG. */
static enum check_result run_absent(struct check_report *report, const struct axis_point *at)
{
	const struct invpcid_desc none = {0, 0};
	char place[64];

	(void)at;
	if (!feature_info(FEATURE_INVPCID)->present)
		return fault_judge(report, invlpg_safe((uint64_t)&none),
				   invpcid_safe(INVPCID_ALL_GLOBAL, &none), UD_DUE);
	need_feature_place(FEATURE_INVPCID, place, sizeof(place));
	return check_end(report, CHECK_SKIP, "%s = 1", place);
}

#define FAULT_CHECK(symbol, suffix, text, needs) \
	static const struct check symbol = {     \
		.name = "fault/invpcid-" suffix, \
		.what = text,                    \
		.need = {.features = needs},     \
		.run = run_##symbol,             \
	};                                       \
	CHECK(symbol);

#define HERE NEED(FEATURE_INVPCID)

FAULT_CHECK(absent, "absent", "#UD where CPUID has no INVPCID", 0)
FAULT_CHECK(lock, "lock", "#UD with LOCK", HERE)
FAULT_CHECK(operand, "operand", "#GP for a descriptor at a non-canonical address", HERE)
FAULT_CHECK(type, "type", "#GP for type 4", HERE)
FAULT_CHECK(type_high, "type-high", "#GP for a type with bit 63 set", HERE)
FAULT_CHECK(reserved, "reserved", "#GP for each of descriptor bits 63:12", HERE)
FAULT_CHECK(address, "address", "#GP for type 0 with a non-canonical address", HERE)
FAULT_CHECK(pcid_addr, "pcid-addr", "#GP for type 0 with PCID 1 while CR4.PCIDE = 0", HERE)
FAULT_CHECK(pcid_context, "pcid-context", "#GP for type 1 with PCID 1 while CR4.PCIDE = 0", HERE)
FAULT_CHECK(no_pcide, "no-pcide", "types 2 and 3 are legal while CR4.PCIDE = 0", HERE)
