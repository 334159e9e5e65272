/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who uses an address space: which CPUs run it, and which changes they must have invalidated. Pure.
 *
 * Two sides meet here, each of which writes first and then reads what the other writes, with a full
 * barrier between:
 *
 *	a CPU that begins to run the space	a CPU that changed it and flushes
 *	  space_users_enter()			  space_users_advance()
 *	  space_users_generation()		  space_users_targets()
 *
 * So either the one sees the new generation and invalidates what it holds, or the other sees it and
 * asks it to. docs/shootdown.md argues the rest.
 */
#ifndef MM_SPACE_USERS_H
#define MM_SPACE_USERS_H

#include <stdbool.h>
#include <stdint.h>

#include "mm/flush_policy.h"

/* For struct space_users' owner. */
#define OWNER_NONE UINT32_MAX       /* no CPU has run it since it was made */
#define OWNER_MANY (UINT32_MAX - 1) /* more than one has, since it last became private */

struct space_users {
	uint64_t id;         /* never 0, never used again */
	uint64_t generation; /* of its last change */
	uint64_t *active;    /* the set of CPUs that run it */
	uint32_t words;      /* of that */
	uint32_t owner;      /* the index of the only CPU that has run it, or as above */
};

/* Before `cpu` loads the space's tables, and after it has loaded others. */
void space_users_enter(struct space_users *users, uint32_t cpu);
void space_users_leave(struct space_users *users, uint32_t cpu);

uint64_t space_users_generation(const struct space_users *users);

/* After the tables were changed, before space_users_targets(). The new generation. */
uint64_t space_users_advance(struct space_users *users);

/*
 * Fills `targets` with the CPUs that must be asked to invalidate: those in `online` or those that
 * are active, but never `cpu` itself. How many.
 */
uint32_t space_users_targets(const struct space_users *users, const struct flush_policy *policy,
			     const uint64_t *online, uint32_t cpu, uint64_t *targets);

/*
 * After `cpu` has invalidated all that it holds of the space: it is the owner from here on if no
 * other CPU runs it. One that ran it once is behind in generation and will see that.
 */
void space_users_own(struct space_users *users, uint32_t cpu);

#endif
