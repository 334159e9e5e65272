/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts a matrix by the topology. */
#include "tools/report/places.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/output.h"

#define NOWHERE SIZE_MAX

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

/* `index` is each CPU's in `p`, or NOWHERE. */
static void find_places(struct places *p, const struct report *r, const size_t *index)
{
	for (size_t i = 0; i < r->nr_records; i++) {
		const json_t *record = r->records[i];
		int cpu = member(record, "cpu");
		struct place *place;

		if (strcmp(record_text(record, "type"), "cpu_at") || cpu < 0 || cpu >= PLACES_MAX ||
		    index[cpu] == NOWHERE)
			continue;
		place = &p->places[index[cpu]];
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

/* Of which CPU a record's figure is; -1 where it does not say. */
static int column_of(const json_t *record, size_t i)
{
	const json_t *columns = json_object_get(record, "columns");
	const json_t *column = json_array_get(columns, i);
	json_int_t cpu = columns ? -1 : (json_int_t)i;

	if (json_is_integer(column))
		cpu = json_integer_value(column);
	return cpu >= 0 && cpu < PLACES_MAX ? (int)cpu : -1;
}

/* -1 where it has none, or no figures. */
static int row_of(const json_t *record)
{
	int row = json_array_size(json_object_get(record, "p50")) ? member(record, "row") : -1;

	return row < PLACES_MAX ? row : -1;
}

/* The CPUs that the records name, in the order of their numbers. */
static void find_cpus(struct places *p, const struct plot *plot)
{
	bool *named = must_have(calloc(PLACES_MAX, sizeof(named[0])));

	for (size_t i = 0; i < plot->nr_rows; i++) {
		const json_t *record = plot->rows[i]->record;
		size_t n = json_array_size(json_object_get(record, "p50"));

		if (row_of(record) < 0)
			continue;
		named[row_of(record)] = true;
		for (size_t j = 0; j < n; j++) {
			if (column_of(record, j) >= 0)
				named[column_of(record, j)] = true;
		}
	}
	p->places = must_have(calloc(PLACES_MAX, sizeof(p->places[0])));
	for (unsigned cpu = 0; cpu < PLACES_MAX; cpu++) {
		if (named[cpu])
			p->places[p->n++].cpu = cpu;
	}
	free(named);
}

static void find_index(const struct places *p, size_t *index)
{
	for (size_t cpu = 0; cpu < PLACES_MAX; cpu++)
		index[cpu] = NOWHERE;
	for (size_t i = 0; i < p->n; i++)
		index[p->places[i].cpu] = i;
}

static double *new_row(size_t n)
{
	double *row = must_have(calloc(n, sizeof(row[0])));

	for (size_t i = 0; i < n; i++)
		row[i] = NAN;
	return row;
}

static void take_row(struct places *p, const json_t *record, const size_t *index, double scale)
{
	const json_t *cells = json_object_get(record, "p50");
	double **row;

	if (row_of(record) < 0)
		return;
	row = &p->rows[index[row_of(record)]];
	if (!*row)
		*row = new_row(p->n);
	for (size_t i = 0; i < json_array_size(cells); i++) {
		const json_t *cell = json_array_get(cells, i);
		int to = column_of(record, i);

		if (json_is_number(cell) && to >= 0)
			(*row)[index[to]] = json_number_value(cell) * scale;
	}
}

struct places *places_of_matrix(const struct plot *plot)
{
	struct places *p = must_have(calloc(1, sizeof(*p)));
	size_t *index = must_have(calloc(PLACES_MAX, sizeof(index[0])));

	find_cpus(p, plot);
	find_index(p, index);
	find_places(p, plot->report, index);
	qsort(p->places, p->n, sizeof(p->places[0]), by_place);
	find_index(p, index);
	p->rows = must_have(calloc(p->n + 1, sizeof(p->rows[0])));
	for (size_t i = 0; i < plot->nr_rows; i++)
		take_row(p, plot->rows[i]->record, index, plot->scale);
	free(index);
	return p;
}

double places_value(const struct places *p, size_t from, size_t to)
{
	return p->rows[from] ? p->rows[from][to] : NAN;
}

void places_free(struct places *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++)
		free(p->rows[i]);
	free(p->rows);
	free(p->places);
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
