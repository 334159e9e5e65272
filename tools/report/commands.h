/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The commands of shootdown-report.
 *
 * Each gets its own arguments, argv[0] being its name, prints to standard output, says on standard
 * error what it could not do, and returns an exit status; of several, the largest.
 */
#ifndef TOOLS_REPORT_COMMANDS_H
#define TOOLS_REPORT_COMMANDS_H

#include <stdbool.h>

#include "tools/report/report.h"

enum {
	STATUS_GOOD = 0,
	STATUS_FAILED = 1,  /* a whole report, in which a check failed */
	STATUS_DAMAGED = 2, /* a damaged or incomplete report, or none */
	STATUS_USAGE = 3,   /* wrong arguments, or a file that can't be read */
};

int check_run(int argc, char **argv);
int show_run(int argc, char **argv);
int compare_run(int argc, char **argv);
int csv_run(int argc, char **argv);
int json_run(int argc, char **argv);
int ktap_run(int argc, char **argv);
int lava_run(int argc, char **argv);
int html_run(int argc, char **argv);
int svg_run(int argc, char **argv);

/* Says how the command is called; STATUS_USAGE. */
int command_usage(const char *name);

/*
 * Loads a report, for what shows whatever is there. NULL where it can't be read. That, and what is
 * wrong with it, is said on standard error.
 */
struct report *command_load(const char *path);

/* STATUS_GOOD or STATUS_DAMAGED. */
int command_status(const struct report *r);

/* For commands with one FILE and no options: loads it, has it converted, and returns the status. */
int command_convert(int argc, char **argv, void (*convert)(const struct report *r));

/* A line for each CPU that did not start, of the record "cpus". */
void print_failed_cpus(const json_t *cpus, const char *before);

/* Arguments of options: false, and said on standard error, where they are not good. */
bool command_unit(const char *name, enum report_unit *unit);

/* Columns; 0 is no limit. */
bool command_width(const char *text, int *width);

#endif
