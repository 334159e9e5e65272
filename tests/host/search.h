/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Searches all states of a model, a struct world that its includer defines before: bytes alone, so
 * that equal states are equal memory.
 *
 * Breadth first by operations begun, so a state is looked at once, with as few as lead to it. Of
 * states that were seen 64 bits are kept, so one state in some 10^12 could be taken for another.
 */
#ifndef TESTS_HOST_SEARCH_H
#define TESTS_HOST_SEARCH_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What led to a state: who, what. */
struct label {
	uint8_t cpu, what, space, page;
};

struct seen {
	uint64_t key, parent;
	struct label label;
};

struct list {
	struct world *at;
	size_t nr, room;
};

struct search {
	struct seen *seen; /* by key, in the first free place from where that says */
	uint64_t mask, states;
	struct list stack; /* states to go on from */
	struct list done;  /* those gone on from but by new operations */
	uint64_t parent;   /* the state gone on from */
	uint64_t wrong;    /* the key of the first wrong one, or 0 */
};

/*
 * The includer's: what makes states that are to count as one equal; whether a state must not be; and
 * reach() of all that can come next, without a new operation or with one.
 */
static void make_comparable(struct world *w);
static bool is_wrong(const struct world *w);
static void go_on(struct search *s, const struct world *w);
static void begin_any(struct search *s, const struct world *w);

static uint64_t key_of(const struct world *w)
{
	const unsigned char *bytes = (const unsigned char *)w;
	uint64_t key = 0x9e3779b97f4a7c15, word;

	for (size_t at = 0; at < sizeof(*w); at += sizeof(word)) {
		size_t left = sizeof(*w) - at;

		word = 0;
		memcpy(&word, bytes + at, left < sizeof(word) ? left : sizeof(word));
		key = (key ^ word) * 0xff51afd7ed558ccd;
		key ^= key >> 32;
	}
	return key ? key : 1;
}

static void push(struct list *list, const struct world *w)
{
	if (list->nr == list->room) {
		list->room = list->room ? list->room * 2 : 1024;
		list->at = realloc(list->at, list->room * sizeof(*w));
		assert(list->at);
	}
	list->at[list->nr++] = *w;
}

static void grow(struct search *s)
{
	struct seen *old = s->seen;
	uint64_t old_mask = s->mask;

	s->mask = old ? old_mask * 2 + 1 : 0xffff;
	s->seen = calloc(s->mask + 1, sizeof(*s->seen));
	assert(s->seen);
	for (uint64_t i = 0; old && i <= old_mask; i++) {
		uint64_t at = old[i].key & s->mask;

		if (!old[i].key)
			continue;
		while (s->seen[at].key)
			at = (at + 1) & s->mask;
		s->seen[at] = old[i];
	}
	free(old);
}

static struct seen *find(const struct search *s, uint64_t key)
{
	uint64_t at = key & s->mask;

	while (s->seen[at].key && s->seen[at].key != key)
		at = (at + 1) & s->mask;
	return &s->seen[at];
}

/* A state reached, which may be changed: looked at, and gone on from if it is new. */
static void reach(struct search *s, struct world *w, struct label label)
{
	struct seen *seen;
	uint64_t key;

	make_comparable(w);
	key = key_of(w);
	if (s->states * 2 >= s->mask)
		grow(s);
	seen = find(s, key);
	if (seen->key)
		return;
	*seen = (struct seen){key, s->parent, label};
	s->states++;
	if (is_wrong(w) && !s->wrong)
		s->wrong = key;
	push(&s->stack, w);
}

/* Everything that needs no new operation. */
static void exhaust(struct search *s, bool last)
{
	while (s->stack.nr && !s->wrong) {
		struct world w = s->stack.at[--s->stack.nr];

		s->parent = key_of(&w);
		go_on(s, &w);
		if (!last)
			push(&s->done, &w);
	}
}

/* Up to so many operations begun, or to the first wrong state. */
static void search_from(struct search *s, struct world *first, unsigned operations)
{
	*s = (struct search){.parent = 0};
	reach(s, first, (struct label){0, 0, 0, 0});
	for (unsigned begun = 0;; begun++) {
		struct list level;

		exhaust(s, begun == operations);
		if (begun == operations || s->wrong || !s->done.nr)
			break;
		level = s->done;
		s->done = (struct list){NULL, 0, 0};
		for (size_t i = 0; i < level.nr; i++) {
			s->parent = key_of(&level.at[i]);
			begin_any(s, &level.at[i]);
		}
		free(level.at);
	}
}

static void forget(struct search *s)
{
	free(s->seen);
	free(s->stack.at);
	free(s->done.at);
}

#endif
