/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that what invalidates is forbidden at CPL 3: INVLPG, INVPCID, INVLPGB, TLBSYNC, and MOV to
 * CR0, CR3 and CR4 raise #GP(0) there (Intel SDM vol. 2A and 2B, "64-Bit Mode Exceptions"; AMD APM
 * vol. 3, exceptions of each). Operands are such as change nothing, or as CPL 0 may use. Control: UD2 at CPL 3 raises #UD, so code does run there.
 */
#include "arch/x86/user.h"
#include "kernel/format.h"
#include "kernel/harness/test_page.h"
#include "tests/check/fault_judge.h"

/* "ud2" alone is the control; the others are followed by one, to end the visit if they don't. */
__asm__(".pushsection .rodata\n"
	"cpl3_control: ud2\n"
	"cpl3_invlpg: invlpg (%rdi)\n\tud2\n"
	"cpl3_invpcid: invpcid (%rdi), %rsi\n\tud2\n"
	"cpl3_cr0: mov %rsi, %cr0\n\tud2\n"
	"cpl3_cr3: mov %rsi, %cr3\n\tud2\n"
	"cpl3_cr4: mov %rsi, %cr4\n\tud2\n"
	"cpl3_invlpgb: mov $4, %eax\n\txor %ecx, %ecx\n\txor %edx, %edx\n"
	"	.byte 0x0f, 0x01, 0xfe\n\tud2\n"
	"cpl3_tlbsync: .byte 0x0f, 0x01, 0xff\n\tud2\n"
	"cpl3_end:\n"
	".popsection");
extern const uint8_t cpl3_control[], cpl3_invlpg[], cpl3_invpcid[], cpl3_cr0[], cpl3_cr3[],
	cpl3_cr4[], cpl3_invlpgb[], cpl3_tlbsync[], cpl3_end[];

struct visit {
	uint64_t page;
	const uint8_t *code;
	uint64_t operand;
};

static fault_t visit(const struct visit *v)
{
	uint64_t flags = irq_save();
	/* Zeros in the code page, which CPL 3 may read: a legal descriptor. */
	fault_t fault = user_run(v->page + (v->code - cpl3_control), v->page + 256, v->operand);

	irq_restore(flags);
	return fault;
}

/* The UD2 behind the instruction: it did not fault itself. */
static fault_t try_visit(uint64_t operand)
{
	fault_t fault = visit((const struct visit *)operand);

	return fault == UD_DUE ? FAULT_NONE : fault;
}

static enum check_result judge(struct check_report *report, uint64_t page, const uint8_t *code,
			       uint64_t operand)
{
	const struct visit nothing = {page, cpl3_control, 0}, something = {page, code, operand};
	fault_t control = visit(&nothing);
	enum check_result result =
		fault_judge(report, (struct fault_try){try_visit, (uint64_t)&nothing},
			    (struct fault_try){try_visit, (uint64_t)&something}, GP_DUE);

	format(report->control, sizeof(report->control), "UD2 at CPL 3: vector %u",
	       fault_vector(control));
	if (control != UD_DUE)
		return check_end(report, CHECK_FAIL, "no code ran at CPL 3");
	return result;
}

static enum check_result run(struct check_report *report, const uint8_t *code, uint64_t operand)
{
	uint64_t page = test_page_map_code(cpl3_control, cpl3_end - cpl3_control);
	enum check_result result;

	if (!page)
		return check_end(report, CHECK_SKIP, "no memory for a page");
	result = judge(report, page, code, operand);
	test_page_unmap(page);
	return result;
}

#define CPL3_CHECK(symbol, operand, needs)                                 \
	static enum check_result run_##symbol(struct check_report *report, \
					      const struct axis_point *at) \
	{                                                                  \
		(void)at;                                                  \
		return run(report, cpl3_##symbol, operand);                \
	}                                                                  \
	static const struct check check_##symbol = {                       \
		.name = "fault/" #symbol "-cpl3",                          \
		.what = "#GP at CPL 3",                                    \
		.need = {.features = needs},                               \
		.run = run_##symbol,                                       \
	};                                                                 \
	CHECK(check_##symbol);

CPL3_CHECK(invlpg, 0, 0)
CPL3_CHECK(invpcid, INVPCID_ALL_GLOBAL, NEED(FEATURE_INVPCID))
CPL3_CHECK(invlpgb, 0, NEED(FEATURE_INVLPGB))
CPL3_CHECK(tlbsync, 0, NEED(FEATURE_INVLPGB))
CPL3_CHECK(cr0, read_cr0(), 0)
CPL3_CHECK(cr3, read_cr3(), 0)
CPL3_CHECK(cr4, read_cr4(), 0)
