/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Published faults of CPUs and emulators: where a check fails because of one, the failure is
 * expected (CHECK_XFAIL), on just those models, microcode revisions and parameters. Pure, but for
 * errata_expects() and errata_here(), which ask about the machine underneath (errata_machine.c).
 */
#ifndef KERNEL_HARNESS_ERRATA_H
#define KERNEL_HARNESS_ERRATA_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86/features.h"

struct errata_machine {
	enum cpu_vendor vendor;
	uint32_t family, model;
	uint32_t microcode;
	bool pcide;             /* CR4.PCIDE is on */
	bool guest;             /* the CPU says that a hypervisor is present */
	const char *hypervisor; /* or emulator, as cpu_identity has it; "" on a CPU of its own */
};

struct erratum {
	const char *name;   /* as its publisher has it */
	const char *text;   /* what goes wrong, one line, for the report */
	const char *checks; /* pattern of "check params" that it makes fail */
	const char *also;   /* another, or NULL */
	/* Which machines: all that are set must match. */
	const char *hypervisor; /* NULL: on bare metal only */
	enum cpu_vendor vendor;
	uint32_t family, model;
	uint32_t fixed_in; /* the first microcode without it; 0: none */
	bool needs_pcide;
};

/* The `i`-th of the table, NULL after the last. */
const struct erratum *errata_at(unsigned i);

bool erratum_applies(const struct erratum *e, const struct errata_machine *machine);

/* The one that makes check `name` fail at `params` ("page=4k global=1"), or NULL. */
const struct erratum *errata_find(const struct errata_machine *machine, const char *name,
				  const char *params);

/* The same for the machine this runs on, on CPU 0: the erratum's text, or NULL. */
const char *errata_expects(const char *name, const char *params);

/* Whether `e` applies to the machine this runs on. */
bool errata_here(const struct erratum *e);

#endif
