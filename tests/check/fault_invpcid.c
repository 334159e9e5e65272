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
	bool no_pcide;
};

/* Runs one INVPCID with CR4.PCIDE as asked. Clearing PCIDE is legal at any time. */
static fault_t try_invpcid(uint64_t operand)
{
	const struct operand *op = (const struct operand *)operand;
	uint64_t flags = irq_save(), cr4 = read_cr4();
	struct invpcid_desc desc = op->desc;
	fault_t fault;

	if (inject_is(INJECT_WRONG_PCID))
		desc.pcid ^= 1;
	write_cr4(op->no_pcide ? cr4 & ~CR4_PCIDE : cr4);
	fault = invpcid_safe(op->type, &desc);
	write_cr4(cr4);
	irq_restore(flags);
	return fault;
}

static struct fault_try try_of(const struct operand *op)
{
	return (struct fault_try){try_invpcid, (uint64_t)op};
}

static enum check_result judge(struct check_report *report, const struct operand *inside,
			       const struct operand *outside)
{
	return fault_judge(report, try_of(inside), try_of(outside), GP_DUE);
}

static enum check_result run_type(struct check_report *report, const struct axis_point *at)
{
	(void)at;
	return judge(report, &(struct operand){.type = INVPCID_ALL_NON_GLOBAL},
		     &(struct operand){.type = INVPCID_ALL_NON_GLOBAL + 1});
}

static enum check_result run_type_high(struct check_report *report, const struct axis_point *at)
{
	(void)at;
	return judge(report, &(struct operand){.type = INVPCID_ALL_GLOBAL},
		     &(struct operand){.type = INVPCID_ALL_GLOBAL | 1ull << 63});
}

static enum check_result run_reserved(struct check_report *report, const struct axis_point *at)
{
	const struct operand inside = {.type = INVPCID_ALL_GLOBAL};

	(void)at;
	/* One by one: a CPU that looks at some of the bits only would pass with all of them set. */
	for (unsigned bit = 12; bit < 64; bit++) {
		const struct operand outside = {INVPCID_ALL_GLOBAL, {1ull << bit, 0}, false};
		enum check_result result = judge(report, &inside, &outside);

		if (result != CHECK_PASS)
			return result;
	}
	return CHECK_PASS;
}

static enum check_result run_address(struct check_report *report, const struct axis_point *at)
{
	(void)at;
	return judge(report, &(struct operand){INVPCID_ADDR, {0, LAST_CANONICAL}, false},
		     &(struct operand){INVPCID_ADDR, {0, NONCANONICAL_ANY}, false});
}

static enum check_result run_pcid_addr(struct check_report *report, const struct axis_point *at)
{
	(void)at;
	return judge(report, &(struct operand){INVPCID_ADDR, {0, 0}, true},
		     &(struct operand){INVPCID_ADDR, {1, 0}, true});
}

static enum check_result run_pcid_context(struct check_report *report, const struct axis_point *at)
{
	(void)at;
	return judge(report, &(struct operand){INVPCID_CONTEXT, {0, 0}, true},
		     &(struct operand){INVPCID_CONTEXT, {1, 0}, true});
}

/* Types 2 and 3 act on all PCIDs, on a CPU that uses none as well. */
static enum check_result run_no_pcide(struct check_report *report, const struct axis_point *at)
{
	const struct operand all = {INVPCID_ALL_GLOBAL, {0, 0}, true};
	const struct operand nonglobal = {INVPCID_ALL_NON_GLOBAL, {0, 0}, true};
	const struct operand forbidden = {INVPCID_CONTEXT, {1, 0}, true};
	enum check_result result =
		fault_judge_legal(report, try_of(&all), try_of(&forbidden), GP_DUE);

	(void)at;
	return result != CHECK_PASS
		       ? result
		       : fault_judge_legal(report, try_of(&nonglobal), try_of(&forbidden), GP_DUE);
}

static fault_t try_at(uint64_t descriptor)
{
	return invpcid_safe(INVPCID_ALL_GLOBAL, (const struct invpcid_desc *)descriptor);
}

static fault_t try_lock_at(uint64_t descriptor)
{
	return invpcid_lock_safe(INVPCID_ALL_GLOBAL, (const struct invpcid_desc *)descriptor);
}

static enum check_result run_operand(struct check_report *report, const struct axis_point *at)
{
	const struct invpcid_desc none = {0, 0};

	(void)at;
	return fault_judge(report, (struct fault_try){try_at, (uint64_t)&none},
			   (struct fault_try){try_at, fault_noncanonical()}, GP_DUE);
}

static enum check_result run_lock(struct check_report *report, const struct axis_point *at)
{
	const struct invpcid_desc none = {0, 0};

	(void)at;
	return fault_judge(report, (struct fault_try){try_at, (uint64_t)&none},
			   (struct fault_try){try_lock_at, (uint64_t)&none}, UD_DUE);
}

/* One step inside is what every CPU has: INVLPG. */
static enum check_result run_absent(struct check_report *report, const struct axis_point *at)
{
	const struct invpcid_desc none = {0, 0};
	char place[64];

	(void)at;
	if (!feature_info(FEATURE_INVPCID)->present)
		return fault_judge(report, (struct fault_try){invlpg_safe, (uint64_t)&none},
				   (struct fault_try){try_at, (uint64_t)&none}, UD_DUE);
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
