/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves for each form of INVLPGB that on every CPU, once a TLBSYNC is over, what the manual obliges
 * it to drop is gone (tests/check/invlpgb_rules.h), and tells how much of the rest survived: a valid
 * bit that is left out shows there.
 *
 * All CPUs read a page of the stage that the other staleness checks use; the entry changes; CPU 0,
 * or the last CPU, runs INVLPGB, and CPU 0 or the last CPU TLBSYNC; all read again. In half of the
 * rounds neither is run: the control. A guest's entry is the model's alone to have.
 */
#include "arch/x86/invlpgb.h"
#include "arch/x86/invlpgb_model.h"
#include "arch/x86/tlb.h"
#include "kernel/format.h"
#include "kernel/harness/check.h"
#include "kernel/harness/invlpgb_axes.h"
#include "kernel/harness/page_names.h"
#include "kernel/harness/space_axes.h"
#include "kernel/inject.h"
#include "mm/broadcast.h"
#include "mm/kernel_space.h"
#include "tests/check/invlpgb_rules.h"
#include "tests/check/puppets.h"
#include "tests/check/stale_stage.h"
#include "tests/check/stale_verdict.h"

#define ROUNDS_FULL 200u /* of each kind */

/* A row while it runs; the puppets read it, and count. */
static struct {
	struct stale_stage stage;
	enum page_size size;
	uint64_t pcid; /* under which the entry is made and read */
	bool global, psc, guest;
	struct invlpgb_request request;
	bool must_drop;
	bool by_last;      /* INVLPGB is run by the last CPU */
	bool sync_by_last; /* and so is TLBSYNC */

	uint32_t stale, odd, not_set;
	bool mute;
} row;

static void count(uint32_t *counter, bool yes)
{
	__atomic_fetch_add(counter, yes, __ATOMIC_RELAXED);
}

/* Without PCIDs there is 0 only. */
static uint64_t read_under(uint64_t pcid, uint64_t va)
{
	uint64_t flags = irq_save(), tag;

	if (pcid)
		write_cr3(kernel_tables.root | pcid | CR3_NOFLUSH);
	tag = stale_read(va);
	if (pcid)
		write_cr3(kernel_tables.root | STALE_PCID_CURRENT | CR3_NOFLUSH);
	irq_restore(flags);
	return tag;
}

static void fill(void)
{
	tlb_flush_all_local();
	if (row.guest)
		invlpgb_model_fill_guest();
	else
		count(&row.not_set, read_under(row.pcid, row.stage.read_first) != STALE_TAG_A);
}

static void look(void)
{
	uint64_t tag;

	if (row.guest) {
		count(&row.stale, invlpgb_model_has_guest());
		return;
	}
	tag = read_under(row.pcid, row.stage.read_then);
	count(&row.stale, tag == STALE_TAG_A);
	count(&row.odd, tag != STALE_TAG_A && tag != STALE_TAG_B);
}

static void issue(void)
{
	invlpgb(broadcast_as_injected(row.request));
}

static void sync(void)
{
	if (!inject_is(INJECT_SKIP_TLBSYNC))
		tlbsync();
}

static bool is_first(uint32_t puppet)
{
	return !puppet;
}

static bool is_last(uint32_t puppet)
{
	return puppet == puppets_count();
}

/* How many CPUs were stale. What is left to be waited for is waited for in the end. */
static uint32_t play(bool with)
{
	uint32_t before = row.stale;

	stale_stage_point(&row.stage, row.stage.before);
	row.mute |= !puppets_do(NULL, fill);
	stale_stage_point(&row.stage, row.stage.after);
	if (with) {
		row.mute |= !puppets_do(row.by_last ? is_last : is_first, issue);
		row.mute |= !puppets_do(row.sync_by_last ? is_last : is_first, sync);
	}
	row.mute |= !puppets_do(NULL, look);
	if (row.by_last != row.sync_by_last)
		row.mute |= !puppets_do(row.by_last ? is_last : is_first, tlbsync);
	return row.stale - before;
}

static unsigned rounds_for(enum suite suite)
{
	return suite == SUITE_FULL ? ROUNDS_FULL : STALE_MIN_CONTROL / (1 + puppets_count()) + 2;
}

/* Those two faults drop too much: what survives is where they show. */
static enum check_result end_retention(struct check_report *report, uint32_t kept, uint32_t of)
{
	if (!inject_is(INJECT_NO_VA_VALID) && !inject_is(INJECT_NO_ASID_VALID))
		return stale_end_retention(report, kept, of);
	report->kept = kept;
	report->of = of;
	return CHECK_RETENTION;
}

static enum check_result judge(struct check_report *report)
{
	unsigned rounds = rounds_for(report->suite), of = rounds * (1 + puppets_count());
	uint32_t nothing = 0, stale = 0;

	for (unsigned i = 0; i < rounds && !row.mute; i++) {
		nothing += play(false);
		stale += play(true);
	}
	format(report->control, sizeof(report->control), "%u of %u reads stale without it", nothing,
	       of);
	if (row.mute)
		return check_end(report, CHECK_FAIL, "a CPU did not answer in time");
	if (stale_is_upset(row.not_set, row.odd, report))
		return CHECK_FAIL;
	if (nothing < STALE_MIN_CONTROL)
		return stale_end_blind(report, nothing, of);
	if (!row.must_drop)
		return end_retention(report, stale, of);
	if (stale)
		return check_end(report, CHECK_FAIL, "%u of %u reads stale", stale, of);
	return CHECK_PASS;
}

/* The row's kind of entry is set; `choose` sets the request, once it is known where the page is. */
static enum check_result run_row(struct check_report *report, const struct axis_point *at,
				 void (*choose)(const struct axis_point *at))
{
	const struct need need = {.features = (row.global ? NEED(FEATURE_PGE) : 0) |
					      (row.pcid ? NEED(FEATURE_PCID) : 0)};
	enum check_result result;
	const char *missing;

	if (!need_met(&need, report->why, sizeof(report->why)))
		return CHECK_SKIP;
	missing = stale_stage_set(&row.stage, row.size, row.global, row.psc, 1);
	if (missing) {
		stale_stage_strike(&row.stage);
		return check_end(report, CHECK_SKIP, "%s", missing);
	}
	stale_stage_tag(&row.stage, 0);
	choose(at);
	row.mute = !puppets_begin();
	result = judge(report);
	row.mute |= !puppets_end();
	if (!row.mute)
		stale_stage_strike(&row.stage);
	return result;
}

/*
 * stale/invlpgb
 */

enum { AT_VALID, AT_GLOBAL, AT_FINAL, AT_ENTRY };

static const char *const entry_names[] = {
	[ENTRY_NAMED] = "named",           [ENTRY_NAMED_PCID] = "named-pcid",
	[ENTRY_OTHER_PCID] = "other-pcid", [ENTRY_OTHER_PAGE] = "other-page",
	[ENTRY_GLOBAL] = "global",         [ENTRY_UPPER] = "upper",
	[ENTRY_GUEST] = "guest",           [INVLPGB_ENTRIES] = NULL,
};

static const struct axis with_global_axis = {.key = "global", .nr = 2, .values = {0, 1}};
static const struct axis entry_axis = {
	.key = "entry",
	.names = entry_names,
	.nr = INVLPGB_ENTRIES,
	.values = {ENTRY_NAMED, ENTRY_NAMED_PCID, ENTRY_OTHER_PCID, ENTRY_OTHER_PAGE, ENTRY_GLOBAL,
		   ENTRY_UPPER, ENTRY_GUEST},
};

static uint32_t flags_at(const struct axis_point *at)
{
	return at->values[AT_VALID] | (at->values[AT_GLOBAL] ? INVLPGB_GLOBAL : 0) |
	       (at->values[AT_FINAL] ? INVLPGB_FINAL : 0);
}

static void choose_form(const struct axis_point *at)
{
	enum invlpgb_entry entry = at->values[AT_ENTRY];
	uint64_t page = entry == ENTRY_OTHER_PAGE ? row.stage.unrelated : row.stage.read_then;
	uint32_t flags = flags_at(at);

	row.request = (struct invlpgb_request){
		.flags = flags,
		.va = flags & INVLPGB_VA ? page : 0,
		.nr_pages = 1,
		.pcid = flags & INVLPGB_PCID && entry == ENTRY_NAMED_PCID ? STALE_PCID_OTHER : 0,
	};
}

static enum check_result run_form(struct check_report *report, const struct axis_point *at)
{
	enum invlpgb_entry entry = at->values[AT_ENTRY];

	row = (typeof(row)){
		.size = PAGE_4K,
		.pcid = entry == ENTRY_NAMED_PCID || entry == ENTRY_OTHER_PCID ? STALE_PCID_OTHER
									       : 0,
		.global = entry == ENTRY_GLOBAL,
		.psc = entry == ENTRY_UPPER,
		.guest = entry == ENTRY_GUEST,
		.must_drop = invlpgb_must_drop(flags_at(at), entry),
	};
	return run_row(report, at, choose_form);
}

static bool form_applies(const struct axis_point *at)
{
	return invlpgb_final_applies(at->values[AT_VALID], at->values[AT_FINAL]) &&
	       (at->values[AT_ENTRY] != ENTRY_GUEST || space_broadcast_is_modelled());
}

static const struct check form = {
	.name = "stale/invlpgb",
	.what = "each form of INVLPGB drops on every CPU what it must",
	.need = {.features = NEED(FEATURE_INVLPGB)},
	.axes = {&invlpgb_valid_axis, &with_global_axis, &invlpgb_final_axis, &entry_axis},
	.applies = form_applies,
	.run = run_form,
};
CHECK(form);

/*
 * stale/invlpgb-range: the page is in a range, at either end of it, or next to it.
 */

enum { AT_PAGE, AT_PAGES, AT_PLACE };
enum place { PLACE_FIRST, PLACE_LAST, PLACE_BEFORE, PLACE_BEHIND };
enum { PAGES_ONE, PAGES_MAX };

static const char *const pages_names[] = {"1", "max", NULL};
static const char *const place_names[] = {"first", "last", "before", "behind", NULL};

static const struct axis page_axis = {
	.key = "page", .names = page_names, .nr = 2, .values = {PAGE_4K, PAGE_2M}};
static const struct axis pages_axis = {
	.key = "pages", .names = pages_names, .nr = 2, .values = {PAGES_ONE, PAGES_MAX}};
static const struct axis place_axis = {
	.key = "place",
	.names = place_names,
	.nr = 4,
	.values = {PLACE_FIRST, PLACE_LAST, PLACE_BEFORE, PLACE_BEHIND},
};

static void choose_range(const struct axis_point *at)
{
	uint64_t bytes = page_bytes(row.size), va = row.stage.read_then;
	uint32_t n = at->values[AT_PAGES] == PAGES_MAX && invlpgb_limits.max_pages
			     ? invlpgb_limits.max_pages
			     : 1;

	switch ((enum place)at->values[AT_PLACE]) {
	case PLACE_FIRST:
		break;
	case PLACE_LAST:
		va -= (n - 1) * bytes;
		break;
	case PLACE_BEFORE:
		va += bytes;
		break;
	case PLACE_BEHIND:
		va -= n * bytes;
		break;
	}
	row.request = invlpgb_of_pages(STALE_PCID_CURRENT, va, n,
				       row.size == PAGE_2M ? INVLPGB_2M : INVLPGB_4K, false);
}

static enum check_result run_range(struct check_report *report, const struct axis_point *at)
{
	row = (typeof(row)){
		.size = at->values[AT_PAGE],
		.must_drop = at->values[AT_PLACE] <= PLACE_LAST,
	};
	return run_row(report, at, choose_range);
}

static const struct check range = {
	.name = "stale/invlpgb-range",
	.what = "INVLPGB of several pages drops the first and the last on every CPU",
	.need = {.features = NEED(FEATURE_INVLPGB)},
	.axes = {&page_axis, &pages_axis, &place_axis},
	.run = run_range,
};
CHECK(range);

/*
 * stale/tlbsync: it waits for what its own CPU has asked for, and need not for what another has.
 */

static const char *const by_names[] = {"issuer", "other", NULL};
static const struct axis by_axis = {.key = "tlbsync", .names = by_names, .nr = 2, .values = {0, 1}};

static void choose_page(const struct axis_point *at)
{
	(void)at;
	row.request =
		invlpgb_of_pages(STALE_PCID_CURRENT, row.stage.read_then, 1, INVLPGB_4K, false);
}

static enum check_result run_tlbsync(struct check_report *report, const struct axis_point *at)
{
	row = (typeof(row)){
		.size = PAGE_4K,
		.by_last = true,
		.sync_by_last = !at->values[0],
		.must_drop = !at->values[0],
	};
	return run_row(report, at, choose_page);
}

static const struct check tlbsync_check = {
	.name = "stale/tlbsync",
	.what = "TLBSYNC waits for the INVLPGBs of its own CPU",
	.need = {.features = NEED(FEATURE_INVLPGB), .cpus = 2},
	.axes = {&by_axis},
	.run = run_tlbsync,
};
CHECK(tlbsync_check);
