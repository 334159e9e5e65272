/* SPDX-License-Identifier: BSD-2-Clause */
/* The json command: the records as an array, one to a line. */
#include <stdlib.h>

#include "tools/report/commands.h"
#include "tools/report/output.h"

/* Figures have three decimals at most: 15 digits give back what was read. */
#define JSON_FLAGS (JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(15))

static void print_array(const struct report *r)
{
	printf("[");
	for (size_t i = 0; i < r->nr_records; i++) {
		char *text = must_have(json_dumps(r->records[i], JSON_FLAGS));

		printf("%s\n", i ? "," : "");
		/* DEL is all that it leaves as it is. */
		for (const char *c = text; *c; c++)
			*c == 0x7f ? printf("\\u007f") : putchar(*c);
		free(text);
	}
	printf("\n]\n");
}

int json_run(int argc, char **argv)
{
	return command_convert(argc, argv, print_array);
}
