/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A model of CPUs that switch between address spaces and flush them where spaces may have global
 * ASIDs, around the real functions of mm/global_asid.c, mm/space_users.c, mm/asid.c and
 * mm/flush_request.c: tests/host/space_model.h says how steps and states are to be read.
 *
 * INVLPGB is carried out on each CPU, the one that runs it included, at any time until TLBSYNC is
 * over. Of these times the first and the last are enough, and the same one for all CPUs: no step
 * depends on what a TLB holds, so what goes wrong is one entry of one CPU. If it was made before the
 * INVLPGB was carried out there, it is there still if that is done last. If it was made after, then
 * if that is done first an entry is in its place that is older, and so is wrong as well.
 *
 * Of each page that a CPU caches there is a second entry, by config.second: the user half's, or what
 * a paging-structure cache holds. The owner of space_users.h plays no part, so entering is one step.
 */
#ifndef TESTS_HOST_GLOBAL_ASID_MODEL_H
#define TESTS_HOST_GLOBAL_ASID_MODEL_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define LOG_MAX 4
#include "tests/host/stepwise.h"

#include "mm/global_asid.c"
#include "mm/space_users.c"

#include "mm/asid.h"
#include "mm/flush_policy.h"
#include "mm/flush_request.h"

#define CPUS      3
#define SPACES    2                   /* numbered from 1; 0 is the kernel's own tables */
#define DYNAMIC   2                   /* dynamic ASIDs of a CPU, at most */
#define GLOBALS   3                   /* at most */
#define SLOTS     (DYNAMIC + GLOBALS) /* of a TLB, by ASID: first the dynamic ones */
#define ENTRIES   2
#define NOW       12   /* the generation that a space is said to be at */
#define ALL_SLOTS 0xff /* of an INVLPGB */
#define GONE      (SPACES + 1)
#define PAGE_SIZE 4096ull

/* The rules that can be broken, one at a time. */
enum rule {
	RULE_NONE,
	RULE_NO_TLBSYNC,          /* return without it */
	RULE_INVLPGB_EARLY,       /* INVLPGB before the tables are changed */
	RULE_ASID_EARLY,          /* look for a global ASID before that */
	RULE_SHORT_RANGE,         /* leave out the last page */
	RULE_ONE_HALF,            /* leave out the user half's PCID */
	RULE_FINAL,               /* leave paging-structure caches though tables are freed */
	RULE_NO_STRAGGLERS,       /* in transition, ask nobody */
	RULE_SWITCHING_IGNORED,   /* nor wait for those in the middle of a switch */
	RULE_TRANSITION_LATE,     /* begin the transition after giving the ASID */
	RULE_SETTLE_EARLY,        /* be settled before the tables are loaded */
	RULE_ASID_BEFORE_ENTER,   /* a switch looks for a global ASID before entering the set */
	RULE_DYNAMIC_STILL,       /* a switch takes a dynamic ASID though there is a global one */
	RULE_GIVEN_TWICE,         /* do not look again under the lock */
	RULE_REUSE_AT_ONCE,       /* give one away again without a rollover */
	RULE_ROLLOVER_SILENT,     /* roll over without a broadcast */
	RULE_ROLLOVER_NO_TLBSYNC, /* and without waiting for it */
	RULE_ROLLOVER_NO_LOCK,    /* let one be given back while it is under way */
	RULE_COUNT
};

/* What the second entry is. */
enum second { SECOND_NONE, SECOND_USER, SECOND_TABLE };

struct model_config {
	uint32_t dynamic;
	uint32_t globals;
	uint32_t cpus_over; /* as GLOBAL_ASID_CPUS */
	unsigned spaces;
	unsigned beginners; /* the set of CPUs that begin operations */
	enum second second;
	enum rule broken;
};

/* The steps of the two operations, below in their order. */
enum step {
	END,
	ENTER,  /* space_users_enter() */
	LOOK,   /* space_global_asid() */
	READ,   /* without one: the generation, and the dynamic ASID by it */
	LOAD,   /* the tables */
	SETTLE, /* space_global_settle() */
	LEAVE,  /* space_users_leave() */
	/* the caller of address_space_flush_range(), and that */
	CHANGE,
	ADVANCE, /* space_users_advance(): interrupts are off from here on */
	OVER,    /* with a global ASID: loads it, if it runs the space under another */
	INVLPGB,
	STRAGGLERS, /* space_global_stragglers() */
	PLAN,       /* without: flush_request_plan() */
	LOCAL,
	TARGETS, /* space_users_targets() */
	ASK,     /* with and without */
	WAIT,
	TLBSYNC,
	CONSIDER, /* without: global_asid_is_due(), or it is not this flush that looks */
	LOCK,     /* and looks whether it has got one meanwhile */
	ROLL,     /* if global_asids_must_roll_over() */
	ROLL_TLBSYNC,
	TAKE,   /* global_asid_take() */
	ASSIGN, /* space_global_assign(), and unlocks */
};

enum operation { IDLE, SWITCH, FLUSH };

#define CONSIDER_STEPS CONSIDER, LOCK, ROLL, ROLL_TLBSYNC, TAKE, ASSIGN, END

static const enum step switch_steps[] = {ENTER, LOOK, READ, LOAD, SETTLE, LEAVE, END};
static const enum step flush_steps[] = {CHANGE,  ADVANCE,    LOOK,    OVER,          SETTLE,
					INVLPGB, STRAGGLERS, PLAN,    LOCAL,         TARGETS,
					ASK,     WAIT,       TLBSYNC, CONSIDER_STEPS};

/* The same with an order broken. */
static const enum step look_before_enter[] = {LOOK, ENTER, READ, LOAD, SETTLE, LEAVE, END};
static const enum step look_early[] = {LOOK,    CHANGE,     ADVANCE, OVER,          SETTLE,
				       INVLPGB, STRAGGLERS, PLAN,    LOCAL,         TARGETS,
				       ASK,     WAIT,       TLBSYNC, CONSIDER_STEPS};
static const enum step invlpgb_early[] = {LOOK,   INVLPGB,    CHANGE,  ADVANCE,       OVER,
					  SETTLE, STRAGGLERS, PLAN,    LOCAL,         TARGETS,
					  ASK,    WAIT,       TLBSYNC, CONSIDER_STEPS};

/* What a CPU does that serves a request. */
enum serve { SERVE_NOTHING, SERVE_PLAN, SERVE_INVALIDATE, SERVE_OVER, SERVE_SETTLE, SERVE_ANSWER };

struct model_slot {
	uint8_t space, generation;
};

struct model_entry {
	uint8_t space; /* 0: no entry; GONE: of one that is */
	uint8_t version;
};

/* Bytes alone, so that equal states are equal memory. */
struct model_cpu {
	uint8_t space, slot, next_asid; /* that it runs */
	struct model_slot slots[DYNAMIC];
	struct model_entry tlb[SLOTS][ENTRIES];

	uint8_t operation, at;   /* and its step */
	uint8_t to;              /* the space that it switches to or flushes */
	uint8_t before;          /* the one that it switches from */
	uint8_t global;          /* the global ASID of `to` that it found */
	uint8_t choice, empties; /* the slot chosen, and whether that is emptied first */
	uint8_t settles;
	uint8_t all;        /* the flush is of everything, and frees tables */
	uint8_t generation; /* that the flush made */
	uint8_t plan;
	uint8_t old[ENTRIES]; /* the versions that are freed when the flush returns */
	uint8_t targets;
	uint8_t taken; /* the global ASID that it gives */
	uint8_t log[LOG_MAX], logged;

	uint8_t asked;   /* who has not taken the request yet */
	uint8_t pending; /* who has not answered it */

	uint8_t serves, serve; /* a CPU's request: its index + 1; and enum serve */
	uint8_t serves_plan;

	/* Its INVLPGBs that are not carried out yet: of which slot, and of which entries there. */
	uint8_t invlpgb_slot, invlpgb_entries;
};

struct model_space {
	uint8_t version[ENTRIES]; /* in the tables; 0 is the last one freed */
	uint8_t active, global, transition, settled;
};

struct world {
	struct model_space spaces[SPACES + 1];
	struct model_cpu cpus[CPUS];
	uint8_t taken, given_back, lock; /* of struct global_asids; the holder's index + 1 */
};

static struct model_config config;

/* What was reached, for it to be seen that it was. */
static struct {
	unsigned long given, finished, rolled_over, none_left;
} reached;

/* A real function's arguments, made from the world and put back into it. */
struct users {
	struct space_users users;
	struct space_global global;
	uint64_t active, settled;
};

static void begin_call(struct users *u, const struct world *w, unsigned space,
		       struct model_cpu *cpu)
{
	const struct model_space *s = &w->spaces[space];

	u->active = s->active;
	u->settled = s->settled;
	u->users = (struct space_users){
		.id = space,
		.generation = NOW,
		.active = &u->active,
		.words = 1,
		.owner = OWNER_MANY,
	};
	u->global = (struct space_global){s->global, s->transition, &u->settled};
	steps_begin(cpu->log, &cpu->logged);
}

/* Everything that is counted from this space's generation moves when that moves. */
static void age(struct world *w, unsigned space)
{
	for (unsigned c = 0; c < CPUS; c++) {
		struct model_cpu *cpu = &w->cpus[c];

		for (unsigned a = 0; a < DYNAMIC; a++) {
			/* So far behind that it is told from nothing further behind. */
			if (cpu->slots[a].space == space && cpu->slots[a].generation > 1)
				cpu->slots[a].generation--;
		}
		if (cpu->to == space && cpu->generation)
			cpu->generation--;
	}
}

/* Whether the function has returned: until then it is to be called again. */
static bool end_call(const struct users *u, struct world *w, unsigned space, struct model_cpu *cpu)
{
	struct model_space *s = &w->spaces[space];

	s->active = (uint8_t)u->active;
	s->settled = (uint8_t)u->settled;
	if (s->transition && !u->global.transition)
		reached.finished++;
	s->global = (uint8_t)u->global.asid;
	s->transition = u->global.transition;
	if (call.cut)
		return false;
	if (u->users.generation != NOW)
		age(w, space);
	memset(cpu->log, 0, sizeof(cpu->log));
	cpu->logged = 0;
	return true;
}

/* The allocator, as it is and as it becomes. */
static struct global_asids asids_of(const struct world *w)
{
	return (struct global_asids){
		.taken = {w->taken},
		.given_back = {w->given_back},
		.nr = config.globals,
		.nr_free = config.globals - (uint32_t)__builtin_popcount(w->taken),
		.nr_given_back = (uint32_t)__builtin_popcount(w->given_back),
	};
}

static void put_asids(struct world *w, const struct global_asids *asids)
{
	w->taken = (uint8_t)asids->taken[0];
	w->given_back = (uint8_t)asids->given_back[0];
	assert(asids->nr_free == asids_of(w).nr_free);
	assert(asids->nr_given_back == asids_of(w).nr_given_back);
}

static uint8_t slot_of(uint32_t global)
{
	assert(global >= GLOBAL_ASID_FIRST && global < GLOBAL_ASID_FIRST + GLOBALS);
	return (uint8_t)(global - GLOBAL_ASID_FIRST + DYNAMIC);
}

static bool is_dynamic(const struct model_cpu *cpu)
{
	return cpu->slot < DYNAMIC;
}

/* What is freed can be told from what is cached by nothing but its version, 0 from here on. */
static void free_versions(struct world *w, unsigned space, const uint8_t *old)
{
	for (unsigned i = 0; i < ENTRIES; i++) {
		for (unsigned c = 0; c < CPUS; c++) {
			struct model_cpu *cpu = &w->cpus[c];

			for (unsigned s = 0; s < SLOTS; s++) {
				struct model_entry *e = &cpu->tlb[s][i];

				if (e->space == space)
					e->version = e->version > old[i] ? e->version - old[i] : 0;
			}
			if (cpu->to == space && cpu->old != old)
				cpu->old[i] = cpu->old[i] > old[i] ? cpu->old[i] - old[i] : 0;
		}
		w->spaces[space].version[i] -= old[i];
	}
}

static void drop(struct model_cpu *cpu, unsigned slot, unsigned entries)
{
	for (unsigned i = 0; i < ENTRIES; i++) {
		if (entries >> i & 1)
			cpu->tlb[slot][i] = (struct model_entry){0, 0};
	}
}

static bool has_entry(unsigned i)
{
	return !i || config.second != SECOND_NONE;
}

static void fill_all(struct world *w)
{
	for (unsigned c = 0; c < CPUS; c++) {
		struct model_cpu *cpu = &w->cpus[c];

		for (unsigned i = 0; cpu->space && i < ENTRIES; i++) {
			struct model_entry *e = &cpu->tlb[cpu->slot][i];

			if (has_entry(i) && !e->space)
				*e = (struct model_entry){cpu->space,
							  w->spaces[cpu->space].version[i]};
		}
	}
}

/* The entries that a flush is about: of a page both halves', but no paging-structure cache. */
static unsigned entries_of(bool all)
{
	return all || config.second == SECOND_USER ? 3 : 1;
}

/* The request for the page, or for everything, of a space at this generation. */
static struct flush_request make_request(bool all, uint64_t generation)
{
	struct flush_request request;

	flush_request_make(&request, 0, PAGE_SIZE, PAGE_SIZE, all, 1);
	request.generation = generation;
	return request;
}

/* answer(), up to where it knows what to do. The generation is read: a step. */
static enum flush_step plan(struct model_cpu *cpu, bool all, uint64_t generation)
{
	struct flush_request request = make_request(all, generation);
	uint64_t seen = cpu->slots[cpu->slot].generation;
	enum flush_step step = flush_request_plan(&request, NOW, &seen);

	cpu->slots[cpu->slot].generation = (uint8_t)seen;
	return step;
}

static void invalidate(struct model_cpu *cpu, enum flush_step step)
{
	if (step != FLUSH_NOTHING)
		drop(cpu, cpu->slot, entries_of(step == FLUSH_ALL));
}

static void load_global(struct model_cpu *cpu, uint32_t asid)
{
	cpu->slot = slot_of(asid);
}

static bool settle(struct world *w, unsigned c, unsigned space)
{
	struct model_cpu *cpu = &w->cpus[c];
	struct users u;

	begin_call(&u, w, space, cpu);
	space_global_settle(&u.global, c);
	return end_call(&u, w, space, cpu);
}

static uint32_t look(struct world *w, unsigned space, struct model_cpu *cpu)
{
	struct users u;
	uint32_t asid;

	begin_call(&u, w, space, cpu);
	asid = space_global_asid(&u.global);
	end_call(&u, w, space, cpu);
	return asid;
}

/* Takes a request and looks at the ASID, if it concerns this CPU. */
static void serve_begin(struct world *w, unsigned c, unsigned from)
{
	struct model_cpu *cpu = &w->cpus[c], *asker = &w->cpus[from];

	assert(!cpu->logged);
	asker->asked &= ~(1u << c);
	cpu->serves = (uint8_t)(from + 1);
	if (cpu->space != asker->to || !is_dynamic(cpu)) {
		cpu->serve = SERVE_ANSWER;
	} else if (look(w, cpu->space, cpu)) {
		cpu->serve = config.broken == RULE_SETTLE_EARLY ? SERVE_SETTLE : SERVE_OVER;
	} else {
		cpu->serve = SERVE_PLAN;
	}
}

/* Its next step, and the answer after the last. */
static void serve_step(struct world *w, unsigned c)
{
	struct model_cpu *cpu = &w->cpus[c], *asker = &w->cpus[cpu->serves - 1];
	bool early = config.broken == RULE_SETTLE_EARLY;

	switch ((enum serve)cpu->serve) {
	case SERVE_PLAN:
		cpu->serves_plan = plan(cpu, asker->all, asker->generation);
		cpu->serve = SERVE_INVALIDATE;
		return;
	case SERVE_INVALIDATE:
		invalidate(cpu, cpu->serves_plan);
		cpu->serves_plan = 0;
		break;
	case SERVE_OVER:
		load_global(cpu, w->spaces[cpu->space].global);
		cpu->serve = early ? SERVE_ANSWER : SERVE_SETTLE;
		return;
	case SERVE_SETTLE:
		if (settle(w, c, cpu->space))
			cpu->serve = early ? SERVE_OVER : SERVE_ANSWER;
		return;
	default:
		break;
	}
	asker->pending &= ~(1u << c);
	cpu->serves = cpu->serve = 0;
}

static const enum step *steps_of(const struct model_cpu *cpu)
{
	if (cpu->operation == SWITCH)
		return config.broken == RULE_ASID_BEFORE_ENTER ? look_before_enter : switch_steps;
	if (config.broken == RULE_ASID_EARLY)
		return look_early;
	return config.broken == RULE_INVLPGB_EARLY ? invlpgb_early : flush_steps;
}

static enum step step_of(const struct model_cpu *cpu)
{
	return cpu->operation == IDLE ? END : steps_of(cpu)[cpu->at];
}

/* Interrupts are on between operations and before the flush turns them off; who waits looks. */
static bool may_serve(const struct model_cpu *cpu)
{
	enum step step = step_of(cpu);

	return !cpu->serves && (step == END || step == WAIT || (step == ADVANCE && cpu->at == 1));
}

/* Steps that have nothing to do. */
static bool passes_over(const struct model_cpu *cpu, enum step step)
{
	switch (step) {
	case ENTER:
	case LOOK:
		return !cpu->to;
	case READ:
		return !cpu->to || cpu->global;
	case SETTLE:
		return !cpu->settles;
	case LEAVE:
		return !cpu->before;
	case OVER:
		return !cpu->global || cpu->space != cpu->to || !is_dynamic(cpu);
	case INVLPGB:
	case TLBSYNC:
		return !cpu->global;
	case STRAGGLERS:
		return !cpu->global || config.broken == RULE_NO_STRAGGLERS;
	case PLAN:
		return cpu->global || cpu->space != cpu->to;
	case LOCAL:
		return cpu->plan == FLUSH_NOTHING;
	case TARGETS:
	case CONSIDER:
		return cpu->global;
	case ASK:
	case WAIT:
		return !cpu->targets;
	default:
		return false;
	}
}

/* A CPU that waits, for answers or for the lock. */
static bool is_waiting(const struct world *w, const struct model_cpu *cpu)
{
	enum step step = step_of(cpu);

	return (step == WAIT && cpu->pending) || (step == LOCK && w->lock);
}

static void end_operation(struct world *w, struct model_cpu *cpu)
{
	if (cpu->operation == FLUSH)
		free_versions(w, cpu->to, cpu->old);
	cpu->operation = IDLE;
	cpu->at = cpu->to = cpu->before = cpu->global = cpu->choice = cpu->empties = 0;
	cpu->settles = cpu->all = cpu->generation = cpu->plan = cpu->targets = cpu->taken = 0;
	memset(cpu->old, 0, sizeof(cpu->old));
}

static void pass_over(struct world *w, struct model_cpu *cpu)
{
	while (step_of(cpu) != END && passes_over(cpu, step_of(cpu)))
		cpu->at++;
	/* With a global ASID there is nothing to consider. */
	if (step_of(cpu) == LOCK && cpu->global)
		while (step_of(cpu) != END)
			cpu->at++;
	if (step_of(cpu) == END && cpu->operation != IDLE)
		end_operation(w, cpu);
}

/* The rest is not done. */
static void give_up(struct world *w, struct model_cpu *cpu)
{
	while (step_of(cpu) != END)
		cpu->at++;
	end_operation(w, cpu);
}

/* Owner and all, in one step: no one looks at that here. */
static void enter(struct world *w, unsigned c)
{
	struct model_cpu *cpu = &w->cpus[c];
	struct users u;

	do {
		begin_call(&u, w, cpu->to, cpu);
		space_users_enter(&u.users, c);
	} while (!end_call(&u, w, cpu->to, cpu));
}

static void read_and_choose(struct world *w, struct model_cpu *cpu)
{
	struct asid_table table = {.nr = config.dynamic, .next = cpu->next_asid};
	struct asid_choice choice;
	struct users u;

	for (unsigned a = 0; a < config.dynamic; a++)
		table.slots[a] = (struct asid_slot){cpu->slots[a].space, cpu->slots[a].generation};
	begin_call(&u, w, cpu->to, cpu);
	choice = asid_choose(&table, cpu->to, space_users_generation(&u.users));
	end_call(&u, w, cpu->to, cpu);
	for (unsigned a = 0; a < config.dynamic; a++)
		cpu->slots[a] = (struct model_slot){(uint8_t)table.slots[a].space,
						    (uint8_t)table.slots[a].generation};
	cpu->next_asid = (uint8_t)table.next;
	cpu->choice = (uint8_t)choice.asid;
	cpu->empties = choice.was != ASID_CURRENT;
}

static void load(struct model_cpu *cpu)
{
	if (cpu->global) {
		load_global(cpu, cpu->global);
		cpu->settles = true;
	} else {
		if (cpu->empties)
			drop(cpu, cpu->choice, 3);
		cpu->slot = cpu->choice;
	}
	cpu->space = cpu->to;
}

static void leave(struct world *w, unsigned c)
{
	struct model_cpu *cpu = &w->cpus[c];
	struct users u;

	begin_call(&u, w, cpu->before, cpu);
	space_users_leave(&u.users, c);
	end_call(&u, w, cpu->before, cpu);
}

static void change_tables(struct world *w, struct model_cpu *cpu)
{
	for (unsigned i = 0; i < ENTRIES; i++) {
		if (entries_of(cpu->all) >> i & 1 && has_entry(i))
			cpu->old[i] = w->spaces[cpu->to].version[i]++;
	}
}

static void advance(struct world *w, struct model_cpu *cpu)
{
	struct users u;

	begin_call(&u, w, cpu->to, cpu);
	space_users_advance(&u.users);
	end_call(&u, w, cpu->to, cpu);
	cpu->generation = NOW;
}

/* For each half, or for one. */
static void issue_flush(struct model_cpu *cpu)
{
	cpu->invlpgb_slot = slot_of(cpu->global);
	cpu->invlpgb_entries = (uint8_t)entries_of(cpu->all);
	if (config.broken == RULE_ONE_HALF || config.broken == RULE_FINAL)
		cpu->invlpgb_entries &= 1;
	if (config.broken == RULE_SHORT_RANGE)
		cpu->invlpgb_entries = 0;
}

/* All that a CPU has issued, everywhere. */
static void carry_out(struct world *w, struct model_cpu *issuer)
{
	for (unsigned c = 0; c < CPUS; c++) {
		for (unsigned s = 0; s < SLOTS; s++) {
			if (issuer->invlpgb_slot == s || issuer->invlpgb_slot == ALL_SLOTS)
				drop(&w->cpus[c], s, issuer->invlpgb_entries);
		}
	}
	issuer->invlpgb_slot = issuer->invlpgb_entries = 0;
}

static bool choose_stragglers(struct world *w, unsigned c)
{
	struct model_cpu *cpu = &w->cpus[c];
	uint64_t targets = 0;
	struct users u;
	uint32_t nr;
	bool done;

	begin_call(&u, w, cpu->to, cpu);
	for (unsigned i = 0; config.broken == RULE_SWITCHING_IGNORED && i < CPUS; i++) {
		if (w->cpus[i].space != cpu->to)
			u.active &= ~(1ull << i);
	}
	nr = space_global_stragglers(&u.global, &u.users, c, &targets);
	u.active = w->spaces[cpu->to].active;
	done = end_call(&u, w, cpu->to, cpu);
	if (!done)
		return false;
	cpu->targets = nr ? (uint8_t)targets : 0;
	assert(nr == (uint32_t)__builtin_popcount(cpu->targets));
	return true;
}

static bool choose_targets(struct world *w, unsigned c)
{
	const uint64_t online = (1u << CPUS) - 1;
	struct model_cpu *cpu = &w->cpus[c];
	uint64_t targets = 0;
	struct users u;

	begin_call(&u, w, cpu->to, cpu);
	space_users_targets(&u.users, &flush_policies[POLICY_IPI], &online, c, &targets);
	if (!end_call(&u, w, cpu->to, cpu))
		return false;
	cpu->targets = (uint8_t)targets;
	return true;
}

static bool is_due(struct world *w, struct model_cpu *cpu)
{
	struct users u;
	bool due;

	begin_call(&u, w, cpu->to, cpu);
	due = global_asid_is_due(&u.users, config.cpus_over);
	end_call(&u, w, cpu->to, cpu);
	return due;
}

static void roll(struct world *w, struct model_cpu *cpu)
{
	struct global_asids asids = asids_of(w);

	if (!global_asids_must_roll_over(&asids)) {
		assert(steps_of(cpu)[cpu->at + 1] == ROLL_TLBSYNC);
		cpu->at++;
	} else if (config.broken != RULE_ROLLOVER_SILENT) {
		cpu->invlpgb_slot = ALL_SLOTS;
		cpu->invlpgb_entries = 3;
	}
}

static void rolled_over(struct world *w)
{
	struct global_asids asids = asids_of(w);

	global_asids_rolled_over(&asids);
	put_asids(w, &asids);
	reached.rolled_over++;
}

/* False: there is none. */
static bool take(struct world *w, struct model_cpu *cpu)
{
	struct global_asids asids = asids_of(w);
	uint32_t asid = global_asid_take(&asids);

	put_asids(w, &asids);
	if (asid == GLOBAL_ASID_NONE) {
		reached.none_left++;
		return false;
	}
	reached.given++;
	cpu->taken = (uint8_t)asid;
	return true;
}

static bool assign(struct world *w, struct model_cpu *cpu)
{
	struct users u;
	bool done;

	if (config.broken == RULE_TRANSITION_LATE) {
		struct model_space *s = &w->spaces[cpu->to];

		if (s->global != cpu->taken) {
			s->global = cpu->taken;
			return false;
		}
		s->transition = true;
		done = true;
	} else {
		begin_call(&u, w, cpu->to, cpu);
		space_global_assign(&u.global, cpu->taken);
		done = end_call(&u, w, cpu->to, cpu);
	}
	if (done)
		w->lock = 0;
	return done;
}

static void look_for_global(struct world *w, struct model_cpu *cpu)
{
	cpu->global = (uint8_t)look(w, cpu->to, cpu);
	if (cpu->operation == SWITCH && config.broken == RULE_DYNAMIC_STILL)
		cpu->global = 0;
}

/* The CPU's next step. Not of one that serves, nor of one that waits in vain. */
static void take_step(struct world *w, unsigned c)
{
	struct model_cpu *cpu = &w->cpus[c];
	bool done = true;

	switch (step_of(cpu)) {
	case END:
		return;
	case ENTER:
		enter(w, c);
		break;
	case LOOK:
		look_for_global(w, cpu);
		break;
	case READ:
		read_and_choose(w, cpu);
		break;
	case LOAD:
		load(cpu);
		break;
	case SETTLE:
		done = settle(w, c, cpu->to);
		break;
	case LEAVE:
		leave(w, c);
		break;
	case CHANGE:
		change_tables(w, cpu);
		break;
	case ADVANCE:
		advance(w, cpu);
		break;
	case OVER:
		load_global(cpu, cpu->global);
		cpu->settles = true;
		break;
	case INVLPGB:
		carry_out(w, cpu); /* there is room for those of one flush */
		issue_flush(cpu);
		break;
	case STRAGGLERS:
		done = choose_stragglers(w, c);
		break;
	case PLAN:
		cpu->plan = plan(cpu, cpu->all, cpu->generation);
		break;
	case LOCAL:
		invalidate(cpu, cpu->plan);
		cpu->plan = 0;
		break;
	case TARGETS:
		done = choose_targets(w, c);
		break;
	case ASK:
		cpu->asked = cpu->pending = cpu->targets;
		break;
	case WAIT:
		cpu->targets = 0;
		break;
	case TLBSYNC:
		if (config.broken != RULE_NO_TLBSYNC)
			carry_out(w, cpu);
		break;
	case CONSIDER:
		if (!is_due(w, cpu)) {
			give_up(w, cpu);
			return;
		}
		break;
	case LOCK:
		if (look(w, cpu->to, cpu) && config.broken != RULE_GIVEN_TWICE) {
			give_up(w, cpu);
			return;
		}
		w->lock = (uint8_t)(c + 1);
		break;
	case ROLL:
		carry_out(w, cpu);
		roll(w, cpu);
		break;
	case ROLL_TLBSYNC:
		if (config.broken != RULE_ROLLOVER_NO_TLBSYNC)
			carry_out(w, cpu);
		rolled_over(w);
		break;
	case TAKE:
		if (!take(w, cpu)) {
			w->lock = 0;
			give_up(w, cpu);
			return;
		}
		break;
	case ASSIGN:
		done = assign(w, cpu);
		break;
	}
	if (!done)
		return;
	cpu->at++;
	pass_over(w, cpu);
	/* Nobody can tell when between the two it is. */
	if (step_of(cpu) == ASK)
		take_step(w, c);
}

static void begin_switch(struct world *w, unsigned c, unsigned space)
{
	struct model_cpu *cpu = &w->cpus[c];

	cpu->operation = SWITCH;
	cpu->to = (uint8_t)space;
	cpu->before = cpu->space;
	pass_over(w, cpu);
	take_step(w, c);
}

static void begin_flush(struct world *w, unsigned c, unsigned space, bool all)
{
	struct model_cpu *cpu = &w->cpus[c];

	cpu->operation = FLUSH;
	cpu->to = (uint8_t)space;
	cpu->all = all;
	take_step(w, c);
}

/* As in tests/host/space_model.h. */
static bool may_flush(const struct world *w, unsigned space)
{
	for (unsigned c = 0; c < CPUS; c++) {
		const struct model_cpu *cpu = &w->cpus[c];

		if (cpu->operation == FLUSH && cpu->to == space && cpu->generation &&
		    cpu->generation < 3 + CPUS)
			return false;
	}
	return true;
}

/* Nobody runs the space, nor is about to, nor changes it; what it gives back needs the lock. */
static bool may_exit(const struct world *w, unsigned space)
{
	for (unsigned c = 0; c < CPUS; c++) {
		const struct model_cpu *cpu = &w->cpus[c];

		if (cpu->space == space || (cpu->operation != IDLE && cpu->to == space) ||
		    (cpu->operation != IDLE && cpu->before == space))
			return false;
	}
	return !w->lock || config.broken == RULE_ROLLOVER_NO_LOCK;
}

/* The space is destroyed, and another, with an id of its own, takes its place here. */
static void exit_space(struct world *w, unsigned space)
{
	struct model_space *s = &w->spaces[space];

	for (unsigned c = 0; c < CPUS; c++) {
		struct model_cpu *cpu = &w->cpus[c];

		for (unsigned a = 0; a < DYNAMIC; a++) {
			if (cpu->slots[a].space == space)
				cpu->slots[a] = (struct model_slot){0, 0};
		}
		for (unsigned i = 0; i < SLOTS * ENTRIES; i++) {
			struct model_entry *e = &cpu->tlb[i / ENTRIES][i % ENTRIES];

			if (e->space == space)
				*e = (struct model_entry){GONE, 0};
		}
	}
	assert(!s->active);
	if (s->global) {
		struct global_asids asids = asids_of(w);

		global_asid_give_back(&asids, s->global);
		put_asids(w, &asids);
		if (config.broken == RULE_REUSE_AT_ONCE) {
			w->taken &= ~w->given_back;
			w->given_back = 0;
		}
	}
	*s = (struct model_space){.version = {1, 1}};
}

/* Whether a CPU can use what it must not: of another space, or of a version that is freed. */
static bool is_wrong(const struct world *w)
{
	for (unsigned c = 0; c < CPUS; c++) {
		const struct model_cpu *cpu = &w->cpus[c];

		for (unsigned i = 0; cpu->space && i < ENTRIES; i++) {
			const struct model_entry *e = &cpu->tlb[cpu->slot][i];

			if (e->space && (e->space != cpu->space || !e->version))
				return true;
		}
	}
	return false;
}

static void begin_world(struct world *w)
{
	memset(w, 0, sizeof(*w));
	for (unsigned s = 1; s <= SPACES; s++)
		exit_space(w, s);
}

/* Global ASIDs that no space has have been used by some that are gone, and no CPU's TLB lost that. */
static void use_up_asids(struct world *w)
{
	for (unsigned g = 0; g < config.globals; g++) {
		if (w->taken >> g & 1)
			continue;
		w->taken |= 1u << g;
		w->given_back |= 1u << g;
		for (unsigned c = 0; c < CPUS; c++) {
			for (unsigned i = 0; i < ENTRIES; i++) {
				if (has_entry(i))
					w->cpus[c].tlb[DYNAMIC + g][i] =
						(struct model_entry){GONE, 0};
			}
		}
	}
}

#endif
