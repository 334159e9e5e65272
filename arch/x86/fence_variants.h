/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ways to order that are compared with each other before a WRMSR that does not serialize, and
 * what the manuals ask for. The kernel itself uses weak_wrmsr_fence() only.
 */
#ifndef ARCH_X86_FENCE_VARIANTS_H
#define ARCH_X86_FENCE_VARIANTS_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86/apic.h"
#include "arch/x86/fence.h"
#include "arch/x86/insn.h"

/* X(symbol, CONSTANT, name, what it is), in the order of the enumeration. */
#define FENCE_VARIANTS(X)                                                                \
	X(none, NONE, "none", "no instruction at all")                                   \
	X(nop6, NOP6, "nop6", "the NOP of six bytes that is patched in where none asks") \
	X(branch, BRANCH, "branch", "a test at run time that skips MFENCE and LFENCE")   \
	X(mfence, MFENCE, "mfence", "MFENCE")                                            \
	X(lfence, LFENCE, "lfence", "LFENCE")                                            \
	X(both, BOTH, "both", "MFENCE; LFENCE, what Intel asks for")                     \
	X(sfence, SFENCE, "sfence", "SFENCE")                                            \
	X(locked_add, LOCKED_ADD, "locked-add", "a locked ADD of 0 to the stack")        \
	X(cpuid, CPUID, "cpuid", "CPUID, which serializes")                              \
	X(patched, PATCHED, "patched", "weak_wrmsr_fence() as it was patched (fence=)")

#define FENCE_VARIANT_CONSTANT(symbol, CONSTANT, name, text) FENCE_VARIANT_##CONSTANT,
enum fence_variant { FENCE_VARIANTS(FENCE_VARIANT_CONSTANT) FENCE_VARIANT_COUNT };
#undef FENCE_VARIANT_CONSTANT

/* By enum fence_variant. */
extern const char *const fence_variant_names[FENCE_VARIANT_COUNT];

/*
 * Whether with this variant before it a write of ICR may not overtake earlier stores; `patched` is
 * what has been patched in. Pure.
 *
 * xAPIC: ICR is written by an uncached store, and stores are not reordered with each other (Intel
 * SDM vol. 3A, "Memory Ordering in P6 and More Recent Processor Families"). x2APIC: as the vendor
 * asks, see fence.h; CPUID serializes, so it does everywhere.
 */
bool fence_variant_orders_icr(enum fence_variant variant, enum apic_mode mode,
			      enum cpu_vendor vendor, enum fence patched);

/*
 * The same for IA32_TSC_DEADLINE after the write of LVT that chooses deadline mode. Intel SDM
 * vol. 3A, "TSC-Deadline Mode": in xAPIC mode MFENCE is needed, in x2APIC mode nothing. No manual
 * says that another vendor's xAPIC does without.
 */
bool fence_variant_orders_deadline(enum fence_variant variant, enum apic_mode mode,
				   enum fence patched);

/* Read by fence_by_test(): 0, as on a CPU that needs nothing. */
extern uint8_t fence_variant_test;

/*
 * The test at run time, as on a CPU that needs no fence; one that does pays for both as well. In
 * line, where fence=branch has a call: this is the cheapest that a test can be.
 */
ALWAYS_INLINE void fence_by_test(void)
{
	__asm__ volatile("cmpb $0, %0\n\tje 1f\n\tmfence\n\tlfence\n1:"
			 :
			 : "m"(fence_variant_test)
			 : "memory", "cc");
}

/* `variant` is a constant in every use, so that only its instructions remain. */
ALWAYS_INLINE void fence_variant(enum fence_variant variant)
{
	switch (variant) {
	case FENCE_VARIANT_NONE:
		break;
	case FENCE_VARIANT_NOP6:
		nop6();
		break;
	case FENCE_VARIANT_BRANCH:
		fence_by_test();
		break;
	case FENCE_VARIANT_MFENCE:
		mfence();
		break;
	case FENCE_VARIANT_LFENCE:
		lfence();
		break;
	case FENCE_VARIANT_BOTH:
		mfence();
		lfence();
		break;
	case FENCE_VARIANT_SFENCE:
		sfence();
		break;
	case FENCE_VARIANT_LOCKED_ADD:
		locked_add();
		break;
	case FENCE_VARIANT_CPUID:
		serialize_by_cpuid();
		break;
	case FENCE_VARIANT_PATCHED:
		weak_wrmsr_fence();
		break;
	case FENCE_VARIANT_COUNT:
		break;
	}
}

#endif
