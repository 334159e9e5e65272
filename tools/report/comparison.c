/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the rows of two sides that belong together, and judges each pair. */
#include "tools/report/comparison.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/output.h"

#define DRIFT_MEDIANS  3.0 /* of a normal distribution two standard deviations, 95% */
#define DRIFT_EMULATOR 4.0
#define DRIFT_GUEST    2.0
#define DRIFT_MACHINE  1.25
#define EXACT_SAMPLES  10 /* fewer may be equal by chance */
#define EXACT_ROUNDS   3
#define STEP_CHANGES   8
#define STEP_MOST      100
#define CLOCKS_AGREE   0.001 /* two calibrations of one clock differ by less */
#define ROUNDING       1e-9  /* of a logarithm and back, with room */
#define ALIKE_LEAST    1.02  /* what moved by less has not moved */
#define ALIKE_STEPS    20    /* of fewer steps a part of one can't be told */

/* A run's figure of a row. */
struct reading {
	double value;
	double gross;           /* with the empty section; 0 where there is none */
	struct interval within; /* what its samples say of it */
	double step;            /* how much it may differ though the same was measured */
	bool exact;
};

static double *clock_list(const struct comparison *c, size_t *n)
{
	double *list = must_have(calloc(c->sides[0].n + c->sides[1].n, sizeof(list[0])));

	*n = 0;
	for (int side = 0; side < 2; side++) {
		for (size_t i = 0; i < c->sides[side].n; i++)
			list[(*n)++] = c->sides[side].reports[i]->tsc_hz;
	}
	return list;
}

/* One clock for all, so that what is equal in ticks is equal in ns. */
static double common_scale(const struct comparison *c)
{
	size_t n;
	double *list = clock_list(c, &n), middle = median(list, n);
	double lo = list[0], hi = list[n - 1];

	free(list);
	return lo > 0 && hi - lo <= middle * CLOCKS_AGREE ? 1e9 / middle : 0;
}

/* From a figure in ticks to one in the unit; 0 where that can't be had. */
static double reading_scale(const struct comparison *c, const struct report *r)
{
	if (c->unit == UNIT_NS)
		return c->scale ? c->scale : r->tsc_hz > 0 ? 1e9 / r->tsc_hz : 0;
	return c->unit == UNIT_TICKS;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* All that was measured by one counter. */
struct readings {
	uint64_t divisor; /* of all of them */
	uint64_t last;
	size_t changes; /* from one to the next: few values have a divisor by chance */
};

static void take_reading(struct readings *all, const json_t *ticks)
{
	json_int_t value = json_integer_value(ticks);

	/* Throughputs, which are quotients, have decimals. */
	if (!json_is_integer(ticks) || value <= 0)
		return;
	all->divisor = common_divisor(all->divisor, value);
	all->changes += (uint64_t)value != all->last;
	all->last = value;
}

/*
 * The counter may go up by more than one tick at a time (AMD's by some dozens): then everything
 * that it measured is a multiple of the step.
 */
static double counter_step(const struct report *r)
{
	static const char *const keys[] = {"min", "p5", "p25", "p50", "p75", "p95", "p99", "max"};
	struct readings all = {.divisor = 0};

	for (size_t i = 0; i < r->nr_rows; i++) {
		if (r->rows[i].kind != ROW_BENCH)
			continue;
		for (size_t j = 0; j < sizeof(keys) / sizeof(keys[0]); j++)
			take_reading(&all, json_object_get(r->rows[i].record, keys[j]));
	}
	return all.changes >= STEP_CHANGES && all.divisor <= STEP_MOST ? all.divisor : 1;
}

/* How much a figure of the row may differ though the same was measured. */
static double step_of(const struct comparison *c, const struct row *row)
{
	double unroll;

	/* A difference of two sections, over so many operations. */
	if (record_number(json_object_get(row->record, "params"), "unroll", &unroll) && unroll >= 1)
		return 2 * c->step / unroll;
	return c->step;
}

/* Whether there were enough samples to tell that they do not vary. */
static bool is_counted(const struct row *row, const char *key, double least)
{
	double n;

	return record_number(row->record, key, &n) && n >= least;
}

static bool read_ticks(const struct comparison *c, const struct report *r, const struct row *row,
		       struct reading *out)
{
	double scale = reading_scale(c, r), step = step_of(c, row);
	double baseline, p25, p75, min = 0, max = 1;

	if (!scale || !row_time(r, row, "net", UNIT_TICKS, &out->value) ||
	    !row_time(r, row, "baseline", UNIT_TICKS, &baseline) ||
	    !row_interval(r, row, false, UNIT_TICKS, &out->within.lo, &out->within.hi))
		return false;
	if (row_time(r, row, "p25", UNIT_TICKS, &p25) &&
	    row_time(r, row, "p75", UNIT_TICKS, &p75)) {
		out->within.lo = fmin(out->within.lo, p25);
		out->within.hi = fmax(out->within.hi, p75);
	}
	out->exact = is_counted(row, "n", EXACT_SAMPLES) &&
		     record_number(row->record, "min", &min) &&
		     record_number(row->record, "max", &max) && min == max;
	out->gross = (out->value + baseline) * scale;
	out->value *= scale;
	out->step = step * scale;
	out->within.lo = (out->within.lo - baseline - step / 2) * scale;
	out->within.hi = (out->within.hi - baseline + step / 2) * scale;
	return true;
}

/* Samples of their own, which came without extremes and quartiles: never exact. */
static bool read_core(const struct report *r, const struct row *row, struct reading *out)
{
	double baseline;

	if (!row_time(r, row, "net", UNIT_CORE, &out->value) ||
	    !row_time(r, row, "baseline", UNIT_CORE, &baseline) ||
	    !row_interval(r, row, true, UNIT_CORE, &out->within.lo, &out->within.hi))
		return false;
	out->gross = out->value + baseline;
	out->step = 1;
	out->within.lo -= out->step / 2;
	out->within.hi += out->step / 2;
	return true;
}

static bool read_rate(const struct row *row, struct reading *out)
{
	if (row->modelled || !record_number(row->record, "value", &out->value) ||
	    !record_pair(row->record, "ci", &out->within.lo, &out->within.hi))
		return false;
	out->exact = is_counted(row, "rounds", EXACT_ROUNDS) && out->within.lo == out->within.hi;
	return true;
}

/* A row of a matrix counts as the median of its cells. */
static bool read_matrix(const struct comparison *c, const struct report *r, const struct row *row,
			struct reading *out)
{
	const json_t *cells = json_object_get(row->record, "p50");
	const char *own = record_text(row->record, "unit");
	bool ticks = own && !strcmp(own, "tsc");
	double scale = ticks ? reading_scale(c, r) : 1;
	double *values = must_have(calloc(json_array_size(cells) + 1, sizeof(values[0])));
	size_t n = 0;

	for (size_t i = 0; i < json_array_size(cells); i++) {
		const json_t *cell = json_array_get(cells, i);

		if (json_is_number(cell))
			values[n++] = json_number_value(cell) * scale;
	}
	if (n && scale) {
		out->value = median(values, n);
		out->step = ticks ? c->step * scale : 0;
		out->within = (struct interval){quantile(values, n, 0.25) - out->step / 2,
						quantile(values, n, 0.75) + out->step / 2};
		out->exact = values[0] == values[n - 1];
	}
	free(values);
	return n && scale && !row->modelled;
}

static bool read_retention(const struct row *row, struct reading *out)
{
	double kept, of;

	if (!record_number(row->record, "kept", &kept) || !record_number(row->record, "of", &of) ||
	    of <= 0 || kept < 0 || kept > of)
		return false;
	out->within = share_interval(kept, of);
	/* Percent. */
	out->value = 100 * kept / of;
	out->within.lo *= 100;
	out->within.hi *= 100;
	return true;
}

static bool read_row(const struct comparison *c, const struct report *r, const struct row *row,
		     struct reading *out)
{
	*out = (struct reading){.value = 0};
	switch (row->kind) {
	case ROW_BENCH:
		return c->unit == UNIT_CORE ? read_core(r, row, out) : read_ticks(c, r, row, out);
	case ROW_RATE:
		return read_rate(row, out);
	case ROW_MATRIX:
		return read_matrix(c, r, row, out);
	default:
		return read_retention(row, out);
	}
}

static double *add_value(double *values, size_t n, double value)
{
	values = must_have(realloc(values, (n + 1) * sizeof(values[0])));
	values[n] = value;
	return values;
}

static void add_reading(struct extent *e, const struct reading *reading)
{
	e->values = add_value(e->values, e->n, reading->value);
	e->gross_values = add_value(e->gross_values, e->n, reading->gross);
	if (!e->n) {
		e->span = reading->within;
		e->exact = reading->exact;
	}
	e->span.lo = fmin(e->span.lo, fmin(reading->within.lo, reading->value));
	e->span.hi = fmax(e->span.hi, fmax(reading->within.hi, reading->value));
	e->exact = e->exact && reading->exact;
	e->n++;
}

static bool is_wanted(const struct row *row, const char *match)
{
	return row->kind <= ROW_RETENTION && (!match || !fnmatch(match, row->name, 0));
}

/* Where the row's subject is, made if it is new. `places` has the number of each id. */
static struct subject *find_subject(struct comparison *c, const struct row *row, json_t *places)
{
	const json_t *place = json_object_get(places, row->id);
	size_t n = c->nr_subjects;

	if (place)
		return &c->subjects[json_integer_value(place)];
	if (!(n & (n - 1)))
		c->subjects =
			must_have(realloc(c->subjects, (n ? 2 * n : 1) * sizeof(c->subjects[0])));
	json_object_set_new(places, row->id, json_integer(n));
	c->subjects[n] = (struct subject){.row = row};
	c->nr_subjects++;
	return &c->subjects[n];
}

static void add_report(struct comparison *c, int side, const struct report *r, const char *match,
		       json_t *places)
{
	c->step = counter_step(r);
	for (size_t i = 0; i < r->nr_rows; i++) {
		const struct row *row = &r->rows[i];
		struct subject *s;
		struct reading reading;

		if (!is_wanted(row, match))
			continue;
		s = find_subject(c, row, places);
		s->modelled |= row->modelled;
		if (!read_row(c, r, row, &reading))
			continue;
		s->step = fmax(s->step, reading.step);
		add_reading(&s->sides[side], &reading);
	}
}

static void find_middles(struct subject *s)
{
	for (int side = 0; side < 2; side++) {
		struct extent *e = &s->sides[side];

		if (!e->n)
			continue;
		e->middle = median(e->values, e->n);
		e->gross = median(e->gross_values, e->n);
	}
}

static bool is_pair(const struct subject *s)
{
	return s->sides[0].n && s->sides[1].n;
}

/* Log ratios that tell of the drift; how many. */
static size_t drift_list(const struct comparison *c, double *list)
{
	size_t n = 0;

	for (size_t i = 0; i < c->nr_subjects; i++) {
		const struct subject *s = &c->subjects[i];
		double a = s->sides[0].middle, b = s->sides[1].middle;

		if (s->row->kind == ROW_RETENTION || !is_pair(s) || !(a > 0) || !(b > 0))
			continue;
		if (!s->sides[0].exact || !s->sides[1].exact)
			list[n++] = fabs(log(b / a));
	}
	return n;
}

/* What the noisiest of all machines may have moved between two boots. */
static double drift_limit(const struct comparison *c)
{
	double most = DRIFT_MACHINE;

	for (int side = 0; side < 2; side++) {
		for (size_t i = 0; i < c->sides[side].n; i++) {
			const struct report *r = c->sides[side].reports[i];
			const char *hypervisor =
				record_text(report_part(r, VERDICT_RUN), "hypervisor");

			if (r->emulator)
				most = DRIFT_EMULATOR;
			else if (!hypervisor || strcmp(hypervisor, "none"))
				most = fmax(most, DRIFT_GUEST);
		}
	}
	return most;
}

/* How many times as slow B is, as a logarithm; of what is long enough to tell. */
static bool find_move(const struct subject *s, double *move)
{
	double a = s->sides[0].middle, b = s->sides[1].middle, least = ALIKE_STEPS * s->step;

	if (s->row->kind == ROW_RETENTION || !is_pair(s) || !(a > least) || !(b > least))
		return false;
	*move = s->row->kind == ROW_RATE ? log(a / b) : log(b / a);
	return true;
}

/* Nine of ten rows moved by what the one in the middle did, but for a quarter of that. */
static void find_alike(struct comparison *c)
{
	double *moves = must_have(calloc(c->nr_subjects + 1, sizeof(moves[0]))), middle;
	size_t n = 0, alike = 0;

	for (size_t i = 0; i < c->nr_subjects; i++)
		n += find_move(&c->subjects[i], &moves[n]);
	middle = n ? median(moves, n) : 0;
	for (size_t i = 0; i < n; i++)
		alike += fabs(moves[i] - middle) <= fabs(middle) / 4;
	free(moves);
	if (n >= DRIFT_ROWS_MIN && 10 * alike >= 9 * n && fabs(middle) >= log(ALIKE_LEAST))
		c->alike = exp(middle);
}

static void find_drift(struct comparison *c)
{
	double *list = must_have(calloc(c->nr_subjects + 1, sizeof(list[0])));

	c->drift_rows = drift_list(c, list);
	c->drift_most = c->drift = drift_limit(c);
	if (c->drift_rows >= DRIFT_ROWS_MIN)
		c->drift = fmin(c->drift, exp(DRIFT_MEDIANS * median(list, c->drift_rows)));
	free(list);
}

/* Away from zero by half of the drift, the other side having the other half. */
static struct interval widened(struct interval i, double drift)
{
	double half = sqrt(drift);

	return (struct interval){i.lo > 0 ? i.lo / half : i.lo * half,
				 i.hi > 0 ? i.hi * half : i.hi / half};
}

static double ratio_of(double b, double a)
{
	return a > 0 ? b / a : INFINITY;
}

/* Of sides that both are wholly above zero in the middle. */
static void span_ratio(struct subject *s, struct interval a, struct interval b)
{
	s->has_ratio = s->sides[0].middle > 0 && s->sides[1].middle > 0;
	if (!s->has_ratio)
		return;
	s->ratio = s->sides[1].middle / s->sides[0].middle;
	s->ratio_interval.lo = fmax(b.lo, 0) / a.hi;
	s->ratio_interval.hi = ratio_of(b.hi, a.lo);
}

/* Too few runs: whether the sides lie apart. Returns the sign of B - A, 0 where they overlap. */
static int judge_spans(const struct comparison *c, struct subject *s)
{
	bool exact = (s->sides[0].exact && s->sides[1].exact) || s->row->kind == ROW_RETENTION;
	double drift = exact ? 1 : c->drift;
	struct interval a = widened(s->sides[0].span, drift), b = widened(s->sides[1].span, drift);

	span_ratio(s, a, b);
	return (b.lo > a.hi) - (b.hi < a.lo);
}

static void take_logs(struct extent *e)
{
	for (size_t i = 0; i < e->n; i++)
		e->values[i] = log(e->values[i]);
}

/* Of logarithms where there are such: then the shift is a ratio. A step more or less is none. */
static int judge_shift(struct subject *s)
{
	struct extent *a = &s->sides[0], *b = &s->sides[1];
	double shift, step = s->step * (1 + ROUNDING), none = 0;
	struct interval i;

	/* Sorted by median(). */
	s->has_ratio = a->values[0] > 0 && b->values[0] > 0;
	if (s->has_ratio) {
		take_logs(a);
		take_logs(b);
	}
	shift_estimate(a->values, a->n, b->values, b->n, &shift, &i);
	if (s->has_ratio) {
		i = (struct interval){exp(i.lo), exp(i.hi)};
		step /= a->middle;
		none = 1;
	}
	i = (struct interval){i.lo - step, i.hi + step};
	s->ratio = exp(shift);
	s->ratio_interval = (struct interval){fmax(i.lo, 0), i.hi};
	return (i.lo > none) - (i.hi < none);
}

/* How many times as slow B is: where nets have no ratio by what was measured, the empty section
 * included. 0 where there is none either. */
static double slowdown(const struct subject *s)
{
	const struct extent *a = &s->sides[0], *b = &s->sides[1];

	if (s->row->kind == ROW_RATE)
		return b->middle > 0 ? a->middle / b->middle : a->middle > 0 ? INFINITY : 0;
	if (s->has_ratio)
		return s->ratio;
	return a->gross > 0 && b->gross > 0 ? b->gross / a->gross : 0;
}

static enum outcome outcome_of(const struct subject *s, int sign)
{
	if (!sign)
		return OUTCOME_SAME;
	/* A table with figures at or below zero is none of prices. */
	if (s->row->kind == ROW_RETENTION || (s->row->kind == ROW_MATRIX && !s->has_ratio))
		return OUTCOME_DIFFERS;
	return (sign > 0) != (s->row->kind == ROW_RATE) ? OUTCOME_SLOWER : OUTCOME_FASTER;
}

static void judge(struct comparison *c, struct subject *s)
{
	const struct extent *a = &s->sides[0], *b = &s->sides[1];

	if (s->modelled && !is_pair(s))
		s->outcome = OUTCOME_MODELLED;
	else if (!a->n && !b->n)
		s->outcome = OUTCOME_NONE;
	else if (!is_pair(s))
		s->outcome = a->n ? OUTCOME_ONLY_A : OUTCOME_ONLY_B;
	else if (c->tested && shift_rank(a->n, b->n))
		s->outcome = outcome_of(s, judge_shift(s));
	else {
		s->untested = c->tested;
		s->outcome = outcome_of(s, judge_spans(c, s));
	}
	if (is_pair(s))
		s->worse = slowdown(s);
	c->counts[s->outcome]++;
}

struct comparison *comparison_new(const struct side sides[2], const enum report_unit *unit,
				  const char *match)
{
	struct comparison *c = must_have(calloc(1, sizeof(*c)));
	json_t *places = must_have(json_object());

	c->sides[0] = sides[0];
	c->sides[1] = sides[1];
	c->scale = common_scale(c);
	/* Two clocks' ticks are not the same thing. */
	c->unit = unit ? *unit : c->scale ? UNIT_TICKS : UNIT_NS;
	c->tested = shift_rank(sides[0].n, sides[1].n) > 0;
	for (int side = 0; side < 2; side++) {
		for (size_t i = 0; i < sides[side].n; i++)
			add_report(c, side, sides[side].reports[i], match, places);
	}
	json_decref(places);
	for (size_t i = 0; i < c->nr_subjects; i++)
		find_middles(&c->subjects[i]);
	find_drift(c);
	find_alike(c);
	for (size_t i = 0; i < c->nr_subjects; i++)
		judge(c, &c->subjects[i]);
	return c;
}

void comparison_free(struct comparison *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->nr_subjects; i++) {
		for (int side = 0; side < 2; side++) {
			free(c->subjects[i].sides[side].values);
			free(c->subjects[i].sides[side].gross_values);
		}
	}
	free(c->subjects);
	free(c);
}
