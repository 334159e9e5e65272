/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests boot/efi_map.c on sound and on absurd firmware maps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "boot/efi_map.h"
#include "mm/memory_map.h"

#define MAX_ENTRIES 32

static struct boot_mem out[MAX_ENTRIES];

/* Converts descriptors laid out `stride` bytes apart, in memory of exactly their size. */
static uint64_t convert(const struct efi_descriptor *d, unsigned n, uint64_t stride, uint64_t tail)
{
	uint64_t bytes = n * stride + tail, nr;
	uint8_t *map = malloc(bytes);

	memset(map, 0xa5, bytes);
	for (unsigned i = 0; i < n; i++)
		memcpy(map + i * stride, &d[i], sizeof(*d));
	memset(out, 0x5a, sizeof(out));
	nr = efi_map_convert(map, bytes, stride, out, MAX_ENTRIES);
	free(map);
	return nr;
}

static void test_every_type(void **unused)
{
	static const uint32_t expected[] = {
		BOOT_MEM_RESERVED, BOOT_MEM_LOADER,   BOOT_MEM_LOADER,   BOOT_MEM_RECLAIM,
		BOOT_MEM_RECLAIM,  BOOT_MEM_RESERVED, BOOT_MEM_ACPI,     BOOT_MEM_FREE,
		BOOT_MEM_RESERVED, BOOT_MEM_ACPI,     BOOT_MEM_ACPI,     BOOT_MEM_RESERVED,
		BOOT_MEM_RESERVED, BOOT_MEM_RESERVED, BOOT_MEM_RESERVED, BOOT_MEM_RESERVED};
	struct efi_descriptor d[16] = {0};

	(void)unused;
	for (uint32_t i = 0; i < 16; i++)
		d[i].type = i;
	assert_int_equal(convert(d, 16, sizeof(d[0]), 0), 16);
	for (unsigned i = 0; i < 16; i++)
		assert_int_equal(out[i].type, expected[i]);
}

static void test_absurd_types_are_reserved(void **unused)
{
	static const uint32_t absurd[] = {0x6fffffff, 0x70000000, 0x80000000, 0xffffffff};
	struct efi_descriptor d[4] = {0};

	(void)unused;
	for (unsigned i = 0; i < 4; i++)
		d[i].type = absurd[i];
	assert_int_equal(convert(d, 4, sizeof(d[0]), 0), 4);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(out[i].type, BOOT_MEM_RESERVED);
}

/* 48 is what EDK2 has; 41 puts every descriptor but the first at an odd address. */
static void test_strides(void **unused)
{
	static const uint64_t strides[] = {40, 41, 48, 56, 4096};
	const struct efi_descriptor d[] = {
		{EFI_CONVENTIONAL, 0, 0x100000, 0, 16, 0xf},
		{EFI_RESERVED, 0, 0xfd00000000, 0, 0x300000, 0},
		{EFI_CONVENTIONAL, 0, 1ull << 40, 0, 1ull << 20, 0xf},
	};

	(void)unused;
	for (unsigned s = 0; s < 5; s++) {
		assert_int_equal(convert(d, 3, strides[s], 0), 3);
		for (unsigned i = 0; i < 3; i++) {
			assert_int_equal(out[i].base, d[i].physical_start);
			assert_int_equal(out[i].nr_pages, d[i].number_of_pages);
			assert_int_equal(out[i].reserved, 0);
		}
	}
}

static void test_strides_below_a_descriptor_give_nothing(void **unused)
{
	struct efi_descriptor d[2] = {0};

	(void)unused;
	for (uint64_t stride = 0; stride < sizeof(d[0]); stride++)
		assert_int_equal(efi_map_convert(d, sizeof(d), stride, out, MAX_ENTRIES), 0);
	assert_int_equal(efi_map_convert(d, sizeof(d), UINT64_MAX, out, MAX_ENTRIES), 0);
}

static void test_a_cut_descriptor_is_left_out(void **unused)
{
	const struct efi_descriptor d[2] = {{.type = EFI_CONVENTIONAL}, {.type = EFI_CONVENTIONAL}};

	(void)unused;
	assert_int_equal(convert(d, 0, 48, 47), 0);
	assert_int_equal(convert(d, 2, 48, 47), 2);
	assert_int_equal(convert(d, 2, 48, 0), 2);
}

static void test_no_more_than_there_is_room_for(void **unused)
{
	static struct efi_descriptor d[MAX_ENTRIES + 8];

	(void)unused;
	assert_int_equal(convert(d, MAX_ENTRIES + 8, sizeof(d[0]), 0), MAX_ENTRIES);
	memset(out, 0x5a, sizeof(out));
	assert_int_equal(efi_map_convert(d, sizeof(d), sizeof(d[0]), out, 2), 2);
	assert_int_equal(out[2].nr_pages, 0x5a5a5a5a5a5a5a5a);
	assert_int_equal(efi_map_convert(d, sizeof(d), sizeof(d[0]), out, 0), 0);
}

/* The whole way: sizes whose bytes do not fit 64 bits pass the conversion and count for nothing. */
static void test_page_counts_that_overflow(void **unused)
{
	const struct efi_descriptor d[] = {
		{EFI_CONVENTIONAL, 0, 0x200000, 0, 1ull << 52, 0},
		{EFI_CONVENTIONAL, 0, 0x300000, 0, UINT64_MAX, 0},
		{EFI_RESERVED, 0, 0x100000, 0, 1ull << 63, 0},
		{EFI_CONVENTIONAL, 0, 0x100000, 0, 16, 0},
	};
	struct memory_map map;
	struct memory_walk walk;
	struct memory_range range;

	(void)unused;
	assert_int_equal(convert(d, 4, 48, 0), 4);
	memory_map_init(&map, out, 4, 1ull << 39);
	memory_walk_begin(&walk, &map);
	assert_true(memory_walk_next_ram(&walk, &range));
	assert_int_equal(range.base, 0x100000);
	assert_int_equal(range.end, 0x110000);
	assert_false(memory_walk_next_ram(&walk, &range));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_type),
		cmocka_unit_test(test_absurd_types_are_reserved),
		cmocka_unit_test(test_strides),
		cmocka_unit_test(test_strides_below_a_descriptor_give_nothing),
		cmocka_unit_test(test_a_cut_descriptor_is_left_out),
		cmocka_unit_test(test_no_more_than_there_is_room_for),
		cmocka_unit_test(test_page_counts_that_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
