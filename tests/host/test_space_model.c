/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Drives the pure code of address spaces through every interleaving of up to some number of
 * operations of 3 CPUs (tests/host/space_model.h): none may leave a CPU with a translation that it
 * must not use. With one rule broken at a time the same search must find where that goes wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/host/space_model.h"

#include "tests/host/search.h"

#include <cmocka.h>

#define IPI     (1u << POLICY_IPI)
#define IPI_ALL (1u << POLICY_IPI_ALL)
#define PRIVATE (1u << POLICY_PRIVATE)

/* For struct label. */
enum what { STEP, SWITCH_TO, FLUSH_OF, EXIT_OF, SERVE, SERVED, TOUCH };

/* All that one CPU can go on with, but for a new operation. */
static void go_on_cpu(struct search *s, const struct world *w, unsigned c)
{
	const struct model_cpu *cpu = &w->cpus[c];
	struct world next = *w;

	if (cpu->serves) {
		serve_end(&next, c);
		reach(s, &next, (struct label){c, SERVED, 0, 0});
		return;
	}
	for (unsigned from = 0; may_serve(cpu) && from < config.cpus; from++) {
		if (!(w->cpus[from].asked >> c & 1))
			continue;
		next = *w;
		serve_begin(&next, c, from);
		reach(s, &next, (struct label){c, SERVE, from, 0});
	}
	if (cpu->operation == IDLE || (step_of(cpu) == WAIT && cpu->pending))
		return;
	next = *w;
	take_step(&next, c);
	reach(s, &next, (struct label){c, STEP, step_of(cpu), 0});
}

static void touch(struct search *s, const struct world *w, unsigned c)
{
	for (unsigned p = 0; w->cpus[c].space && p < config.pages; p++) {
		struct world next = *w;

		fill(&next, &next.cpus[c], p);
		reach(s, &next, (struct label){c, TOUCH, 0, p});
	}
}

/* Every operation that the CPU can begin. */
static void begin(struct search *s, const struct world *w, unsigned c)
{
	if (w->cpus[c].operation != IDLE || w->cpus[c].serves)
		return;
	for (unsigned space = 0; space <= config.spaces; space++) {
		struct world next = *w;

		if (space == w->cpus[c].space)
			continue;
		begin_switch(&next, c, space);
		reach(s, &next, (struct label){c, SWITCH_TO, space, 0});
	}
	for (unsigned space = 1; space <= config.spaces; space++) {
		for (unsigned what = 0; may_flush(w, space) && what < POLICY_COUNT * 3; what++) {
			unsigned page = what % 3, policy = what / 3;
			struct world next = *w;

			if (!(config.policies >> policy & 1) ||
			    (page != ALL_PAGES && page >= config.pages))
				continue;
			begin_flush(&next, c, space, page, policy);
			reach(s, &next, (struct label){c, FLUSH_OF, space, page});
		}
	}
}

static void begin_exits(struct search *s, const struct world *w)
{
	for (unsigned space = 1; config.exits && space <= config.spaces; space++) {
		struct world next = *w;

		if (!may_exit(w, space))
			continue;
		exit_space(&next, space);
		reach(s, &next, (struct label){0, EXIT_OF, space, 0});
	}
}

static void make_comparable(struct world *w)
{
	if (!config.touches)
		fill_all(w);
}

static void go_on(struct search *s, const struct world *w)
{
	for (unsigned c = 0; c < config.cpus; c++) {
		go_on_cpu(s, w, c);
		if (config.touches)
			touch(s, w, c);
	}
}

static void begin_any(struct search *s, const struct world *w)
{
	begin_exits(s, w);
	for (unsigned c = 0; c < config.cpus; c++)
		begin(s, w, c);
}

static void search_all(struct search *s, struct model_config how, unsigned operations)
{
	struct world w;

	config = how;
	begin_world(&w);
	search_from(s, &w, operations);
}

/* How the wrong state came about, last step first. */
static void print_path(const struct search *s)
{
	static const char *const names[] = {"step",  "switch to", "flush of", "exit of",
					    "serve", "served",    "touch"};

	for (uint64_t key = s->wrong; key;) {
		const struct seen *seen = find(s, key);

		print_message("CPU %u: %s %u, page %u\n", seen->label.cpu, names[seen->label.what],
			      seen->label.space, seen->label.page);
		key = seen->parent;
	}
}

/* How far, and by which policies: all rows have 3 CPUs. */
struct row {
	unsigned operations, policies, spaces, pages;
	uint32_t asids;
	bool pcid, touches;
};

static struct model_config config_of(const struct row *r, enum rule broken)
{
	return (struct model_config){
		.asids = r->asids,
		.pcid = r->pcid,
		.touches = r->touches,
		.exits = true,
		.policies = r->policies,
		.cpus = 3,
		.spaces = r->spaces,
		.pages = r->pages,
		.broken = broken,
	};
}

static void nothing_is_stale(void **unused)
{
	static const struct row rows[] = {
		{3, IPI | IPI_ALL | PRIVATE, 2, 1, 2, true, false},
		{3, IPI | PRIVATE, 2, 2, 2, true, false},
		{4, IPI, 2, 1, 2, true, false},
		{4, PRIVATE, 2, 1, 2, true, false},
		{4, IPI | PRIVATE, 1, 2, 2, true, false},
		{3, IPI | PRIVATE, 2, 1, 2, true, true},
		{4, IPI | PRIVATE, 1, 1, 1, true, false},
		{3, IPI | PRIVATE, 2, 1, 1, false, false},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct search s;

		search_all(&s, config_of(&rows[i], RULE_NONE), rows[i].operations);
		print_message("row %zu, %u operations: %lu states\n", i, rows[i].operations,
			      s.states);
		if (s.wrong)
			print_path(&s);
		assert(!s.wrong && s.states > 1000);
		forget(&s);
	}
}

/* Broken one at a time, each is found. */
static void a_broken_rule_is_found(void **unused)
{
	static const struct row rows[RULE_COUNT] = {
		[RULE_SKIP_REMOTE] = {3, IPI, 1, 1, 2, true, false},
		[RULE_EARLY_ACK] = {3, IPI, 1, 1, 2, true, false},
		[RULE_SHORT_RANGE] = {3, IPI, 1, 1, 2, true, false},
		[RULE_STALE_ASID] = {4, IPI, 2, 1, 2, true, false},
		[RULE_LATE_SET] = {3, IPI, 1, 1, 2, true, false},
		[RULE_SKIP_GENERATION] = {4, IPI, 1, 1, 2, true, false},
		[RULE_OWNER_UNCHECKED] = {4, PRIVATE, 1, 1, 2, true, false},
		[RULE_LEAVE_EARLY] = {3, IPI, 2, 1, 2, true, false},
		[RULE_READ_EARLY] = {4, IPI, 2, 1, 2, true, false},
		[RULE_ADVANCE_EARLY] = {3, IPI, 1, 1, 2, true, false},
		[RULE_ADVANCE_LATE] = {4, IPI, 2, 1, 2, true, false},
		[RULE_ALWAYS_RANGE] = {4, IPI, 1, 2, 2, true, false},
		[RULE_REUSE_ID] = {4, IPI, 2, 1, 2, true, false},
	};

	(void)unused;
	for (unsigned rule = RULE_NONE + 1; rule < RULE_COUNT; rule++) {
		struct search s;

		search_all(&s, config_of(&rows[rule], (enum rule)rule), rows[rule].operations);
		print_message("rule %u broken: %s within %lu states\n", rule,
			      s.wrong ? "found" : "not found", s.states);
		assert(s.wrong);
		forget(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_stale),
		cmocka_unit_test(a_broken_rule_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
