/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that INVPCID faults where the manual says so (Intel SDM vol. 2A, INVPCID, "64-Bit Mode
 * Exceptions"). Each check first runs an operand that is one step inside the rule, which must not
 * fault: that is its control.
 */
#include "arch/x86/safe.h"
#include "arch/x86/user.h"
#include "kernel/format.h"
#include "kernel/harness/check.h"
#include "kernel/harness/test_page.h"
#include "kernel/inject.h"

#define LAST_CANONICAL     0x00007fffffffffffull
#define NON_CANONICAL_LA48 0x0000800000000000ull
#define NON_CANONICAL_LA57 0x0100000000000000ull

struct operand {
	uint64_t type;
	struct invpcid_desc desc;
};

/* Runs one INVPCID with CR4.PCIDE as asked. Clearing PCIDE is legal at any time. */
static fault_t try(const struct operand *op, bool pcide)
{
	uint64_t flags = irq_save(), cr4 = read_cr4();
	fault_t fault;

	write_cr4(pcide ? cr4 : cr4 & ~CR4_PCIDE);
	fault = invpcid_safe(op->type, &op->desc);
	write_cr4(cr4);
	irq_restore(flags);
	return fault;
}

static enum check_result judge_fault(struct check_report *report, fault_t fault)
{
	if (!fault || inject_is(INJECT_NO_FAULT))
		return check_end(report, CHECK_FAIL, "did not fault, #GP(0) is due");
	if (fault != FAULT(VECTOR_GP, 0))
		return check_end(report, CHECK_FAIL, "vector %u, error code %u; #GP(0) is due",
				 fault_vector(fault), (unsigned)fault);
	return check_end(report, CHECK_PASS, "#GP(0)");
}

static enum check_result judge(struct check_report *report, const struct operand *inside,
			       const struct operand *outside, bool pcide)
{
	fault_t fault = try(inside, pcide);

	if (fault)
		return check_end(report, CHECK_FAIL, "a legal operand faulted with vector %u",
				 fault_vector(fault));
	format(report->control, sizeof(report->control), "legal operand: no fault");
	return judge_fault(report, try(outside, pcide));
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
	uint64_t bad = read_cr4() & CR4_LA57 ? NON_CANONICAL_LA57 : NON_CANONICAL_LA48;

	(void)at;
	return judge(report, &(struct operand){INVPCID_ADDR, {0, LAST_CANONICAL}},
		     &(struct operand){INVPCID_ADDR, {0, bad}}, true);
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

/* What runs at CPL 3: "ud2" alone is the control, it shows that code runs there at all. */
__asm__(".pushsection .rodata\n"
	"cpl3_control: ud2\n"
	"cpl3_invpcid: invpcid (%rdi), %rsi\n\tud2\n"
	"cpl3_end:\n"
	".popsection");
extern const uint8_t cpl3_control[], cpl3_invpcid[], cpl3_end[];

static enum check_result judge_cpl3(struct check_report *report, uint64_t page)
{
	uint64_t flags = irq_save(), invpcid_at = page + (cpl3_invpcid - cpl3_control);
	/* A descriptor of zeros, in the code page: legal for type 2, and CPL 3 may read it. */
	uint64_t desc = page + 64;
	fault_t control = user_run(page, 0, 0);
	fault_t fault = user_run(invpcid_at, desc, INVPCID_ALL_GLOBAL);

	irq_restore(flags);
	format(report->control, sizeof(report->control), "UD2 at CPL 3: vector %u",
	       fault_vector(control));
	if (control != FAULT(VECTOR_UD, 0))
		return check_end(report, CHECK_FAIL, "no code ran at CPL 3");
	return judge_fault(report, fault);
}

static enum check_result run_cpl3(struct check_report *report, const struct axis_point *at)
{
	uint64_t page = test_page_map_code(cpl3_control, cpl3_end - cpl3_control);
	enum check_result result;

	(void)at;
	if (!page)
		return check_end(report, CHECK_SKIP, "no memory for a page");
	result = judge_cpl3(report, page);
	test_page_unmap(page);
	return result;
}

#define FAULT_CHECK(symbol, suffix, text)                    \
	static const struct check symbol = {                 \
		.name = "fault/invpcid-" suffix,             \
		.what = text,                                \
		.need = {.features = NEED(FEATURE_INVPCID)}, \
		.run = run_##symbol,                         \
	};                                                   \
	CHECK(symbol);

FAULT_CHECK(cpl3, "cpl3", "#GP at CPL 3")
FAULT_CHECK(type, "type", "#GP for type 4")
FAULT_CHECK(type_high, "type-high", "#GP for a type with bit 63 set")
FAULT_CHECK(reserved, "reserved", "#GP for each of descriptor bits 63:12")
FAULT_CHECK(address, "address", "#GP for type 0 with a non-canonical address")
FAULT_CHECK(pcid_addr, "pcid-addr", "#GP for type 0 with PCID 1 while CR4.PCIDE = 0")
FAULT_CHECK(pcid_context, "pcid-context", "#GP for type 1 with PCID 1 while CR4.PCIDE = 0")
