/* SPDX-License-Identifier: BSD-2-Clause */
/* What commands that load whole reports have in common. */
#include "tools/report/commands.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/output.h"

static void complain(const struct report *r)
{
	const struct verdict *v = r->verdict;

	for (uint64_t i = 0; i < v->nr_problems && i < VERDICT_PROBLEM_MAX; i++)
		fprintf(stderr, "shootdown-report: %s: %s\n", r->file, v->problems[i]);
	if (v->nr_problems > VERDICT_PROBLEM_MAX)
		fprintf(stderr, "shootdown-report: %s: and %" PRIu64 " more\n", r->file,
			v->nr_problems - VERDICT_PROBLEM_MAX);
	if (!v->records)
		fprintf(stderr, "shootdown-report: %s: no records\n", r->file);
}

struct report *command_load(const char *path)
{
	struct report *r = report_load(path);

	if (r)
		complain(r);
	else
		fprintf(stderr, "shootdown-report: %s: %s\n", path, strerror(errno));
	return r;
}

int command_status(const struct report *r)
{
	return verdict_whole(r->verdict) ? STATUS_GOOD : STATUS_DAMAGED;
}

int command_convert(int argc, char **argv, void (*convert)(const struct report *r))
{
	static const struct option none[] = {{NULL, 0, NULL, 0}};
	struct report *r;
	int status;

	if (getopt_long(argc, argv, "", none, NULL) != -1 || optind + 1 != argc)
		return command_usage(argv[0]);
	r = command_load(argv[optind]);
	if (!r)
		return STATUS_USAGE;
	convert(r);
	status = command_status(r);
	report_free(r);
	return status;
}

void print_failed_cpus(const json_t *cpus, const char *before)
{
	const json_t *more = json_object_get(cpus, "failed_left_out");
	size_t i;
	json_t *cpu;

	json_array_foreach(json_object_get(cpus, "failed"), i, cpu)
	{
		double apic;

		printf("%sthe CPU with APIC ID %s did not start: ", before,
		       record_number(cpu, "apic", &apic) ? figure(apic).text : "unknown");
		print_member(stdout, cpu, "why");
		putchar('\n');
	}
	if (json_integer_value(more) > 0)
		printf("%sand %" JSON_INTEGER_FORMAT " more\n", before, json_integer_value(more));
}

bool command_unit(const char *name, enum report_unit *unit)
{
	static const char *const names[] = {
		[UNIT_TICKS] = "ticks", [UNIT_NS] = "ns", [UNIT_CORE] = "core"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(name, names[i])) {
			*unit = i;
			return true;
		}
	}
	fprintf(stderr, "shootdown-report: no unit '%s': ticks, ns or core\n", name);
	return false;
}

bool command_width(const char *text, int *width)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (*end || end == text || value < 0 || value > 10000) {
		fprintf(stderr, "shootdown-report: '%s' is no width\n", text);
		return false;
	}
	*width = value;
	return true;
}
