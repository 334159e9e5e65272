/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds checks by their ids, and takes the worst of the results that a side's runs gave. */
#include "tools/report/compare_checks.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/table.h"

/* The worst result a side's runs gave, and one reason for it; NULL if none has the check. */
static const char *worst_result(const struct side *side, const char *id, const char **why)
{
	static const char *const order[] = {"fail", "skip", "xfail", "pass"};
	size_t worst = sizeof(order) / sizeof(order[0]);

	*why = NULL;
	for (size_t i = 0; i < side->n; i++) {
		const struct row *row = report_find(side->reports[i], id);
		const char *result = row ? record_text(row->record, "result") : NULL;

		for (size_t j = 0; result && j < worst; j++) {
			if (strcmp(result, order[j]))
				continue;
			worst = j;
			*why = record_text(row->record, "why");
		}
	}
	return worst < sizeof(order) / sizeof(order[0]) ? order[worst] : NULL;
}

static bool is_fail(const char *result)
{
	return result && !strcmp(result, "fail");
}

static void add_change(struct check_changes *c, const struct check_change *change)
{
	size_t n = c->nr_changed;

	if (!(n & (n - 1)))
		c->list = must_have(realloc(c->list, (n ? 2 * n : 1) * sizeof(c->list[0])));
	c->list[c->nr_changed++] = *change;
	if (is_fail(change->results[1]) && strcmp(change->results[0], "skip"))
		c->failing++;
}

static void add_check(struct check_changes *c, const struct side sides[2], const struct row *row)
{
	struct check_change change = {.row = row};
	const char *const *results = change.results;

	for (int side = 0; side < 2; side++)
		change.results[side] = worst_result(&sides[side], row->id, &change.why);
	if (!results[0] && !results[1])
		return;
	c->n++;
	if (results[0] && results[1]) {
		c->in_both++;
		change.why = change.why ? change.why : "";
		if (strcmp(results[0], results[1]))
			add_change(c, &change);
		return;
	}
	c->only[!results[0]]++;
	c->only_failed[!results[0]] += is_fail(results[0] ? results[0] : results[1]);
}

/* Those of a report that none before it has. */
static void add_report(struct check_changes *c, const struct side sides[2], const struct report *r,
		       const char *match, json_t *seen)
{
	for (size_t i = 0; i < r->nr_rows; i++) {
		const struct row *row = &r->rows[i];

		if (row->kind != ROW_CHECK || (match && fnmatch(match, row->name, 0)) ||
		    json_object_get(seen, row->id))
			continue;
		json_object_set_new(seen, row->id, json_true());
		add_check(c, sides, row);
	}
}

struct check_changes *check_changes_new(const struct side sides[2], const char *match)
{
	struct check_changes *c = must_have(calloc(1, sizeof(*c)));
	json_t *seen = must_have(json_object());

	for (int side = 0; side < 2; side++) {
		for (size_t i = 0; i < sides[side].n; i++)
			add_report(c, sides, sides[side].reports[i], match, seen);
	}
	json_decref(seen);
	return c;
}

static void print_list(const struct check_changes *c, int width)
{
	static const struct column columns[] = {{"", ALIGN_LEFT, 0},
						{"", ALIGN_LEFT, 0},
						{"A", ALIGN_LEFT, 0},
						{"B", ALIGN_LEFT, 0},
						{"", ALIGN_NOTE, 0}};
	struct table *t = table_new(columns, sizeof(columns) / sizeof(columns[0]));

	for (int failed = 1; failed >= 0; failed--) {
		for (size_t i = 0; i < c->nr_changed; i++) {
			const struct check_change *change = &c->list[i];

			if (is_fail(change->results[1]) != failed)
				continue;
			table_color(t, failed ? COLOR_BAD : COLOR_NONE);
			table_add(t, "%s", change->row->name);
			table_add(t, "%s", change->row->params);
			table_add(t, "%s", change->results[0]);
			table_add(t, "%s", change->results[1]);
			table_add(t, "%s", change->why);
		}
	}
	table_print(t, width);
	table_free(t);
}

static void print_only(const struct check_changes *c, int side)
{
	printf("%zu only in %c", c->only[side], "AB"[side]);
	if (c->only_failed[side])
		printf(" (%zu failed)", c->only_failed[side]);
}

void check_changes_print(const struct check_changes *c, int width)
{
	if (c->nr_changed) {
		printf("\nchecks with another result\n");
		print_list(c, width);
	}
	if (!c->n)
		return;
	printf("\n%zu check%s: %zu with another result, %zu with the same", c->n,
	       c->n == 1 ? "" : "s", c->nr_changed, c->in_both - c->nr_changed);
	if (c->only[0] || c->only[1]) {
		printf("; ");
		print_only(c, 0);
		printf(", ");
		print_only(c, 1);
	}
	putchar('\n');
	if (c->failing)
		printf("%zu check%s that passed fail%s\n", c->failing, c->failing == 1 ? "" : "s",
		       c->failing == 1 ? "s" : "");
}

void check_changes_free(struct check_changes *c)
{
	if (!c)
		return;
	free(c->list);
	free(c);
}
