/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Drives global ASIDs through every interleaving of up to some number of operations of 3 CPUs with 2
 * spaces and 3 global ASIDs (tests/host/global_asid_model.h): none may leave a CPU with a translation
 * that it must not use. With one rule broken at a time the same search must find where that goes
 * wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/host/global_asid_model.h"

#include "tests/host/search.h"

#include <cmocka.h>

/* For struct label. */
enum what { STEP, SWITCH_TO, FLUSH_OF, EXIT_OF, SERVE };

static void make_comparable(struct world *w)
{
	fill_all(w);
}

static void reach_step(struct search *s, const struct world *w, unsigned c)
{
	struct world next = *w;
	enum step step = step_of(&w->cpus[c]);

	take_step(&next, c);
	reach(s, &next, (struct label){(uint8_t)c, STEP, (uint8_t)step, 0});
	if (step == CONSIDER) {
		/* Another flush may be the one that looks whether the space is due. */
		next = *w;
		give_up(&next, &next.cpus[c]);
	} else if (step == INVLPGB || step == ROLL) {
		carry_out(&next, &next.cpus[c]);
	} else {
		return;
	}
	reach(s, &next, (struct label){(uint8_t)c, STEP, (uint8_t)step, 1});
}

/* All that one CPU can go on with, but for a new operation. */
static void go_on_cpu(struct search *s, const struct world *w, unsigned c)
{
	const struct model_cpu *cpu = &w->cpus[c];
	struct world next = *w;

	if (cpu->serves) {
		serve_step(&next, c);
		reach(s, &next, (struct label){(uint8_t)c, SERVE, cpu->serve, 1});
		return;
	}
	for (unsigned from = 0; may_serve(cpu) && from < CPUS; from++) {
		if (!(w->cpus[from].asked >> c & 1))
			continue;
		next = *w;
		serve_begin(&next, c, from);
		reach(s, &next, (struct label){(uint8_t)c, SERVE, (uint8_t)from, 0});
	}
	if (cpu->operation != IDLE && !is_waiting(w, cpu))
		reach_step(s, w, c);
}

static void go_on(struct search *s, const struct world *w)
{
	for (unsigned c = 0; c < CPUS; c++)
		go_on_cpu(s, w, c);
}

/* Every operation that the CPU can begin. */
static void begin(struct search *s, const struct world *w, unsigned c)
{
	if (w->cpus[c].operation != IDLE || w->cpus[c].serves || !(config.beginners >> c & 1))
		return;
	for (unsigned space = 0; space <= config.spaces; space++) {
		struct world next = *w;

		if (space == w->cpus[c].space)
			continue;
		begin_switch(&next, c, space);
		reach(s, &next, (struct label){(uint8_t)c, SWITCH_TO, (uint8_t)space, 0});
	}
	for (unsigned space = 1; space <= config.spaces; space++) {
		unsigned kinds = config.second == SECOND_TABLE ? 2 : 1;

		for (unsigned all = 0; may_flush(w, space) && all < kinds; all++) {
			struct world next = *w;

			begin_flush(&next, c, space, all);
			reach(s, &next,
			      (struct label){(uint8_t)c, FLUSH_OF, (uint8_t)space, (uint8_t)all});
		}
	}
}

static void begin_any(struct search *s, const struct world *w)
{
	for (unsigned space = 1; space <= config.spaces; space++) {
		struct world next = *w;

		if (!may_exit(w, space))
			continue;
		exit_space(&next, space);
		reach(s, &next, (struct label){0, EXIT_OF, (uint8_t)space, 0});
	}
	for (unsigned c = 0; c < CPUS; c++)
		begin(s, w, c);
}

/* What has happened before the search begins, one after another. */
struct before {
	enum what what;
	unsigned cpu, space;
};

#define RUN(cpu, space)               \
	{                             \
		SWITCH_TO, cpu, space \
	}
#define FLUSH(cpu, space)            \
	{                            \
		FLUSH_OF, cpu, space \
	}
#define NOTHING_MORE       \
	{                  \
		STEP, 0, 0 \
	}

enum start {
	START_DYNAMIC, /* CPUs 0 and 1 run space 1 */
	START_GIVEN,   /* the same, and it has just been given a global ASID */
	START_OVER,    /* the same, and all run under it */
	START_SECOND,  /* space 2 has one; CPU 2 runs it, CPUs 0 and 1 run space 1 */
	START_LEFT,    /* the same, but CPU 2 has left it */
	START_COUNT
};

#define SECOND RUN(1, 2), RUN(2, 2), FLUSH(2, 2), FLUSH(2, 2), RUN(0, 1), RUN(1, 1)

static const struct before starts[START_COUNT][8] = {
	[START_DYNAMIC] = {RUN(0, 1), RUN(1, 1), NOTHING_MORE},
	[START_GIVEN] = {RUN(0, 1), RUN(1, 1), FLUSH(0, 1), NOTHING_MORE},
	[START_OVER] = {RUN(0, 1), RUN(1, 1), FLUSH(0, 1), FLUSH(0, 1), NOTHING_MORE},
	[START_SECOND] = {SECOND, NOTHING_MORE},
	[START_LEFT] = {SECOND, RUN(2, 0), NOTHING_MORE},
};

/* One thing after another until there is no more. */
static void finish(struct world *w)
{
	for (unsigned i = 0; i < 100; i++) {
		for (unsigned c = 0; c < CPUS; c++) {
			struct model_cpu *cpu = &w->cpus[c];

			fill_all(w);
			for (unsigned from = 0; from < CPUS; from++) {
				if (may_serve(cpu) && w->cpus[from].asked >> c & 1)
					serve_begin(w, c, from);
			}
			if (cpu->serves)
				serve_step(w, c);
			else if (cpu->operation != IDLE && !is_waiting(w, cpu))
				take_step(w, c);
		}
	}
	for (unsigned c = 0; c < CPUS; c++)
		assert(w->cpus[c].operation == IDLE && !w->cpus[c].asked);
	fill_all(w);
}

struct row {
	unsigned operations, spaces, beginners;
	enum start start;
	bool used_up; /* global ASIDs that nobody has then must be freed by a rollover */
	enum second second;
	uint32_t dynamic, globals, cpus_over;
};

#define ANY 7 /* CPU */

static void begin_row(struct world *w, const struct row *r, enum rule broken)
{
	config = (struct model_config){
		.dynamic = r->dynamic,
		.globals = r->globals,
		.cpus_over = r->cpus_over,
		.spaces = r->spaces,
		.beginners = r->beginners,
		.second = r->second,
		.broken = broken,
	};
	begin_world(w);
	for (const struct before *b = starts[r->start]; b->what != STEP; b++) {
		if (b->what == SWITCH_TO)
			begin_switch(w, b->cpu, b->space);
		else
			begin_flush(w, b->cpu, b->space, false);
		finish(w);
	}
	if (r->used_up)
		use_up_asids(w);
}

static void search_all(struct search *s, const struct row *r, enum rule broken)
{
	struct world w;

	begin_row(&w, r, broken);
	search_from(s, &w, r->operations);
}

/* How the wrong state came about, last step first. */
static void print_path(const struct search *s)
{
	static const char *const names[] = {"step", "switch to", "flush of", "exit of", "serve"};

	for (uint64_t key = s->wrong; key;) {
		const struct seen *seen = find(s, key);

		print_message("CPU %u: %s %u, %u\n", seen->label.cpu, names[seen->label.what],
			      seen->label.space, seen->label.page);
		key = seen->parent;
	}
}

static void nothing_is_stale(void **unused)
{
	static const struct row rows[] = {
		{3, 1, ANY, START_DYNAMIC, false, SECOND_NONE, 1, 3, 1},
		{4, 1, ANY, START_GIVEN, false, SECOND_NONE, 1, 3, 1},
		{3, 1, ANY, START_OVER, false, SECOND_NONE, 1, 3, 1},
		{3, 1, ANY, START_DYNAMIC, true, SECOND_NONE, 1, 3, 1},
		{3, 2, ANY, START_SECOND, true, SECOND_NONE, 1, 3, 1},
		{3, 2, ANY, START_LEFT, true, SECOND_NONE, 1, 3, 1},
		{3, 2, ANY, START_LEFT, false, SECOND_NONE, 1, 1, 1},
		{3, 1, ANY, START_GIVEN, false, SECOND_USER, 1, 3, 1},
		{2, 1, ANY, START_GIVEN, false, SECOND_TABLE, 1, 3, 1},
		{3, 1, ANY, START_OVER, false, SECOND_TABLE, 1, 3, 1},
		{3, 2, ANY, START_DYNAMIC, true, SECOND_NONE, 2, 3, 0},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct search s;

		search_all(&s, &rows[i], RULE_NONE);
		print_message("row %zu, %u operations: %lu states\n", i, rows[i].operations,
			      s.states);
		if (s.wrong)
			print_path(&s);
		assert(!s.wrong && s.states > 1000);
		forget(&s);
	}
	print_message("given %lu, none left %lu, rolled over %lu, transitions over %lu\n",
		      reached.given, reached.none_left, reached.rolled_over, reached.finished);
	assert(reached.given && reached.none_left && reached.rolled_over && reached.finished);
}

/* Broken one at a time, each is found. */
static void a_broken_rule_is_found(void **unused)
{
	static const struct row rows[RULE_COUNT] = {
		[RULE_NO_TLBSYNC] = {2, 1, ANY, START_OVER, false, SECOND_NONE, 1, 3, 1},
		[RULE_INVLPGB_EARLY] = {2, 1, ANY, START_OVER, false, SECOND_NONE, 1, 3, 1},
		[RULE_ASID_EARLY] = {3, 1, ANY, START_DYNAMIC, false, SECOND_NONE, 1, 3, 1},
		[RULE_SHORT_RANGE] = {2, 1, ANY, START_OVER, false, SECOND_NONE, 1, 3, 1},
		[RULE_ONE_HALF] = {2, 1, ANY, START_OVER, false, SECOND_USER, 1, 3, 1},
		[RULE_FINAL] = {2, 1, ANY, START_OVER, false, SECOND_TABLE, 1, 3, 1},
		[RULE_NO_STRAGGLERS] = {2, 1, ANY, START_GIVEN, false, SECOND_NONE, 1, 3, 1},
		[RULE_SWITCHING_IGNORED] = {4, 1, ANY, START_DYNAMIC, false, SECOND_NONE, 1, 3, 1},
		[RULE_TRANSITION_LATE] = {3, 1, ANY, START_DYNAMIC, false, SECOND_NONE, 1, 3, 1},
		[RULE_SETTLE_EARLY] = {3, 1, ANY, START_GIVEN, false, SECOND_NONE, 1, 3, 1},
		[RULE_ASID_BEFORE_ENTER] = {4, 1, ANY, START_DYNAMIC, false, SECOND_NONE, 1, 3, 1},
		[RULE_DYNAMIC_STILL] = {3, 1, ANY, START_OVER, false, SECOND_NONE, 1, 3, 1},
		[RULE_GIVEN_TWICE] = {4, 1, ANY, START_DYNAMIC, false, SECOND_NONE, 1, 3, 1},
		[RULE_REUSE_AT_ONCE] = {3, 2, ANY, START_LEFT, true, SECOND_NONE, 1, 3, 1},
		[RULE_ROLLOVER_SILENT] = {3, 1, ANY, START_DYNAMIC, true, SECOND_NONE, 1, 3, 1},
		[RULE_ROLLOVER_NO_TLBSYNC] = {3, 1, ANY, START_DYNAMIC, true, SECOND_NONE, 1, 3, 1},
		/* CPU 0 rolls over while CPU 2 leaves space 2, which ends. */
		[RULE_ROLLOVER_NO_LOCK] = {4, 2, 1 | 4, START_SECOND, true, SECOND_NONE, 1, 3, 1},
	};

	(void)unused;
	for (unsigned rule = RULE_NONE + 1; rule < RULE_COUNT; rule++) {
		struct search s;

		search_all(&s, &rows[rule], (enum rule)rule);
		print_message("rule %u broken: %s within %lu states\n", rule,
			      s.wrong ? "found" : "not found", s.states);
		assert(s.wrong);
		forget(&s);
	}
}

/* Two flushes: the first gives the ASID, the second brings the other CPU over and ends it. */
static void a_transition_ends(void **unused)
{
	const struct row row = {0, 1, ANY, START_OVER, false, SECOND_NONE, 1, 3, 1};
	struct world w;

	(void)unused;
	begin_row(&w, &row, RULE_NONE);
	assert(w.spaces[1].global == GLOBAL_ASID_FIRST);
	assert(w.spaces[1].settled == 3 && !is_dynamic(&w.cpus[0]) && !is_dynamic(&w.cpus[1]));
	begin_flush(&w, 0, 1, false);
	finish(&w);
	assert(!w.spaces[1].transition);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_transition_ends),
		cmocka_unit_test(nothing_is_stale),
		cmocka_unit_test(a_broken_rule_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
