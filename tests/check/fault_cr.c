/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves the #GP rules of MOV to CR0, CR3 and CR4 that have to do with paging, in 64-bit mode
 * (Intel SDM vol. 2B, "MOV - Move to/from Control Registers"; vol. 3A, "Control Registers" and
 * "Process-Context Identifiers (PCIDs)"). The control of each is a value one step inside the rule.
 * All with interrupts off, and each puts back what it changed.
 */
#include "arch/x86/features.h"
#include "arch/x86/tlb.h"
#include "kernel/format.h"
#include "tests/check/fault_judge.h"

/* The rest of a check, run with interrupts off and CR4.PCIDE = 0. */
typedef enum check_result (*judge_fn)(struct check_report *report);

static enum check_result without_pcide(struct check_report *report, judge_fn judge)
{
	uint64_t flags = irq_save(), cr4 = read_cr4();
	enum check_result result;

	write_cr4(cr4 & ~CR4_PCIDE);
	result = judge(report);
	write_cr4(cr4);
	irq_restore(flags);
	return result;
}

/* Writes `value`, and where that does not fault what was there before. */
#define DEFINE_TRY(n)                                            \
	static fault_t try_cr##n(uint64_t value)                 \
	{                                                        \
		uint64_t flags = irq_save(), old = read_cr##n(); \
		fault_t fault = write_cr##n##_safe(value);       \
                                                                 \
		if (!fault)                                      \
			write_cr##n(old);                        \
		irq_restore(flags);                              \
		return fault;                                    \
	}

DEFINE_TRY(0)
DEFINE_TRY(3)
DEFINE_TRY(4)

static enum check_result judge_cr0(struct check_report *report, uint64_t clear)
{
	uint64_t cr0 = read_cr0();

	return fault_judge(report, (struct fault_try){try_cr0, cr0},
			   (struct fault_try){try_cr0, cr0 & ~clear}, GP_DUE);
}

static enum check_result judge_pg(struct check_report *report)
{
	return judge_cr0(report, CR0_PG);
}

static enum check_result run_cr0_pg(struct check_report *report, const struct axis_point *at)
{
	(void)at;
	if (fault_would_kill(report))
		return CHECK_SKIP;
	/* With PCIDE = 1 it is forbidden for another reason. */
	return without_pcide(report, judge_pg);
}

static enum check_result run_cr0_pg_pcide(struct check_report *report, const struct axis_point *at)
{
	(void)at;
	return fault_would_kill(report) ? CHECK_SKIP : judge_pg(report);
}

static enum check_result run_cr0_pe(struct check_report *report, const struct axis_point *at)
{
	(void)at;
	return fault_would_kill(report) ? CHECK_SKIP : judge_cr0(report, CR0_PE);
}

static enum check_result judge_cr4(struct check_report *report, uint64_t clear, uint64_t set)
{
	uint64_t cr4 = read_cr4();

	return fault_judge(report, (struct fault_try){try_cr4, cr4},
			   (struct fault_try){try_cr4, (cr4 & ~clear) | set}, GP_DUE);
}

static enum check_result run_cr4_pae(struct check_report *report, const struct axis_point *at)
{
	(void)at;
	return fault_would_kill(report) ? CHECK_SKIP : judge_cr4(report, CR4_PAE, 0);
}

static enum check_result run_cr4_la57(struct check_report *report, const struct axis_point *at)
{
	bool on = read_cr4() & CR4_LA57;

	(void)at;
	if (!feature_info(FEATURE_LA57)->present && fault_would_kill(report))
		return CHECK_SKIP;
	return judge_cr4(report, on ? CR4_LA57 : 0, on ? 0 : CR4_LA57);
}

static enum check_result run_pcide_absent(struct check_report *report, const struct axis_point *at)
{
	char place[64];

	(void)at;
	if (!feature_info(FEATURE_PCID)->present)
		return judge_cr4(report, 0, CR4_PCIDE);
	need_feature_place(FEATURE_PCID, place, sizeof(place));
	return check_end(report, CHECK_SKIP, "%s = 1", place);
}

/* Sets CR4.PCIDE with `low` in CR3[11:0]. */
static fault_t try_pcide_over(uint64_t low)
{
	uint64_t cr3 = read_cr3();
	fault_t fault;

	write_cr3(cr3 | low);
	fault = try_cr4(read_cr4() | CR4_PCIDE);
	write_cr3(cr3);
	return fault;
}

static bool cr3_keeps(uint64_t low)
{
	uint64_t cr3 = read_cr3();
	bool kept;

	write_cr3(cr3 | low);
	kept = read_cr3() & low;
	write_cr3(cr3);
	return kept;
}

/* One by one. A bit that CR3 does not keep with PCIDE = 0 can't be tried. */
static enum check_result judge_pcide_cr3(struct check_report *report)
{
	enum check_result result = CHECK_PASS;
	uint64_t tried = 0;

	for (uint64_t bit = 1; bit <= CR3_PCID_MASK && result == CHECK_PASS; bit <<= 1) {
		if (!cr3_keeps(bit))
			continue;
		tried |= bit;
		result = fault_judge(report, (struct fault_try){try_pcide_over, 0},
				     (struct fault_try){try_pcide_over, bit}, GP_DUE);
	}
	if (!tried)
		return check_end(report, CHECK_SKIP, "CR3 keeps none of its bits 11:0");
	if (result == CHECK_PASS)
		check_end(report, result, "#GP(0) with each bit of CR3[11:0] & %03lx", tried);
	return result;
}

static enum check_result run_pcide_cr3(struct check_report *report, const struct axis_point *at)
{
	(void)at;
	return without_pcide(report, judge_pcide_cr3);
}

static enum check_result judge_bit63(struct check_report *report)
{
	uint64_t cr3 = read_cr3();

	return fault_judge(report, (struct fault_try){try_cr3, cr3},
			   (struct fault_try){try_cr3, cr3 | CR3_NOFLUSH}, GP_DUE);
}

static enum check_result run_cr3_bit63(struct check_report *report, const struct axis_point *at)
{
	(void)at;
	return fault_would_kill(report) ? CHECK_SKIP : without_pcide(report, judge_bit63);
}

static fault_t try_cr3_without_pcide(uint64_t value)
{
	uint64_t flags = irq_save(), cr4 = read_cr4();
	fault_t fault;

	write_cr4(cr4 & ~CR4_PCIDE);
	fault = try_cr3(value);
	write_cr4(cr4);
	irq_restore(flags);
	return fault;
}

static enum check_result run_cr3_bit63_legal(struct check_report *report,
					     const struct axis_point *at)
{
	uint64_t cr3 = read_cr3(), flags, kept;
	enum check_result result;

	(void)at;
	/* The control is what fault/cr3-bit63 tries. */
	if (fault_would_kill(report))
		return CHECK_SKIP;
	result = fault_judge_legal(report, (struct fault_try){try_cr3, cr3 | CR3_NOFLUSH},
				   (struct fault_try){try_cr3_without_pcide, cr3 | CR3_NOFLUSH},
				   GP_DUE);
	if (result != CHECK_PASS)
		return result;
	flags = irq_save();
	write_cr3(cr3 | CR3_NOFLUSH);
	kept = read_cr3();
	write_cr3(cr3);
	irq_restore(flags);
	if (kept != cr3)
		return check_end(report, CHECK_FAIL, "CR3 reads %016lx, not %016lx", kept, cr3);
	return result;
}

/* CPUID.(7,1):EAX[26]: bits 61 and 62 turn linear-address masking on. */
static bool has_lam(void)
{
	return cpuid(0, 0).eax >= 7 && cpuid(7, 0).eax >= 1 && cpuid(7, 1).eax >> 26 & 1;
}

/*
 * Intel: the width of a physical address. AMD obliges the CPU from bit 52 on only (APM vol. 2, "CR3
 * Register"). Below, among the bits of an address, is that of memory encryption (CPUID 8000_001Fh
 * EBX[5:0]), which is legal.
 */
static unsigned first_reserved(void)
{
	return cpu_identity.vendor == VENDOR_INTEL ? cpu_physical_bits() : 52;
}

static enum check_result run_cr3_reserved(struct check_report *report, const struct axis_point *at)
{
	unsigned from = first_reserved(), to = has_lam() ? 60 : 62;
	uint64_t cr3 = read_cr3();
	enum check_result result = CHECK_PASS;

	(void)at;
	if (fault_would_kill(report))
		return CHECK_SKIP;
	for (unsigned bit = from; bit <= to && result == CHECK_PASS; bit++)
		result = fault_judge(report, (struct fault_try){try_cr3, cr3},
				     (struct fault_try){try_cr3, cr3 | 1ull << bit}, GP_DUE);
	if (result == CHECK_PASS)
		check_end(report, result, "#GP(0), bits %u to %u", from, to);
	return result;
}

#define CR_CHECK(symbol, suffix, text, needs) \
	static const struct check symbol = {  \
		.name = "fault/" suffix,      \
		.what = text,                 \
		.need = {.features = needs},  \
		.run = run_##symbol,          \
	};                                    \
	CHECK(symbol);

CR_CHECK(cr0_pg, "cr0-pg", "#GP for clearing CR0.PG in 64-bit mode", 0)
CR_CHECK(cr0_pg_pcide, "cr0-pg-pcide", "#GP for clearing CR0.PG while CR4.PCIDE = 1",
	 NEED(FEATURE_PCID))
CR_CHECK(cr0_pe, "cr0-pe", "#GP for CR0.PG = 1 with PE = 0", 0)
CR_CHECK(cr4_pae, "cr4-pae", "#GP for clearing CR4.PAE in 64-bit mode", 0)
CR_CHECK(cr4_la57, "cr4-la57", "#GP for changing CR4.LA57 in 64-bit mode", 0)
CR_CHECK(pcide_absent, "cr4-pcide-absent", "#GP for CR4.PCIDE where CPUID has no PCID", 0)
CR_CHECK(pcide_cr3, "cr4-pcide-cr3", "#GP for setting CR4.PCIDE while CR3[11:0] is not 0",
	 NEED(FEATURE_PCID))
CR_CHECK(cr3_bit63, "cr3-bit63", "#GP for bit 63 of CR3 while CR4.PCIDE = 0", 0)
CR_CHECK(cr3_bit63_legal, "cr3-bit63-pcide",
	 "bit 63 of CR3 is legal while CR4.PCIDE = 1, and never reads back", NEED(FEATURE_PCID))
CR_CHECK(cr3_reserved, "cr3-reserved", "#GP for each reserved bit of CR3 above the address", 0)
