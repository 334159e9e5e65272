/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that a flush of a range takes every page in it, on every CPU: for no page, one, as many as
 * are invalidated one by one, and one more; across the end of 2 MiB and of 1 GiB; with a start and an
 * end within pages. Pages outside may keep or lose what is cached of them.
 */
#include "arch/x86/insn.h"
#include "kernel/format.h"
#include "kernel/harness/check.h"
#include "kernel/harness/space_axes.h"
#include "mm/frames.h"
#include "mm/shootdown.h"
#include "tests/check/puppets.h"
#include "tests/check/stale_rules.h"
#include "tests/check/stale_verdict.h"

#define ROUNDS    15u  /* of each kind: enough for the control with one page and CPU */
#define PAGES_MAX 512u /* that a row maps */

enum { AT_PAGES, AT_WHERE, AT_HALF };
enum { PAGES_NONE, PAGES_ONE, PAGES_CEILING, PAGES_ABOVE };

static const char *const pages_names[] = {"0", "1", "ceiling", "ceiling+1", NULL};
static const char *const where_names[] = {"2m", "1g", "within", NULL};

static const struct axis pages_axis = {
	.key = "pages",
	.names = pages_names,
	.nr = 4,
	.values = {0, 1, 2, 3},
};

enum where { ACROSS_2M, ACROSS_1G, WITHIN_PAGES };

static const struct axis where_axis = {
	.key = "across",
	.names = where_names,
	.nr = 3,
	.values = {0, 1, 2},
};

static struct {
	struct address_space space;
	uint64_t frames[2]; /* the same for all pages: only the tags count */
	uint64_t first;     /* address of the first page that is flushed */
	uint64_t nr;        /* of those */
	bool user;
	bool within; /* start and end are not at the ends of pages */
	uint32_t stale, stale_cpu, control, of_control;
	bool mute;
} row;

static uint64_t nr_of(uint32_t pages)
{
	switch (pages) {
	case PAGES_CEILING:
		return shootdown_ceiling();
	case PAGES_ABOVE:
		return shootdown_ceiling() + 1;
	default:
		return pages;
	}
}

static uint64_t entry_of(uint64_t page, unsigned memory)
{
	uint64_t *entry = paging_entry(&row.space.tables, row.first + page * FRAME_SIZE, NULL);

	return (*entry & ~PTE_ADDR_MASK) | row.frames[memory];
}

static void point(unsigned memory)
{
	for (uint64_t i = 0; i < row.nr; i++)
		address_space_exchange(&row.space, row.first + i * FRAME_SIZE, entry_of(i, memory));
}

static void flush(uint64_t start, uint64_t end)
{
	row.mute |= !address_space_flush_range(&row.space, start, end, FRAME_SIZE, false);
}

static void flush_row(void)
{
	uint64_t end = row.first + row.nr * FRAME_SIZE;

	if (row.within && row.nr)
		flush(row.first + FRAME_SIZE - 1, end - FRAME_SIZE + 1);
	else
		flush(row.first, end);
}

static void look(void)
{
	struct puppet_look at = {row.first, FRAME_SIZE, row.nr, false, row.user};

	row.mute |= !puppets_look(&at);
}

static void play(bool with_flush)
{
	look();
	point(1);
	if (with_flush)
		flush_row();
	look();
	for (uint32_t i = 0; i <= puppets_count(); i++) {
		uint32_t old = puppet_sight(i)->old;

		if (!with_flush) {
			row.control += old;
			row.of_control += row.nr;
		} else if (old) {
			row.stale += old;
			row.stale_cpu = puppet_cpu(i);
		}
	}
	point(0);
	flush(0, FLUSH_TO_END);
}

static const char *set_up(const struct axis_point *at)
{
	uint64_t border = at->values[AT_WHERE] == ACROSS_1G ? 0x80000000 : 0x40200000;

	row.nr = nr_of(at->values[AT_PAGES]);
	row.user = at->values[AT_HALF];
	row.within = at->values[AT_WHERE] == WITHIN_PAGES;
	row.first = border - (row.nr + 1) / 2 * FRAME_SIZE;
	if (row.nr > PAGES_MAX)
		return "ceiling= is above 511 pages";
	for (unsigned i = 0; i < 2; i++) {
		row.frames[i] = frame_alloc_zeroed();
		if (!row.frames[i])
			return "no memory for its pages";
		*(uint64_t *)phys_to_virt(row.frames[i]) = i ? PUPPET_TAG_NEW : PUPPET_TAG_OLD;
	}
	if (!address_space_create(&row.space, space_policy_default(), space_axes_pti()))
		return "no memory for an address space";
	for (uint64_t i = 0; i < row.nr; i++) {
		if (!address_space_map(&row.space, row.first + i * FRAME_SIZE, row.frames[0],
				       PAGE_4K, 0))
			return "no memory for its tables";
	}
	return NULL;
}

static void strike(void)
{
	for (unsigned i = 0; i < 2; i++) {
		if (row.frames[i])
			frames_free(row.frames[i], 1);
	}
	if (row.space.tables.root)
		address_space_destroy(&row.space);
}

/* Nothing is to be flushed, so nobody may be asked. */
static enum check_result judge_empty(struct check_report *report)
{
	uint64_t before = shootdown_counts(0)->flushes;

	flush_row();
	if (shootdown_counts(0)->flushes != before)
		return check_end(report, CHECK_FAIL, "an empty range was flushed");
	return CHECK_PASS;
}

static enum check_result verdict(struct check_report *report)
{
	format(report->control, sizeof(report->control), "%u of %u looks stale with no flush",
	       row.control, row.of_control);
	if (row.mute)
		return check_end(report, CHECK_FAIL, "a CPU did not answer in time");
	if (row.stale)
		return check_end(
			report, CHECK_FAIL,
			"%u looks at pages in the range saw the old one, the last on CPU %u",
			row.stale, row.stale_cpu);
	if (row.control < STALE_MIN_CONTROL)
		return stale_end_blind(report, row.control, row.of_control);
	return CHECK_PASS;
}

static enum check_result play_rounds(struct check_report *report)
{
	row.mute = !puppets_begin();
	row.mute = row.mute || !puppets_switch(NULL, &row.space);
	for (unsigned i = 0; i < 2 * ROUNDS && !row.mute; i++)
		play(i % 2);
	row.mute |= !puppets_end();
	return verdict(report);
}

static enum check_result run(struct check_report *report, const struct axis_point *at)
{
	const char *why = set_up(at);
	enum check_result result;

	row.stale = row.control = row.of_control = 0;
	row.mute = false;
	if (why)
		result = check_end(report, CHECK_SKIP, "%s", why);
	else
		result = row.nr ? play_rounds(report) : judge_empty(report);
	if (!row.mute)
		strike();
	return result;
}

static bool applies(const struct axis_point *p)
{
	/* Part of a page is the page. */
	return space_half_applies(p->values[AT_HALF]) &&
	       (p->values[AT_WHERE] != WITHIN_PAGES || p->values[AT_PAGES] > PAGES_ONE);
}

static const struct check edges = {
	.name = "stale/shootdown-edges",
	.what = "a flush takes all pages of its range",
	.axes = {&pages_axis, &where_axis, &space_half_axis},
	.applies = applies,
	.run = run,
};
CHECK(edges);
