/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of errata, and which of them apply. */
#include "kernel/harness/errata.h"

#include <stddef.h>

#include "kernel/format.h"
#include "kernel/text.h"

#define NAME_MAX 192

/*
 * Intel's Alder Lake and Raptor Lake specification updates (documents 682436, ADL063; 740518,
 * RPL042): with PCIDs on and outside VMX non-root operation INVLPG may leave global entries. Models
 * and microcode as in Linux, arch/x86/mm/init.c, invlpg_miss_ids[]. A large page is no exception.
 */
#define INVLPG_GLOBAL(erratum, model_number, microcode)                                            \
	{                                                                                          \
		.name = erratum,                                                                   \
		.text = erratum " (microcode below " #microcode                                    \
				"): with PCIDs on INVLPG may leave global entries",                \
		.checks = "stale/invlpg *global=1*cache=leaf",                                     \
		.also = "stale/invlpg-whole-page *global=1*", .vendor = VENDOR_INTEL, .family = 6, \
		.model = model_number, .fixed_in = microcode, .needs_pcide = true                  \
	}

static const struct erratum table[] = {
	INVLPG_GLOBAL("ADL063", 0x97, 0x2e),   /* Alder Lake */
	INVLPG_GLOBAL("ADL063", 0x9a, 0x42c),  /* Alder Lake-L */
	INVLPG_GLOBAL("ADL063", 0xbe, 0x11),   /* Alder Lake-N, Gracemont cores alone */
	INVLPG_GLOBAL("RPL042", 0xb7, 0x118),  /* Raptor Lake */
	INVLPG_GLOBAL("RPL042", 0xba, 0x4117), /* Raptor Lake-P */
	INVLPG_GLOBAL("RPL042", 0xbf, 0x2e),   /* Raptor Lake-S */
	/* Bochs 3.1: seen with this check; its INVPCID keeps the type in 32 bits. */
	{
		.name = "Bochs-INVPCID-type",
		.text = "Bochs reads 32 bits of INVPCID's type",
		.checks = "fault/invpcid-type-high *",
		.hypervisor = HYPERVISOR_BOCHS,
	},
	/* QEMU 7.2 to 11.1: seen with this check. */
	{
		.name = "TCG-CR4-PCIDE",
		.text = "TCG takes CR4.PCIDE anyway",
		.checks = "fault/cr4-pcide-absent *",
		.hypervisor = HYPERVISOR_TCG,
	},
	{
		/* 7.2; the rule is there in 11.1. */
		.name = "TCG-INVLPG-lock",
		.text = "TCG runs LOCK INVLPG",
		.checks = "fault/invlpg-lock *",
		.hypervisor = HYPERVISOR_TCG,
	},
};

const struct erratum *errata_at(unsigned i)
{
	return i < sizeof(table) / sizeof(table[0]) ? &table[i] : NULL;
}

bool erratum_applies(const struct erratum *e, const struct errata_machine *machine)
{
	if (e->hypervisor)
		return text_equal(e->hypervisor, machine->hypervisor);
	if (machine->guest || *machine->hypervisor)
		return false;
	return e->vendor == machine->vendor && e->family == machine->family &&
	       e->model == machine->model && (!e->fixed_in || machine->microcode < e->fixed_in) &&
	       (!e->needs_pcide || machine->pcide);
}

static bool matches(const char *pattern, const char *row)
{
	struct slice glob = {pattern, pattern ? text_length(pattern, NAME_MAX) : 0};

	return pattern && text_matches(glob, row);
}

const struct erratum *errata_find(const struct errata_machine *machine, const char *name,
				  const char *params)
{
	char row[NAME_MAX];

	format(row, sizeof(row), "%s %s", name, params);
	for (unsigned i = 0; errata_at(i); i++) {
		if (erratum_applies(&table[i], machine) &&
		    (matches(table[i].checks, row) || matches(table[i].also, row)))
			return &table[i];
	}
	return NULL;
}
