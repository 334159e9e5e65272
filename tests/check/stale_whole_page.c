/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that one INVLPG, anywhere in a large page, drops what this CPU caches of all of it. A CPU
 * may keep a large page as several smaller entries (Intel SDM vol. 3A, "Details of TLB Use"), and
 * INVLPG must drop them all. The page is read at many offsets, then it is mapped elsewhere, INVLPG
 * runs at one of them, each in its turn, and none of the reads after it may be stale. Control: the
 * same without INVLPG.
 *
 * With 1 GiB the offsets are in four pieces of 2 MiB, and the change splits the page into those, so
 * that INVLPG finds a smaller one in the tables. Whether it must then drop what is left of the old
 * one elsewhere can be argued; it is told and not judged.
 */
#include <stddef.h>

#include "arch/x86/tlb.h"
#include "kernel/format.h"
#include "kernel/harness/check.h"
#include "kernel/harness/page_names.h"
#include "kernel/inject.h"
#include "mm/frames.h"
#include "tests/check/stale_stage.h"
#include "tests/check/stale_verdict.h"

#define ROUNDS_QUICK 32u
#define ROUNDS_FULL  320u
#define OFFSETS      32u
#define PIECES_1G    4u

struct page {
	struct stale_stage stage;
	enum page_size size;
	bool global;
	unsigned rounds;
	unsigned odd;     /* reads after the change that gave neither tag */
	unsigned not_set; /* reads before it that did not give A's */
};

struct seen {
	unsigned a, b; /* reads that gave the tag of each memory */
};

struct stale_count {
	unsigned reads, rounds; /* that were stale; in which one was */
};

/* An odd number of pages apart, so that they do not all meet in a few sets of a TLB. */
static uint64_t offset_of(const struct page *p, unsigned i)
{
	uint64_t apart = p->stage.frames_a / OFFSETS - 1;

	return i * apart * FRAME_SIZE + i * 64;
}

static struct seen read_all(const struct page *p)
{
	struct seen seen = {0, 0};

	for (unsigned i = 0; i < OFFSETS; i++) {
		uint64_t tag = stale_read(p->stage.read_first + offset_of(p, i));

		seen.a += tag == STALE_TAG_A;
		seen.b += tag == STALE_TAG_B;
	}
	return seen;
}

static struct stale_count count_stale(struct page *p, bool flush)
{
	const struct stale_stage *s = &p->stage;
	struct stale_count count = {0, 0};

	for (unsigned round = 0; round < p->rounds; round++) {
		uint64_t flags = irq_save();
		struct seen seen;

		stale_stage_point(s, s->before);
		tlb_flush_all_local();
		p->not_set += OFFSETS - read_all(p).a;
		stale_stage_point(s, s->after);
		if (flush)
			tlb_flush_page_local(s->read_first + offset_of(p, round % OFFSETS));
		seen = read_all(p);
		irq_restore(flags);
		p->odd += OFFSETS - seen.a - seen.b;
		count.reads += seen.a;
		count.rounds += seen.a > 0;
	}
	return count;
}

static enum check_result judge(struct page *p, struct check_report *report)
{
	bool skip = inject_is(INJECT_SKIP_LOCAL) || (inject_is(INJECT_NO_GLOBAL) && p->global);
	struct stale_count nothing = count_stale(p, false), stale = count_stale(p, !skip);
	unsigned of = p->rounds * OFFSETS;

	format(report->control, sizeof(report->control),
	       "control saw %u of %u stale with no flush, in %u of %u rounds", nothing.reads, of,
	       nothing.rounds, p->rounds);
	if (stale_is_upset(p->not_set, p->odd, report))
		return CHECK_FAIL;
	if (nothing.rounds < STALE_MIN_CONTROL)
		return stale_end_blind(report, nothing.rounds, p->rounds);
	if (p->size == PAGE_1G)
		return stale_end_retention(report, stale.reads, of);
	if (stale.reads)
		return check_end(report, CHECK_FAIL, "%u of %u reads stale", stale.reads, of);
	return CHECK_PASS;
}

static enum check_result run(struct check_report *report, const struct axis_point *at)
{
	struct page p = {
		.size = (enum page_size)at->values[0],
		.global = at->values[1],
		.rounds = report->suite == SUITE_FULL ? ROUNDS_FULL : ROUNDS_QUICK,
	};
	const struct need need = {
		.features = (p.global ? NEED(FEATURE_PGE) : 0) |
			    (p.size == PAGE_1G ? NEED(FEATURE_PAGE1G) : 0),
	};
	enum check_result result;
	const char *missing;

	if (!need_met(&need, report->why, sizeof(report->why)))
		return CHECK_SKIP;
	missing = stale_stage_set(&p.stage, p.size, p.global, false,
				  p.size == PAGE_1G ? PIECES_1G : 1);
	if (missing) {
		result = check_end(report, CHECK_SKIP, "%s", missing);
	} else {
		for (unsigned i = 0; i < OFFSETS; i++)
			stale_stage_tag(&p.stage, offset_of(&p, i));
		result = judge(&p, report);
	}
	stale_stage_strike(&p.stage);
	return result;
}

static const struct axis page_axis = {
	.key = "page", .names = page_names, .nr = 2, .values = {PAGE_2M, PAGE_1G}};
static const struct axis global_axis = {.key = "global", .nr = 2, .values = {0, 1}};

static const struct check invlpg_whole_page = {
	.name = "stale/invlpg-whole-page",
	.what = "one INVLPG drops all that is cached of a large page",
	.axes = {&page_axis, &global_axis},
	.run = run,
};
CHECK(invlpg_whole_page);
