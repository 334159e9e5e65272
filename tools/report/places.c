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

/* The CPU that a figure of the row is of; -1 where that is no number. */
static int column_cpu(const json_t *record, size_t column)
{
	const json_t *columns = json_object_get(record, "columns"), *value;

	if (!columns)
		return (int)column;
	value = json_array_get(columns, column);
	return json_is_integer(value) && json_integer_value(value) >= 0 &&
			       json_integer_value(value) < 1 << 30
		       ? (int)json_integer_value(value)
		       : -1;
}

static int by_number(const void *a, const void *b)
{
	int p = *(const int *)a, q = *(const int *)b;

	return (p > q) - (p < q);
}

/* Sorted, each once; those that stand in the matrix, not all up to the greatest. */
struct cpus {
	int *ids;
	size_t n;
};

static void take_cpu(struct cpus *cpus, int id)
{
	if (id < 0)
		return;
	if (!(cpus->n & (cpus->n - 1)))
		cpus->ids = must_have(
			realloc(cpus->ids, (cpus->n ? 2 * cpus->n : 1) * sizeof(cpus->ids[0])));
	cpus->ids[cpus->n++] = id;
}

static struct cpus find_cpus(const struct plot *plot)
{
	struct cpus cpus = {NULL, 0};
	size_t n = 0;

	for (size_t i = 0; i < plot->nr_rows; i++) {
		const json_t *record = plot->rows[i]->record;
		size_t columns = json_array_size(json_object_get(record, "p50"));

		take_cpu(&cpus, member(record, "row"));
		for (size_t j = 0; j < columns; j++)
			take_cpu(&cpus, column_cpu(record, j));
	}
	if (cpus.n)
		qsort(cpus.ids, cpus.n, sizeof(cpus.ids[0]), by_number);
	for (size_t i = 0; i < cpus.n; i++) {
		if (!n || cpus.ids[i] != cpus.ids[n - 1])
			cpus.ids[n++] = cpus.ids[i];
	}
	cpus.n = n < PLACES_MAX ? n : PLACES_MAX;
	return cpus;
}

/* Its number among them; their count where it is none of them. */
static size_t cpu_number(const struct cpus *cpus, int id)
{
	const int *at =
		cpus->n ? bsearch(&id, cpus->ids, cpus->n, sizeof(cpus->ids[0]), by_number) : NULL;

	return at ? (size_t)(at - cpus->ids) : cpus->n;
}

static void find_places(struct places *p, const struct cpus *cpus, const struct report *r)
{
	for (size_t i = 0; i < p->n; i++)
		p->places[i].cpu = cpus->ids[i];
	for (size_t i = 0; i < r->nr_records; i++) {
		const json_t *record = r->records[i];
		size_t number;
		struct place *place;

		if (strcmp(record_text(record, "type"), "cpu_at"))
			continue;
		number = cpu_number(cpus, member(record, "cpu"));
		if (number == cpus->n)
			continue;
		place = &p->places[number];
		place->package = member(record, "package");
		place->llc = member(record, "llc");
		place->core = member(record, "core");
		place->thread = member(record, "thread");
		place->known = place->package >= 0 && place->llc >= 0 && place->core >= 0;
	}
}

/* `index` is each number's in the order of places. */
static void take_row(struct places *p, const struct cpus *cpus, const struct row *row,
		     const size_t *index, double scale)
{
	const json_t *cells = json_object_get(row->record, "p50");
	size_t from = cpu_number(cpus, member(row->record, "row"));

	for (size_t j = 0; from < cpus->n && j < json_array_size(cells); j++) {
		const json_t *cell = json_array_get(cells, j);
		size_t to = cpu_number(cpus, column_cpu(row->record, j));

		if (json_is_number(cell) && to < cpus->n)
			p->values[index[from] * p->n + index[to]] = json_number_value(cell) * scale;
	}
}

struct places *places_of_matrix(const struct plot *plot)
{
	struct places *p = must_have(calloc(1, sizeof(*p)));
	struct cpus cpus = find_cpus(plot);
	size_t n = cpus.n, *index = must_have(calloc(n + 1, sizeof(index[0])));

	p->n = n;
	p->places = must_have(calloc(n + 1, sizeof(p->places[0])));
	p->values = must_have(calloc(n * n + 1, sizeof(p->values[0])));
	find_places(p, &cpus, plot->report);
	qsort(p->places, n, sizeof(p->places[0]), by_place);
	for (size_t i = 0; i < n; i++)
		index[cpu_number(&cpus, p->places[i].cpu)] = i;
	for (size_t i = 0; i < n * n; i++)
		p->values[i] = NAN;
	for (size_t i = 0; i < plot->nr_rows; i++)
		take_row(p, &cpus, plot->rows[i], index, plot->scale);
	free(index);
	free(cpus.ids);
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
