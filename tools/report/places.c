/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts a matrix by the topology. */
#include "tools/report/places.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/output.h"

const char *const relation_names[RELATIONS] = {
	[SAME_CPU] = "the CPU itself",        [SAME_CORE] = "same core",
	[SAME_LLC] = "same last-level cache", [SAME_PACKAGE] = "same package, another cache",
	[OTHER_PACKAGE] = "another package",  [NOT_KNOWN] = "topology not known",
};

/* A record's member as a number of the kind that CPUs have; -1 where it is none. */
static int member(const json_t *record, const char *key)
{
	const json_t *value = json_object_get(record, key);
	json_int_t n = json_is_integer(value) ? json_integer_value(value) : -1;

	return n >= 0 && n < 1 << 30 ? (int)n : -1;
}

static void find_places(struct places *p, const struct report *r)
{
	for (size_t i = 0; i < p->n; i++)
		p->places[i].cpu = i;
	for (size_t i = 0; i < r->nr_records; i++) {
		const json_t *record = r->records[i];
		int cpu = member(record, "cpu");
		struct place *place;

		if (strcmp(record_text(record, "type"), "cpu_at") || cpu < 0 || (size_t)cpu >= p->n)
			continue;
		place = &p->places[cpu];
		place->package = member(record, "package");
		place->llc = member(record, "llc");
		place->core = member(record, "core");
		place->thread = member(record, "thread");
		place->known = place->package >= 0 && place->llc >= 0 && place->core >= 0;
	}
}

static int by_place(const void *a, const void *b)
{
	const struct place *p = a, *q = b;
	const int keys[][2] = {{q->known, p->known},
			       {p->package, q->package},
			       {p->llc, q->llc},
			       {p->core, q->core},
			       {p->thread, q->thread}};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (keys[i][0] != keys[i][1])
			return (keys[i][0] > keys[i][1]) - (keys[i][0] < keys[i][1]);
	}
	return (p->cpu > q->cpu) - (p->cpu < q->cpu);
}

static size_t count_cpus(const struct plot *plot)
{
	size_t n = 0;

	for (size_t i = 0; i < plot->nr_rows; i++) {
		int row = member(plot->rows[i]->record, "row");
		size_t columns = json_array_size(json_object_get(plot->rows[i]->record, "p50"));

		if (row >= 0 && row < PLACES_MAX && (size_t)row >= n)
			n = row + 1;
		n = columns > n ? columns : n;
	}
	return n < PLACES_MAX ? n : PLACES_MAX;
}

/* `index` is each CPU's in the order of places. */
static void take_row(struct places *p, const struct row *row, const size_t *index, double scale)
{
	const json_t *cells = json_object_get(row->record, "p50");
	int from = member(row->record, "row");

	if (from < 0 || (size_t)from >= p->n)
		return;
	for (size_t to = 0; to < p->n; to++) {
		const json_t *cell = json_array_get(cells, to);

		if (json_is_number(cell))
			p->values[index[from] * p->n + index[to]] = json_number_value(cell) * scale;
	}
}

struct places *places_of_matrix(const struct plot *plot)
{
	struct places *p = must_have(calloc(1, sizeof(*p)));
	size_t n = count_cpus(plot), *index = must_have(calloc(n + 1, sizeof(index[0])));

	p->n = n;
	p->places = must_have(calloc(n + 1, sizeof(p->places[0])));
	p->values = must_have(calloc(n * n + 1, sizeof(p->values[0])));
	find_places(p, plot->report);
	qsort(p->places, n, sizeof(p->places[0]), by_place);
	for (size_t i = 0; i < n; i++)
		index[p->places[i].cpu] = i;
	for (size_t i = 0; i < n * n; i++)
		p->values[i] = NAN;
	for (size_t i = 0; i < plot->nr_rows; i++)
		take_row(p, plot->rows[i], index, plot->scale);
	free(index);
	return p;
}

void places_free(struct places *p)
{
	if (!p)
		return;
	free(p->places);
	free(p->values);
	free(p);
}

enum relation relation_of(const struct place *a, const struct place *b)
{
	if (a->cpu == b->cpu)
		return SAME_CPU;
	if (!a->known || !b->known)
		return NOT_KNOWN;
	if (a->package != b->package)
		return OTHER_PACKAGE;
	if (a->llc != b->llc)
		return SAME_PACKAGE;
	return a->core == b->core ? SAME_CORE : SAME_LLC;
}
