/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves for each way of invalidating on this CPU that what the manual obliges it to drop is gone,
 * and tells how much of the rest survived.
 *
 * One entry is cached, the page tables are changed, the primitive runs, and a read tells which
 * translation was used (stale_stage.h; never by a fault, since a fault invalidates). With
 * pcid=other the entry is made and read while the other PCID runs, the primitive under the first;
 * MOV to CR3 with bit 63 goes there and back. stale_rules.h says which rows must be fresh: they
 * pass or fail. The others become retention records.
 *
 * Control: the same without the primitive. Where that sees next to no stale read, this CPU (or
 * emulator) hides stale entries of this kind, and the row can't tell: skip.
 */
#include <stddef.h>

#include "arch/x86/tlb.h"
#include "kernel/format.h"
#include "kernel/harness/check.h"
#include "kernel/harness/page_names.h"
#include "kernel/inject.h"
#include "mm/kernel_space.h"
#include "tests/check/stale_rules.h"
#include "tests/check/stale_stage.h"
#include "tests/check/stale_verdict.h"

#define ROUNDS_QUICK   100u
#define ROUNDS_FULL    1000u
#define PCID_UNRELATED 7u

/* A row while it runs. */
struct row {
	struct stale_stage stage;
	struct stale_cell cell;
	enum page_size size;
	unsigned rounds;
	unsigned odd;     /* reads after the change that gave neither tag */
	unsigned not_set; /* reads before it that did not give A's */
};

static uint64_t pcid_of(const struct row *r)
{
	return r->cell.other_pcid ? STALE_PCID_OTHER : STALE_PCID_CURRENT;
}

/* Without a flush; does nothing where that PCID runs already, as it always does without PCIDs. */
static void go_to_pcid(uint64_t pcid)
{
	if ((read_cr3() & CR3_PCID_MASK) != pcid)
		write_cr3(kernel_tables.root | pcid | CR3_NOFLUSH);
}

/* INVPCID with whatever inject= makes of it. Types, each with the next narrower one. */
static void run_invpcid(enum invpcid_type type, uint64_t pcid, uint64_t va)
{
	static const enum invpcid_type narrower[] = {
		[INVPCID_ALL_GLOBAL] = INVPCID_ALL_NON_GLOBAL,
		[INVPCID_ALL_NON_GLOBAL] = INVPCID_CONTEXT,
		[INVPCID_CONTEXT] = INVPCID_ADDR,
		[INVPCID_ADDR] = INVPCID_ADDR,
	};

	if (inject_is(INJECT_WRONG_TYPE))
		type = narrower[type];
	if (inject_is(INJECT_WRONG_PCID)) {
		if (!(read_cr4() & CR4_PCIDE))
			return; /* it would fault, and so drop nothing */
		pcid ^= 1;
	}
	switch (type) {
	case INVPCID_ADDR:
		tlb_flush_page_pcid_local(pcid, va);
		break;
	case INVPCID_CONTEXT:
		tlb_flush_pcid_local(pcid);
		break;
	case INVPCID_ALL_GLOBAL:
		tlb_flush_all_by_invpcid();
		break;
	case INVPCID_ALL_NON_GLOBAL:
		tlb_flush_nonglobal_local();
		break;
	}
}

static void run_invlpg(const struct row *r)
{
	tlb_flush_page_local(r->stage.read_then);
}

static void run_invlpg_other(const struct row *r)
{
	tlb_flush_page_local(r->stage.unrelated);
}

static void run_invpcid_addr(const struct row *r)
{
	run_invpcid(INVPCID_ADDR, pcid_of(r), r->stage.read_then);
}

static void run_invpcid_addr_other(const struct row *r)
{
	tlb_flush_page_pcid_local(pcid_of(r), r->stage.unrelated);
}

static void run_invpcid_context(const struct row *r)
{
	run_invpcid(INVPCID_CONTEXT, pcid_of(r), 0);
}

static void run_invpcid_context_other(const struct row *r)
{
	(void)r;
	tlb_flush_pcid_local(PCID_UNRELATED);
}

static void run_invpcid_all(const struct row *r)
{
	(void)r;
	run_invpcid(INVPCID_ALL_GLOBAL, 0, 0);
}

static void run_invpcid_all_nonglobal(const struct row *r)
{
	(void)r;
	run_invpcid(INVPCID_ALL_NON_GLOBAL, 0, 0);
}

static void run_cr3_reload(const struct row *r)
{
	(void)r;
	write_cr3(read_cr3());
}

static void run_cr3_noflush(const struct row *r)
{
	(void)r;
	write_cr3(read_cr3() | CR3_NOFLUSH);
}

static void run_cr3_switch(const struct row *r)
{
	(void)r;
	write_cr3(kernel_tables.root | STALE_PCID_OTHER);
}

static void run_cr4_pge(const struct row *r)
{
	(void)r;
	tlb_flush_all_by_pge();
}

/* The way back wants CR3[11:0] = 0: the current PCID is 0. */
static void run_cr4_pcide(const struct row *r)
{
	uint64_t cr4 = read_cr4();

	(void)r;
	write_cr4(cr4 & ~CR4_PCIDE);
	write_cr4(cr4);
}

static void run_cr4_rewrite(const struct row *r)
{
	(void)r;
	write_cr4(read_cr4());
}

static void run_flush_all(const struct row *r)
{
	(void)r;
	tlb_flush_all_local();
}

/* How each is run, and something like it that has nothing to do with the entry, or NULL. */
static const struct way {
	void (*run)(const struct row *r);
	void (*unrelated)(const struct row *r);
	const char *unrelated_name;
	uint64_t unrelated_needs;
} ways[STALE_PRIMITIVES] = {
	[STALE_INVLPG] = {run_invlpg, run_invlpg_other, "INVLPG of another page", 0},
	[STALE_INVLPG_OTHER] = {run_invlpg_other, NULL, NULL, 0},
	[STALE_INVPCID_ADDR] = {run_invpcid_addr, run_invpcid_addr_other, "another address", 0},
	[STALE_INVPCID_CONTEXT] = {run_invpcid_context, run_invpcid_context_other, "another PCID",
				   NEED(FEATURE_PCID)},
	[STALE_INVPCID_ALL] = {run_invpcid_all, NULL, NULL, 0},
	[STALE_INVPCID_ALL_NONGLOBAL] = {run_invpcid_all_nonglobal, NULL, NULL, 0},
	[STALE_CR3_RELOAD] = {run_cr3_reload, NULL, NULL, 0},
	[STALE_CR3_NOFLUSH] = {run_cr3_noflush, NULL, NULL, 0},
	[STALE_CR3_SWITCH] = {run_cr3_switch, NULL, NULL, 0},
	[STALE_CR4_PGE] = {run_cr4_pge, NULL, NULL, 0},
	[STALE_CR4_PCIDE] = {run_cr4_pcide, NULL, NULL, 0},
	[STALE_CR4_REWRITE] = {run_cr4_rewrite, NULL, NULL, 0},
	[STALE_FLUSH_ALL] = {run_flush_all, NULL, NULL, 0},
};

/* `run` NULL: no flush. True: the read after it was stale. */
static bool is_stale(struct row *r, void (*run)(const struct row *r))
{
	const struct stale_stage *s = &r->stage;
	uint64_t flags = irq_save(), tag;

	stale_stage_point(s, s->before);
	tlb_flush_all_local();
	go_to_pcid(pcid_of(r));
	r->not_set += stale_read(s->read_first) != STALE_TAG_A;
	go_to_pcid(STALE_PCID_CURRENT);
	if (!r->cell.psc || !inject_is(INJECT_STALE_PSC))
		stale_stage_point(s, s->after);
	if (run)
		run(r);
	go_to_pcid(pcid_of(r));
	tag = stale_read(s->read_then);
	go_to_pcid(STALE_PCID_CURRENT);
	irq_restore(flags);
	r->odd += tag != STALE_TAG_A && tag != STALE_TAG_B;
	return tag == STALE_TAG_A;
}

static unsigned count_stale(struct row *r, void (*run)(const struct row *r))
{
	unsigned stale = 0;

	for (unsigned i = 0; i < r->rounds; i++)
		stale += is_stale(r, run);
	return stale;
}

/* The primitive, or NULL where inject= leaves it out. */
static void (*way_under_test(const struct row *r, enum stale_primitive p))(const struct row *r)
{
	if (inject_is(INJECT_SKIP_LOCAL))
		return NULL;
	if (inject_is(INJECT_NO_GLOBAL) && r->cell.global && !r->cell.psc)
		return NULL;
	return ways[p].run;
}

static void tell_control(struct row *r, enum stale_primitive p, unsigned nothing,
			 struct check_report *report)
{
	char why[CHECK_TEXT_MAX];
	const struct need need = {.features = ways[p].unrelated_needs};
	size_t n = format(report->control, sizeof(report->control),
			  "control saw %u of %u stale with no flush", nothing, r->rounds);

	if (ways[p].unrelated && need_met(&need, why, sizeof(why)))
		format(report->control + n, sizeof(report->control) - n, ", %u with %s",
		       count_stale(r, ways[p].unrelated), ways[p].unrelated_name);
}

static enum check_result judge(struct row *r, enum stale_primitive p, struct check_report *report)
{
	unsigned nothing = count_stale(r, NULL), stale;

	if (stale_is_upset(r->not_set, r->odd, report))
		return CHECK_FAIL;
	if (nothing < STALE_MIN_CONTROL)
		return stale_end_blind(report, nothing, r->rounds);
	stale = count_stale(r, way_under_test(r, p));
	tell_control(r, p, nothing, report);
	if (stale_is_upset(r->not_set, r->odd, report))
		return CHECK_FAIL;
	if (stale_must_drop(p, r->cell)) {
		if (stale)
			return check_end(report, CHECK_FAIL, "%u of %u reads stale", stale,
					 r->rounds);
		return CHECK_PASS;
	}
	return stale_end_retention(report, stale, r->rounds);
}

static enum check_result run_row(enum stale_primitive p, struct check_report *report,
				 const struct axis_point *at)
{
	struct row r = {
		.size = (enum page_size)at->values[0],
		.cell = {.global = at->values[1],
			 .other_pcid = at->values[2],
			 .psc = at->values[3]},
		.rounds = report->suite == SUITE_FULL ? ROUNDS_FULL : ROUNDS_QUICK,
	};
	const struct need need = {
		.features = (r.cell.global ? NEED(FEATURE_PGE) : 0) |
			    (r.cell.other_pcid ? NEED(FEATURE_PCID) : 0) |
			    (r.size == PAGE_1G ? NEED(FEATURE_PAGE1G) : 0),
	};
	enum check_result result;
	const char *missing;

	if (!need_met(&need, report->why, sizeof(report->why)))
		return CHECK_SKIP;
	missing = stale_stage_set(&r.stage, r.size, r.cell.global, r.cell.psc, 1);
	if (missing) {
		result = check_end(report, CHECK_SKIP, "%s", missing);
	} else {
		stale_stage_tag(&r.stage, 0);
		result = judge(&r, p, report);
	}
	stale_stage_strike(&r.stage);
	return result;
}

static const char *const pcid_names[] = {"current", "other"};
static const char *const cache_names[] = {"leaf", "psc"};

static const struct axis page_axis = {
	.key = "page",
	.names = page_names,
	.quick = 1u << PAGE_4K | 1u << PAGE_2M,
	.nr = 3,
	.values = {PAGE_4K, PAGE_2M, PAGE_1G},
};
static const struct axis global_axis = {.key = "global", .nr = 2, .values = {0, 1}};
static const struct axis pcid_axis = {
	.key = "pcid", .names = pcid_names, .nr = 2, .values = {0, 1}};
static const struct axis cache_axis = {
	.key = "cache", .names = cache_names, .nr = 2, .values = {0, 1}};

/* The rule is about these caches alone. */
static bool is_psc(const struct axis_point *at)
{
	return at->values[3];
}

#define STALE_CHECK(symbol, primitive, suffix, text, needs, which)               \
	static enum check_result run_check_##symbol(struct check_report *report, \
						    const struct axis_point *at) \
	{                                                                        \
		return run_row(primitive, report, at);                           \
	}                                                                        \
	static const struct check check_##symbol = {                             \
		.name = "stale/" suffix,                                         \
		.what = text,                                                    \
		.need = {.features = needs},                                     \
		.axes = {&page_axis, &global_axis, &pcid_axis, &cache_axis},     \
		.applies = which,                                                \
		.run = run_check_##symbol,                                       \
	};                                                                       \
	CHECK(check_##symbol);

STALE_CHECK(invlpg, STALE_INVLPG, "invlpg", "INVLPG drops the address and the upper levels", 0,
	    NULL)
STALE_CHECK(invlpg_other, STALE_INVLPG_OTHER, "invlpg-other-address",
	    "INVLPG of any address drops the upper levels of all", 0, is_psc)
STALE_CHECK(invpcid_addr, STALE_INVPCID_ADDR, "invpcid-addr", "INVPCID type 0 drops the address",
	    NEED(FEATURE_INVPCID), NULL)
STALE_CHECK(invpcid_context, STALE_INVPCID_CONTEXT, "invpcid-context",
	    "INVPCID type 1 drops the PCID", NEED(FEATURE_INVPCID), NULL)
STALE_CHECK(invpcid_all, STALE_INVPCID_ALL, "invpcid-all", "INVPCID type 2 drops everything",
	    NEED(FEATURE_INVPCID), NULL)
STALE_CHECK(invpcid_all_nonglobal, STALE_INVPCID_ALL_NONGLOBAL, "invpcid-all-nonglobal",
	    "INVPCID type 3 drops everything but globals", NEED(FEATURE_INVPCID), NULL)
STALE_CHECK(cr3_reload, STALE_CR3_RELOAD, "cr3-reload", "MOV CR3 drops the PCID it names", 0, NULL)
STALE_CHECK(cr3_noflush, STALE_CR3_NOFLUSH, "cr3-noflush", "what MOV CR3 with bit 63 leaves",
	    NEED(FEATURE_PCID), NULL)
STALE_CHECK(cr3_switch, STALE_CR3_SWITCH, "cr3-switch", "MOV CR3 drops the other PCID it names",
	    NEED(FEATURE_PCID), NULL)
STALE_CHECK(cr4_pge, STALE_CR4_PGE, "cr4-pge", "a change of CR4.PGE drops everything",
	    NEED(FEATURE_PGE), NULL)
STALE_CHECK(cr4_pcide, STALE_CR4_PCIDE, "cr4-pcide", "clearing CR4.PCIDE drops everything",
	    NEED(FEATURE_PCID), NULL)
STALE_CHECK(cr4_rewrite, STALE_CR4_REWRITE, "cr4-rewrite", "what MOV CR4 with no change leaves", 0,
	    NULL)
STALE_CHECK(flush_all, STALE_FLUSH_ALL, "flush-all", "tlb_flush_all_local() drops everything", 0,
	    NULL)
