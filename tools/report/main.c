/* SPDX-License-Identifier: BSD-2-Clause */
/* shootdown-report: the table of commands, and usage. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kernel/version.h"
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
	 "what differs, row by row, and what is noise; 1 where B is worse"},
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
		"\nFILE is a capture of the serial console; - is standard input. Its last boot "
		"counts.\n\n"
		"exit status: 0 whole, of check with all checks passed, of compare with nothing "
		"worse\n"
		"             1 of check: a check failed; of compare: something is slower, or a "
		"check that\n"
		"               passed fails; other commands never\n"
		"             2 damaged, incomplete or no report; of compare also: nothing to "
		"compare\n"
		"             3 usage, a file that can't be read, output that can't be written\n"
		"COMMAND --help tells of one command; --version of this program.\n");
}

static void print_command(FILE *to, const struct command *c)
{
	fprintf(to, "usage: shootdown-report %s %s\n", c->name, c->arguments);
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < NR_COMMANDS; i++) {
		if (!strcmp(name, commands[i].name))
			return &commands[i];
	}
	return NULL;
}

int command_usage(const char *name)
{
	print_command(stderr, find_command(name));
	return STATUS_USAGE;
}

static bool is_help(const char *argument)
{
	return !strcmp(argument, "--help") || !strcmp(argument, "-h");
}

static bool wants_help(int argc, char **argv)
{
	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (is_help(argv[i]))
			return true;
	}
	return false;
}

/* How often an argument is standard input. After -o it is standard output. */
static int count_input(int argc, char **argv)
{
	int n = 0;

	for (int i = 1; i < argc; i++)
		n += !strcmp(argv[i], "-") && strcmp(argv[i - 1], "-o") != 0 &&
		     strcmp(argv[i - 1], "--output") != 0;
	return n;
}

static int run_command(const struct command *c, int argc, char **argv)
{
	if (wants_help(argc, argv)) {
		print_command(stdout, c);
		printf("    %s\n", c->purpose);
		return STATUS_GOOD;
	}
	if (count_input(argc, argv) > 1) {
		fprintf(stderr, "shootdown-report: standard input can't be read twice\n");
		return STATUS_USAGE;
	}
	return c->run(argc, argv);
}

static int no_command(const char *name)
{
	fprintf(stderr, "shootdown-report: no command '%s'\n", name);
	if (!strcmp(name, "-") || !access(name, R_OK))
		fprintf(stderr, "To see what is in it: shootdown-report show %s\n", name);
	else
		print_usage(stderr);
	return STATUS_USAGE;
}

static int run(int argc, char **argv)
{
	const struct command *c;

	if (argc < 2) {
		print_usage(stderr);
		return STATUS_USAGE;
	}
	if (is_help(argv[1])) {
		print_usage(stdout);
		return STATUS_GOOD;
	}
	if (!strcmp(argv[1], "--version")) {
		printf("shootdown-report %s\n", SHOOTDOWN_VERSION);
		return STATUS_GOOD;
	}
	c = find_command(argv[1]);
	return c ? run_command(c, argc - 1, argv + 1) : no_command(argv[1]);
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
