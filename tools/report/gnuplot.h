/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs gnuplot as a child of its own: no shell, no settings of the user's, and not for ever. */
#ifndef TOOLS_REPORT_GNUPLOT_H
#define TOOLS_REPORT_GNUPLOT_H

#include <stddef.h>

#define GNUPLOT_SECONDS 10                 /* a picture takes a twentieth of one */
#define GNUPLOT_OUTPUT  (64 * 1024 * 1024) /* bytes; no picture is as large */

/*
 * What it prints for a script, a new string that ends in NUL. NULL where there is no gnuplot or it
 * fails: `why` has a clause without a full stop then.
 */
char *gnuplot_run(const char *script, size_t length, char *why, size_t why_size);

#endif
