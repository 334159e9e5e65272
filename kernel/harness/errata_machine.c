/* SPDX-License-Identifier: BSD-2-Clause */
/* Asks the errata about the machine underneath. */
#include <stddef.h>

#include "arch/x86/cpu.h"
#include "arch/x86/insn.h"
#include "kernel/harness/errata.h"

static struct errata_machine machine_here(void)
{
	return (struct errata_machine){
		.vendor = cpu_identity.vendor,
		.family = cpu_identity.family,
		.model = cpu_identity.model,
		.microcode = cpus[0]->microcode,
		.pcide = read_cr4() & CR4_PCIDE,
		.guest = feature_has(FEATURE_HYPERVISOR),
		.hypervisor = cpu_identity.hypervisor,
	};
}

const char *errata_expects(const char *name, const char *params)
{
	struct errata_machine machine = machine_here();
	const struct erratum *e = errata_find(&machine, name, params);

	return e ? e->text : NULL;
}

bool errata_here(const struct erratum *e)
{
	struct errata_machine machine = machine_here();

	return erratum_applies(e, &machine);
}
