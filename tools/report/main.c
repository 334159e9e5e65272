/* SPDX-License-Identifier: BSD-2-Clause */
/* shootdown-report: the table of commands, and usage. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "tools/report/commands.h"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *arguments;
	const char *purpose;
} commands[] = {
	{"check", check_run, "[--quiet] FILE...", "is each report whole, and did its checks pass?"},
	{"show", show_run,
	 "[--unit ticks|ns|core] [--match GLOB] [--sort name|value|log] [--width N] FILE",
	 "the machine, and a table for each group"},
	{"compare", compare_run,
	 "[--unit U] [--match GLOB] [--threshold PERCENT] [--changed] [--width N] A B | A... -- B...",
	 "what differs, row by row, and what is noise; 1 where B is slower"},
	{"csv", csv_run, "FILE...", "a line for each row, for spreadsheets"},
	{"json", json_run, "FILE", "its records, as an array"},
	{"ktap", ktap_run, "FILE", "its checks, as KTAP (and TAP)"},
	{"lava", lava_run, "[--unit ticks|ns|core] FILE", "checks and figures, as LAVA's signals"},
	{"html", html_run, "[--unit ticks|ns] FILE... -o OUT.html",
	 "one page with all of it, to be mailed"},
	{"svg", svg_run, "[--unit ticks|ns] FILE... --plot NAME -o OUT.svg",
	 "one of its pictures; --plot list names them"},
};

#define NR_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void print_usage(FILE *to)
{
	fprintf(to, "usage: shootdown-report COMMAND ...\n\n");
	for (size_t i = 0; i < NR_COMMANDS; i++)
		fprintf(to, "  %s %s\n      %s\n", commands[i].name, commands[i].arguments,
			commands[i].purpose);
	fprintf(to,
		"\nFILE is a capture of the serial console; - is standard input. Its last boot counts.\n\n"
		"exit status: 0 whole, and nothing bad; 1 a check failed (check), something got\n"
		"             slower or failed anew (compare); 2 damaged, incomplete or no report,\n"
		"             nothing to compare; 3 usage, or a file that can't be read\n");
}

int command_usage(const char *name)
{
	for (size_t i = 0; i < NR_COMMANDS; i++) {
		if (!strcmp(name, commands[i].name))
			fprintf(stderr, "usage: shootdown-report %s %s\n", name,
				commands[i].arguments);
	}
	return STATUS_USAGE;
}

static int run(int argc, char **argv)
{
	if (argc >= 2 && !strcmp(argv[1], "--help")) {
		print_usage(stdout);
		return STATUS_GOOD;
	}
	for (size_t i = 0; argc >= 2 && i < NR_COMMANDS; i++) {
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	}
	if (argc >= 2)
		fprintf(stderr, "shootdown-report: no command %s\n", argv[1]);
	print_usage(stderr);
	return STATUS_USAGE;
}

int main(int argc, char **argv)
{
	int status;

	/* A reader that goes away is an error like a full disk, and said as such. */
	signal(SIGPIPE, SIG_IGN);
	status = run(argc, argv);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "shootdown-report: standard output: %s\n",
			errno ? strerror(errno) : "can't be written");
		return STATUS_USAGE;
	}
	return status;
}
