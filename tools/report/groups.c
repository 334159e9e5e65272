/* SPDX-License-Identifier: BSD-2-Clause */
/* Puts rows together by a key. */
#include "tools/report/groups.h"

#include <stdlib.h>

#include "tools/report/output.h"

size_t key_number(json_t **numbers, const char *key)
{
	json_t *number;
	size_t n;

	if (!*numbers)
		*numbers = must_have(json_object());
	number = json_object_get(*numbers, key);
	if (number)
		return json_integer_value(number);
	n = json_object_size(*numbers);
	if (json_object_set_new_nocheck(*numbers, key, json_integer(n)))
		must_have(NULL);
	return n;
}

/* With room for one more; room doubles at each power of two. */
static void *grown(void *items, size_t n, size_t size)
{
	return n & (n - 1) ? items : must_have(realloc(items, (n ? 2 * n : 1) * size));
}

void groups_add(struct groups *groups, const char *key, size_t report, const struct row *row)
{
	size_t number = key_number(&groups->numbers, key);
	struct group *group;

	if (number == groups->n) {
		groups->groups = grown(groups->groups, groups->n, sizeof(groups->groups[0]));
		groups->groups[groups->n++] = (struct group){0};
	}
	group = &groups->groups[number];
	group->members = grown(group->members, group->n, sizeof(group->members[0]));
	group->members[group->n++] = (struct member){report, row};
}

void groups_free(struct groups *groups)
{
	for (size_t i = 0; i < groups->n; i++)
		free(groups->groups[i].members);
	free(groups->groups);
	json_decref(groups->numbers);
	*groups = (struct groups){0};
}
