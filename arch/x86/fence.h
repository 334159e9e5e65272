/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * weak_wrmsr_fence(): what stands before a WRMSR that does not serialize, to an x2APIC register or
 * IA32_TSC_DEADLINE, so that earlier stores are visible before it acts.
 *
 * Intel SDM vol. 3A, "MSR Access in x2APIC Mode", asks for MFENCE;LFENCE. AMD and Hygon need nothing
 * (AMD APM vol. 2, "Accessing x2APIC Register Space"; Linux, X86_FEATURE_APIC_MSRS_FENCE). Each
 * place where it stands is six bytes in the text that are patched once, before the APs start.
 */
#ifndef ARCH_X86_FENCE_H
#define ARCH_X86_FENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/x86/features.h"
#include "arch/x86/insn.h"

enum fence {
	FENCE_AUTO,   /* as the vendor asks: FENCE_BOTH or FENCE_NONE */
	FENCE_NONE,   /* a NOP of six bytes */
	FENCE_MFENCE, /* MFENCE and a NOP */
	FENCE_LFENCE, /* LFENCE and a NOP */
	FENCE_BOTH,   /* MFENCE; LFENCE */
	FENCE_BRANCH, /* a call of code that asks at run time whether the vendor needs both */
	FENCE_COUNT
};

#define FENCE_BYTES 6

/* By enum fence. */
extern const char *const fence_names[FENCE_COUNT + 1];

/* What FENCE_AUTO stands for on a CPU of this vendor. */
enum fence fence_of_vendor(enum cpu_vendor vendor);

/* The six bytes of `fence`, not FENCE_AUTO, at address `at`. Pure. */
void fence_encode(enum fence fence, uint64_t at, uint64_t branch_target,
		  uint8_t bytes[FENCE_BYTES]);

/* In the image they are MFENCE; LFENCE, which is right everywhere. Flags: FENCE_BRANCH tests. */
ALWAYS_INLINE void weak_wrmsr_fence(void)
{
	__asm__ volatile("1:\tmfence\n\tlfence\n\t"
			 ".pushsection .fence_sites, \"a\"\n\t"
			 ".quad 1b\n\t"
			 ".popsection"
			 :
			 :
			 : "memory", "cc");
}

/*
 * Patches every place. Once, on the first CPU, while it is the only one, after cpu_setup(). For the
 * moment CR0.WP is off with interrupts off, so the pages themselves stay read-only. Ends with a
 * serializing instruction (Intel SDM vol. 3A, "Handling Self- and Cross-Modifying Code").
 */
void fence_patch(enum fence fence);

/* What has been patched in: never FENCE_AUTO. FENCE_BOTH before. */
enum fence fence_in_use(void);

/* The places, for a check to read back. */
size_t fence_sites(const uint64_t **addresses);

/* What FENCE_BRANCH calls. */
uint64_t fence_branch_target(void);

#endif
