/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A model of CPUs that switch between address spaces and flush them: what mm/address_space.c and
 * mm/shootdown.c do, step by step in their order, around the real functions of mm/asid.c,
 * mm/space_users.c and mm/flush_request.c. Who changes the order there changes it here.
 *
 * A step is one access to what CPUs share, with what its CPU then does by itself. The real functions
 * that make several are stopped after each (tests/host/stepwise.h). Memory is sequentially
 * consistent; docs/shootdown.md says why it may be.
 *
 * Two reductions lose nothing. Whatever can be cached is cached at once (unless `touches`): an older
 * entry is wrong whenever a newer one in its place is. And generations count back from the space's
 * own, versions from the last one freed, spaces that are gone are one and the same: only differences
 * and equality are ever looked at.
 */
#ifndef TESTS_HOST_SPACE_MODEL_H
#define TESTS_HOST_SPACE_MODEL_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define LOG_MAX 4
#include "tests/host/stepwise.h"

#include "mm/space_users.c"

#include "mm/asid.h"
#include "mm/flush_policy.h"
#include "mm/flush_request.h"

#define CPUS      3
#define SPACES    2 /* numbered from 1; 0 is the kernel's own tables */
#define PAGES     2
#define ASIDS_MAX 2
#define NOW       12    /* the generation that a space is said to be at */
#define ALL_PAGES PAGES /* a flush of everything; below that: of the page */
#define GONE      (SPACES + 1)
#define PAGE_SIZE 4096ull

/* The rules that can be broken, one at a time. */
enum rule {
	RULE_NONE,
	RULE_SKIP_REMOTE, /* as enum shootdown_fault, these six */
	RULE_EARLY_ACK,
	RULE_SHORT_RANGE,
	RULE_STALE_ASID,
	RULE_LATE_SET,
	RULE_SKIP_GENERATION,
	RULE_OWNER_UNCHECKED, /* space_users_own() does not look again */
	RULE_LEAVE_EARLY,     /* leave the set before other tables are loaded */
	RULE_READ_EARLY,      /* read the generation before entering the set */
	RULE_ADVANCE_EARLY,   /* advance the generation before the change */
	RULE_ADVANCE_LATE,    /* advance it after choosing the targets */
	RULE_ALWAYS_RANGE,    /* take a range for enough, whatever else was missed */
	RULE_REUSE_ID,        /* give a new space the id of one that is gone */
	RULE_COUNT
};

struct model_config {
	uint32_t asids;
	bool pcid;         /* false: loading tables empties the TLB */
	bool touches;      /* a page is cached when it is touched, which is a step, not at once */
	bool exits;        /* spaces end and others take their place */
	unsigned policies; /* bit n: a flush may be by policy n, of enum flush_policy_id */
	unsigned cpus;
	unsigned spaces;
	unsigned pages;
	enum rule broken;
};

/* The steps of the two operations, below in their order. */
enum step {
	END,
	/* address_space_switch(), with interrupts off */
	ENTER, /* space_users_enter() */
	READ,  /* load_space(): the generation, and the ASID by it */
	LOAD,  /* load_root() */
	LEAVE, /* space_users_leave() */
	/* the caller of address_space_flush_range(), and that */
	CHANGE,
	ADVANCE, /* space_users_advance(): interrupts are off from here on */
	PLAN,    /* answer(): flush_request_plan() */
	LOCAL,   /* answer(): invalidation */
	TARGETS, /* space_users_targets() */
	ASK,
	WAIT,
	OWN /* space_users_own() */
};

enum operation { IDLE, SWITCH, FLUSH };

static const enum step switch_steps[] = {ENTER, READ, LOAD, LEAVE, END};
static const enum step flush_steps[] = {CHANGE, ADVANCE, PLAN, LOCAL, TARGETS, ASK, WAIT, OWN, END};

/* The same with an order broken. */
static const enum step late_set[] = {READ, LOAD, ENTER, LEAVE, END};
static const enum step read_early[] = {READ, ENTER, LOAD, LEAVE, END};
static const enum step leave_early[] = {LEAVE, ENTER, READ, LOAD, END};
static const enum step advance_early[] = {ADVANCE, CHANGE, PLAN, LOCAL, TARGETS,
					  ASK,     WAIT,   OWN,  END};
static const enum step advance_late[] = {CHANGE, TARGETS, ADVANCE, PLAN, LOCAL,
					 ASK,    WAIT,    OWN,     END};

struct model_slot {
	uint8_t space, generation;
};

struct model_entry {
	uint8_t space; /* 0: no entry; GONE: of one that is */
	uint8_t version;
};

/* Bytes alone, so that equal states are equal memory. */
struct model_cpu {
	uint8_t space, asid, next_asid; /* that it runs */
	struct model_slot slots[ASIDS_MAX];
	struct model_entry tlb[ASIDS_MAX][PAGES];

	uint8_t operation, at;   /* and its step */
	uint8_t to;              /* the space that it switches to or flushes */
	uint8_t before;          /* the one that it switches from */
	uint8_t choice, empties; /* the ASID chosen, and whether that is emptied first */
	uint8_t page, policy;    /* of the flush */
	uint8_t generation;      /* that the flush made */
	uint8_t plan;
	uint8_t old[PAGES]; /* the versions that are freed when the flush returns */
	uint8_t targets;
	uint8_t log[LOG_MAX], logged;

	uint8_t asked;   /* who has not taken the request yet */
	uint8_t pending; /* who has not answered it */

	uint8_t serves; /* a CPU's request: its index + 1 */
	uint8_t serves_page, serves_plan;
};

struct model_space {
	uint8_t version[PAGES]; /* in the tables; 0 is the last one freed */
	uint8_t active, owner;
};

struct world {
	struct model_space spaces[SPACES + 1];
	struct model_cpu cpus[CPUS];
};

static struct model_config config;

/* A real function's arguments, made from the world and put back into it. */
struct users {
	struct space_users users;
	uint64_t active;
};

static void begin_call(struct users *u, const struct world *w, unsigned space,
		       struct model_cpu *cpu)
{
	u->active = w->spaces[space].active;
	u->users = (struct space_users){
		.id = space,
		.generation = NOW,
		.active = &u->active,
		.words = 1,
		.owner = (uint32_t)widen(w->spaces[space].owner, sizeof(uint32_t)),
	};
	steps_begin(cpu->log, &cpu->logged);
}

/* Everything that is counted from this space's generation moves when that moves. */
static void age(struct world *w, unsigned space)
{
	for (unsigned c = 0; c < CPUS; c++) {
		struct model_cpu *cpu = &w->cpus[c];

		for (unsigned a = 0; a < ASIDS_MAX; a++) {
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
	w->spaces[space].active = (uint8_t)u->active;
	w->spaces[space].owner = (uint8_t)u->users.owner;
	if (call.cut)
		return false;
	if (u->users.generation != NOW)
		age(w, space);
	memset(cpu->log, 0, sizeof(cpu->log));
	cpu->logged = 0;
	return true;
}

/* What is freed can be told from what is cached by nothing but its version, 0 from here on. */
static void free_versions(struct world *w, unsigned space, const uint8_t *old)
{
	for (unsigned p = 0; p < PAGES; p++) {
		for (unsigned c = 0; c < CPUS; c++) {
			struct model_cpu *cpu = &w->cpus[c];

			for (unsigned a = 0; a < ASIDS_MAX; a++) {
				struct model_entry *e = &cpu->tlb[a][p];

				if (e->space == space)
					e->version = e->version > old[p] ? e->version - old[p] : 0;
			}
			if (cpu->to == space && cpu->old != old)
				cpu->old[p] = cpu->old[p] > old[p] ? cpu->old[p] - old[p] : 0;
		}
		w->spaces[space].version[p] -= old[p];
	}
}

static void drop_asid(struct model_cpu *cpu, unsigned asid)
{
	memset(cpu->tlb[asid], 0, sizeof(cpu->tlb[asid]));
}

static void fill(const struct world *w, struct model_cpu *cpu, unsigned page)
{
	struct model_entry *e = &cpu->tlb[cpu->asid][page];

	if (!e->space)
		*e = (struct model_entry){cpu->space, w->spaces[cpu->space].version[page]};
}

/* The request for a page, or for everything, of a space at this generation. */
static struct flush_request make_request(unsigned page, uint64_t generation)
{
	struct flush_request request;
	bool all = page == ALL_PAGES;
	uint64_t start = all ? 0 : page * PAGE_SIZE;

	flush_request_make(&request, start, all ? FLUSH_TO_END : start + PAGE_SIZE, PAGE_SIZE,
			   false, PAGES);
	if (config.broken == RULE_SHORT_RANGE)
		request.end -= request.stride;
	request.generation = generation;
	return request;
}

/* answer(), up to where it knows what to do. The generation is read: a step. */
static enum flush_step plan(struct model_cpu *cpu, unsigned space, unsigned page,
			    uint64_t generation)
{
	struct flush_request request = make_request(page, generation);
	uint64_t seen;
	enum flush_step step;

	if (cpu->space != space)
		return FLUSH_NOTHING;
	seen = cpu->slots[cpu->asid].generation;
	step = flush_request_plan(&request, NOW, &seen);
	cpu->slots[cpu->asid].generation = (uint8_t)seen;
	if (config.broken == RULE_ALWAYS_RANGE && step == FLUSH_ALL && !request.all)
		step = FLUSH_RANGE;
	return step;
}

/* answer(), the rest. */
static void invalidate(struct model_cpu *cpu, unsigned page, enum flush_step step)
{
	struct flush_request request = make_request(page, 0);

	if (step == FLUSH_ALL)
		drop_asid(cpu, cpu->asid);
	for (uint64_t va = request.start; step == FLUSH_RANGE && va != request.end;
	     va += request.stride)
		cpu->tlb[cpu->asid][va / PAGE_SIZE] = (struct model_entry){0, 0};
}

/* Invalidates and answers. */
static void serve_end(struct world *w, unsigned c)
{
	struct model_cpu *cpu = &w->cpus[c];

	invalidate(cpu, cpu->serves_page, cpu->serves_plan);
	if (config.broken != RULE_EARLY_ACK)
		w->cpus[cpu->serves - 1].pending &= ~(1u << c);
	cpu->serves = cpu->serves_page = cpu->serves_plan = 0;
}

/* serve(): takes a request and plans. With RULE_EARLY_ACK it answers before that. */
static void serve_begin(struct world *w, unsigned c, unsigned from)
{
	struct model_cpu *cpu = &w->cpus[c], *asker = &w->cpus[from];

	asker->asked &= ~(1u << c);
	cpu->serves = from + 1;
	cpu->serves_page = asker->page;
	cpu->serves_plan = plan(cpu, asker->to, asker->page, asker->generation);
	if (config.broken == RULE_EARLY_ACK)
		asker->pending &= ~(1u << c);
	if (cpu->serves_plan == FLUSH_NOTHING)
		serve_end(w, c);
}

static const enum step *steps_of(const struct model_cpu *cpu)
{
	switch (config.broken) {
	case RULE_LATE_SET:
		return cpu->operation == SWITCH ? late_set : flush_steps;
	case RULE_READ_EARLY:
		return cpu->operation == SWITCH ? read_early : flush_steps;
	case RULE_LEAVE_EARLY:
		return cpu->operation == SWITCH ? leave_early : flush_steps;
	case RULE_ADVANCE_EARLY:
		return cpu->operation == SWITCH ? switch_steps : advance_early;
	case RULE_ADVANCE_LATE:
		return cpu->operation == SWITCH ? switch_steps : advance_late;
	default:
		return cpu->operation == SWITCH ? switch_steps : flush_steps;
	}
}

static enum step step_of(const struct model_cpu *cpu)
{
	return cpu->operation == IDLE ? END : steps_of(cpu)[cpu->at];
}

/* Interrupts are on between operations and before the flush turns them off; who waits looks. */
static bool may_serve(const struct model_cpu *cpu)
{
	enum step step = step_of(cpu);

	return step == END || step == WAIT ||
	       (step == ADVANCE && config.broken != RULE_ADVANCE_LATE);
}

/* Steps that have nothing to do. */
static bool passes_over(const struct model_cpu *cpu, enum step step)
{
	switch (step) {
	case ENTER:
	case READ:
		return !cpu->to;
	case LEAVE:
		return !cpu->before;
	case PLAN:
		return cpu->space != cpu->to;
	case LOCAL:
		return cpu->plan == FLUSH_NOTHING;
	case ASK:
	case WAIT:
		return !cpu->targets;
	case OWN:
		return !flush_policies[cpu->policy].owner || cpu->page != ALL_PAGES ||
		       cpu->space != cpu->to;
	default:
		return false;
	}
}

static void end_operation(struct world *w, struct model_cpu *cpu)
{
	if (cpu->operation == FLUSH)
		free_versions(w, cpu->to, cpu->old);
	cpu->operation = IDLE;
	cpu->at = cpu->to = cpu->before = cpu->choice = cpu->empties = cpu->page = 0;
	cpu->policy = cpu->generation = cpu->plan = cpu->targets = 0;
	memset(cpu->old, 0, sizeof(cpu->old));
}

static void settle(struct world *w, struct model_cpu *cpu)
{
	while (step_of(cpu) != END && passes_over(cpu, step_of(cpu)))
		cpu->at++;
	if (step_of(cpu) == END && cpu->operation != IDLE)
		end_operation(w, cpu);
}

static void next_step(struct world *w, struct model_cpu *cpu)
{
	cpu->at++;
	settle(w, cpu);
}

static bool enter(struct world *w, unsigned c)
{
	struct model_cpu *cpu = &w->cpus[c];
	struct users u;

	begin_call(&u, w, cpu->to, cpu);
	space_users_enter(&u.users, c);
	return end_call(&u, w, cpu->to, cpu);
}

static void read_and_choose(struct world *w, struct model_cpu *cpu)
{
	struct asid_table table = {.nr = config.asids, .next = cpu->next_asid};
	struct asid_choice choice;
	struct users u;

	for (unsigned a = 0; a < config.asids; a++)
		table.slots[a] = (struct asid_slot){cpu->slots[a].space, cpu->slots[a].generation};
	begin_call(&u, w, cpu->to, cpu);
	choice = asid_choose(&table, cpu->to, space_users_generation(&u.users));
	end_call(&u, w, cpu->to, cpu);
	for (unsigned a = 0; a < config.asids; a++)
		cpu->slots[a] = (struct model_slot){(uint8_t)table.slots[a].space,
						    (uint8_t)table.slots[a].generation};
	cpu->next_asid = (uint8_t)table.next;
	cpu->choice = (uint8_t)choice.asid;
	cpu->empties = (choice.was == ASID_BEHIND && config.broken != RULE_SKIP_GENERATION) ||
		       (choice.was == ASID_FOREIGN && config.broken != RULE_STALE_ASID);
}

static void load(struct model_cpu *cpu)
{
	if (!config.pcid)
		memset(cpu->tlb, 0, sizeof(cpu->tlb));
	else if (cpu->empties)
		drop_asid(cpu, cpu->choice);
	cpu->space = cpu->to;
	cpu->asid = cpu->choice;
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
	for (unsigned p = 0; p < config.pages; p++) {
		if (cpu->page == p || cpu->page == ALL_PAGES)
			cpu->old[p] = w->spaces[cpu->to].version[p]++;
	}
}

static void advance(struct world *w, struct model_cpu *cpu)
{
	uint64_t generation;
	struct users u;

	begin_call(&u, w, cpu->to, cpu);
	generation = space_users_advance(&u.users);
	end_call(&u, w, cpu->to, cpu);
	assert(generation == NOW + 1);
	cpu->generation = NOW;
}

static bool choose_targets(struct world *w, unsigned c)
{
	const uint64_t online = (1u << config.cpus) - 1;
	struct model_cpu *cpu = &w->cpus[c];
	uint64_t targets = 0;
	struct users u;
	uint32_t nr;

	begin_call(&u, w, cpu->to, cpu);
	nr = space_users_targets(&u.users, &flush_policies[cpu->policy], &online, c, &targets);
	if (!end_call(&u, w, cpu->to, cpu))
		return false;
	if (!nr)
		targets = 0;
	assert(nr == (uint32_t)__builtin_popcountll(targets));
	if (nr && config.broken == RULE_SKIP_REMOTE)
		targets &= targets - 1;
	cpu->targets = (uint8_t)targets;
	return true;
}

static bool own(struct world *w, unsigned c)
{
	struct model_cpu *cpu = &w->cpus[c];
	struct users u;

	begin_call(&u, w, cpu->to, cpu);
	space_users_own(&u.users, c);
	/* Its accesses: a look, the owner, another look. */
	if (config.broken == RULE_OWNER_UNCHECKED && cpu->logged == 2)
		call.cut = false;
	return end_call(&u, w, cpu->to, cpu);
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
		done = enter(w, c);
		break;
	case READ:
		read_and_choose(w, cpu);
		break;
	case LOAD:
		load(cpu);
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
	case PLAN:
		cpu->plan = plan(cpu, cpu->to, cpu->page, cpu->generation);
		break;
	case LOCAL:
		invalidate(cpu, cpu->page, cpu->plan);
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
	case OWN:
		done = own(w, c);
		break;
	}
	if (!done)
		return;
	next_step(w, cpu);
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
	settle(w, cpu);
	take_step(w, c);
}

static void begin_flush(struct world *w, unsigned c, unsigned space, unsigned page, unsigned policy)
{
	struct model_cpu *cpu = &w->cpus[c];

	cpu->operation = FLUSH;
	cpu->to = (uint8_t)space;
	cpu->page = (uint8_t)page;
	cpu->policy = (uint8_t)policy;
	take_step(w, c);
}

/*
 * While a flush is under way a space goes on by no more than a byte's worth of generations: less of
 * it than there could be, but more than any search reaches.
 */
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

/* Nobody runs the space, nor is about to, nor changes it. */
static bool may_exit(const struct world *w, unsigned space)
{
	for (unsigned c = 0; c < CPUS; c++) {
		const struct model_cpu *cpu = &w->cpus[c];

		if (cpu->space == space || (cpu->operation != IDLE && cpu->to == space) ||
		    (cpu->operation != IDLE && cpu->before == space))
			return false;
	}
	return true;
}

/* The space is destroyed, and another, with an id of its own, takes its place here. */
static void exit_space(struct world *w, unsigned space)
{
	for (unsigned c = 0; c < CPUS; c++) {
		struct model_cpu *cpu = &w->cpus[c];

		for (unsigned a = 0; a < ASIDS_MAX; a++) {
			if (cpu->slots[a].space == space && config.broken != RULE_REUSE_ID)
				cpu->slots[a] = (struct model_slot){0, 0};
			for (unsigned p = 0; p < PAGES; p++) {
				if (cpu->tlb[a][p].space == space)
					cpu->tlb[a][p] = (struct model_entry){GONE, 0};
			}
		}
	}
	assert(!w->spaces[space].active);
	w->spaces[space].owner = (uint8_t)OWNER_NONE;
	memset(w->spaces[space].version, 1, sizeof(w->spaces[space].version));
}

static void fill_all(struct world *w)
{
	for (unsigned c = 0; c < config.cpus; c++) {
		for (unsigned p = 0; w->cpus[c].space && p < config.pages; p++)
			fill(w, &w->cpus[c], p);
	}
}

/* Whether a CPU can use what it must not: of another space, or of a version that is freed. */
static bool is_wrong(const struct world *w)
{
	for (unsigned c = 0; c < config.cpus; c++) {
		const struct model_cpu *cpu = &w->cpus[c];

		for (unsigned p = 0; cpu->space && p < config.pages; p++) {
			const struct model_entry *e = &cpu->tlb[cpu->asid][p];

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

#endif
