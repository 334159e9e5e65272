/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The commands of shootdown-report.
 *
 * Each gets its own arguments, argv[0] being its name, prints to standard output, says on standard
 * error what it could not do, and returns an exit status; of several, the largest.
 */
#ifndef TOOLS_REPORT_COMMANDS_H
#define TOOLS_REPORT_COMMANDS_H

enum {
	STATUS_GOOD = 0,
	STATUS_FAILED = 1,  /* a whole report, in which a check failed */
	STATUS_DAMAGED = 2, /* a damaged or incomplete report, or none */
	STATUS_USAGE = 3,   /* wrong arguments, or a file that can't be read */
};

int check_run(int argc, char **argv);

#endif
