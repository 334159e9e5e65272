/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The csv command: a line for each row of each report, and for each cell of a matrix. RFC 4180. A
 * text that a spreadsheet would take for a formula gets an apostrophe before it.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/commands.h"
#include "tools/report/output.h"

/* Columns that are a member of the record each, as it stands. */
static const char *const members[] = {
	"unit", "n",        "discarded", "min",      "p5",     "p25",    "p50",     "p75",
	"p95",  "p99",      "max",       "baseline", "net",    "net_ns", "value",   "rounds",
	"ipis", "invlpgbs", "kept",      "of",       "result", "why",    "control",
};

#define NR_MEMBERS (sizeof(members) / sizeof(members[0]))

static bool first_field;

static void begin_field(void)
{
	if (!first_field)
		putchar(',');
	first_field = false;
}

static void end_line(void)
{
	fputs("\r\n", stdout);
	first_field = true;
}

/* OWASP, "CSV Injection". */
static bool is_formula(const char *text)
{
	return *text && strchr("=+-@\t\r", *text);
}

static void put_text(const char *text)
{
	bool quoted = strpbrk(text, ",\"") || is_formula(text) || strspn(text, " ");

	begin_field();
	if (quoted)
		putchar('"');
	if (is_formula(text))
		putchar('\'');
	for (; *text; text++) {
		if (*text == '"')
			putchar('"');
		print_safe(stdout, text, 1);
	}
	if (quoted)
		putchar('"');
}

/* A number, a truth value, a text, or nothing. */
static void put_value(const json_t *value)
{
	char *text;

	if (json_is_string(value)) {
		put_text(json_string_value(value));
		return;
	}
	begin_field();
	if (!json_is_number(value) && !json_is_boolean(value))
		return;
	text = must_have(json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15)));
	fputs(text, stdout);
	free(text);
}

static void put_heading(void)
{
	static const char *const before[] = {"file", "type", "name", "params"};
	static const char *const after[] = {
		"ci_lo",      "ci_hi",         "core_p50",   "core_net",      "row",
		"column",     "modelled",      "emulator",   "core_n",        "core_ci_lo",
		"core_ci_hi", "core_baseline", "walk_event", "walk_unit",     "walk_n",
		"walk_p50",   "walk_ci_lo",    "walk_ci_hi", "walk_baseline", "walk_net"};

	first_field = true;
	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++)
		put_text(before[i]);
	for (size_t i = 0; i < NR_MEMBERS; i++)
		put_text(members[i]);
	for (size_t i = 0; i < sizeof(after) / sizeof(after[0]); i++)
		put_text(after[i]);
	end_line();
}

static void put_pair(const json_t *record, const char *key)
{
	const json_t *pair = json_object_get(record, key);

	put_value(json_array_get(pair, 0));
	put_value(json_array_get(pair, 1));
}

/* What other counters made of the same. */
static void put_counters(const json_t *core, const json_t *walk)
{
	put_value(json_object_get(core, "n"));
	put_pair(core, "ci");
	put_value(json_object_get(core, "baseline"));
	put_value(json_object_get(walk, "event"));
	put_value(json_object_get(walk, "unit"));
	put_value(json_object_get(walk, "n"));
	put_value(json_object_get(walk, "p50"));
	put_pair(walk, "ci");
	put_value(json_object_get(walk, "baseline"));
	put_value(json_object_get(walk, "net"));
}

/* `column` is a cell's of a matrix, or NULL. */
static void put_row(const struct report *r, const struct row *row, const json_t *column,
		    const json_t *cell)
{
	const json_t *core = json_object_get(row->record, "core");

	put_text(r->file);
	put_text(row_type_names[row->kind]);
	put_text(row->name);
	put_text(row->params);
	for (size_t i = 0; i < NR_MEMBERS; i++) {
		bool is_cell = column && !strcmp(members[i], "p50");

		put_value(is_cell ? cell : json_object_get(row->record, members[i]));
	}
	put_pair(row->record, "ci");
	put_value(json_object_get(core, "p50"));
	put_value(json_object_get(core, "net"));
	put_value(json_object_get(row->record, "row"));
	put_value(column);
	put_text(row->modelled ? "true" : "false");
	put_text(r->emulator ? r->emulator : "");
	put_counters(core, json_object_get(row->record, "walk"));
	end_line();
}

static void put_matrix(const struct report *r, const struct row *row)
{
	const json_t *cells = json_object_get(row->record, "p50");

	for (size_t i = 0; i < json_array_size(cells); i++) {
		json_t *column = must_have(json_integer(i));

		put_row(r, row, column, json_array_get(cells, i));
		json_decref(column);
	}
}

static void put_report(const struct report *r)
{
	for (size_t i = 0; i < r->nr_rows; i++) {
		if (r->rows[i].kind == ROW_MATRIX)
			put_matrix(r, &r->rows[i]);
		else
			put_row(r, &r->rows[i], NULL, NULL);
	}
}

static int put_file(const char *path)
{
	struct report *r = command_load(path);
	int status;

	if (!r)
		return STATUS_USAGE;
	put_report(r);
	status = command_status(r);
	report_free(r);
	return status;
}

int csv_run(int argc, char **argv)
{
	static const struct option none[] = {{NULL, 0, NULL, 0}};
	int worst = STATUS_GOOD;

	if (getopt_long(argc, argv, "", none, NULL) != -1 || optind == argc)
		return command_usage(argv[0]);
	put_heading();
	for (int i = optind; i < argc; i++) {
		int status = put_file(argv[i]);

		worst = status > worst ? status : worst;
	}
	return worst;
}
