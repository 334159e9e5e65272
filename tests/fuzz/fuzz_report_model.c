/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the input as a captured console, whole, and compares it with itself: whatever it holds, no
 * row differs.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/fuzz/records.h"
#include "tools/report/comparison.h"
#include "tools/report/report.h"

static void check_row(const struct report *r, const struct row *row)
{
	double value, lo, hi;

	must(row->kind < ROW_KINDS && row->name && row->params && row->id);
	must(row->group_length <= strlen(row->name));
	for (enum report_unit unit = UNIT_TICKS; unit <= UNIT_CORE; unit++) {
		if (row_time(r, row, "net", unit, &value) && unit != UNIT_NS)
			must(isfinite(value));
		if (row_interval(r, row, true, unit, &lo, &hi))
			must(!row->modelled && !(lo > hi));
	}
}

static void check_report(const struct report *r)
{
	must(r->nr_records == r->verdict->records && r->nr_rows <= r->nr_records);
	for (size_t i = 1; i < r->nr_records; i++)
		must(json_integer_value(json_object_get(r->records[i - 1], "seq")) <
		     json_integer_value(json_object_get(r->records[i], "seq")));
	for (size_t i = 0; i < r->nr_rows; i++)
		check_row(r, &r->rows[i]);
}

/* Five runs on each side are tested, one is not. */
static void compare_with_itself(const struct report *r, size_t runs, enum report_unit unit)
{
	const struct report *reports[] = {r, r, r, r, r};
	const struct side sides[2] = {{reports, runs}, {reports, runs}};
	struct comparison *c = comparison_new(sides, &unit, NULL);
	size_t counted = 0;

	must(c->tested == (runs > 1) && c->drift >= 1);
	must(!c->counts[OUTCOME_SLOWER] && !c->counts[OUTCOME_FASTER]);
	must(!c->counts[OUTCOME_DIFFERS]);
	must(!c->counts[OUTCOME_ONLY_A] && !c->counts[OUTCOME_ONLY_B]);
	for (size_t i = 0; i < OUTCOMES; i++)
		counted += c->counts[i];
	must(counted == c->nr_subjects);
	comparison_free(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	FILE *capture = bytes ? fmemopen((void *)data, bytes, "rb") : NULL;
	struct report *r = capture ? report_read(capture, "input") : NULL;

	if (!r)
		return -1;
	check_report(r);
	for (enum report_unit unit = UNIT_TICKS; unit <= UNIT_CORE; unit++) {
		compare_with_itself(r, 1, unit);
		compare_with_itself(r, 5, unit);
	}
	report_free(r);
	fclose(capture);
	return 0;
}
