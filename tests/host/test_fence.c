/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests arch/x86/fence_encode.c against the manuals' encodings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arch/x86/fence.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vendors),
		cmocka_unit_test(fixed_ones),
		cmocka_unit_test(calls),
		cmocka_unit_test(every_fence_has_a_name),
	};

	return cmocka_run_group_tests_name("fence", tests, NULL, NULL);
}
