/* SPDX-License-Identifier: BSD-2-Clause */
/* The reports that one page or picture is made of, and what they are called in it. */
#ifndef TOOLS_REPORT_INPUT_H
#define TOOLS_REPORT_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/report/report.h"

struct input {
	const struct report **reports;
	size_t n;
	enum report_unit unit; /* ticks or ns */
};

/* The unit of times: what was asked for, or ns wherever the clock is known. */
struct unit_choice {
	bool chosen;
	enum report_unit unit;
};

/* False, and said on standard error, where one can't be read. input_free() in any case. */
bool input_load(struct input *in, char **paths, size_t n, struct unit_choice unit);

void input_free(struct input *in);

/* The worst command_status(). */
int input_status(const struct input *in);

/* An option's value; false, and said on standard error, where it is not good. */
bool input_unit(const char *text, struct unit_choice *unit);

const char *unit_name(enum report_unit unit);

/* "A", "B"...: what a report is called in labels. "" where it is the only one. */
struct letter {
	char text[8];
};

struct letter letter(const struct input *in, size_t report);

/* Of `common`, which begins as a copy of one's, what this row has not got alike goes. */
void keep_common_params(json_t *common, const struct row *row);

/* The last part of its path. */
const char *report_basename(const struct report *r);

#endif
