/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command line: words separated by blanks, "name" or "name=value". Pure.
 * A word that is not understood is reported and left out; it never stops the run.
 */
#ifndef KERNEL_CMDLINE_H
#define KERNEL_CMDLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/inject.h"
#include "kernel/text.h"

enum suite { SUITE_QUICK, SUITE_FULL };
enum others { OTHERS_HLT, OTHERS_POLL, OTHERS_BUSY };
/* Who carries out INVLPGB. */
enum invlpgb_source { INVLPGB_CPU, INVLPGB_MODEL };
enum exit_mode { EXIT_AUTO, EXIT_POWEROFF, EXIT_REBOOT, EXIT_HALT };

struct options {
	struct slice run; /* comma-separated globs; empty: everything */
	uint32_t suite;
	uint64_t cpus;    /* 0: all */
	uint64_t budget;  /* ms for each benchmark; 0: the suite's */
	uint64_t samples; /* at most, for each benchmark; 0: the suite's */
	uint64_t seed;
	bool noinvpcid, nopcid, nopge, noinvlpgb, nox2apic;
	uint32_t invlpgb; /* enum invlpgb_source */
	uint32_t fence;   /* enum fence */
	uint32_t policy;  /* enum flush_policy_id, or POLICY_COUNT: all of them */
	bool pti;
	uint64_t ceiling;      /* pages */
	uint64_t gasid_cpus;   /* as GLOBAL_ASID_CPUS */
	uint64_t gasid_sample; /* as GLOBAL_ASID_SAMPLE */
	uint64_t gasids;       /* as GLOBAL_ASIDS_MAX */
	uint32_t inject;
	uint32_t others;
	bool console_serial, console_fb;
	uint64_t uart_port; /* 0: wherever one answers */
	uint64_t uart_baud;
	bool format_text, format_records;
	uint32_t exit;
};

/* By enum others. */
extern const char *const others_names[];

/* One complaint: a line of text without its end. */
typedef void (*cmdline_error_fn)(const char *message);

/* Fills `o`, defaults first. `error` may be NULL: then complaints are dropped. */
void cmdline_parse(struct slice line, struct options *o, cmdline_error_fn error);

/* Without the blanks, line ends and zeros around it. */
struct slice slice_trim(struct slice s);

/* The next piece of *rest up to `separator`, which is taken off too; false at the end. */
bool slice_split(struct slice *rest, char separator, struct slice *piece);

#endif
