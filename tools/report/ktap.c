/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ktap command: the checks as KTAP version 1 (Linux, Documentation/dev-tools/ktap.rst), which
 * readers of TAP take too. The first says whether the report is whole, so that what is missing
 * can't pass. An expected failure is "not ok ... # TODO": both know that.
 */
#include <inttypes.h>
#include <string.h>

#include "tools/report/commands.h"
#include "tools/report/output.h"

#define NAME_MAX 400 /* of a line, as of a reason */
#define WHY_MAX  400

/* A '#' would begin a directive, and a '\' be an escape to some: KTAP has none. */
static void put_name(const char *text)
{
	for (size_t i = 0; i < NAME_MAX && text[i]; i++)
		print_safe(stdout, strchr("#\\", text[i]) ? "?" : text + i, 1);
}

static void put_line(unsigned number, bool ok, const struct row *row)
{
	printf("%sok %u - ", ok ? "" : "not ", number);
	put_name(row->name);
	if (*row->params) {
		putchar(' ');
		put_name(row->params);
	}
}

static void put_directive(const char *directive, const char *why)
{
	printf(" # %s ", directive);
	print_safe(stdout, why, WHY_MAX);
	putchar('\n');
}

/* A line of its own, for people: those of a result come before it. */
static void put_remark(const char *name, const char *text)
{
	printf("# %s: ", name);
	print_safe(stdout, text, WHY_MAX);
	putchar('\n');
}

static void put_check(unsigned number, const struct row *row)
{
	const char *result = record_text(row->record, "result");
	const char *why = record_text(row->record, "why");
	const char *control = record_text(row->record, "control");

	result = result ? result : "fail";
	why = why ? why : "";
	if (*why && (!strcmp(result, "pass") || !strcmp(result, "fail")))
		put_remark("why", why);
	if (control && *control)
		put_remark("control", control);
	put_line(number, !strcmp(result, "pass") || !strcmp(result, "skip"), row);
	if (!strcmp(result, "skip"))
		put_directive("SKIP", why);
	else if (!strcmp(result, "xfail"))
		put_directive("TODO", why);
	else
		putchar('\n');
}

static void put_whole(const struct report *r)
{
	const struct verdict *v = r->verdict;

	for (uint64_t i = 0; i < v->nr_problems && i < VERDICT_PROBLEM_MAX; i++)
		put_remark("damage", v->problems[i]);
	if (!v->records)
		put_remark("damage", "no records");
	printf("%sok 1 - report/whole\n", verdict_whole(v) ? "" : "not ");
}

static void put_checks(const struct report *r)
{
	unsigned number = 1;

	for (size_t i = 0; i < r->nr_rows; i++)
		number += r->rows[i].kind == ROW_CHECK;
	printf("KTAP version 1\n1..%u\n", number);
	put_whole(r);
	number = 1;
	for (size_t i = 0; i < r->nr_rows; i++) {
		if (r->rows[i].kind == ROW_CHECK)
			put_check(++number, &r->rows[i]);
	}
}

int ktap_run(int argc, char **argv)
{
	return command_convert(argc, argv, put_checks);
}
