/* SPDX-License-Identifier: BSD-2-Clause */
/* Which ways to order are enough. Pure. */
#include "arch/x86/fence_variants.h"

#define NAME(symbol, CONSTANT, name, text) [FENCE_VARIANT_##CONSTANT] = name,

const char *const fence_variant_names[FENCE_VARIANT_COUNT] = {FENCE_VARIANTS(NAME)};

uint8_t fence_variant_test;

bool fence_variant_orders_icr(enum fence_variant variant, enum apic_mode mode,
			      enum cpu_vendor vendor, enum fence patched)
{
	if (mode == APIC_XAPIC || fence_of_vendor(vendor) == FENCE_NONE)
		return true;
	switch (variant) {
	case FENCE_VARIANT_BOTH:
	case FENCE_VARIANT_CPUID:
		return true;
	case FENCE_VARIANT_PATCHED:
		/* The call tests, and does what the vendor asks. */
		return patched == FENCE_BOTH || patched == FENCE_BRANCH;
	default:
		return false;
	}
}

bool fence_variant_orders_deadline(enum fence_variant variant, enum apic_mode mode,
				   enum fence patched)
{
	if (mode == APIC_X2APIC)
		return true;
	switch (variant) {
	case FENCE_VARIANT_MFENCE:
	case FENCE_VARIANT_BOTH:
	case FENCE_VARIANT_CPUID:
		return true;
	case FENCE_VARIANT_PATCHED:
		return patched == FENCE_BOTH || patched == FENCE_MFENCE;
	default:
		return false;
	}
}
