/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses a command line and looks at what came of it: options in range, complaints fit to print. */
#include <string.h>

#include "kernel/cmdline.h"
#include "tests/fuzz/fuzz.h"

#define MAX_COMPLAINT 159

static void check_complaint(const char *message)
{
	size_t n = 0;

	for (; n <= MAX_COMPLAINT && message[n]; n++)
		must(message[n] >= ' ' && message[n] <= '~');
	must(n && n <= MAX_COMPLAINT);
}

static void check_options(const struct options *o, const char *line, size_t bytes)
{
	must(o->suite <= SUITE_FULL && o->others <= OTHERS_BUSY && o->exit <= EXIT_HALT);
	must(o->inject < INJECT_COUNT);
	must(o->cpus <= UINT32_MAX && o->budget <= 600000 && o->samples <= 1000000);
	must(o->uart_port <= 0xfff8 && o->uart_baud && o->uart_baud <= 115200);
	must(!o->run.length || (o->run.at >= line && o->run.at + o->run.length <= line + bytes));
}

static void match_patterns(struct slice patterns)
{
	struct slice pattern;

	while (slice_split(&patterns, ',', &pattern))
		text_matches(pattern, "shootdown/broadcast-always");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char *line = malloc(bytes);
	struct options options;
	struct slice trimmed;

	must(line || !bytes);
	if (bytes)
		memcpy(line, data, bytes);
	trimmed = slice_trim((struct slice){line, bytes});
	must(trimmed.length <= bytes);
	cmdline_parse(trimmed, &options, check_complaint);
	check_options(&options, line, bytes);
	match_patterns(options.run);
	cmdline_parse((struct slice){line, bytes}, &options, NULL);
	check_options(&options, line, bytes);
	free(line);
	return 0;
}
