/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts rows into groups, and finds the parameters that all of a table's rows share. */
#define _GNU_SOURCE /* asprintf */
#include "tools/report/rows.h"

#include <stdlib.h>
#include <string.h>

#include "tools/report/output.h"

/* The number of the row's group: the next if it is new. */
static size_t group_number(const struct row *row, json_t *numbers)
{
	char *name = must_have(strndup(row->name, row->group_length));
	const json_t *number = json_object_get(numbers, name);
	size_t group = number ? (size_t)json_integer_value(number) : json_object_size(numbers);

	if (!number && json_object_set_new(numbers, name, json_integer(group)))
		must_have(NULL);
	free(name);
	return group;
}

struct groups groups_find(const struct row *const *rows, size_t n)
{
	size_t *group_of = must_have(calloc(n + 1, sizeof(group_of[0])));
	json_t *numbers = must_have(json_object());
	struct groups g = {.begin = must_have(calloc(n + 2, sizeof(g.begin[0]))),
			   .order = must_have(calloc(n + 1, sizeof(g.order[0])))};

	for (size_t i = 0; i < n; i++) {
		group_of[i] = group_number(rows[i], numbers);
		g.begin[group_of[i] + 2]++;
	}
	g.n = json_object_size(numbers);
	for (size_t i = 2; i < n + 2; i++)
		g.begin[i] += g.begin[i - 1];
	/* Each now begins one further on than it will, and moves up as it fills. */
	for (size_t i = 0; i < n; i++)
		g.order[g.begin[group_of[i] + 1]++] = i;
	json_decref(numbers);
	free(group_of);
	return g;
}

void groups_drop(struct groups *g)
{
	free(g->begin);
	free(g->order);
}

/* How a row was measured, not of what. */
static bool is_manner(const char *key)
{
	return !strcmp(key, "mode") || !strcmp(key, "others") || !strcmp(key, "unroll");
}

/* Each parameter's only value; null for one with several. Counts in how many rows each is. */
static json_t *find_values(const struct row *const *rows, size_t n, json_t *counts)
{
	json_t *values = must_have(json_object()), *value;
	const char *key;

	for (size_t i = 0; i < n; i++) {
		json_object_foreach(json_object_get(rows[i]->record, "params"), key, value)
		{
			const json_t *seen = json_object_get(values, key);
			json_int_t count = json_integer_value(json_object_get(counts, key));

			if (!seen)
				json_object_set(values, key, value);
			else if (!json_equal(seen, value))
				json_object_set_new(values, key, json_null());
			json_object_set_new(counts, key, json_integer(count + 1));
		}
	}
	return values;
}

/* Of all rows; `unroll` of those that have it, as throughput has. */
static json_t *single_values(const struct row *const *rows, size_t n)
{
	json_t *counts = must_have(json_object()), *values = find_values(rows, n, counts), *value;
	const char *key;
	void *next;

	json_object_foreach_safe(values, next, key, value)
	{
		size_t count = json_integer_value(json_object_get(counts, key));

		if (json_is_null(value) || (count < n && strcmp(key, "unroll") != 0) ||
		    (n < 2 && !is_manner(key)))
			json_object_del(values, key);
	}
	json_decref(counts);
	return values;
}

/* As a reader of the table sees it, but for the figures. */
static char *seen_text(const struct row *row, const json_t *left_out)
{
	char *params = must_have(params_text(json_object_get(row->record, "params"), left_out));
	char *matrix_row = json_dumps(json_object_get(row->record, "row"), JSON_ENCODE_ANY);
	char *text;

	if (asprintf(&text, "%d %s %s %s", row->kind, row->name, params,
		     matrix_row ? matrix_row : "") < 0)
		must_have(NULL);
	free(matrix_row);
	free(params);
	return text;
}

static size_t count_different(const struct row *const *rows, size_t n, const json_t *left_out)
{
	json_t *seen = must_have(json_object());
	size_t different;

	for (size_t i = 0; i < n; i++) {
		char *text = seen_text(rows[i], left_out);

		json_object_set_new(seen, text, json_true());
		free(text);
	}
	different = json_object_size(seen);
	json_decref(seen);
	return different;
}

/* Whether latency is worth a word above the table only: the rows have that mode and another. */
static bool has_modes(const struct row *const *rows, size_t n)
{
	bool latency = false, other = false;

	for (size_t i = 0; i < n; i++) {
		const json_t *params = json_object_get(rows[i]->record, "params");
		const char *mode = record_text(params, "mode");

		latency = latency || (mode && !strcmp(mode, "latency"));
		other = other || (mode && strcmp(mode, "latency"));
		if (!mode)
			return false;
	}
	return latency && other;
}

struct shared shared_find(const struct row *const *rows, size_t n)
{
	struct shared s = {.params = single_values(rows, n)};
	char *text = must_have(params_text(s.params, NULL));
	bool modes = has_modes(rows, n);

	if (modes)
		json_object_set_new(s.params, "mode", json_string("latency"));
	if (count_different(rows, n, s.params) < count_different(rows, n, NULL)) {
		json_object_clear(s.params);
		*text = 0;
		modes = false;
	}
	if (asprintf(&s.above, "%s%s%s", text, *text && modes ? "; " : "",
		     modes ? "mode=latency unless given" : "") < 0)
		must_have(NULL);
	free(text);
	return s;
}

void shared_drop(struct shared *s)
{
	json_decref(s->params);
	free(s->above);
}

char *own_params(const struct row *row, const struct shared *s)
{
	return must_have(params_text(json_object_get(row->record, "params"), s->params));
}
