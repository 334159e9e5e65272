/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads reports and gives them letters. */
#include "tools/report/input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/commands.h"
#include "tools/report/output.h"

static bool all_have_a_clock(const struct input *in)
{
	for (size_t i = 0; i < in->n; i++) {
		if (in->reports[i]->tsc_hz <= 0)
			return false;
	}
	return true;
}

bool input_load(struct input *in, char **paths, size_t n, struct unit_choice unit)
{
	in->reports = must_have(calloc(n + 1, sizeof(in->reports[0])));
	for (in->n = 0; in->n < n; in->n++) {
		in->reports[in->n] = command_load(paths[in->n]);
		if (!in->reports[in->n])
			return false;
	}
	in->unit = all_have_a_clock(in) ? UNIT_NS : UNIT_TICKS;
	if (unit.chosen)
		in->unit = unit.unit;
	return true;
}

void input_free(struct input *in)
{
	for (size_t i = 0; i < in->n; i++)
		report_free((struct report *)in->reports[i]);
	free(in->reports);
}

int input_status(const struct input *in)
{
	int worst = STATUS_GOOD;

	for (size_t i = 0; i < in->n; i++) {
		int status = command_status(in->reports[i]);

		worst = status > worst ? status : worst;
	}
	return worst;
}

bool input_unit(const char *text, struct unit_choice *unit)
{
	if (!command_unit(text, &unit->unit))
		return false;
	unit->chosen = true;
	if (unit->unit != UNIT_CORE)
		return true;
	fprintf(stderr, "shootdown-report: pictures are in ticks or ns\n");
	return false;
}

const char *unit_name(enum report_unit unit)
{
	return unit == UNIT_NS ? "ns" : "ticks";
}

struct letter letter(const struct input *in, size_t report)
{
	struct letter l = {""};

	if (in->n > 1 && report < 26)
		l.text[0] = 'A' + report;
	else if (in->n > 1)
		snprintf(l.text, sizeof(l.text), "%zu", report % 1000000 + 1);
	return l;
}

void keep_common_params(json_t *common, const struct row *row)
{
	const json_t *params = json_object_get(row->record, "params");
	const char *key;
	json_t *value;
	void *next;

	json_object_foreach_safe(common, next, key, value)
	{
		json_t *other = json_object_get(params, key);

		if (!other || !json_equal(other, value))
			json_object_del(common, key);
	}
}

const char *report_basename(const struct report *r)
{
	const char *slash = strrchr(r->file, '/');

	return slash && slash[1] ? slash + 1 : r->file;
}
