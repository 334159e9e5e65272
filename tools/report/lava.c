/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lava command: a TESTCASE signal of LAVA (lava_dispatcher/actions/test/shell.py) for each
 * check and each figure, to be printed inside a test definition of its.
 *
 * A signal is words of KEY=VALUE up to a '>', so that names keep letters, digits and "_.-" only.
 * The first case says whether the report is whole.
 */
#define _GNU_SOURCE /* asprintf */
#include <ctype.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/commands.h"
#include "tools/report/interval.h"
#include "tools/report/output.h"

struct lava {
	const struct report *report;
	enum report_unit unit;
	json_t *names; /* up to which number each is taken */
};

/* A new string; a run of anything else becomes one underscore. */
static char *word(const char *text, const char *also)
{
	char *out = must_have(malloc(strlen(text) + 1)), *end = out;

	for (; *text; text++) {
		if (isalnum((unsigned char)*text) || strchr(also, *text))
			*end++ = *text;
		else if (end > out && end[-1] != '_')
			*end++ = '_';
	}
	*end = 0;
	return out;
}

/* Frees `name` and returns one that no other case has: what is the same as a word gets a number. */
static char *free_name(struct lava *l, char *name)
{
	json_int_t n = json_integer_value(json_object_get(l->names, name));
	char *numbered = must_have(strdup(name));

	/* What is numbered may be another's name too. */
	while (json_object_get(l->names, numbered)) {
		free(numbered);
		if (asprintf(&numbered, "%s__%" JSON_INTEGER_FORMAT, name, ++n) < 0)
			must_have(NULL);
	}
	json_object_set_new(l->names, numbered, json_integer(1));
	if (n)
		json_object_set_new(l->names, name, json_integer(n));
	free(name);
	return numbered;
}

static void put_case(struct lava *l, const char *text)
{
	char *name = word(text, "_.-");

	if (!*name) {
		free(name);
		name = must_have(strdup("unnamed"));
	}
	name = free_name(l, name);
	printf("<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=%s", name);
	free(name);
}

static void put_row_case(struct lava *l, const struct row *row)
{
	char *text = NULL;
	size_t length = 0;
	FILE *to = must_have(open_memstream(&text, &length));
	double number;

	fprintf(to, "%s%s%s", row->name, *row->params ? " " : "", row->params);
	if (row->kind == ROW_MATRIX && record_number(row->record, "row", &number))
		fprintf(to, " row=%.0f", number);
	if (fclose(to))
		must_have(NULL);
	put_case(l, text);
	free(text);
}

static void put_result(const char *result)
{
	printf(" RESULT=%s", result);
}

static void put_measurement(double value, const char *units)
{
	char *unit = word(units, "_.-/%");

	if (isfinite(value))
		printf(" MEASUREMENT=%.10g", value + 0.0); /* no -0 */
	if (isfinite(value) && *unit)
		printf(" UNITS=%s", unit);
	free(unit);
}

/* It knows pass, fail, skip and unknown: of an expected failure it is not known what to think. */
static const char *result_word(const struct row *row)
{
	const char *result = record_text(row->record, "result");

	if (!result)
		return "unknown";
	return strcmp(result, "pass") && strcmp(result, "fail") && strcmp(result, "skip")
		       ? "unknown"
		       : result;
}

static const char *unit_name(const struct lava *l)
{
	return l->unit == UNIT_NS ? "ns" : l->unit == UNIT_CORE ? "cycles" : "ticks";
}

static void put_value(const struct row *row, const char *unit)
{
	double value;

	if (!row->modelled && record_number(row->record, "value", &value))
		put_measurement(value, unit ? unit : "");
}

static void put_bench(const struct lava *l, const struct row *row)
{
	double value;

	if (row_time(l->report, row, "net", l->unit, &value))
		put_measurement(value, unit_name(l));
}

/* The median of its cells. */
static void put_matrix(const struct lava *l, const struct row *row)
{
	const json_t *cells = json_object_get(row->record, "p50");
	const char *unit = record_text(row->record, "unit");
	double *values = must_have(calloc(json_array_size(cells) + 1, sizeof(values[0])));
	double scale = row_scale(l->report, row, l->unit);
	size_t n = 0;

	for (size_t i = 0; i < json_array_size(cells); i++) {
		if (json_is_number(json_array_get(cells, i)))
			values[n++] = json_number_value(json_array_get(cells, i));
	}
	if (n && scale && !row->modelled)
		put_measurement(median(values, n) * scale,
				unit && strcmp(unit, "tsc") ? unit : unit_name(l));
	free(values);
}

static void put_retention(const struct row *row)
{
	double kept, of;

	if (record_number(row->record, "kept", &kept) && record_number(row->record, "of", &of) &&
	    of > 0)
		put_measurement(100 * kept / of, "percent");
}

static void put_row(struct lava *l, const struct row *row)
{
	put_row_case(l, row);
	put_result(row->kind == ROW_CHECK  ? result_word(row)
		   : row->kind == ROW_SKIP ? "skip"
					   : "pass");
	if (row->kind == ROW_BENCH)
		put_bench(l, row);
	else if (row->kind == ROW_RATE)
		put_value(row, record_text(row->record, "unit"));
	else if (row->kind == ROW_ADVICE)
		put_value(row, NULL); /* its unit is that of its curves */
	else if (row->kind == ROW_MATRIX)
		put_matrix(l, row);
	else if (row->kind == ROW_RETENTION)
		put_retention(row);
	printf(">\n");
}

static void put_report(struct lava *l)
{
	l->names = must_have(json_object());
	put_case(l, "report/whole");
	put_result(verdict_whole(l->report->verdict) ? "pass" : "fail");
	printf(">\n");
	for (size_t i = 0; i < l->report->nr_rows; i++)
		put_row(l, &l->report->rows[i]);
	json_decref(l->names);
}

int lava_run(int argc, char **argv)
{
	static const struct option options[] = {{"unit", required_argument, NULL, 'u'},
						{NULL, 0, NULL, 0}};
	struct lava l = {.unit = UNIT_NS};
	struct report *r;
	int option, status;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option != 'u' || !command_unit(optarg, &l.unit))
			return command_usage(argv[0]);
	}
	if (optind + 1 != argc)
		return command_usage(argv[0]);
	r = command_load(argv[optind]);
	if (!r)
		return STATUS_USAGE;
	l.report = r;
	put_report(&l);
	status = command_status(r);
	report_free(r);
	return status;
}
