/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the CPU has, by CPUID bit, less what the command line turned off.
 * Sources: Intel SDM vol. 2A, CPUID; AMD APM vol. 3, "Obtaining Processor Information Via the CPUID
 * Instruction".
 */
#ifndef ARCH_X86_FEATURES_H
#define ARCH_X86_FEATURES_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86/insn.h"

enum feature {
	FEATURE_HYPERVISOR,
	FEATURE_PGE,
	FEATURE_PCID,
	FEATURE_INVPCID,
	FEATURE_INVLPGB,
	FEATURE_TCE,
	FEATURE_X2APIC,
	FEATURE_TSC_DEADLINE,
	FEATURE_MWAIT,
	FEATURE_NX,
	FEATURE_PAGE1G,
	FEATURE_LA57,
	FEATURE_RDTSCP,
	FEATURE_INVARIANT_TSC,
	FEATURE_LFENCE_SERIAL,
	FEATURE_ARCH_CAPS,
	FEATURE_HYBRID,
	FEATURE_TOPOEXT,
	FEATURE_XSAVE,
	FEATURE_COUNT
};

enum cpuid_register { CPUID_EAX, CPUID_EBX, CPUID_ECX, CPUID_EDX };

/* Where a feature's bit is, and who turned it off. */
struct feature_info {
	const char *name;   /* as Linux' /proc/cpuinfo has it, where it has one */
	const char *symbol; /* as the manuals have it */
	uint32_t leaf;
	enum cpuid_register reg;
	unsigned bit;
	bool present;            /* the CPU says so */
	bool modelled;           /* it does not, but software stands in: feature_model() */
	const char *disabled_by; /* the command-line word, or NULL */
};

enum cpu_vendor { VENDOR_OTHER, VENDOR_INTEL, VENDOR_AMD, VENDOR_HYGON };

/* What cpu_identity.hypervisor says of the emulators. */
#define HYPERVISOR_TCG   "TCGTCGTCGTCG"
#define HYPERVISOR_BOCHS "Bochs"

struct cpu_identity {
	enum cpu_vendor vendor;
	char vendor_name[13];
	char brand[49]; /* "" where the CPU gives none */
	/* Its CPUID signature, or the name of an emulator that has none; "" on a CPU of its own. */
	char hypervisor[13];
	bool emulated; /* no CPU runs the instructions, so no time here says anything of one */
	uint32_t family, model, stepping;
};

extern struct cpu_identity cpu_identity;

/* Reads CPUID on the first CPU. Before anything else here. */
void features_init(void);

/* Bits of a physical address: CPUID 8000_0008h EAX[7:0], 36 without the leaf. */
unsigned cpu_physical_bits(void);

/* Present or modelled, and not disabled: may be used. */
bool feature_has(enum feature f);

const struct feature_info *feature_info(enum feature f);

/* From now on the harness does without `f`. Before cpu_setup() of any CPU. */
void feature_disable(enum feature f, const char *by);

/* From now on it may be used as if the CPU had it. Only where it is not present. */
void feature_model(enum feature f);

#endif
