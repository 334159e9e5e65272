/* SPDX-License-Identifier: BSD-2-Clause */
/* The CPU table, and what every CPU sets up for itself. */
#include "arch/x86/cpu.h"

#include "arch/x86/features.h"
#include "arch/x86/safe.h"
#include "arch/x86/xstate.h"

struct cpu **cpus;
uint32_t nr_cpus;

void cpu_table_set(struct cpu **table, uint32_t nr)
{
	cpus = table;
	nr_cpus = nr;
}

/*
 * Exactly the bits the harness wants: what firmware left on (CET, SMAP, PKU...) would change what
 * is measured. LA57 can't change in 64-bit mode. PCIDE wants CR3[11:0] = 0 (Intel SDM vol. 3A,
 * "Process-Context Identifiers").
 */
static void set_control_registers(void)
{
	uint64_t cr4 = (read_cr4() & CR4_LA57) | CR4_PAE | CR4_MCE | CR4_OSFXSR;

	wrmsr(MSR_EFER, EFER_LMA | EFER_LME | (feature_has(FEATURE_NX) ? EFER_NXE : 0));
	wrmsr(MSR_PAT, PAT_KERNEL);
	write_cr0(CR0_PG | CR0_WP | CR0_NE | CR0_ET | CR0_MP | CR0_PE);
	write_cr4(cr4);
	if (feature_has(FEATURE_PGE))
		cr4 |= CR4_PGE;
	if (feature_has(FEATURE_PCID))
		cr4 |= CR4_PCIDE;
	if (feature_has(FEATURE_XSAVE))
		cr4 |= CR4_OSXSAVE;
	write_cr4(cr4);
}

/* AMD APM vol. 3, LFENCE: dispatch-serializing always, or by DE_CFG[1]. */
static void serialize_lfence(void)
{
	uint64_t cfg;

	if (cpu_identity.vendor != VENDOR_AMD && cpu_identity.vendor != VENDOR_HYGON)
		return;
	if (feature_has(FEATURE_LFENCE_SERIAL) || rdmsr_safe(MSR_AMD_DE_CFG, &cfg))
		return;
	(void)wrmsr_safe(MSR_AMD_DE_CFG, cfg | AMD_DE_CFG_LFENCE);
}

/*
 * Intel SDM vol. 3A, "Determining the Signature": write 0, CPUID, read. AMD keeps the revision in
 * the low half of the same MSR.
 */
static uint32_t read_microcode(void)
{
	uint64_t value;

	if (cpu_identity.vendor == VENDOR_INTEL) {
		(void)wrmsr_safe(MSR_BIOS_SIGN_ID, 0);
		(void)cpuid(1, 0);
		return rdmsr_safe(MSR_BIOS_SIGN_ID, &value) ? 0 : value >> 32;
	}
	return rdmsr_safe(MSR_BIOS_SIGN_ID, &value) ? 0 : (uint32_t)value;
}

static struct cpuid query_cpuid(uint32_t leaf, uint32_t subleaf)
{
	return cpuid(leaf, subleaf);
}

void cpu_setup(struct cpu *cpu)
{
	segments_load(cpu);
	set_control_registers();
	xstate_setup();
	serialize_lfence();
	cpu->microcode = read_microcode();
	topology_read(&cpu->topology, query_cpuid);
}

void cpu_switch_stack(uint64_t stack_top, void (*next)(void))
{
	/* RBP = 0 ends backtraces; the pushed 0 is the return address that is never used. */
	__asm__ volatile("mov %0, %%rsp\n\txor %%ebp, %%ebp\n\tpush $0\n\tjmp *%1"
			 :
			 : "r"(stack_top), "r"(next)
			 : "memory");
	__builtin_unreachable();
}
