/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests arch/x86/fence_encode.c against the manuals' encodings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arch/x86/fence_variants.h"

#define SITE 0xffffffff80001000ull

static void expect(enum fence fence, uint64_t at, uint64_t target, const char *bytes)
{
	uint8_t encoded[FENCE_BYTES + 1];

	memset(encoded, 0xcc, sizeof(encoded));
	fence_encode(fence, at, target, encoded);
	assert_memory_equal(encoded, bytes, FENCE_BYTES);
	assert_int_equal(encoded[FENCE_BYTES], 0xcc);
}

static void vendors(void **unused)
{
	(void)unused;
	assert_int_equal(fence_of_vendor(VENDOR_INTEL), FENCE_BOTH);
	assert_int_equal(fence_of_vendor(VENDOR_AMD), FENCE_NONE);
	assert_int_equal(fence_of_vendor(VENDOR_HYGON), FENCE_NONE);
	/* Nobody knows: the safe one. */
	assert_int_equal(fence_of_vendor(VENDOR_OTHER), FENCE_BOTH);
}

static void fixed_ones(void **unused)
{
	(void)unused;
	expect(FENCE_NONE, SITE, 0, "\x66\x0f\x1f\x44\x00\x00");
	expect(FENCE_MFENCE, SITE, 0, "\x0f\xae\xf0\x0f\x1f\x00");
	expect(FENCE_LFENCE, SITE, 0, "\x0f\xae\xe8\x0f\x1f\x00");
	expect(FENCE_BOTH, SITE, 0, "\x0f\xae\xf0\x0f\xae\xe8");
}

/* CALL rel32 counts from the next instruction; forwards and backwards. */
static void calls(void **unused)
{
	(void)unused;
	expect(FENCE_BRANCH, SITE, SITE + 5, "\xe8\x00\x00\x00\x00\x90");
	expect(FENCE_BRANCH, SITE, SITE + 5 + 0x12345678, "\xe8\x78\x56\x34\x12\x90");
	expect(FENCE_BRANCH, SITE, SITE + 5 - 0x1000, "\xe8\x00\xf0\xff\xff\x90");
	expect(FENCE_BRANCH, SITE, SITE, "\xe8\xfb\xff\xff\xff\x90");
}

static void every_fence_has_a_name(void **unused)
{
	(void)unused;
	for (unsigned f = 0; f < FENCE_COUNT; f++)
		assert_non_null(fence_names[f]);
	assert_null(fence_names[FENCE_COUNT]);
}

static bool icr(enum fence_variant v, enum cpu_vendor vendor)
{
	return fence_variant_orders_icr(v, APIC_X2APIC, vendor, FENCE_NONE);
}

static bool icr_patched(enum fence patched)
{
	return fence_variant_orders_icr(FENCE_VARIANT_PATCHED, APIC_X2APIC, VENDOR_INTEL, patched);
}

static void icr_in_x2apic_mode(void **unused)
{
	(void)unused;
	/* Intel: the two together, or an instruction that serializes. */
	for (unsigned v = 0; v < FENCE_VARIANT_COUNT; v++)
		assert_int_equal(icr((enum fence_variant)v, VENDOR_INTEL),
				 v == FENCE_VARIANT_BOTH || v == FENCE_VARIANT_CPUID);
	assert_false(icr(FENCE_VARIANT_MFENCE, VENDOR_OTHER));
	/* AMD and Hygon: nothing is asked for, so whatever stands there is enough. */
	for (unsigned v = 0; v < FENCE_VARIANT_COUNT; v++) {
		assert_true(icr((enum fence_variant)v, VENDOR_AMD));
		assert_true(icr((enum fence_variant)v, VENDOR_HYGON));
	}
	assert_true(icr_patched(FENCE_BOTH));
	assert_true(icr_patched(FENCE_BRANCH));
	assert_false(icr_patched(FENCE_NONE));
	assert_false(icr_patched(FENCE_MFENCE));
	assert_false(icr_patched(FENCE_LFENCE));
}

static void icr_in_xapic_mode(void **unused)
{
	(void)unused;
	for (unsigned v = 0; v < FENCE_VARIANT_COUNT; v++)
		assert_true(fence_variant_orders_icr((enum fence_variant)v, APIC_XAPIC,
						     VENDOR_INTEL, FENCE_NONE));
}

static bool deadline(enum fence_variant v, enum apic_mode mode, enum fence patched)
{
	return fence_variant_orders_deadline(v, mode, patched);
}

static void deadlines(void **unused)
{
	(void)unused;
	for (unsigned v = 0; v < FENCE_VARIANT_COUNT; v++) {
		assert_true(deadline((enum fence_variant)v, APIC_X2APIC, FENCE_NONE));
		assert_int_equal(deadline((enum fence_variant)v, APIC_XAPIC, FENCE_NONE),
				 v == FENCE_VARIANT_MFENCE || v == FENCE_VARIANT_BOTH ||
					 v == FENCE_VARIANT_CPUID);
	}
	assert_true(deadline(FENCE_VARIANT_PATCHED, APIC_XAPIC, FENCE_BOTH));
	assert_true(deadline(FENCE_VARIANT_PATCHED, APIC_XAPIC, FENCE_MFENCE));
	assert_false(deadline(FENCE_VARIANT_PATCHED, APIC_XAPIC, FENCE_LFENCE));
	/* On AMD the branch does nothing. */
	assert_false(deadline(FENCE_VARIANT_PATCHED, APIC_XAPIC, FENCE_BRANCH));
}

static void every_variant_has_a_name(void **unused)
{
	(void)unused;
	for (unsigned v = 0; v < FENCE_VARIANT_COUNT; v++)
		assert_non_null(fence_variant_names[v]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vendors),
		cmocka_unit_test(fixed_ones),
		cmocka_unit_test(calls),
		cmocka_unit_test(every_fence_has_a_name),
		cmocka_unit_test(icr_in_x2apic_mode),
		cmocka_unit_test(icr_in_xapic_mode),
		cmocka_unit_test(deadlines),
		cmocka_unit_test(every_variant_has_a_name),
	};

	return cmocka_run_group_tests_name("fence", tests, NULL, NULL);
}
