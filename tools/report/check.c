/* SPDX-License-Identifier: BSD-2-Clause */
/* The check command: whether each log's last report is whole, and what its checks found. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/commands.h"
#include "tools/report/log.h"
#include "tools/report/output.h"
#include "tools/report/verdict.h"

struct options {
	bool quiet;
	bool several; /* files */
	bool printed; /* something of a file before this one */
};

static void print_summary(const struct verdict *v)
{
	const json_t *run = v->parts[VERDICT_RUN], *cpus = v->parts[VERDICT_CPUS];
	const json_t *hz = json_object_get(v->parts[VERDICT_CLOCK], "tsc_hz");

	printf("machine    ");
	print_member(stdout, v->parts[VERDICT_MACHINE], "vendor");
	putchar(' ');
	print_member(stdout, v->parts[VERDICT_MACHINE], "product");
	printf("\ncpu        ");
	print_member(stdout, v->parts[VERDICT_CPU], "brand");
	if (cpus)
		printf("\ncpus       %" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT " online",
		       json_integer_value(json_object_get(cpus, "online")),
		       json_integer_value(json_object_get(cpus, "expected")));
	else
		printf("\ncpus       unknown");
	if (json_is_integer(hz))
		printf("\nclock      %.1f MHz", json_integer_value(hz) / 1e6);
	else
		printf("\nclock      unknown");
	printf("\nshootdown  ");
	print_member(stdout, run, "version");
	printf(", boot ");
	print_member(stdout, run, "boot");
	printf(", hypervisor ");
	print_member(stdout, run, "hypervisor");
	putchar('\n');
}

static void print_more(const char *name, uint64_t all, uint64_t printed)
{
	if (all > printed)
		printf("%s: and %" PRIu64 " more\n", name, all - printed);
}

static void print_problems(const char *name, const struct verdict *v)
{
	uint64_t n = v->nr_problems < VERDICT_PROBLEM_MAX ? v->nr_problems : VERDICT_PROBLEM_MAX;

	for (uint64_t i = 0; i < n; i++)
		printf("%s: %s\n", name, v->problems[i]);
	print_more(name, v->nr_problems, n);
}

static void print_failed(const char *name, const struct verdict *v)
{
	for (uint32_t i = 0; i < v->nr_failed; i++) {
		printf("%s: failed: ", name);
		print_member(stdout, v->failed[i], "name");
		printf(": ");
		print_member(stdout, v->failed[i], "why");
		putchar('\n');
	}
	print_more(name, v->counts[VERDICT_FAIL], v->nr_failed);
}

static void print_earlier(const char *name, const struct verdict *v)
{
	if (v->earlier)
		printf("%s: the last boot is judged; %" PRIu64
		       " earlier boot%s, whole or cut, came "
		       "before\n",
		       name, v->earlier, v->earlier == 1 ? "" : "s");
}

static void print_conclusion(const char *name, const struct verdict *v)
{
	printf("%s: ", name);
	if (!v->records) {
		printf("no records\n");
		return;
	}
	if (!verdict_whole(v)) {
		printf("damaged or incomplete: %u of %s%u records\n", v->records,
		       v->parts[VERDICT_END] ? "" : "more than ", v->expected);
		return;
	}
	printf("%u records, whole; %u passed, %u failed, %u skipped", v->records,
	       v->counts[VERDICT_PASS], v->counts[VERDICT_FAIL], v->counts[VERDICT_SKIP]);
	if (v->counts[VERDICT_XFAIL])
		printf(", %u failed as expected", v->counts[VERDICT_XFAIL]);
	putchar('\n');
}

static void print_not_started(const char *name, const struct verdict *v)
{
	char *before = NULL;
	size_t length = 0;
	FILE *to = must_have(open_memstream(&before, &length));

	fprintf(to, "%s: ", name);
	if (fclose(to))
		must_have(NULL);
	print_failed_cpus(v->parts[VERDICT_CPUS], before);
	free(before);
}

static int conclude(const char *name, const struct verdict *v, const struct options *o)
{
	if (!o->quiet && o->several)
		printf("%s%s\n", o->printed ? "\n" : "", name);
	if (!o->quiet && v->records)
		print_summary(v);
	if (!o->quiet)
		print_earlier(name, v);
	print_not_started(name, v);
	print_problems(name, v);
	print_failed(name, v);
	print_conclusion(name, v);
	if (!verdict_whole(v))
		return STATUS_DAMAGED;
	return v->counts[VERDICT_FAIL] ? STATUS_FAILED : STATUS_GOOD;
}

static int cannot_read(const char *name)
{
	fprintf(stderr, "shootdown-report: %s: %s\n", name, strerror(errno));
	return STATUS_USAGE;
}

static int judge(const char *name, struct log *log, struct verdict *v, const struct options *o)
{
	struct log_item item;

	while (log_next(log, &item) < LOG_END)
		verdict_add(v, &item);
	if (item.kind == LOG_ERROR)
		return cannot_read(name);
	verdict_finish(v);
	return conclude(name, v, o);
}

static int check_stream(const char *name, FILE *from, const struct options *o)
{
	struct log *log = log_open(from);
	struct verdict *v = verdict_new();
	int status = log && v ? judge(name, log, v, o) : cannot_read(name);

	verdict_free(v);
	log_close(log);
	return status;
}

static int check_file(const char *path, const struct options *o)
{
	FILE *from;
	int status;

	if (!strcmp(path, "-"))
		return check_stream("standard input", stdin, o);
	from = fopen(path, "r");
	if (!from)
		return cannot_read(path);
	status = check_stream(path, from, o);
	fclose(from);
	return status;
}

int check_run(int argc, char **argv)
{
	static const struct option options[] = {{"quiet", no_argument, NULL, 'q'},
						{NULL, 0, NULL, 0}};
	struct options o = {.quiet = false};
	int option, worst = STATUS_GOOD;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option != 'q')
			return command_usage(argv[0]);
		o.quiet = true;
	}
	if (optind == argc)
		return command_usage(argv[0]);
	o.several = optind + 1 < argc;
	for (int i = optind; i < argc; i++) {
		int status = check_file(argv[i], &o);

		if (status > worst)
			worst = status;
		o.printed = true;
	}
	return worst;
}
